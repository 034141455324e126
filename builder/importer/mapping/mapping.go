// Package mapping reads mappings, which define how the rows of a catalogue become entities.
package mapping

import (
	"iter"
	"regexp"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
)

// Mapping defines how the rows of a catalogue become entity files. site/docs/importing.md
// describes every part of it.
type Mapping struct {
	Source *Source
	Input  InputForm

	Type      *Value
	Slug      *Value // by default, the slug is derived from the entity's name
	ClashSlug *Value // if nil, rows with the same slug are refused
	Where     []Condition

	Group // the fields of the entity, in the order in which their problems are reported

	// Uses lists every use of a column, in no particular order. The column of a list entry is
	// prefixed with the list's name and a dot.
	Uses []ColumnUse
}

// Source describes the imported collection, which must be credited.
type Source struct {
	Name, URL, License, Date, Changes string
}

// InputForm is the format of the input file.
type InputForm struct {
	Delimiter rune   // 0 means that the file name determines the separator
	Decimal   string // "", "." or ","
	Missing   []string
}

// ColumnUse is one use of a column in a mapping.
type ColumnUse struct {
	Column   string
	Optional bool // the column may be absent from the file
	Place    Place
}

// Place is a place in the mapping: a problem without its message.
type Place yamldoc.Problem

// Problem returns an error at the place.
func (p Place) Problem(message, suggestion string) yamldoc.Problem {
	p.Message, p.Suggestion = message, suggestion
	return yamldoc.Problem(p)
}

// Field is the source of a field of an entity, or of one of its members: a value or, if there are Groups,
// an object with members.
type Field struct {
	Name         string
	Value        *Value
	Date, Source *Value // of a signal; both may be nil

	Groups []*Group
	List   bool // whether the field is a list of the objects of all Groups
}

// Group is the source of an object or, if Each is set, of one for each entry in the list Each of a row.
type Group struct {
	Each    string
	Details []string // of benchmark results: columns that distinguish those with the same name
	Per     *Value   // of offers: how many tokens the prices are for, also those of tiers and modes; nil for a million
	Needs   []string // the fields without which there is no object
	Fields  []Field  // those of Needs first, then values, by name
	Place   Place
}

// Value is the source of a value and its transformations, which are applied in the order of
// the fields. Exactly one of Column, Constant, Template, First and All is set.
type Value struct {
	Column   string
	Constant any // a string, number, bool or a list of these
	Template []TemplatePart
	First    []*Value
	All      []*Value

	When    []Condition
	Unit    []string          // what is left out of texts
	List    string            // "", "python", "range" or a separator
	Take    string            // "", "first" or "last"
	Table   map[string]string // replacement values; "" means no value
	As      string            // "", or one of the conversions in the schema
	Default any
}

// TemplatePart is a literal string or a column.
type TemplatePart struct {
	Literal, Column string
}

// Condition is a condition on a column. Exactly one of Is, Not and Empty is set.
type Condition struct {
	Column  string
	Is, Not []any
	Empty   *bool
}

// All lists the fields that are values or lists, by their paths, such as license, links.paper, signals.stars and offers.
func (m *Mapping) All() iter.Seq2[string, Field] {
	return func(yield func(string, Field) bool) {
		for _, f := range m.Fields {
			if f.List || f.Groups == nil {
				if !yield(f.Name, f) {
					return
				}
				continue
			}
			for _, member := range f.Groups[0].Fields {
				if !yield(f.Name+"."+member.Name, member) {
					return
				}
			}
		}
	}
}

// Find returns the source of a field of an entity, such as license, signals.stars.date or offers[0].id, or nil.
func (g *Group) Find(field string) *Value {
	for _, f := range g.Fields {
		rest, ok := strings.CutPrefix(field, yamldoc.FieldName([]string{f.Name}))
		if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if f.List {
			_, rest, _ = strings.Cut(rest, "]")
		}
		for _, inner := range f.Groups {
			if v := inner.Find(strings.TrimPrefix(rest, ".")); v != nil {
				return v
			}
		}
		switch rest {
		case ".date":
			return f.Date
		case ".source":
			return f.Source
		}
		return f.Value
	}
	return nil
}

// Parse reads a mapping. The mapping is nil if one of the problems is an error. path is used
// only in messages.
func Parse(declared *kinds.Set, path string, data []byte) (*Mapping, yamldoc.Problems) {
	s := schema.Of(declared, "mapping")
	d := &decoder{kinds: declared, schema: s, Document: yamldoc.Parse(path, data)}
	fields, ok := d.Fields()
	if !ok {
		return nil, d.Report()
	}
	s.Check(d.Document)
	m := d.mapping(fields)
	if d.check(m); d.Problems.HasErrors() {
		m = nil
	}
	return m, d.Report()
}

// UndatedOffers returns where the mapping defines offers without the day on which they were
// read, or nil. Without it, an update would leave the date of the offers that it replaces.
func (m *Mapping) UndatedOffers() *Place {
	for _, g := range m.Offers() {
		if m.Find("offersRead.date") == nil && g.Find("date") == nil {
			return &g.Place
		}
	}
	return nil
}

// Offers returns where offers come from.
func (m *Mapping) Offers() []*Group {
	for _, f := range m.Fields {
		if f.Name == "offers" {
			return f.Groups
		}
	}
	return nil
}

// tokenWords are what a number of tokens is named with, such as USD per million tokens.
var tokenWords = regexp.MustCompile(`usd|per|tokens?|tok|[$/_,\- ]`)

// Tokens returns the number of tokens that a text such as token, 1K tokens or million names. If it
// names none, wrong is the reason.
func Tokens(text string) (n int64, wrong string) {
	switch tokenWords.ReplaceAllString(strings.ToLower(text), "") {
	case "", "1":
		return 1, ""
	case "k", "1k", "1000", "thousand":
		return 1e3, ""
	case "m", "1m", "1000000", "million":
		return 1e6, ""
	}
	return 0, "is not a number of tokens for which prices can be; expected one of: token, thousand, million"
}
