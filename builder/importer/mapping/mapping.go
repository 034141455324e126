// Package mapping reads mappings, which define how the rows of a catalogue become entities.
package mapping

import (
	"maps"
	"slices"
	"strconv"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
)

// Mapping defines how the rows of a catalogue become entity files. site/docs/importing.md
// describes every part of it.
type Mapping struct {
	Path   string // for messages
	Source *Source
	Input  InputForm

	Type      *Value
	Slug      *Value // by default, the slug is derived from the entity's name
	ClashSlug *Value // if nil, rows with the same slug are refused
	Where     []Condition

	// Targets lists the fields and signals that the mapping defines, and the members of
	// Sections, each sorted by name.
	Targets    []Target
	Benchmarks []BenchmarkColumns
	Offers     []OfferColumns
}

// Sections lists the parts of a mapping that define the members of the field of the same name.
var Sections = []string{"links", "ids", "modalities", "parameters", "lifecycle", "offersRead"}

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

// Location is a position in the mapping.
type Location struct {
	Line, Column int
	Field        string
}

// Target is a field of an entity, such as license, links.paper or signals.stars, together with
// the source of its value.
type Target struct {
	Path  []string
	Value *Value
	// Date and Source are used only for signals. Both may be nil.
	Date, Source *Value
}

// Value is the source of a value and its transformations, which are applied in the order of
// the fields. Exactly one of Column, Constant, Template, First and All is set.
type Value struct {
	Column   string
	Constant any // a string, number, bool or a list of these
	Template []TemplatePart
	First    []*Value
	All      []*Value

	When     []Condition
	Optional bool              // the column may be absent from the file
	List     string            // "", "python" or a separator
	Take     string            // "", "first" or "last"
	Table    map[string]string // replacement values; "" means no value
	As       string            // "", or one of the conversions in the schema
	Default  any

	Location Location
}

// TemplatePart is a literal string or a column.
type TemplatePart struct {
	Literal, Column string
}

// Condition is a condition on a column. Exactly one of Is, Not and Empty is set.
type Condition struct {
	Column   string
	Is, Not  []any
	Empty    *bool
	Optional bool
	Location Location
}

// BenchmarkColumns is the source of benchmark results. There is one result per row or, if Each
// is set, one per entry in the list Each.
type BenchmarkColumns struct {
	Each     string
	Fields   []Target // the fields of a result, sorted by name
	Details  []string
	Optional bool
	Location Location
}

// Parse reads a mapping. The mapping is nil if one of the problems is an error. path is used
// only in messages.
func Parse(path string, data []byte) (*Mapping, yamldoc.Problems) {
	d := yamldoc.Parse(path, data)
	m, ok := d.Fields()
	if !ok {
		return nil, d.Report()
	}
	schema.Mapping().Check(d)
	mapping := decode(d, m)
	check(d, mapping)
	if errors, _ := d.Problems.Count(); errors > 0 {
		return nil, d.Report()
	}
	return mapping, d.Report()
}

// decode reads the valid parts of a mapping. The schema check has already reported the invalid
// parts.
func decode(d *yamldoc.Document, m map[string]any) *Mapping {
	out := &Mapping{Path: d.Path, Input: inputForm(m["input"]),
		Type: typeOf(d, m["type"]), Slug: valueOf(d, m["slug"], "slug"), ClashSlug: valueOf(d, m["clashSlug"], "clashSlug"),
		Where: conditionsOf(d, m["where"], "where")}
	if s, ok := m["source"].(map[string]any); ok {
		out.Source = &Source{Name: yamldoc.Text(s["name"]), URL: yamldoc.Text(s["url"]), License: yamldoc.Text(s["license"]),
			Date: yamldoc.Text(s["date"]), Changes: yamldoc.Text(s["changes"])}
	}
	fields := setOf(m["fields"])
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		t := Target{Path: []string{name}, Value: valueOf(d, fields[name], "fields", name)}
		if out.Targets = append(out.Targets, t); name == "name" && out.Slug == nil {
			out.Slug = t.Value
		}
	}
	for _, section := range Sections {
		out.Targets = append(out.Targets, targetsOf(d, m[section], []string{section})...)
	}
	signals := setOf(m["signals"])
	for _, name := range slices.Sorted(maps.Keys(signals)) {
		if name == "benchmarks" {
			out.Benchmarks = benchmarksOf(d, signals[name])
			continue
		}
		out.Targets = append(out.Targets, signalOf(d, signals[name], name))
	}
	for i, item := range listOf(m["offers"]) {
		out.Offers = append(out.Offers, *offerOf(d, item, []string{"offers", strconv.Itoa(i)}))
	}
	return out
}

// targetsOf returns a target for each member of a set, with the path of the member.
func targetsOf(d *yamldoc.Document, v any, path []string, except ...string) (list []Target) {
	set := setOf(v)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if !slices.Contains(except, name) {
			at := append(slices.Clone(path), name)
			list = append(list, Target{Path: at, Value: valueOf(d, set[name], at...)})
		}
	}
	return list
}

func setOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func inputForm(v any) InputForm {
	m := setOf(v)
	form := InputForm{Decimal: yamldoc.Text(m["decimal"])}
	switch delimiter, _ := m["delimiter"].(string); delimiter {
	case "":
	case "tab":
		form.Delimiter = '\t'
	default:
		form.Delimiter = []rune(delimiter)[0]
	}
	for _, text := range listOf(m["missing"]) {
		form.Missing = append(form.Missing, yamldoc.Text(text))
	}
	return form
}

// typeOf is like valueOf, but treats a plain string as the type itself.
func typeOf(d *yamldoc.Document, v any) *Value {
	if s, ok := v.(string); ok {
		return &Value{Constant: s, Location: locationOf(d, "type")}
	}
	return valueOf(d, v, "type")
}

func signalOf(d *yamldoc.Document, v any, name string) Target {
	path := []string{"signals", name}
	m, ok := v.(map[string]any)
	if !ok {
		return Target{Path: path, Value: valueOf(d, v, path...)}
	}
	return Target{Path: path, Value: valueOf(d, m["value"], "signals", name, "value"),
		Date: valueOf(d, m["date"], "signals", name, "date"), Source: valueOf(d, m["source"], "signals", name, "source")}
}

func benchmarksOf(d *yamldoc.Document, v any) (out []BenchmarkColumns) {
	for i, item := range listOf(v) {
		m, at := setOf(item), []string{"signals", "benchmarks", strconv.Itoa(i)}
		b := BenchmarkColumns{Each: yamldoc.Text(m["each"]), Fields: targetsOf(d, item, at, "each", "details", "optional"),
			Details: yamldoc.Texts(m["details"]), Location: locationOf(d, at...)}
		b.Optional, _ = m["optional"].(bool)
		out = append(out, b)
	}
	return out
}

// valueOf returns nil if there is no value.
func valueOf(d *yamldoc.Document, v any, path ...string) *Value {
	out := &Value{Location: locationOf(d, path...)}
	m := setOf(v)
	switch {
	case v == nil:
		return nil
	case m == nil:
		out.Column = yamldoc.Text(v)
		return out
	}
	out.Column, out.Constant, out.Default = yamldoc.Text(m["column"]), m["constant"], m["default"]
	out.When = conditionsOf(d, m["when"], append(slices.Clone(path), "when")...)
	out.Optional, _ = m["optional"].(bool)
	out.List, _ = m["list"].(string) // a separator may be a space
	out.Take, out.As = yamldoc.Text(m["take"]), yamldoc.Text(m["as"])
	for name, into := range map[string]*[]*Value{"first": &out.First, "all": &out.All} {
		for i, item := range listOf(m[name]) {
			*into = append(*into, valueOf(d, item, append(slices.Clone(path), name, strconv.Itoa(i))...))
		}
	}
	if table, ok := m["values"].(map[string]any); ok {
		out.Table = make(map[string]string, len(table))
		for from, to := range table {
			out.Table[from] = yamldoc.Text(to)
		}
	}
	if text, ok := m["template"].(string); ok {
		parts, wrong := parseTemplate(text)
		if out.Template = parts; wrong != "" {
			d.AddAt(append(slices.Clone(path), "template"), false, yamldoc.Problem{Message: wrong})
		}
	}
	checkValue(d, m, path)
	return out
}

func conditionsOf(d *yamldoc.Document, v any, path ...string) (out []Condition) {
	for i, item := range listOf(v) {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		at := append(slices.Clone(path), strconv.Itoa(i))
		c := Condition{Column: yamldoc.Text(m["column"]), Is: listOrOne(m["is"]), Not: listOrOne(m["not"]), Location: locationOf(d, at...)}
		if b, ok := m["empty"].(bool); ok {
			c.Empty = &b
		}
		c.Optional, _ = m["optional"].(bool)
		checkOneOf(d, m, at, "is", "not", "empty")
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

func locationOf(d *yamldoc.Document, path ...string) Location {
	line, col := d.Locate(path, false)
	return Location{Line: max(line, 1), Column: max(col, 1), Field: yamldoc.FieldName(path)}
}
