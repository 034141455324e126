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
	"kindex/exports/record"
)

// fill returns a schema with what an index declares in the places of its marks: names that start with $ in
// the embedded file. The order of declared members is that of formatted files.
func fill(name string, base []byte, declared *kinds.Set) ([]byte, error) {
	for mark, words := range map[string][]string{"$signalNames": declared.SignalNames(), "$kinds": declared.Names(), "$pricingModels": declared.PricingModels} {
		base = bytes.ReplaceAll(base, []byte(strconv.Quote(mark)), bytes.Trim(jsonenc.AppendStrings(nil, words), "[]"))
	}
	var absent []string
	for block, members := range BlockMembers {
		if name == "entity" && !declared.HasBlock(block) { // no kind has them
			absent = append(absent, members...)
		}
	}
	var out bytes.Buffer
	err := json.Indent(&out, expand(jsonenc.Compact(base), marks(declared), absent), "", "  ")
	return append(out.Bytes(), '\n'), err
}

// marks returns what takes the place of each mark.
func marks(declared *kinds.Set) map[string]members {
	names := func(list []string, def string) members {
		return membersOf(list, func(name string) (string, []byte) { return name, ref(def, "").json() })
	}
	prices := func(def string) (out members) {
		for i, name := range record.PriceNames {
			out.add(name, ref(def, priceTexts[i]).json())
		}
		return out
	}
	var signals, links []string // in the order of the declaration
	for _, s := range declared.Declared {
		signals = append(signals, s.Name)
	}
	for _, l := range declared.Links {
		links = append(links, l.Name)
	}
	stated := kinds.Stated(declared.Fields)
	return map[string]members{
		"$fields":  membersOf(stated, fieldSchema),
		"$signals": membersOf(declared.Declared, signalSchema),
		"$prices":  prices("price"), "$priceColumns": prices("value"),
		"$vocabularies": names(vocabularies(declared), "words"),
		"$links": membersOf(declared.Links, func(l kinds.Link) (string, []byte) {
			return l.Name, words(kinds.URL, nil).described(l.Description).json()
		}),
		"$fieldSources": membersOf(stated, valueSource), "$groups": membersOf(stated, groupSources),
		"$linkSources": names(links, "value"), "$signalSources": names(signals, "signal"), "$bounds": names(signals, "bounds"),
		"$where": names(board.Filters(declared), "condition"), "$formulas": names(declared.Names(), "formula"),
	}
}

// vocabularies returns the lists of vocabulary.yaml that fields name, besides those that every index can have.
func vocabularies(declared *kinds.Set) (names []string) {
	for _, f := range declared.Leaves() {
		if !slices.Contains(append(names, record.CapabilityWords, record.TagWords, ""), f.Vocabulary) {
			names = append(names, f.Vocabulary)
		}
	}
	return names
}

// priceTexts describe the record.PriceNames.
var priceTexts = [len(record.Prices{})]string{
	"Input, per million tokens.", "Output, per million tokens.", "Input read from a cache, per million tokens.",
	"Input written to a cache, per million tokens.", "Reasoning, if it costs more or less than other output, per million tokens.",
	"Audio input, per million tokens.", "Audio output, per million tokens.", "One image.", "One request, in addition to its tokens.",
	"Input written to a cache for an hour, per million tokens.", "Image input, per million tokens.", "One page of a document.",
	"One minute of audio or video.", "One second of audio or video.", "One character of text.",
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

// BlockMembers are the members of entity files, or of their signals, that only kinds with a block have.
var BlockMembers = map[string][]string{kinds.Offers: {"offers", "offersRead"}, kinds.Lifecycle: {"lifecycle"}, kinds.Results: {"benchmarks"}}

// members are the properties of a schema in order.
type members []byte

func (m *members) add(name string, value []byte) {
	*m = append(append(jsonenc.AppendString(*m, name), ':'), value...)
	*m = append(*m, ',')
}

func (m members) object() []byte {
	return slices.Concat([]byte("{"), bytes.TrimSuffix(m, []byte(",")), []byte("}"))
}

// membersOf returns the members with the names and schemas of the elements of a list, but for those without a schema.
func membersOf[T any](list []T, member func(T) (name string, schema []byte)) (out members) {
	for _, x := range list {
		if name, schema := member(x); schema != nil {
			out.add(name, schema)
		}
	}
	return out
}

func valueSource(f *kinds.Field) (string, []byte) {
	if f.IsGroup() {
		return "", nil
	}
	return f.Name, ref("value", f.Description).json()
}

func groupSources(f *kinds.Field) (string, []byte) {
	if !f.IsGroup() {
		return "", nil
	}
	return f.Name, object(node{"description": "Where the parts of " + f.Name + " come from.", "minProperties": 1}, membersOf(kinds.Stated(f.Parts), valueSource))
}

func ref(name, description string) node {
	return node{"$ref": "#/$defs/" + name}.described(description)
}

// node is a part of a schema.
type node map[string]any

func (n node) described(description string) node {
	if description != "" {
		n["description"] = description
	}
	return n
}

func (n node) json() []byte {
	b, err := json.Marshal(n)
	if err != nil {
		panic("schema: " + err.Error()) // cannot happen: it has only texts, numbers and lists of texts
	}
	return b
}

func fieldSchema(f *kinds.Field) (string, []byte) {
	n := words(f.Type, f).described(f.Description)
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
		return f.Name, object(n, membersOf(kinds.Stated(f.Parts), fieldSchema))
	}
	limit(n, f.Minimum, f.Maximum)
	return f.Name, n.json()
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
		pattern := entityPattern
		if f.Kinds != nil {
			pattern = "^(" + strings.Join(f.Kinds, "|") + ")/[a-z0-9]+(-[a-z0-9]+)*$"
		}
		return node{"type": "string", "pattern": pattern, "maxLength": 150}
	case kinds.Slug, kinds.Count, kinds.Date:
		return node{"$ref": "#/$defs/" + string(t)}
	case kinds.Month:
		// Nobody writes quotes around a year.
		return node{"type": []string{"string", "integer"}, "pattern": PeriodPattern, "minimum": 1000, "maximum": 9999}
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

func signalSchema(s *kinds.Signal) (string, []byte) {
	value := words(s.Type, nil)
	if s.Type == kinds.Month { // scores and series need the month
		value = node{"$ref": "#/$defs/month"}
	}
	limit(value, nil, s.Maximum)
	var parts members
	parts.add("value", value.described("The value.").json())
	parts.add("date", ref("date", "The day it was read.").json())
	parts.add("source", words(kinds.URL, nil).described("The page it was read from.").json())
	return s.Name, object(node{"required": []string{"value"}}.described(s.Description), parts)
}

func object(n node, parts members) []byte {
	n["type"], n["additionalProperties"] = "object", false
	head := n.json()
	head = append(head[:len(head)-1], `,"properties":`...)
	return append(append(head, parts.object()...), '}')
}
