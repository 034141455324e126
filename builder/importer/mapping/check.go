package mapping

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
)

// check adds problems that the schema cannot detect.
func (d *decoder) check(m *Mapping) {
	if m.Type != nil {
		if kind, ok := m.Type.Constant.(string); ok && d.kinds.Kind(kind) == nil {
			d.AddAt([]string{"type"}, false, yamldoc.Problem{Message: fmt.Sprintf("%s is not an entity type; expected one of: %s, or {column: …}",
				yamldoc.Quote(kind), strings.Join(d.kinds.Names(), ", ")), Suggestion: didyoumean.Name(kind, d.kinds.Names())})
		}
	}
	delimiter, _ := yamldoc.ValueAt(d.Value, []string{"input", "delimiter"}).(string)
	wrong := ""
	switch {
	case delimiter == "" || delimiter == "tab":
	case utf8.RuneCountInString(delimiter) != 1:
		wrong = " is not a single character; use one character, or the word tab"
	case strings.ContainsAny(delimiter, "\"\r\n\ufffd"):
		wrong = " cannot be used as a column separator"
	}
	if wrong != "" {
		d.AddAt([]string{"input", "delimiter"}, false, yamldoc.Problem{Message: yamldoc.Quote(delimiter) + wrong})
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

// checkValue adds problems for conflicts between the parts of a value.
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
		if d.Faulty[yamldoc.FieldName(inside(path, name))] {
			return // the unknown field may be a misspelling of one of them
		}
	}
	given := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return m[name] == nil })
	all := strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	switch {
	case len(given) == 0:
		d.AddAt(path, false, yamldoc.Problem{Message: "needs one of " + all})
	case len(given) > 1:
		d.AddAt(inside(path, given[1]), true, yamldoc.Problem{Message: "conflicts with " + given[0] + "; use only one of " + all})
	}
}
