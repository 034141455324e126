package mapping

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
)

// check adds problems that the schema cannot detect.
func check(d *yamldoc.Document, m *Mapping) {
	if kind, ok := typeName(m); ok && !slices.Contains(record.Types, kind) {
		d.AddAt([]string{"type"}, false, yamldoc.Problem{Message: fmt.Sprintf("%s is not an entity type; expected one of: %s, or {column: …}",
			yamldoc.Quote(kind), strings.Join(record.Types, ", ")), Suggestion: didyoumean.Name(kind, record.Types)})
	}
	delimiter, _ := yamldoc.ValueAt(d.Value, []string{"input", "delimiter"}).(string)
	if wrong := wrongDelimiter(delimiter); wrong != "" {
		d.AddAt([]string{"input", "delimiter"}, false, yamldoc.Problem{Message: wrong})
	}
	if errors, _ := d.Problems.Count(); errors > 0 {
		return // the missing parts may be among the unknown fields
	}
	if m.Slug == nil {
		d.Add(1, 1, yamldoc.Problem{Field: "slug", Message: "is missing, and there is no fields.name to derive it from"})
	}
	if len(m.Targets) == 0 && len(m.Benchmarks) == 0 && len(m.Offers) == 0 {
		d.Add(1, 1, yamldoc.Problem{Field: "fields", Message: "is missing: the mapping defines no fields"})
	}
}

// typeName returns the entity type if the mapping sets the same type for all rows.
func typeName(m *Mapping) (name string, ok bool) {
	if m.Type != nil {
		name, ok = m.Type.Constant.(string)
	}
	return name, ok
}

func wrongDelimiter(s string) string {
	switch {
	case s == "" || s == "tab":
		return ""
	case utf8.RuneCountInString(s) != 1:
		return yamldoc.Quote(s) + " is not a single character; use one character, or the word tab"
	case strings.ContainsAny(s, "\"\r\n\ufffd"):
		return yamldoc.Quote(s) + " cannot be used as a column separator"
	}
	return ""
}

// valueSources lists the sources of a value, of which a mapping must set exactly one.
var valueSources = []string{"column", "constant", "template", "first", "all"}

// checkValue adds problems for conflicts between the parts of a value.
func checkValue(d *yamldoc.Document, m map[string]any, path []string) {
	checkOneOf(d, m, path, valueSources...)
	if m["optional"] != nil && m["column"] == nil && m["template"] == nil {
		d.AddAt(append(slices.Clone(path), "optional"), true, yamldoc.Problem{Message: "is only valid with column or template"})
	}
	if m["list"] != nil && m["all"] != nil {
		d.AddAt(append(slices.Clone(path), "list"), true, yamldoc.Problem{Message: "is not valid with all, which is already a list"})
	}
}

// checkOneOf checks that a mapping has exactly one of the given fields.
func checkOneOf(d *yamldoc.Document, m map[string]any, path []string, names ...string) {
	for name := range m {
		if d.Faulty[yamldoc.FieldName(append(slices.Clone(path), name))] {
			return // the unknown field may be a misspelling of one of them
		}
	}
	var given []string
	for _, name := range names {
		if m[name] != nil {
			given = append(given, name)
		}
	}
	all := strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	switch {
	case len(given) == 0:
		d.AddAt(path, false, yamldoc.Problem{Message: "needs one of " + all})
	case len(given) > 1:
		d.AddAt(append(slices.Clone(path), given[1]), true, yamldoc.Problem{Message: "conflicts with " + given[0] + "; use only one of " + all})
	}
}

// parseTemplate splits a template into literals and columns. A doubled brace is a literal
// brace.
func parseTemplate(s string) (parts []TemplatePart, wrong string) {
	var literal strings.Builder
	columns := 0
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			break
		}
		literal.WriteString(s[:i])
		brace, rest := s[i], s[i+1:]
		if rest != "" && rest[0] == brace {
			literal.WriteByte(brace)
			s = rest[1:]
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		switch name = strings.TrimSpace(name); {
		case brace == '}':
			return nil, "has a } without a {; write }} for a literal brace"
		case !closed:
			return nil, "has an unclosed {; write {{ for a literal brace"
		case name == "" || strings.Contains(name, "{"):
			return nil, "has no column name between { and }; write {{ and }} for literal braces"
		}
		if literal.Len() > 0 {
			parts = append(parts, TemplatePart{Literal: literal.String()})
			literal.Reset()
		}
		parts = append(parts, TemplatePart{Column: name})
		columns++
		s = after
	}
	literal.WriteString(s)
	if literal.Len() > 0 {
		parts = append(parts, TemplatePart{Literal: literal.String()})
	}
	if columns == 0 {
		return nil, "has no column in braces; use constant instead"
	}
	return parts, ""
}

// ColumnUse describes one use of a column in a mapping.
type ColumnUse struct {
	Column   string
	Optional bool
	Location Location
}

// Problem returns an error at a location in the mapping.
func (m *Mapping) Problem(at Location, message, suggestion string) yamldoc.Problem {
	return yamldoc.Problem{File: m.Path, Line: at.Line, Column: at.Column, Severity: yamldoc.Error, Field: at.Field, Message: message, Suggestion: suggestion}
}

// Columns lists every use of a column, in no particular order. The column of a list entry
// is prefixed with the list's name and a dot.
func (m *Mapping) Columns() (uses []ColumnUse) {
	add := func(prefix string, values ...*Value) {
		for _, v := range values {
			v.columns(prefix, &uses)
		}
	}
	add("", m.Type, m.ClashSlug)
	conditionColumns("", m.Where, &uses)
	named := false
	for _, t := range m.Targets {
		add("", t.Value, t.Date, t.Source)
		named = named || t.Value == m.Slug
	}
	if !named {
		add("", m.Slug)
	}
	for _, b := range m.Benchmarks {
		prefix, first := "", len(uses)
		if b.Each != "" {
			prefix = b.Each + "."
			uses = append(uses, ColumnUse{Column: b.Each, Location: b.Location})
		}
		for _, t := range b.Fields {
			add(prefix, t.Value)
		}
		for _, name := range b.Details {
			uses = append(uses, ColumnUse{Column: prefix + name, Location: b.Location})
		}
		for i := range uses[first:] {
			uses[first+i].Optional = uses[first+i].Optional || b.Optional
		}
	}
	for i := range m.Offers {
		m.Offers[i].columns("", &uses)
	}
	return uses
}

func (v *Value) columns(prefix string, uses *[]ColumnUse) {
	if v == nil {
		return
	}
	if v.Column != "" {
		*uses = append(*uses, ColumnUse{prefix + v.Column, v.Optional, v.Location})
	}
	for _, part := range v.Template {
		if part.Column != "" {
			*uses = append(*uses, ColumnUse{prefix + part.Column, v.Optional, v.Location})
		}
	}
	for _, inner := range slices.Concat(v.First, v.All) {
		inner.columns(prefix, uses)
	}
	conditionColumns(prefix, v.When, uses)
}

func conditionColumns(prefix string, list []Condition, uses *[]ColumnUse) {
	for _, c := range list {
		*uses = append(*uses, ColumnUse{prefix + c.Column, c.Optional, c.Location})
	}
}
