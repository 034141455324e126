package content

import (
	"maps"
	"slices"
	"strconv"
)

// Mapping says how the rows of somebody's catalogue become entity files: the
// file that an import takes. content/README.md describes every part of it.
type Mapping struct {
	Path   string // for messages
	Source *MappingSource
	Input  InputForm

	Type      *Value
	Slug      *Value // the name of the entity, unless given
	ClashSlug *Value // nil where rows of one slug are refused
	Where     []Condition

	// Targets are the fields, links and signals that the mapping yields, in the
	// order of their names.
	Targets    []Target
	Benchmarks []BenchmarkColumns
}

// MappingSource is the collection that is imported, for the credits.
type MappingSource struct {
	Name, URL, License, Date, Changes string
}

// InputForm is how the file is written.
type InputForm struct {
	Delimiter rune   // 0 where the name of the file tells
	Decimal   string // "", "." or ","
	Missing   []string
}

// Location is where something stands in the mapping.
type Location struct {
	Line, Column int
	Field        string
}

// Target is one field of an entity and where its value comes from: license,
// links.paper, or signals.stars with the parts of a signal.
type Target struct {
	Path  []string
	Value *Value
	// Date and Source belong to signals; both may be nil.
	Date, Source *Value
}

// Value is where a value comes from and what is made of it, in the order of the
// fields. Exactly one of Column, Constant, Template, First and All is set.
type Value struct {
	Column   string
	Constant any // a text, a number, a bool or a list of these
	Template []TemplatePart
	First    []*Value
	All      []*Value

	When     []Condition
	Optional bool              // the column may be absent from the file
	List     string            // "", "python" or a separator
	Take     string            // "", "first" or "last"
	Table    map[string]string // what to write instead; "" is nothing
	As       string            // "", or one of the names that the schema lists
	Default  any

	Location Location
}

// TemplatePart is a literal text or a column.
type TemplatePart struct {
	Literal, Column string
}

// Condition is what a column must be. Exactly one of Is, Not and Empty is set.
type Condition struct {
	Column   string
	Is, Not  []any
	Empty    *bool
	Optional bool
	Location Location
}

// BenchmarkColumns is where benchmark results come from: one a row, or one an
// entry of the list Each.
type BenchmarkColumns struct {
	Each                      string
	Name, Value, Date, Source *Value
	Details                   []string
	Optional                  bool
	Location                  Location
}

// ParseMapping reads a mapping. It is nil where one of the problems is an
// error. path is only for messages.
func ParseMapping(path string, data []byte) (*Mapping, Problems) {
	d := Parse(path, data, "")
	m, ok := d.Fields()
	if !ok {
		return nil, d.Report()
	}
	mappingSchema().Check(d)
	mapping := d.mapping(m)
	d.checkMapping(mapping)
	if errors, _ := d.Problems.Count(); errors > 0 {
		return nil, d.Report()
	}
	return mapping, d.Report()
}

// mapping takes over what has the right form; the schema has complained about
// the rest.
func (d *Document) mapping(m map[string]any) *Mapping {
	out := &Mapping{Path: d.Path, Input: inputForm(m["input"]),
		Type: d.typeOf(m["type"]), Slug: d.valueOf(m["slug"], "slug"), ClashSlug: d.valueOf(m["clashSlug"], "clashSlug"),
		Where: d.conditionsOf(m["where"], "where")}
	if s, ok := m["source"].(map[string]any); ok {
		out.Source = &MappingSource{Name: Text(s["name"]), URL: Text(s["url"]), License: Text(s["license"]),
			Date: Text(s["date"]), Changes: Text(s["changes"])}
	}
	fields := setOf(m["fields"])
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		t := Target{Path: []string{name}, Value: d.valueOf(fields[name], "fields", name)}
		if out.Targets = append(out.Targets, t); name == "name" && out.Slug == nil {
			out.Slug = t.Value
		}
	}
	links := setOf(m["links"])
	for _, name := range slices.Sorted(maps.Keys(links)) {
		out.Targets = append(out.Targets, Target{Path: []string{"links", name}, Value: d.valueOf(links[name], "links", name)})
	}
	signals := setOf(m["signals"])
	for _, name := range slices.Sorted(maps.Keys(signals)) {
		if name == "benchmarks" {
			out.Benchmarks = d.benchmarksOf(signals[name])
			continue
		}
		out.Targets = append(out.Targets, d.signalOf(signals[name], name))
	}
	return out
}

func setOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func inputForm(v any) InputForm {
	m := setOf(v)
	form := InputForm{Decimal: Text(m["decimal"])}
	switch delimiter, _ := m["delimiter"].(string); delimiter {
	case "":
	case "tab":
		form.Delimiter = '\t'
	default:
		form.Delimiter = []rune(delimiter)[0]
	}
	for _, text := range listOf(m["missing"]) {
		form.Missing = append(form.Missing, Text(text))
	}
	return form
}

// typeOf is like valueOf, but a bare text is the type itself.
func (d *Document) typeOf(v any) *Value {
	if s, ok := v.(string); ok {
		return &Value{Constant: s, Location: d.placeOf("type")}
	}
	return d.valueOf(v, "type")
}

func (d *Document) signalOf(v any, name string) Target {
	path := []string{"signals", name}
	m, ok := v.(map[string]any)
	if !ok {
		return Target{Path: path, Value: d.valueOf(v, path...)}
	}
	return Target{Path: path, Value: d.valueOf(m["value"], "signals", name, "value"),
		Date: d.valueOf(m["date"], "signals", name, "date"), Source: d.valueOf(m["source"], "signals", name, "source")}
}

func (d *Document) benchmarksOf(v any) (out []BenchmarkColumns) {
	for i, item := range listOf(v) {
		m, at := setOf(item), []string{"signals", "benchmarks", strconv.Itoa(i)}
		part := func(name string) *Value { return d.valueOf(m[name], append(slices.Clone(at), name)...) }
		b := BenchmarkColumns{Each: Text(m["each"]), Name: part("name"), Value: part("value"),
			Date: part("date"), Source: part("source"), Details: Texts(m["details"]), Location: d.placeOf(at...)}
		b.Optional, _ = m["optional"].(bool)
		out = append(out, b)
	}
	return out
}

// valueOf returns nil where there is no value.
func (d *Document) valueOf(v any, path ...string) *Value {
	out := &Value{Location: d.placeOf(path...)}
	m := setOf(v)
	switch {
	case v == nil:
		return nil
	case m == nil:
		out.Column = Text(v)
		return out
	}
	out.Column, out.Constant, out.Default = Text(m["column"]), m["constant"], m["default"]
	out.When = d.conditionsOf(m["when"], append(slices.Clone(path), "when")...)
	out.Optional, _ = m["optional"].(bool)
	out.List, _ = m["list"].(string) // a separator may be a space
	out.Take, out.As = Text(m["take"]), Text(m["as"])
	for name, into := range map[string]*[]*Value{"first": &out.First, "all": &out.All} {
		for i, item := range listOf(m[name]) {
			*into = append(*into, d.valueOf(item, append(slices.Clone(path), name, strconv.Itoa(i))...))
		}
	}
	if table, ok := m["values"].(map[string]any); ok {
		out.Table = make(map[string]string, len(table))
		for from, to := range table {
			out.Table[from] = Text(to)
		}
	}
	if text, ok := m["template"].(string); ok {
		parts, wrong := parseTemplate(text)
		if out.Template = parts; wrong != "" {
			d.AddAt(append(slices.Clone(path), "template"), false, Problem{Message: wrong})
		}
	}
	d.checkValue(m, path)
	return out
}

func (d *Document) conditionsOf(v any, path ...string) (out []Condition) {
	for i, item := range listOf(v) {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		at := append(slices.Clone(path), strconv.Itoa(i))
		c := Condition{Column: Text(m["column"]), Is: listOrOne(m["is"]), Not: listOrOne(m["not"]), Location: d.placeOf(at...)}
		if b, ok := m["empty"].(bool); ok {
			c.Empty = &b
		}
		c.Optional, _ = m["optional"].(bool)
		d.checkOneOf(m, at, "is", "not", "empty")
		out = append(out, c)
	}
	return out
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

func listOrOne(v any) []any {
	if list, ok := v.([]any); ok || v == nil {
		return list
	}
	return []any{v}
}

func (d *Document) placeOf(path ...string) Location {
	line, col := d.Locate(path, false)
	return Location{Line: max(line, 1), Column: max(col, 1), Field: FieldName(path)}
}
