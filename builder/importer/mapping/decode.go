package mapping

import (
	"cmp"
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
	"kindex/exports/kinds"
)

// decoder reads the valid parts of a mapping. The schema check has reported the others.
type decoder struct {
	*yamldoc.Document
	schema   *schema.Schema
	kinds    *kinds.Set
	uses     []ColumnUse
	prefix   string // of the columns of list entries
	optional bool   // whether all columns may be absent
}

func (d *decoder) mapping(m map[string]any) *Mapping {
	out := &Mapping{Input: inputForm(m["input"]), Where: d.conditions(m["where"], "where"),
		Type: d.constant(m["type"], "type"), Slug: d.value(m["slug"], "slug"), ClashSlug: d.value(m["clashSlug"], "clashSlug")}
	if s, ok := m["source"].(map[string]any); ok {
		out.Source = &Source{Name: yamldoc.Text(s["name"]), URL: yamldoc.Text(s["url"]), License: yamldoc.Text(s["license"]),
			Date: yamldoc.Text(s["date"]), Changes: yamldoc.Text(s["changes"])}
	}
	if fields := d.group(d.schema.Member("fields"), m["fields"], "fields"); fields != nil {
		out.Fields = fields.Fields
	}
	sections := []string{"links", "ids", "lifecycle", "offersRead"}
	for _, f := range d.kinds.Fields {
		sections = append(sections, f.Name) // if it is a group
	}
	for _, name := range append(sections, "signals", "offers") {
		if f := d.field(d.schema.Member(name), m[name], name); f != nil {
			out.Fields = append(out.Fields, *f)
		}
	}
	if out.Slug == nil {
		out.Slug = out.Find("name")
	}
	out.Uses = d.uses
	return out
}

func inputForm(v any) InputForm {
	m, _ := v.(map[string]any)
	form := InputForm{Decimal: yamldoc.Text(m["decimal"]), Missing: yamldoc.Texts(m["missing"])}
	if delimiter, _ := m["delimiter"].(string); delimiter == "tab" {
		form.Delimiter = '\t'
	} else if delimiter != "" {
		form.Delimiter = []rune(delimiter)[0]
	}
	return form
}

// field returns what a part of the mapping, with its schema, says about the field at the end of the path, or nil if it
// says nothing.
func (d *decoder) field(p *schema.Part, v any, path ...string) *Field {
	f := &Field{Name: path[len(path)-1]}
	s, isSet := v.(map[string]any)
	switch {
	case v == nil:
		return nil
	case p == d.schema.Defs["signal"] && isSet:
		member := func(name string) *Value { return d.value(s[name], inside(path, name)...) }
		f.Value, f.Date, f.Source = member("value"), member("date"), member("source")
		return f
	case p == d.schema.Defs["value"], p == d.schema.Defs["signal"]:
		f.Value = d.value(v, path...)
		return f
	case p.Entry().Members.Of != nil:
		list, _ := v.([]any)
		f.List = true
		for i, item := range list {
			if g := d.group(p.Items, item, inside(path, strconv.Itoa(i))...); g != nil {
				f.Groups = append(f.Groups, g)
			}
		}
	case p.Members.Of != nil || p.Others.Part != nil:
		if g := d.group(p, v, path...); g != nil {
			f.Groups, f.List = []*Group{g}, g.Each != ""
		}
	}
	if f.Groups == nil {
		return nil
	}
	return f
}

// group returns nil if v is not a set of fields.
func (d *decoder) group(p *schema.Part, v any, path ...string) *Group {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	g := &Group{Place: d.place(path), Needs: slices.DeleteFunc(slices.Clone(p.Required), func(name string) bool { return name == "each" })}
	ofColumns := !slices.Contains([]*schema.Part{nil, d.schema.Defs["value"]}, p.Members.Of["optional"])
	if ofColumns {
		defer func(prefix string, optional bool) { d.prefix, d.optional = prefix, optional }(d.prefix, d.optional)
		d.settings(g, m, path)
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		part := p.Members.Of[name]
		if part == nil {
			part = p.Others.Part
		}
		if part == nil || ofColumns && slices.Contains([]string{"each", "details", "optional", "per"}, name) {
			continue
		}
		if f := d.field(part, m[name], inside(path, name)...); f != nil {
			g.Fields = append(g.Fields, *f)
		}
	}
	slices.SortStableFunc(g.Fields, func(a, b Field) int {
		return cmp.Or(cmp.Compare(len(a.Groups), len(b.Groups)), cmp.Compare(slices.Index(g.Needs, b.Name), slices.Index(g.Needs, a.Name)))
	})
	return g
}

// settings reads what says how a group of columns is read.
func (d *decoder) settings(g *Group, m map[string]any, path []string) {
	d.optional = d.optional || m["optional"] == true
	g.Each, g.Details = yamldoc.Text(m["each"]), yamldoc.Texts(m["details"])
	if d.use(g.Each, false, g.Place); g.Each != "" {
		d.prefix += g.Each + "."
	}
	for _, name := range g.Details {
		d.use(name, false, g.Place)
	}
	g.Per = d.constant(m["per"], inside(path, "per")...)
	if s, ok := m["per"].(string); ok {
		if _, wrong := Tokens(s); wrong != "" {
			d.Fail(inside(path, "per"), yamldoc.Quote(s)+" "+wrong+", or {column: …}")
		}
	}
}

// use records a use of a column, unless its name is empty.
func (d *decoder) use(column string, optional bool, at Place) {
	if column != "" {
		d.uses = append(d.uses, ColumnUse{d.prefix + column, optional || d.optional, at})
	}
}

// constant is like value, but treats a plain string as the value itself.
func (d *decoder) constant(v any, path ...string) *Value {
	if s, ok := v.(string); ok {
		return &Value{Constant: s}
	}
	return d.value(v, path...)
}

// value returns nil if there is no value.
func (d *decoder) value(v any, path ...string) *Value {
	at := d.place(path)
	m, ok := v.(map[string]any)
	switch {
	case v == nil:
		return nil
	case !ok:
		d.use(yamldoc.Text(v), false, at)
		return &Value{Column: yamldoc.Text(v)}
	}
	out := &Value{Column: yamldoc.Text(m["column"]), Constant: m["constant"], Default: m["default"],
		Take: yamldoc.Text(m["take"]), As: yamldoc.Text(m["as"]), When: d.conditions(m["when"], inside(path, "when")...)}
	out.List, _ = m["list"].(string) // a separator may be a space
	for _, unit := range listOrOne(m["unit"]) {
		out.Unit = append(out.Unit, yamldoc.Text(unit))
	}
	for name, into := range map[string]*[]*Value{"first": &out.First, "all": &out.All} {
		list, _ := m[name].([]any)
		for i, item := range list {
			*into = append(*into, d.value(item, inside(path, name, strconv.Itoa(i))...))
		}
	}
	if table, ok := m["values"].(map[string]any); ok {
		out.Table = make(map[string]string, len(table))
		for from, to := range table {
			out.Table[from] = yamldoc.Text(to)
		}
	}
	d.use(out.Column, m["optional"] == true, at)
	if text, ok := m["template"].(string); ok {
		parts, wrong := parseTemplate(text)
		if out.Template = parts; wrong != "" {
			d.Fail(inside(path, "template"), wrong)
		}
		for _, part := range parts {
			d.use(part.Column, m["optional"] == true, at)
		}
	}
	d.checkValue(m, path)
	return out
}

func (d *decoder) conditions(v any, path ...string) (out []Condition) {
	list, _ := v.([]any)
	for i, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		at := inside(path, strconv.Itoa(i))
		c := Condition{Column: yamldoc.Text(m["column"]), Is: listOrOne(m["is"]), Not: listOrOne(m["not"])}
		if b, ok := m["empty"].(bool); ok {
			c.Empty = &b
		}
		d.use(c.Column, m["optional"] == true, d.place(at))
		d.checkOneOf(m, at, "is", "not", "empty")
		out = append(out, c)
	}
	return out
}

func listOrOne(v any) []any {
	if list, ok := v.([]any); ok || v == nil {
		return list
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
func (d *decoder) check(m *Mapping) {
	if m.Type != nil {
		if kind, ok := m.Type.Constant.(string); ok && d.kinds.Kind(kind) == nil {
			d.AddAt([]string{"type"}, false, yamldoc.Problem{Message: fmt.Sprintf("%s is not an entity type; expected one of: %s, or {column: …}",
				yamldoc.Quote(kind), strings.Join(d.kinds.Names(), ", ")), Suggestion: didyoumean.Name(kind, d.kinds.Names())})
		}
	}
	delimiter, _ := yamldoc.ValueAt(d.Value, []string{"input", "delimiter"}).(string)
	if at := []string{"input", "delimiter"}; utf8.RuneCountInString(delimiter) > 1 && delimiter != "tab" {
		d.Fail(at, yamldoc.Quote(delimiter)+" is not a single character; use one character, or the word tab")
	} else if strings.ContainsAny(delimiter, "\"\r\n\ufffd") {
		d.Fail(at, yamldoc.Quote(delimiter)+" cannot be used as a column separator")
	}
	if d.Problems.HasErrors() {
		return // the missing parts may be among the unknown fields
	}
	if m.Slug == nil {
		d.Add(1, 1, yamldoc.Problem{Field: "slug", Message: "is missing, and there is no fields.name to derive it from"})
	}
	if len(m.Fields) == 0 {
		d.Add(1, 1, yamldoc.Problem{Field: "fields", Message: "is missing: the mapping defines no fields"})
	}
}

func (d *decoder) checkValue(m map[string]any, path []string) {
	d.checkOneOf(m, path, "column", "constant", "template", "first", "all")
	if m["optional"] != nil && m["column"] == nil && m["template"] == nil {
		d.AddAt(inside(path, "optional"), true, yamldoc.Problem{Message: "is only valid with column or template"})
	}
	if m["list"] != nil && m["all"] != nil {
		d.AddAt(inside(path, "list"), true, yamldoc.Problem{Message: "is not valid with all, which is already a list"})
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
