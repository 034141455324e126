package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/board"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// fill returns a schema with what an index declares in the places of its marks: names that start with $ in
// the embedded file. The order of declared members is that of formatted files.
func fill(name string, base []byte, declared *kinds.Set) ([]byte, error) {
	var signals []string
	for _, s := range declared.Signals {
		signals = append(signals, s.Name)
	}
	for mark, words := range map[string][]string{"$signalNames": signals, "$kinds": declared.Names(), "$pricingModels": declared.PricingModels} {
		base = bytes.ReplaceAll(base, []byte(strconv.Quote(mark)), bytes.Trim(jsonenc.AppendStrings(nil, words), "[]"))
	}
	var absent []string
	if name == "entity" {
		absent = absentMembers(declared)
	}
	var out bytes.Buffer
	err := json.Indent(&out, expand(jsonenc.Compact(base), marks(declared), absent), "", "  ")
	return append(out.Bytes(), '\n'), err
}

// marks returns what takes the place of each mark.
func marks(declared *kinds.Set) map[string]members {
	to := func(def string) func(string) []byte { return func(string) []byte { return ref(def, "").json() } }
	var signals, links []string
	for _, s := range declared.Declared {
		signals = append(signals, s.Name)
	}
	for _, l := range declared.Links {
		links = append(links, l.Name)
	}
	return map[string]members{
		"$fields":  declaredMembers(declared.Fields, fieldSchema),
		"$signals": named(signals, func(name string) []byte { return signalSchema(declared.Signal(name)) }),
		"$links": named(links, func(name string) []byte {
			i := slices.Index(links, name)
			return node{"type": "string", "pattern": urlPattern, "maxLength": 2000, "description": declared.Links[i].Description}.json()
		}),
		"$fieldSources":  declaredMembers(slices.DeleteFunc(slices.Clone(declared.Fields), (*kinds.Field).IsGroup), valueSource),
		"$groups":        declaredMembers(slices.DeleteFunc(slices.Clone(declared.Fields), func(f *kinds.Field) bool { return !f.IsGroup() }), groupSources),
		"$signalSources": named(signals, to("signal")), "$linkSources": named(links, to("value")), "$bounds": named(signals, to("bounds")),
		"$where": named(board.Filters(declared), to("condition")), "$formulas": named(declared.Names(), to("formula")),
	}
}

// expand replaces the marks in an object, at every depth, and leaves out some members.
func expand(object []byte, marks map[string]members, absent []string) []byte {
	var out members
	for name, value := range jsonenc.Members(object) {
		list, marked := marks[string(name)]
		switch {
		case slices.Contains(absent, string(name)):
		case marked:
			out = append(out, list...)
		case value[0] == '{':
			out.add(string(name), expand(value, marks, absent))
		default:
			out.add(string(name), value)
		}
	}
	return out.object()
}

// blockMembers are the members of entity files that only kinds with a block have.
var blockMembers = map[string][]string{kinds.Offers: {"offers", "offersRead"}, kinds.Lifecycle: {"lifecycle"}, kinds.Results: {"benchmarks"}}

// absentMembers lists the members of entity files that no kind has.
func absentMembers(declared *kinds.Set) (absent []string) {
	for block, names := range blockMembers {
		if !declared.HasBlock(block) {
			absent = append(absent, names...)
		}
	}
	return absent
}

// members are the properties of a schema in order.
type members []byte

func (m *members) add(name string, value []byte) {
	*m = append(append(jsonenc.AppendString(*m, name), ':'), value...)
	*m = append(*m, ',')
}

func (m members) object() []byte {
	return slices.Concat([]byte("{"), bytes.TrimSuffix(m, []byte(",")), []byte("}"))
}

func declaredMembers(fields []*kinds.Field, schema func(*kinds.Field) []byte) (list members) {
	for _, f := range fields {
		list.add(f.Name, schema(f))
	}
	return list
}

func named(names []string, schema func(name string) []byte) (list members) {
	for _, name := range names {
		list.add(name, schema(name))
	}
	return list
}

// valueSource returns the schema of the source of a field that is not a group.
func valueSource(f *kinds.Field) []byte { return ref("value", f.Description).json() }

// groupSources returns the schema of the sources of a group's parts.
func groupSources(f *kinds.Field) []byte {
	return object(node{"description": "Where the parts of " + f.Name + " come from.", "minProperties": 1},
		declaredMembers(f.Parts, valueSource))
}

// ref returns a reference to a definition.
func ref(name, description string) node {
	n := node{"$ref": "#/$defs/" + name}
	if description != "" {
		n["description"] = description
	}
	return n
}

// node is a part of a schema.
type node map[string]any

func (n node) json() []byte {
	b, err := json.Marshal(n)
	if err != nil {
		panic("schema: " + err.Error()) // cannot happen: it has only texts, numbers and lists of texts
	}
	return b
}

// fieldSchema returns the schema of a declared field.
func fieldSchema(f *kinds.Field) []byte {
	n := words(f.Type, f)
	if f.Description != "" {
		n["description"] = f.Description
	}
	switch {
	case f.IsList():
		inner := words(f.Words(), f)
		delete(inner, "maxLength")
		if f.Words() == kinds.Text {
			inner["maxLength"] = maxText
		}
		n["type"], n["uniqueItems"], n["maxItems"], n["items"] = "array", true, cmp.Or(f.Limit, maxItems), inner
	case f.IsGroup():
		if f.Dated {
			n["required"] = []string{"value"}
		}
		return object(n, declaredMembers(f.Parts, fieldSchema))
	}
	limit(n, f.Minimum, f.Maximum)
	return n.json()
}

// The default limits of declared texts and lists.
const (
	maxItems = 50
	maxText  = 200
)

// words returns the schema of a value that is not a list or a group. Whole numbers are accepted as texts:
// nobody writes quotes around a cone 6.
func words(t kinds.Type, f *kinds.Field) node {
	switch t {
	case kinds.Text:
		return node{"type": []string{"string", "integer"}, "minLength": 1, "maxLength": cmp.Or(f.Limit, maxText), "pattern": linePattern}
	case kinds.URL:
		return node{"type": "string", "maxLength": 2000, "pattern": urlPattern}
	case kinds.Enum:
		return node{"enum": f.Values}
	case kinds.Boolean:
		return node{"type": "boolean"}
	case kinds.Number:
		return node{"type": "number"}
	case kinds.Year:
		return node{"type": "integer", "minimum": 1, "maximum": 9999}
	case kinds.Duration:
		return node{"type": "string", "pattern": kinds.DurationPattern, "maxLength": 40}
	case kinds.Size:
		return node{"type": []string{"string", "integer"}, "pattern": kinds.SizePattern, "maxLength": 40, "minimum": 0}
	case kinds.Reference:
		return node{"type": "string", "pattern": referencePattern(f.Kinds), "maxLength": 150}
	case kinds.Slug, kinds.Count, kinds.Date:
		return node{"$ref": "#/$defs/" + string(t)}
	case kinds.Month:
		// Nobody writes quotes around a year.
		return node{"type": []string{"string", "integer"}, "pattern": periodPattern, "minimum": 1000, "maximum": 9999}
	}
	return node{}
}

// referencePattern matches the addresses of entities of some kinds, or of any.
func referencePattern(names []string) string {
	if names == nil {
		return entityPattern
	}
	return "^(" + strings.Join(names, "|") + ")/[a-z0-9]+(-[a-z0-9]+)*$"
}

// limit adds the limits of a number. A count with limits is written out.
func limit(n node, minimum, maximum *float64) {
	if minimum == nil && maximum == nil {
		return
	}
	if n["$ref"] == "#/$defs/count" {
		delete(n, "$ref")
		n["type"], n["minimum"], n["maximum"] = "integer", 0, int64(1)<<53-1
	}
	if minimum != nil {
		n["minimum"] = *minimum
	}
	if maximum != nil {
		n["maximum"] = *maximum
	}
}

// signalSchema returns the schema of a signal.
func signalSchema(s *kinds.Signal) []byte {
	value := words(s.Type, nil)
	if s.Type == kinds.Month { // scores and series need the month
		value = node{"$ref": "#/$defs/month"}
	}
	limit(value, nil, s.Maximum)
	value["description"] = "The value."
	var parts members
	parts.add("value", value.json())
	parts.add("date", ref("date", "The day it was read.").json())
	parts.add("source", node{"type": "string", "pattern": urlPattern, "maxLength": 2000, "description": "The page it was read from."}.json())
	n := node{"required": []string{"value"}}
	if s.Description != "" {
		n["description"] = s.Description
	}
	return object(n, parts)
}

// object returns the schema of a mapping that has no other members.
func object(n node, parts members) []byte {
	n["type"], n["additionalProperties"] = "object", false
	head := n.json()
	head = append(head[:len(head)-1], `,"properties":`...)
	return append(append(head, parts.object()...), '}')
}
