package openapi

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/table"
)

// maxCount is the largest count: the largest integer that every JSON parser reads exactly.
const maxCount = 1<<53 - 1

// periodPattern matches a year, a month or a day.
const periodPattern = "^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"

// valueSchema returns the schema of a value of a declared field, within a record or, if submitted, within
// a submission, where what is unknown is left out instead of null.
func valueSchema(f *kinds.Field, submitted bool) *object {
	if f.IsGroup() {
		return groupSchema(f, submitted)
	}
	if f.IsList() {
		return listSchema(f)
	}
	o := newObject("description", cmp.Or(f.Description, f.Title))
	if example := written[f.Type]; submitted && example != "" {
		o.put("anyOf", []any{newObject("type", "number"), newObject("type", "string", "description", "With units, such as "+example+".")})
		return o
	}
	words(o, f.Type, f.Values)
	limit(o, "minimum", f, f.Minimum, 0)
	limit(o, "maximum", f, f.Maximum, maxCount)
	if submitted {
		return o
	}
	o.put("nullable", true)
	if list, ok := o.get("enum").([]any); ok {
		o.put("enum", append(list, nil))
	}
	return o
}

// written has examples of types that people write in another form than records have them.
var written = map[kinds.Type]string{kinds.Duration: "1h30m", kinds.Size: "16 GB"}

// limit sets the declared limit of a number, or that of counts.
func limit(o *object, name string, f *kinds.Field, declared *float64, ofCounts int64) {
	switch {
	case !f.IsNumber():
	case declared != nil && *declared == math.Trunc(*declared):
		o.put(name, int64(*declared))
	case declared != nil:
		o.put(name, *declared)
	case f.Type == kinds.Count:
		o.put(name, ofCounts)
	}
}

// forms has the members of the schemas of types that are neither plain strings nor numbers.
var forms = map[kinds.Type][]any{
	kinds.Boolean:   {"type", "boolean"},
	kinds.Count:     {"type", "integer", "format", "int64"},
	kinds.Year:      {"type", "integer", "format", "int64"},
	kinds.Slug:      {"type", "string", "pattern", "^[a-z0-9]+(-[a-z0-9]+)*$"},
	kinds.Date:      {"type", "string", "format", "date"},
	kinds.Month:     {"type", "string", "pattern", periodPattern},
	kinds.URL:       {"type", "string", "format", "uri"},
	kinds.Reference: {"type", "string", "pattern", "^[a-z0-9-]+/[a-z0-9-]+$"},
}

// words sets what values of a type look like.
func words(o *object, t kinds.Type, values []string) {
	form := forms[t]
	switch {
	case form != nil:
	case t.IsNumber():
		form = []any{"type", "number"}
	default:
		form = []any{"type", "string"}
	}
	for pair := range slices.Chunk(form, 2) {
		o.put(pair[0].(string), pair[1])
	}
	if t == kinds.Enum {
		o.put("enum", anyOf(values))
	}
}

func anyOf(texts []string) []any { return each(texts, func(text string) any { return text }) }

func listSchema(f *kinds.Field) *object {
	o := newObject("type", "array", "description", cmp.Or(f.Description, f.Title))
	if f.Limit > 0 {
		o.put("maxItems", f.Limit)
	}
	items := newObject()
	words(items, f.Words(), f.Values)
	o.put("items", items)
	return o
}

func groupSchema(f *kinds.Field, submitted bool) *object {
	o := newObject("type", "object", "additionalProperties", false, "description", cmp.Or(f.Description, f.Title))
	parts, names := newObject(), []any{}
	for _, part := range f.Parts {
		parts.put(part.Name, valueSchema(part, submitted))
		names = append(names, part.Name)
	}
	o.put("properties", parts)
	if !submitted {
		o.put("required", names)
		if f.Dated || f.Type == kinds.Range { // these are known as a whole or not at all
			o.put("nullable", true)
		}
	}
	return o
}

// columnSchema returns the schema of a cell in the JSON form of a table.
func columnSchema(c table.Column) *object {
	o := newObject("type", "string", "nullable", true)
	switch c.Kind {
	case table.List:
		o = newObject("type", "array", "items", newObject("type", "string"))
	case table.Numbers:
		o = newObject("type", "array", "items", newObject("type", "number"))
	case table.Boolean:
		o.put("type", "boolean")
	case table.Integer:
		o.put("type", "integer")
	case table.Number, table.Money:
		o.put("type", "number")
	case table.Date:
		o.put("format", "date")
	}
	o.put("description", cmp.Or(c.Meaning, "The column "+c.Name+"."))
	return o
}

func parameters(f *kinds.Field) (list []*object) {
	parameter := func(name, description string, schema *object) *object {
		return newObject("name", name, "in", "query", "description", description, "schema", schema)
	}
	lowest, highest := f.Limits()
	for _, limit := range []struct{ name, text string }{{lowest, "at least"}, {highest, "at most"}} {
		if limit.name == "" {
			continue
		}
		schema := newObject("type", "string", "pattern", `\S`)
		if f.Type == kinds.Date || f.Type == kinds.Month {
			schema = newObject(forms[f.Type]...)
		}
		list = append(list, parameter(limit.name, "Only entities whose value of `"+f.Path+"` is "+limit.text+" this; those without a value are left out.", schema))
	}
	if lowest+highest != "" || !f.Filter {
		return list
	}
	text, schema := "Repeat the parameter to match any of several values", newObject("$ref", "#/components/schemas/AnyOfTexts")
	if choices := f.Choices(); f.Splits() {
		text, schema = text+"; use `a,b` to match both", newObject("$ref", "#/components/schemas/AnyOfAllOf")
	} else if choices != nil && !f.IsList() {
		schema = newObject("type", "array", "minItems", 1, "items", newObject("type", "string", "enum", anyOf(choices)))
	}
	if text += "."; f.Words() == kinds.Reference {
		text += " Values are " + strings.Join(f.AddressForms(), " or ") + map[bool]string{true: ", or the slug alone"}[len(f.Kinds) == 1] + "."
	}
	p := parameter(f.Query, "Only entities with this value of `"+f.Path+"`. "+text, schema)
	p.put("style", "form")
	p.put("explode", true)
	return append(list, p)
}
