package openapi

import (
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
	o := newObject()
	describe(o, f.Description, f.Title)
	words(o, f.Type, f.Values)
	if f.IsNumber() {
		numberLimits(o, f)
	}
	if submitted {
		asWritten(o, f)
		return o
	}
	o.put("nullable", true)
	if list, ok := o.get("enum").([]any); ok {
		o.put("enum", append(list, nil))
	}
	return o
}

func describe(o *object, texts ...string) {
	for _, text := range texts {
		if text != "" {
			o.put("description", text)
			return
		}
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
	switch form := forms[t]; {
	case form != nil:
		o.set(form...)
	case t.IsNumber():
		o.put("type", "number")
	default:
		o.put("type", "string")
	}
	if t == kinds.Enum {
		o.put("enum", anyOf(values))
	}
}

func anyOf(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

func numberLimits(o *object, f *kinds.Field) {
	if f.Minimum != nil {
		o.put("minimum", *f.Minimum)
	} else if f.Type == kinds.Count {
		o.put("minimum", 0)
	}
	if f.Maximum != nil {
		o.put("maximum", *f.Maximum)
	} else if f.Type == kinds.Count {
		o.put("maximum", maxCount)
	}
}

// asWritten changes the schema of a value that people write in another form than records have it.
func asWritten(o *object, f *kinds.Field) {
	if f.Type != kinds.Duration && f.Type != kinds.Size {
		return
	}
	example := map[kinds.Type]string{kinds.Duration: "1h30m", kinds.Size: "16 GB"}[f.Type]
	o.keep(func(name string, _ any) bool { return name == "description" })
	o.put("anyOf", []any{newObject("type", "number"), newObject("type", "string", "description", "With units, such as "+example+".")})
}

func listSchema(f *kinds.Field) *object {
	o := newObject("type", "array")
	describe(o, f.Description, f.Title)
	if f.Limit > 0 {
		o.put("maxItems", f.Limit)
	}
	items := newObject()
	words(items, f.Words(), f.Values)
	o.put("items", items)
	return o
}

func groupSchema(f *kinds.Field, submitted bool) *object {
	o := newObject("type", "object", "additionalProperties", false)
	describe(o, f.Description, f.Title)
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
	describe(o, c.Meaning, "The column "+c.Name+".")
	return o
}

// parameters returns the filters of a declared field as the API has them.
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
