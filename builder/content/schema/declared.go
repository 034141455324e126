package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
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
	base = enumerate(base, `"$signalNames"`, signals)
	base = enumerate(base, `"$kinds"`, declared.Names())
	base = enumerate(base, `"$pricingModels"`, declared.PricingModels)
	put := func(mark string, list members) {
		// A mark that nothing replaces takes the comma before it along, if it is the last member.
		pattern := regexp.MustCompile(`(,\s*)?"\` + mark + `": \{\}(,?)`)
		base = pattern.ReplaceAllFunc(base, func(found []byte) []byte {
			m := pattern.FindSubmatch(found)
			before, after := m[1], m[2]
			if len(list) == 0 {
				if len(after) > 0 {
					return before
				}
				return nil
			}
			return slices.Concat(before, bytes.TrimSuffix(list, []byte(",")), after)
		})
	}
	switch name {
	case "entity":
		put("$fields", declaredMembers(declared.Fields, fieldSchema))
		put("$signals", signalMembers(declared, signalSchema))
		put("$links", linkMembers(declared, func(l kinds.Link) node {
			return node{"type": "string", "pattern": urlPattern, "maxLength": 2000, "description": l.Description}
		}))
		base = withoutBlocks(base, declared)
	case "mapping":
		put("$fields", declaredMembers(plainFields(declared), func(f *kinds.Field) []byte { return ref("value", f.Description).json() }))
		put("$groups", declaredMembers(groups(declared), groupSources))
		put("$signals", signalMembers(declared, func(*kinds.Signal) []byte { return ref("signal", "").json() }))
		put("$links", linkMembers(declared, func(kinds.Link) node { return ref("value", "") }))
	case "collect":
		put("$bounds", signalMembers(declared, func(*kinds.Signal) []byte { return ref("bounds", "").json() }))
	case "boards":
		var list members
		for _, filter := range board.Filters(declared) {
			list.add(filter, ref("condition", "").json())
		}
		put("$where", list)
	case "scoring":
		var list members
		for _, k := range declared.Names() {
			list.add(k, ref("formula", "").json())
		}
		put("$formulas", list)
	}
	var out bytes.Buffer
	err := json.Indent(&out, base, "", "  ")
	return append(out.Bytes(), '\n'), err
}

// enumerate replaces a mark in lists of words.
func enumerate(base []byte, mark string, words []string) []byte {
	list := jsonenc.AppendStrings(nil, words)
	return bytes.ReplaceAll(base, []byte(mark), bytes.Trim(list, "[]"))
}

// blockMembers are the members of entity files that only kinds with a block have.
var blockMembers = map[string][]string{kinds.Offers: {"offers", "offersRead"}, kinds.Lifecycle: {"lifecycle"}}

// withoutBlocks removes what no kind has.
func withoutBlocks(base []byte, declared *kinds.Set) []byte {
	var absent []string
	for block, names := range blockMembers {
		if !declared.HasBlock(block) {
			absent = append(absent, names...)
		}
	}
	if !declared.HasBlock(kinds.Results) {
		absent = append(absent, "signals.benchmarks")
	}
	return prune(jsonenc.Compact(base), "", absent)
}

// prune removes properties, given by their paths, from the text of an object schema.
func prune(object []byte, path string, absent []string) []byte {
	var out members
	for name, value := range jsonenc.Members(object) {
		if string(name) == "properties" {
			var kept members
			for property, part := range jsonenc.Members(value) {
				at := strings.TrimPrefix(path+"."+string(property), ".")
				if slices.Contains(absent, at) {
					continue
				}
				if at == "signals" {
					part = prune(part, at, absent)
				}
				kept.add(string(property), part)
			}
			value = kept.object()
		}
		out.add(string(name), value)
	}
	return out.object()
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

func signalMembers(declared *kinds.Set, schema func(*kinds.Signal) []byte) (list members) {
	for _, s := range declared.Declared {
		list.add(s.Name, schema(s))
	}
	return list
}

func linkMembers(declared *kinds.Set, schema func(kinds.Link) node) (list members) {
	for _, l := range declared.Links {
		list.add(l.Name, schema(l).json())
	}
	return list
}

func plainFields(declared *kinds.Set) []*kinds.Field {
	return slices.DeleteFunc(slices.Clone(declared.Fields), (*kinds.Field).IsGroup)
}

func groups(declared *kinds.Set) []*kinds.Field {
	return slices.DeleteFunc(slices.Clone(declared.Fields), func(f *kinds.Field) bool { return !f.IsGroup() })
}

// groupSources returns the schema of the sources of a group's parts.
func groupSources(f *kinds.Field) []byte {
	return object(node{"description": "Where the parts of " + f.Name + " come from.", "minProperties": 1},
		declaredMembers(f.Parts, func(part *kinds.Field) []byte { return ref("value", part.Description).json() }))
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
