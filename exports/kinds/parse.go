package kinds

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"kindex/exports/didyoumean"
)

// Error is what is wrong with a declaration.
type Error struct {
	Path       []string // of the declaration in the file
	Key        bool     // whether the name at the path is wrong, not its value
	Message    string
	Suggestion string
}

func (e *Error) Error() string { return strings.Join(e.Path, ".") + ": " + e.Message }

// Parse reads a kinds.yaml. Without kinds, fields and signals, it adds to those of Default. The error joins an *Error for each mistake that the schema of the file cannot
// express; the text must have passed the schema.
func Parse(data []byte) (*Set, error) { return parse(data, Default()) }

// parse reads a kinds.yaml whose links and pricing models add to those of base, if there is one.
func parse(data []byte, base *Set) (*Set, error) {
	var file fileYAML
	if err := yaml.UnmarshalWithOptions(data, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("kinds: %w", err)
	}
	if base != nil && len(file.Kinds)+len(file.Fields)+len(file.Signals) == 0 {
		var standard fileYAML
		if err := yaml.Unmarshal(defaultYAML, &standard); err != nil {
			return nil, fmt.Errorf("kinds: %w", err) // cannot happen, since the file is embedded
		}
		file.Fields, file.Signals, file.Kinds = standard.Fields, standard.Signals, standard.Kinds
	}
	s := &Set{IDs: file.IDs}
	for _, x := range file.Fields {
		s.Fields = append(s.Fields, x.value.field(x.name, nil))
	}
	for _, x := range file.Signals {
		x.value.Name, x.value.Title = x.name, titleOr(x.value.Title, x.name)
		s.Signals = append(s.Signals, &x.value)
	}
	for _, x := range file.Links {
		s.Links = append(s.Links, Link{x.name, titleOr(x.value.Title, x.name), x.value.Description, x.value.Kinds})
	}
	for _, x := range file.PricingModels {
		s.pricing = append(s.pricing, Link{Name: x.name, Title: titleOr(x.value.Title, x.name), Kinds: x.value.Kinds})
	}
	if base != nil {
		s.Links, s.pricing = withDefaults(file.Kinds, base.Links, s.Links), withDefaults(file.Kinds, base.pricing, s.pricing)
	}
	for _, p := range s.pricing {
		s.PricingModels = append(s.PricingModels, p.Name)
	}
	var mistakes []error
	for _, x := range file.Kinds {
		k := &Kind{Name: x.name, Title: titleOr(x.value.Title, x.name), Plural: x.value.Plural, Description: x.value.Description,
			Blocks: x.value.Blocks, Card: x.value.Card, Columns: x.value.Columns, Dimensions: x.value.Dimensions}
		if k.Plural == "" {
			k.Plural = Plural(k.Title)
		}
		mistakes = append(mistakes, k.pick(s, x.value.Fields, x.value.Signals)...)
		s.Kinds = append(s.Kinds, k)
	}
	s.index()
	mistakes = append(mistakes, s.check()...)
	if err := errors.Join(mistakes...); err != nil {
		return nil, err
	}
	return s, nil
}

// withDefaults returns the defaults of the declared kinds, and those of own whose names they lack.
func withDefaults(declared ordered[kindYAML], defaults, own []Link) (list []Link) {
	for _, x := range defaults {
		if x.Kinds == nil || slices.ContainsFunc(x.Kinds, declared.has) {
			list = append(list, x)
		}
	}
	for _, x := range own {
		if !slices.ContainsFunc(list, func(y Link) bool { return y.Name == x.Name }) {
			list = append(list, x)
		}
	}
	return list
}

// pick sets the fields and signals of a kind, in the order of the set.
func (k *Kind) pick(s *Set, fields, signals []string) (mistakes []error) {
	wanted := func(list string, names, known []string) map[string]bool {
		set := map[string]bool{}
		for i, name := range names {
			at := []string{"kinds", k.Name, list, fmt.Sprint(i)}
			if !slices.Contains(known, name) {
				mistakes = append(mistakes, &Error{Path: at, Message: quoted(name) + " is not declared under " + list, Suggestion: didyoumean.Name(name, known)})
			}
			set[name] = true
		}
		return set
	}
	var declared []string
	for _, f := range s.Fields {
		declared = append(declared, f.Name)
	}
	has := wanted("fields", fields, declared)
	for _, f := range s.Fields {
		if has[f.Name] {
			k.Fields = append(k.Fields, f)
		}
	}
	has = wanted("signals", signals, s.SignalNames())
	for _, x := range s.Signals {
		if has[x.Name] {
			k.Signals = append(k.Signals, x)
		}
	}
	return mistakes
}

type fileYAML struct {
	Fields        ordered[fieldYAML]
	Signals       ordered[Signal]
	Links         ordered[Link]
	PricingModels ordered[Link] `yaml:"pricingModels"`
	IDs           []Namespace   `yaml:"ids"`
	Kinds         ordered[kindYAML]
}

// fieldYAML is a field with the members that a file has in another form.
type fieldYAML struct {
	Field `yaml:",inline"`
	Words choices            `yaml:"values"`
	Inner ordered[fieldYAML] `yaml:"parts"`
}

type kindYAML struct {
	Title, Plural, Description             string
	Fields, Signals, Blocks, Card, Columns []string
	Dimensions                             map[string]string
}

// The parts of ranges and of dated fields.
const (
	FromPart  = "from"
	ToPart    = "to"
	ValuePart = "value"
)

// field returns the field with a name, which may be part of a group.
func (v *fieldYAML) field(name string, group *Field) *Field {
	f := new(Field)
	*f = v.Field
	f.Name, f.Path, f.Group, f.Title, f.Values, f.Titles = name, name, group, titleOr(v.Title, name), v.Words.names, v.Words.titles
	f.Dated = v.Dated && v.Type != Range
	if group != nil {
		f.Path = group.Name + "." + name
	}
	if f.Query == "" {
		f.Query = f.Column()
	}
	for _, part := range v.Inner {
		f.Parts = append(f.Parts, part.value.field(part.name, f))
	}
	switch {
	case f.Type == Range:
		end := fieldYAML{Field: Field{Type: Number, Unit: v.Unit, Minimum: v.Minimum, Maximum: v.Maximum, Filter: v.Filter, Sort: v.Sort, Query: f.Query}}
		from, to := end, end
		from.Title, from.Description, from.AtMost = f.Title+" from", "The lower end.", ToPart
		to.Title, to.Description, to.Sort = f.Title+" to", "The upper end.", false // ranges are sorted by their lower ends
		f.Parts = []*Field{from.field(FromPart, f), to.field(ToPart, f)}
	case v.Dated:
		value := *v
		value.Dated, value.Query, value.Title = false, f.Query, f.Title
		f.Type = Group
		f.Parts = []*Field{value.field(ValuePart, f),
			(&fieldYAML{Field: Field{Type: Date, Title: f.Title + ", read", Description: "The day it was read."}}).field("date", f),
			(&fieldYAML{Field: Field{Type: URL, Title: f.Title + ", source", Description: "The page it was read from."}}).field("source", f)}
	}
	return f
}

var (
	endsInY      = regexp.MustCompile(`[^aeiou]y$`)
	endsInHisses = regexp.MustCompile(`(?:s|x|ch|sh)$`)
)

// Plural returns the plural of an English title: Libraries, Boxes, Glazes.
func Plural(title string) string {
	switch {
	case endsInY.MatchString(title):
		return title[:len(title)-1] + "ies"
	case endsInHisses.MatchString(title):
		return title + "es"
	}
	return title + "s"
}

// titleOr returns a title or, if there is none, the words of a name: Food safe for foodSafe.
func titleOr(title, name string) string {
	if title != "" {
		return title
	}
	var b strings.Builder
	for i, r := range name {
		switch {
		case i == 0:
			r = unicode.ToUpper(r)
		case unicode.IsUpper(r):
			b.WriteByte(' ')
			r = unicode.ToLower(r)
		case r == '-':
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// choices are the words of an enum: a list, or a mapping to their titles.
type choices struct {
	names  []string
	titles map[string]string
}

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (c *choices) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&c.names) == nil {
		return nil
	}
	var titled ordered[string]
	if err := unmarshal(&titled); err != nil {
		return err
	}
	c.names, c.titles = nil, map[string]string{}
	for _, x := range titled {
		c.names = append(c.names, x.name)
		c.titles[x.name] = x.value
	}
	return nil
}

// ordered is a mapping whose order counts.
type ordered[T any] []struct {
	name  string
	value T
}

func (l ordered[T]) has(name string) bool {
	for _, x := range l {
		if x.name == name {
			return true
		}
	}
	return false
}

// UnmarshalYAML decodes the mapping twice: once for the values, once for the order.
func (l *ordered[T]) UnmarshalYAML(unmarshal func(any) error) error {
	var values map[string]T
	var order yaml.MapSlice
	if err := unmarshal(&values); err != nil {
		return err
	}
	if err := unmarshal(&order); err != nil {
		return err
	}
	for _, item := range order {
		name := fmt.Sprint(item.Key)
		*l = append(*l, struct {
			name  string
			value T
		}{name, values[name]})
	}
	return nil
}
