package feed

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

type row struct {
	field    string
	label    string
	old, new value
	note     string // shown instead of the values
	omitted  int    // number of changed fields that note stands for, beyond the first
}

// changedRows returns the fields of a change: all fields of a created or deleted
// entity in the order of the record, or the changed fields of an updated entity,
// most interesting first. Category slugs are replaced by titles.
func changedRows(c *record.Change, words Words) []row {
	fields := slices.Clone(c.Fields)
	if !isWholeEntity(c) {
		slices.SortStableFunc(fields, func(a, b record.FieldChange) int {
			return cmp.Compare(priority(a), priority(b))
		})
	}
	rows := make([]row, 0, len(fields))
	offers := offerRows{}
	for _, f := range fields {
		if offers.take(f) {
			continue
		}
		r := row{field: f.Field, label: words.label(f.Field), old: words.value(f.Field, f.Old), new: words.value(f.Field, f.New)}
		if f.Field == "category" {
			r.old.text, r.new.text = words.category(r.old.text), words.category(r.new.text)
		}
		rows = append(rows, r)
	}
	return append(rows, offers.rows()...)
}

func isWholeEntity(c *record.Change) bool {
	return c.Event == record.Created || c.Event == record.Deleted
}

func (w Words) category(slug string) string {
	return cmp.Or(clean(w.Categories[slug]), slug)
}

// value returns a value before or after a change as pages show it: words by their titles, entities by their names,
// numbers with their units.
func (w Words) value(field string, raw []byte) value {
	v, f := parse(field, raw), cmp.Or(w.Kinds, kinds.Default()).Field(field)
	if x, err := strconv.ParseFloat(string(raw), 64); err == nil && f != nil {
		v.text = f.FormatUnit(x)
	} else if v.text != "" {
		v.text = w.word(field, f, v.text)
	}
	for i, text := range v.list {
		v.list[i] = w.word(field, f, text)
	}
	return v
}

func (w Words) word(field string, f *kinds.Field, text string) string {
	switch names := f != nil && f.Words() == kinds.Reference || field == "lifecycle.replacedBy"; {
	case names && w.Name != nil:
		return cmp.Or(clean(w.Name(text)), text)
	case f != nil && f.Type == kinds.Boolean:
		return map[string]string{"true": "yes", "false": "no"}[text]
	case f != nil:
		return cmp.Or(clean(f.Titles[text]), text)
	}
	return text
}

// priority returns the rank of a field by interest. The most interesting field has
// rank 0.
func priority(f record.FieldChange) int {
	order := []string{"status", "name", "slug", "lifecycle.retires", "lifecycle.deprecated", "lifecycle.replacedBy", "version", "scores.composite", "category", "license", "signals.benchmarks"}
	switch i := slices.Index(order, f.Field); {
	case record.FieldGroup(f.Field) == "scores" && !notable(f):
		return len(order) + 2
	case i >= 0:
		return i
	case record.FieldGroup(f.Field) == "links":
		return len(order) + 1
	}
	return len(order)
}

// notable reports whether a change to a score is worth showing: the score is the composite,
// and it appeared, disappeared or changed by at least a point. Almost every change to an
// entity also changes its composite score slightly.
func notable(f record.FieldChange) bool {
	if f.Field != "scores.composite" {
		return false
	}
	before, known := parseScore(f.Old)
	after, stillKnown := parseScore(f.New)
	return known != stillKnown || math.Abs(after-before) >= 1
}

func (r *row) listDiff() (added, removed []string) {
	return subtract(r.new.list, r.old.list), subtract(r.old.list, r.new.list)
}

func subtract(list, other []string) []string {
	var rest []string
	for _, s := range list {
		if !slices.Contains(other, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// benchmarkChange holds a benchmark's value before and after a change. A value is "" if the
// benchmark did not exist at that point.
type benchmarkChange struct{ name, old, new string }

// benchmarkChanges returns the benchmarks that differ: first current ones in their
// order, then removed ones. Benchmarks with the same name are matched in order.
func (r *row) benchmarkChanges() []benchmarkChange {
	var changes []benchmarkChange
	before := slices.Clone(r.old.results)
	for _, current := range r.new.results {
		m := benchmarkChange{name: current.name, new: current.value}
		if i := slices.IndexFunc(before, func(b result) bool { return b.name == current.name }); i >= 0 {
			m.old = before[i].value
			before = slices.Delete(before, i, i+1)
		}
		if m.old != m.new {
			changes = append(changes, m)
		}
	}
	for _, removed := range before {
		changes = append(changes, benchmarkChange{name: removed.name, old: removed.value})
	}
	return changes
}

// isList reports whether the field is a list: each side is a list or not set.
func (r *row) isList() bool {
	return r.old.text == "" && r.new.text == "" && len(r.old.list)+len(r.new.list) > 0
}

// isBenchmarks reports whether the field holds benchmarks: each side holds
// benchmarks or is not set.
func (r *row) isBenchmarks() bool {
	return r.old.text == "" && r.new.text == "" && !r.isList() && len(r.old.results)+len(r.new.results) > 0
}

func isAddress(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

// offerRows collects the changed fields of offers. Added and removed offers become one list.
type offerRows struct {
	whole row
	terms []row
}

func (o *offerRows) take(f record.FieldChange) bool {
	c, ok := pricing.DescribeChange(f)
	if !ok {
		return false
	}
	if c.Term != "" {
		o.terms = append(o.terms, row{field: f.Field, label: clean(c.Label()), old: value{text: clean(c.Old)}, new: value{text: clean(c.New)}})
		return true
	}
	o.whole.field, o.whole.label = "offers", "offers"
	if c.Old != "" {
		o.whole.old.list = append(o.whole.old.list, clean(c.Offer+" ("+c.Old+")"))
	}
	if c.New != "" {
		o.whole.new.list = append(o.whole.new.list, clean(c.Offer+" ("+c.New+")"))
	}
	return true
}

func (o *offerRows) rows() (rows []row) {
	if o.whole.field != "" {
		rows = append(rows, o.whole)
	}
	if n := len(o.terms) - listLength; n > 0 {
		rows = append(rows, o.terms[:listLength]...)
		return append(rows, row{field: "offers", label: "offers", note: fmt.Sprintf("%d more prices and terms changed", n), omitted: n - 1})
	}
	return append(rows, o.terms...)
}
