package schema

import (
	"bytes"
	"cmp"
	"encoding/json"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// entityJSON returns the schema of entity files: the embedded one, with the declared fields and signals in
// the place of their marks.
func entityJSON(base []byte, declared *kinds.Set) ([]byte, error) {
	var fields, signals members
	for _, f := range declared.Fields {
		fields.add(f.Name, fieldSchema(f))
	}
	for _, s := range declared.Declared {
		signals.add(s.Name, signalSchema(s))
	}
	base = fields.replace(base, `"$fields": {},`)
	base = signals.replace(base, `"$signals": {},`)
	var out bytes.Buffer
	if err := json.Indent(&out, base, "", "  "); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// members are the properties of a schema in order, which is the order of formatted files.
type members []byte

func (m *members) add(name string, value []byte) {
	*m = append(append(jsonenc.AppendString(*m, name), ':'), value...)
	*m = append(*m, ',')
}

// replace puts the members in the place of a mark, which ends in a comma.
func (m members) replace(text []byte, mark string) []byte {
	return bytes.Replace(text, []byte(mark), m, 1)
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
	n := words(f.Type, f.Values, f.Limit)
	n["description"] = f.Description
	switch f.Type {
	case kinds.List:
		n["type"], n["uniqueItems"], n["maxItems"], n["items"] = "array", true, cmp.Or(f.Limit, maxItems), words(f.Of, f.Values, 0)
	case kinds.Group:
		var parts members
		for _, part := range f.Parts {
			parts.add(part.Name, fieldSchema(part))
		}
		return object(n, parts)
	}
	limit(n, f.Minimum, f.Maximum)
	return n.json()
}

// The default limits of declared texts and lists.
const (
	maxItems = 50
	maxText  = 200
)

// words returns the schema of a value that is not a list or a group.
func words(t kinds.Type, values []string, limit int) node {
	switch t {
	case kinds.Text:
		return node{"type": "string", "minLength": 1, "maxLength": cmp.Or(limit, maxText), "pattern": linePattern}
	case kinds.URL:
		return node{"type": "string", "maxLength": 2000, "pattern": urlPattern}
	case kinds.Enum:
		return node{"enum": values}
	case kinds.Boolean:
		return node{"type": "boolean"}
	case kinds.Number:
		return node{"type": "number"}
	case kinds.Slug, kinds.Count, kinds.Date:
		return node{"$ref": "#/$defs/" + string(t)}
	case kinds.Month:
		return node{"$ref": "#/$defs/period"}
	}
	return node{}
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
	value := words(s.Type, nil, 0)
	if s.Type == kinds.Month { // scores and series need the month
		value = node{"$ref": "#/$defs/month"}
	}
	limit(value, nil, s.Maximum)
	value["description"] = "The value."
	var parts members
	parts.add("value", value.json())
	parts.add("date", node{"$ref": "#/$defs/date", "description": "The day it was read."}.json())
	parts.add("source", node{"type": "string", "pattern": urlPattern, "maxLength": 2000, "description": "The page it was read from."}.json())
	return object(node{"description": s.Description, "required": []string{"value"}}, parts)
}

// object returns the schema of a mapping that has no other members.
func object(n node, parts members) []byte {
	n["type"], n["additionalProperties"] = "object", false
	head := n.json()
	head = append(head[:len(head)-1], `,"properties":{`...)
	return append(append(head, bytes.TrimSuffix(parts, []byte(","))...), "}}"...)
}
