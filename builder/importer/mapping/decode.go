package mapping

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
)

// decoder checks a mapping, and writes it out: with objects for the names of columns, and lists where one entry is enough.
type decoder struct {
	*yamldoc.Document
	*schema.Schema
	uses []ColumnUse
}

// scope is what holds for the columns in a part of a mapping.
type scope struct {
	prefix   string // of the columns of list entries
	optional bool   // whether all may be absent
}

// walk returns a part of the mapping, written out. The schema check has reported what does not match p.
func (d *decoder) walk(p *schema.Part, v any, s scope, path ...string) any {
	value, signal, condition := d.Defs["value"], d.Defs["signal"], d.Defs["condition"]
	switch v := v.(type) {
	case string:
		if p != value && p != signal {
			return v
		}
		d.use(v, s, path)
		column := map[string]any{"column": v}
		if p == signal {
			return map[string]any{"value": column}
		}
		return column
	case []any:
		for i, item := range v {
			v[i] = d.walk(p.Entry(), item, s, inside(path, strconv.Itoa(i))...)
		}
	case map[string]any:
		switch optional := p.Members.Of["optional"]; {
		case p == value:
			d.value(v, s, path)
		case p == condition:
			d.condition(v, s, path)
		case optional != nil && optional != value:
			s = d.group(v, s, path)
		case path == nil:
			v["type"] = constant(v["type"])
		}
		for name, member := range v {
			if part := p.Members.Of[name]; part != nil {
				v[name] = d.walk(part, member, s, inside(path, name)...)
			} else if p.Others.Part != nil {
				v[name] = d.walk(p.Others.Part, member, s, inside(path, name)...)
			}
		}
	}
	return v
}

// use records a use of a column, unless its name is empty.
func (d *decoder) use(column string, s scope, path []string) {
	if column != "" {
		d.uses = append(d.uses, ColumnUse{s.prefix + column, s.optional, d.place(path)})
	}
}

func (d *decoder) value(m map[string]any, s scope, path []string) {
	d.checkOneOf(m, path, "column", "constant", "template", "first", "all")
	if m["optional"] != nil && m["column"] == nil && m["template"] == nil {
		d.AddAt(inside(path, "optional"), true, yamldoc.Problem{Message: "is only valid with column or template"})
	}
	if m["list"] != nil && m["all"] != nil {
		d.AddAt(inside(path, "list"), true, yamldoc.Problem{Message: "is not valid with all, which is already a list"})
	}
	s.optional = s.optional || m["optional"] == true
	d.use(yamldoc.Text(m["column"]), s, path)
	if text, ok := m["template"].(string); ok {
		parts, wrong := parseTemplate(text)
		if wrong != "" {
			d.Fail(inside(path, "template"), wrong)
		}
		for _, part := range parts {
			d.use(part.Column, s, path)
		}
		m["template"] = parts
	}
	m["unit"] = listOrOne(m["unit"])
}

func (d *decoder) condition(m map[string]any, s scope, path []string) {
	d.checkOneOf(m, path, "is", "not", "empty")
	s.optional = s.optional || m["optional"] == true
	d.use(yamldoc.Text(m["column"]), s, path)
	m["is"], m["not"] = listOrOne(m["is"]), listOrOne(m["not"])
}

// group returns what holds for the columns in a group.
func (d *decoder) group(m map[string]any, s scope, path []string) scope {
	s.optional = s.optional || m["optional"] == true
	if each := yamldoc.Text(m["each"]); each != "" {
		d.use(each, s, path)
		s.prefix += each + "."
	}
	for _, name := range yamldoc.Texts(m["details"]) {
		d.use(name, s, path)
	}
	if per, ok := m["per"].(string); ok {
		if _, wrong := Tokens(per); wrong != "" {
			d.Fail(inside(path, "per"), yamldoc.Quote(per)+" "+wrong+", or {column: …}")
		}
	}
	m["per"] = constant(m["per"])
	return s
}

// constant returns the source of a value that is a constant if it is a string.
func constant(v any) any {
	if s, ok := v.(string); ok {
		return map[string]any{"constant": s}
	}
	return v
}

func listOrOne(v any) any {
	if _, isList := v.([]any); isList || v == nil {
		return v
	}
	return []any{v}
}

func (d *decoder) place(path []string) Place {
	line, col := d.Locate(path, false)
	return Place{File: d.Path, Line: max(line, 1), Column: max(col, 1), Severity: yamldoc.Error, Field: yamldoc.FieldName(path)}
}

func inside(path []string, names ...string) []string { return slices.Concat(path, names) }

// templateParts matches literal braces, columns in braces, and single braces.
var templateParts = regexp.MustCompile(`\{\{|\}\}|\{[^{}]*\}|[{}]`)

// parseTemplate splits a template into literals and columns. A doubled brace is a literal brace.
func parseTemplate(s string) (parts []TemplatePart, wrong string) {
	columns, end := 0, 0
	for _, at := range templateParts.FindAllStringIndex(s, -1) {
		found := s[at[0]:at[1]]
		parts = append(parts, TemplatePart{Literal: s[end:at[0]]})
		end = at[1]
		name := strings.TrimSpace(strings.Trim(found, "{}"))
		switch {
		case found == "{{" || found == "}}":
			parts = append(parts, TemplatePart{Literal: found[:1]})
		case found == "}":
			return nil, "has a } without a {; write }} for a literal brace"
		case found == "{" && !strings.Contains(s[end:], "}"):
			return nil, "has an unclosed {; write {{ for a literal brace"
		case name == "":
			return nil, "has no column name between { and }; write {{ and }} for literal braces"
		default:
			parts = append(parts, TemplatePart{Column: name})
			columns++
		}
	}
	if columns == 0 {
		return nil, "has no column in braces; use constant instead"
	}
	return append(parts, TemplatePart{Literal: s[end:]}), ""
}

// check adds problems that the schema cannot detect.
func (d *decoder) check(m map[string]any, kinds []string) {
	if kind, ok := yamldoc.ValueAt(m, []string{"type", "constant"}).(string); ok && !slices.Contains(kinds, kind) {
		d.AddAt([]string{"type"}, false, yamldoc.Problem{Suggestion: didyoumean.Name(kind, kinds),
			Message: fmt.Sprintf("%s is not an entity type; expected one of: %s, or {column: …}", yamldoc.Quote(kind), strings.Join(kinds, ", "))})
	}
	at := []string{"input", "delimiter"}
	delimiter, _ := yamldoc.ValueAt(m, at).(string)
	if utf8.RuneCountInString(delimiter) > 1 && delimiter != "tab" {
		d.Fail(at, yamldoc.Quote(delimiter)+" is not a single character; use one character, or the word tab")
	} else if strings.ContainsAny(delimiter, "\"\r\n\ufffd") {
		d.Fail(at, yamldoc.Quote(delimiter)+" cannot be used as a column separator")
	}
	if d.Problems.HasErrors() {
		return // the missing parts may be among the unknown fields
	}
	if m["slug"] == nil && yamldoc.ValueAt(m, []string{"fields", "name"}) == nil {
		d.Add(1, 1, yamldoc.Problem{Field: "slug", Message: "is missing, and there is no fields.name to derive it from"})
	}
	settings := []string{"source", "input", "type", "slug", "clashSlug", "where"}
	others := slices.DeleteFunc(slices.Collect(maps.Keys(m)), func(name string) bool { return slices.Contains(settings, name) })
	if len(others) == 0 {
		d.Add(1, 1, yamldoc.Problem{Field: "fields", Message: "is missing: the mapping defines no fields"})
	}
}

// checkOneOf checks that a mapping has exactly one of the given fields.
func (d *decoder) checkOneOf(m map[string]any, path []string, names ...string) {
	for name := range m {
		if d.Reported(inside(path, name)...) {
			return // the unknown field may be a misspelling of one of them
		}
	}
	given := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return m[name] == nil })
	all := strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	switch {
	case len(given) == 0:
		d.Fail(path, "needs one of "+all)
	case len(given) > 1:
		d.AddAt(inside(path, given[1]), true, yamldoc.Problem{Message: "conflicts with " + given[0] + "; use only one of " + all})
	}
}
