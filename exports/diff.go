package exports

import (
	"cmp"
	"crypto/sha256"
	"strings"
)

// fieldValue is a field that counts as a difference, where it is set.
type fieldValue struct {
	section int // its place in the record
	name    string
	value   []byte // JSON
	counts  []byte // what is compared where that is not the value
}

// Sections of nested fields: they come behind the others, as in the record.
const (
	linkSection   = 100
	signalSection = 101
)

// counted lists the fields of an entity that count as a difference and are set,
// in the order of the record: what its author wrote, and the values of signals.
// Scores, the dates and sources of signals, dates taken from the history and
// earlier slugs do not count.
func (e *Entity) counted() []fieldValue {
	list := make([]fieldValue, 0, 24)
	text := func(section int, name, s string) {
		if s != "" {
			list = append(list, fieldValue{section: section, name: name, value: AppendString(nil, s)})
		}
	}
	texts := func(section int, name string, l []string) {
		if len(l) > 0 {
			list = append(list, fieldValue{section: section, name: name, value: appendStrings(nil, l)})
		}
	}
	for i, f := range [...]struct{ name, value string }{
		{"name", e.Name}, {"provider", e.Provider}, {"description", e.Description}, {"category", e.Category},
		{"version", e.Version}, {"pricingModel", e.PricingModel}, {"license", e.License}, {"url", e.URL},
	} {
		text(i, f.name, f.value)
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
	return append(list, e.Signals.counted()...)
}

func (s *Signals) counted() []fieldValue {
	var list []fieldValue
	pending := len(s.Benchmarks) > 0
	for _, f := range s.Facts {
		if pending && f.Name > "benchmarks" {
			list, pending = append(list, s.countedBenchmarks()), false
		}
		v := fieldValue{section: signalSection, name: "signals." + f.Name}
		if f.Day != "" {
			v.value = AppendString(nil, f.Day)
		} else {
			v.value = AppendNumber(nil, f.Number)
		}
		list = append(list, v)
	}
	if pending {
		list = append(list, s.countedBenchmarks())
	}
	return list
}

// countedBenchmarks is one field: the whole list is shown, names and values are
// compared.
func (s *Signals) countedBenchmarks() fieldValue {
	v := fieldValue{section: signalSection, name: "signals.benchmarks"}
	v.value = s.appendBenchmarks(nil)
	for _, b := range s.Benchmarks {
		v.counts = append(AppendString(v.counts, b.Name), ':')
		v.counts = append(AppendNumber(v.counts, b.Value), ',')
	}
	return v
}

func (v *fieldValue) compared() []byte {
	if v.counts != nil {
		return v.counts
	}
	return v.value
}

var null = []byte("null")

// Diff returns the fields that count as a difference and differ between two
// states of an entity. A nil entity has no fields. A slug that differs is
// listed, first of all, between two entities only.
func Diff(before, after *Entity) []FieldChange {
	var fields []FieldChange
	var a, b []fieldValue
	if before != nil {
		a = before.counted()
	}
	if after != nil {
		b = after.counted()
	}
	if before != nil && after != nil && before.Slug != after.Slug {
		fields = append(fields, FieldChange{"slug", AppendString(nil, before.Slug), AppendString(nil, after.Slug)})
	}
	for len(a) > 0 || len(b) > 0 {
		order := 0
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
			fields = append(fields, FieldChange{a[0].name, a[0].value, null})
			a = a[1:]
		case order > 0:
			fields = append(fields, FieldChange{b[0].name, null, b[0].value})
			b = b[1:]
		default:
			if string(a[0].compared()) != string(b[0].compared()) {
				fields = append(fields, FieldChange{a[0].name, a[0].value, b[0].value})
			}
			a, b = a[1:], b[1:]
		}
	}
	return fields
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

// ContentSum is a hash of everything of an entity that counts as a difference,
// its address included. It is the zero value for nil.
func ContentSum(e *Entity) (sum [sha256.Size]byte) {
	if e == nil {
		return sum
	}
	h := sha256.New()
	h.Write([]byte(e.Key()))
	for _, v := range e.counted() {
		h.Write([]byte("\x00" + v.name + "\x00"))
		h.Write(v.compared())
	}
	h.Sum(sum[:0])
	return sum
}

// FieldGroup is the first part of a nested field's name, "" for one that is not
// nested.
func FieldGroup(field string) string {
	group, _, nested := strings.Cut(field, ".")
	if !nested {
		return ""
	}
	return group
}
