package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"iter"
	"slices"
	"strings"
	"sync"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// fieldValue is a field that is set and that diffs compare.
type fieldValue struct {
	name      string
	value     []byte // JSON
	compareAs []byte // compared instead of value, if not nil
	group     string // the name of the field that replaces this one if only one state has it
}

func (v *fieldValue) comparable() []byte {
	if v.compareAs != nil {
		return v.compareAs
	}
	return v.value
}

// diffFields returns the fields of an entity that are set and that diffs compare: the authored fields and the
// values of signals and offers. It leaves out computed fields, the dates and sources of signals and offers, dates
// derived from the history, and earlier slugs. A nil entity has no fields.
func (e *Entity) diffFields() (list []fieldValue) {
	if e == nil {
		return nil
	}
	add := func(name string, value any) {
		if text := appendValue(nil, value); isSet(text) {
			list = append(list, fieldValue{name: name, value: text})
		}
	}
	texts := e.texts()
	for _, m := range texts[2:recordTexts] { // after its address
		if m.name == "addedDate" && e.AddedDerived || m.name == "lastUpdated" && e.UpdatedDerived {
			continue
		}
		add(m.name, m.value)
	}
	add("tags", &e.Tags)
	add("capabilities", &e.Capabilities)
	for _, l := range e.Links {
		add("links."+l.Name, &l.URL)
	}
	for i := range e.Signals.Facts {
		add("signals."+e.Signals.Facts[i].Name, e.Signals.Facts[i].value())
	}
	if len(e.Signals.Benchmarks) > 0 {
		list = append(list, e.Signals.benchmarksField())
	}
	linked := LinkedIDs(e.Links) // a changed link is a change of its own
	for i, id := range e.IDs {
		values := e.IDsIn(id.Namespace)
		if (i == 0 || e.IDs[i-1].Namespace != id.Namespace) && (len(values) > 1 || !slices.Contains(linked, id)) {
			add("ids."+id.Namespace, &values)
		}
	}
	for _, v := range e.Values {
		if v.Field.ComputedFrom == "" {
			list = append(list, fieldValue{name: v.Field.Path, value: v.Field.AppendJSON(nil, v.Value)})
		}
	}
	if l := e.Lifecycle; l != nil {
		add("lifecycle.deprecated", &l.Deprecated)
		add("lifecycle.replacedBy", &l.ReplacedBy)
		add("lifecycle.retires", &l.Retires)
	}
	for i := range e.Offers {
		list = append(list, e.Offers[i].diffFields()...)
	}
	return list
}

// benchmarksField returns all benchmarks as one field. Its value is the whole list,
// but only the benchmarks' names and values are compared.
func (s *Signals) benchmarksField() fieldValue {
	v := fieldValue{name: "signals.benchmarks", value: appendValue(nil, &s.Benchmarks)}
	for i := range s.Benchmarks {
		b := &s.Benchmarks[i]
		v.compareAs = append(jsonenc.AppendString(v.compareAs, b.Identity()), ':')
		v.compareAs = append(jsonenc.AppendNumber(v.compareAs, b.Value), ',')
	}
	return v
}

// diffFields returns an offer as a group of fields: the whole object, which is the field if the offer was added or
// removed, and what is known of it besides its provider, id, date and source.
func (o *Offer) diffFields() []fieldValue {
	whole := "offers." + o.Key()
	// All whole offers are equal: their terms are compared instead.
	list := []fieldValue{{name: whole, value: o.AppendJSON(nil), compareAs: []byte("offer"), group: whole}}
	add := func(prefix string, members []member) {
		for _, m := range members {
			if text := appendValue(nil, m.value); isSet(text) && string(text) != "false" && m.name != "modes" {
				list = append(list, fieldValue{name: whole + "." + prefix + m.name, value: text, group: whole})
			}
		}
	}
	terms := o.members()[2:]
	add("", terms[:len(terms)-2])
	for i := range o.Modes {
		add("modes."+strings.ReplaceAll(o.Modes[i].Name, ".", "%2E")+".", o.Modes[i].members())
	}
	return list
}

// sortFields sorts fields as records have their members, the parts of each by name. place returns the place of a
// member.
func sortFields(list []fieldValue, place func(member string) int) {
	slices.SortStableFunc(list, func(a, b fieldValue) int {
		first, _, _ := strings.Cut(a.name, ".")
		second, _, _ := strings.Cut(b.name, ".")
		return cmp.Or(place(first)-place(second), strings.Compare(a.name, b.name))
	})
}

// Diff returns the fields that differ between two states of an entity, in the order of the record, except those
// that diffFields leaves out. A nil entity has no fields. If neither is nil and the
// addresses differ, the type and the slug are listed first.
func Diff(before, after *Entity) []FieldChange {
	return diff(before, after, before.diffFields(), after.diffFields())
}

func diff(before, after *Entity, a, b []fieldValue) (fields []FieldChange) {
	if before != nil && after != nil {
		if before.Type != after.Type {
			fields = append(fields, FieldChange{"type", jsonenc.AppendString(nil, before.Type), jsonenc.AppendString(nil, after.Type)})
		}
		if before.Slug != after.Slug {
			fields = append(fields, FieldChange{"slug", jsonenc.AppendString(nil, before.Slug), jsonenc.AppendString(nil, after.Slug)})
		}
	}
	old, current := byName(a), byName(b)
	all := slices.Clone(a)
	for _, f := range b {
		if old[f.name] == nil {
			all = append(all, f)
		}
	}
	order := map[string]int{}
	for i, name := range RecordFields(cmp.Or(after, before, &Entity{}).Declared()) {
		order[name] = i
	}
	sortFields(all, func(member string) int { return order[member] })
	whole := map[string]bool{} // the groups that only one state has
	for _, f := range all {
		x, y := old[f.name], current[f.name]
		change := FieldChange{f.name, []byte("null"), []byte("null")}
		if x != nil {
			change.Old = x.value
		}
		if y != nil {
			change.New = y.value
		}
		switch {
		case x != nil && y != nil:
			if bytes.Equal(x.comparable(), y.comparable()) {
				continue
			}
		case f.group == f.name:
			whole[f.group] = true
		case whole[f.group]:
			continue
		}
		fields = append(fields, change)
	}
	return fields
}

func byName(list []fieldValue) map[string]*fieldValue {
	names := make(map[string]*fieldValue, len(list))
	for i := range list {
		names[list[i].name] = &list[i]
	}
	return names
}

// Transition returns the result of Diff and, if there are differences, a hash of
// each state that covers its address and everything that Diff compares. The hash of
// a nil entity is zero.
func Transition(before, after *Entity) (fields []FieldChange, old, current [sha256.Size]byte) {
	a, b := before.diffFields(), after.diffFields()
	if fields = diff(before, after, a, b); len(fields) > 0 {
		old, current = contentSum(before, a), contentSum(after, b)
	}
	return fields, old, current
}

// contentSum returns the hash of a state: in an order that does not depend on what its index declares, and with the
// values that the file has, so that the ids of changes stay if the declarations change.
func contentSum(e *Entity, fields []fieldValue) (sum [sha256.Size]byte) {
	if e == nil {
		return sum
	}
	for _, v := range e.Rest {
		fields = slices.DeleteFunc(fields, func(f fieldValue) bool { return f.name == v.Path })
		fields = append(fields, fieldValue{name: v.Path, value: v.JSON})
	}
	order := defaultOrder()
	sortFields(fields, func(member string) int {
		if place, ok := order[member]; ok {
			return place
		}
		return order["lifecycle"] - 1 // after the fields of the built-in kinds
	})
	text := []byte(e.Key())
	for i := range fields {
		text = append(append(append(text, 0), fields[i].name...), 0)
		text = append(text, fields[i].comparable()...)
	}
	return sha256.Sum256(text)
}

// defaultOrder returns the places of a record's members in an index with the built-in kinds.
var defaultOrder = sync.OnceValue(func() map[string]int {
	order := map[string]int{}
	for i, name := range RecordFields(kinds.Default()) {
		order[name] = 2 * i
	}
	return order
})

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

// FieldGroup returns the first part of a nested field's name, or "" if the field is
// not nested.
func FieldGroup(field string) string {
	group, _, nested := strings.Cut(field, ".")
	if !nested {
		return ""
	}
	return group
}

// Rest is what a file says in members that its index does not declare, or not in this form. It is not part
// of the record. It counts in the ids of changes, which therefore stay if the declarations change.
type Rest []RestValue

// RestValue is a value of Rest.
type RestValue struct {
	Path string // as the field of a change
	JSON []byte // the value as the file has it
}

// AppendJSON appends the values as an object, in the order of their paths.
func (r Rest) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, v := range r {
		dst = jsonenc.AppendString(jsonenc.AppendComma(dst, i), v.Path)
		dst = append(append(dst, ':'), v.JSON...)
	}
	return append(dst, '}')
}

// DecodeRest decodes what AppendJSON wrote.
func DecodeRest(object []byte) (r Rest) {
	for name, value := range jsonenc.Members(object) {
		r = append(r, RestValue{string(name), slices.Clone(value)})
	}
	return r
}

// Pair is an entity in two states of an index. Before is nil if it was created, After if it was deleted.
type Pair struct{ Before, After *Entity }

// Pairs finds each entity of one state in the other: an entity that is at a new address is known
// by an earlier slug, the last one first, any other by its address. If the pairs are applied in order, no
// entity takes the address of another.
func Pairs(before, after iter.Seq[*Entity]) []Pair {
	left := map[string]*Entity{}
	for e := range before {
		left[e.Key()] = e
	}
	var list []Pair
	take := func(key string, e *Entity) {
		list = append(list, Pair{left[key], e})
		delete(left, key)
	}
	moved := func(e *Entity) bool {
		if left[e.Key()] != nil {
			return false
		}
		for _, key := range slices.Backward(e.FormerKeys()) {
			if left[key] != nil {
				take(key, e)
				return true
			}
		}
		return false
	}
	// A rename may free the address that another entity has taken, which is then found next.
	waiting := slices.Collect(after)
	for n := -1; n != len(list); {
		n = len(list)
		waiting = slices.DeleteFunc(waiting, moved)
	}
	for _, e := range waiting {
		take(e.Key(), e)
	}
	for e := range before {
		if left[e.Key()] == e {
			list = append(list, Pair{e, nil})
		}
	}
	return list
}
