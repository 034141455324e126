package record

import (
	"cmp"
	"crypto/sha256"
	"strings"

	"kindex/exports/jsonenc"
)

// fieldValue is a field that is set and that diffs compare.
type fieldValue struct {
	section   int // its position in the record
	name      string
	value     []byte // JSON
	compareAs []byte // compared instead of value, if not nil
	group     string // the name of the field that replaces this one if only one state has it
}

// Sections of nested fields, which come last, as in the record.
const (
	linkSection   = 100
	signalSection = 101
	factSection   = 102    // and one for each fact after it
	offerSection  = 10_000 // more than an index can declare fields
)

// diffFields lists the fields of an entity that are set and that diffs compare, in
// the order of the record: the authored fields and the values of signals and offers. It
// leaves out computed fields, the dates and sources of signals and offers, dates derived
// from the history, and earlier slugs.
func (e *Entity) diffFields() []fieldValue {
	c := fieldCollector{}
	text := func(section int, name, s string) {
		if s != "" {
			c.add(section, name, jsonenc.AppendString(c.buf, s))
		}
	}
	texts := func(section int, name string, l []string) {
		if len(l) > 0 {
			c.add(section, name, jsonenc.AppendStrings(c.buf, l))
		}
	}
	core := e.texts()
	for i, t := range core[2:] { // after its address
		text(i, t.name, *t.value)
	}
	texts(20, "tags", e.Tags)
	texts(21, "capabilities", e.Capabilities)
	if !e.AddedDerived {
		text(22, "addedDate", e.AddedDate)
	}
	if !e.UpdatedDerived {
		text(23, "lastUpdated", e.LastUpdated)
	}
	text(24, "status", e.Status)
	for _, l := range e.Links {
		text(linkSection, "links."+l.Name, l.URL)
	}
	c.addSignals(&e.Signals)
	c.addFacts(e)
	c.addOffers(e.Offers)
	return c.list
}

// fieldCollector collects fields, all of whose values are in one buffer.
type fieldCollector struct {
	list []fieldValue
	buf  []byte
}

// add adds a field. grown is the buffer with the field's value appended.
func (c *fieldCollector) add(section int, name string, grown []byte) {
	c.list = append(c.list, fieldValue{section: section, name: name, value: grown[len(c.buf):len(grown):len(grown)]})
	c.buf = grown
}

func (c *fieldCollector) addSignals(s *Signals) {
	for f := range s.members {
		if f == nil {
			c.list = append(c.list, s.benchmarksField())
		} else {
			c.add(signalSection, "signals."+f.Name, f.appendValue(c.buf))
		}
	}
}

// benchmarksField returns all benchmarks as one field. Its value is the whole list,
// but only the benchmarks' names and values are compared.
func (s *Signals) benchmarksField() fieldValue {
	v := fieldValue{section: signalSection, name: "signals.benchmarks"}
	v.value = s.appendBenchmarks(nil)
	for i := range s.Benchmarks {
		b := &s.Benchmarks[i]
		v.compareAs = append(jsonenc.AppendString(v.compareAs, b.Identity()), ':')
		v.compareAs = append(jsonenc.AppendNumber(v.compareAs, b.Value), ',')
	}
	return v
}

func (v *fieldValue) comparable() []byte {
	if v.compareAs != nil {
		return v.compareAs
	}
	return v.value
}

var null = []byte("null")

// Diff returns the fields that differ between two states of an entity, except those
// that diffFields leaves out. A nil entity has no fields. If neither is nil and the
// addresses differ, the type and the slug are listed first.
func Diff(before, after *Entity) []FieldChange {
	return diff(before, after, before.diffFieldsOrNil(), after.diffFieldsOrNil())
}

func (e *Entity) diffFieldsOrNil() []fieldValue {
	if e == nil {
		return nil
	}
	return e.diffFields()
}

func diff(before, after *Entity, a, b []fieldValue) []FieldChange {
	var fields []FieldChange
	both := before != nil && after != nil
	if both && before.Type != after.Type {
		fields = append(fields, FieldChange{"type", jsonenc.AppendString(nil, before.Type), jsonenc.AppendString(nil, after.Type)})
	}
	if both && before.Slug != after.Slug {
		fields = append(fields, FieldChange{"slug", jsonenc.AppendString(nil, before.Slug), jsonenc.AppendString(nil, after.Slug)})
	}
	whole := map[string]bool{} // the groups that only one state has
	oneSided := func(v *fieldValue, old, current []byte) {
		switch {
		case v.group == "":
		case v.group == v.name:
			whole[v.group] = true
		case whole[v.group]:
			return
		}
		fields = append(fields, FieldChange{v.name, old, current})
	}
	for len(a) > 0 || len(b) > 0 {
		var order int
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = cmp.Or(cmp.Compare(a[0].section, b[0].section), cmp.Compare(a[0].name, b[0].name))
		}
		switch {
		case order < 0:
			oneSided(&a[0], a[0].value, null)
			a = a[1:]
		case order > 0:
			oneSided(&b[0], null, b[0].value)
			b = b[1:]
		default:
			if string(a[0].comparable()) != string(b[0].comparable()) {
				fields = append(fields, FieldChange{a[0].name, a[0].value, b[0].value})
			}
			a, b = a[1:], b[1:]
		}
	}
	return fields
}

// Transition returns the result of Diff and, if there are differences, a hash of
// each state that covers its address and everything that Diff compares. The hash of
// a nil entity is zero.
func Transition(before, after *Entity) (fields []FieldChange, old, current [sha256.Size]byte) {
	a, b := before.diffFieldsOrNil(), after.diffFieldsOrNil()
	if fields = diff(before, after, a, b); len(fields) > 0 {
		old, current = contentSum(before, a), contentSum(after, b)
	}
	return fields, old, current
}

// DiffScores returns the scores that differ.
func DiffScores(before, after *Scores) []FieldChange {
	var fields []FieldChange
	for _, name := range ScoreNames {
		if a, b := before.Get(name), after.Get(name); a != b {
			fields = append(fields, FieldChange{"scores." + name, a.AppendJSON(nil), b.AppendJSON(nil)})
		}
	}
	return fields
}

func contentSum(e *Entity, fields []fieldValue) (sum [sha256.Size]byte) {
	if e == nil {
		return sum
	}
	fields = e.identifying(fields)
	text := []byte(e.Key())
	for i := range fields {
		text = append(append(append(text, 0), fields[i].name...), 0)
		text = append(text, fields[i].comparable()...)
	}
	return sha256.Sum256(text)
}

// FieldGroup returns the first part of a nested field's name, or "" if the field is
// not nested.
func FieldGroup(field string) string {
	group, _, nested := strings.Cut(field, ".")
	if !nested {
		return ""
	}
	return group
}
