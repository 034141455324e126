package feed

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"kindex/exports/record"
)

// row is a changed field in words.
type row struct {
	field    string
	label    string
	old, new value
}

// changedRows returns the fields of a change: all of an entity that came or went
// in the order of the record, those of an update with the most interesting
// first. Category titles stand for the slugs.
func changedRows(c *record.Change, titles map[string]string) []row {
	fields := slices.Clone(c.Fields)
	if !whole(c) {
		slices.SortStableFunc(fields, func(a, b record.FieldChange) int {
			return cmp.Compare(interest(a), interest(b))
		})
	}
	rows := make([]row, 0, len(fields))
	for _, f := range fields {
		r := row{field: f.Field, label: label(f.Field), old: parse(f.Field, f.Old), new: parse(f.Field, f.New)}
		if f.Field == "category" {
			r.old.text, r.new.text = entitled(r.old.text, titles), entitled(r.new.text, titles)
		}
		rows = append(rows, r)
	}
	return rows
}

// whole tells whether a change is of an entity that came or went.
func whole(c *record.Change) bool { return c.Event == record.Created || c.Event == record.Deleted }

func entitled(slug string, titles map[string]string) string {
	return cmp.Or(clean(titles[slug]), slug)
}

// interest is the rank of a field in the news of its change, the first being 0.
func interest(f record.FieldChange) int {
	order := []string{"status", "name", "slug", "version", "scores.composite", "category", "license", "signals.benchmarks"}
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

// notable tells whether the move of a score is news of its own: it came, went
// or moved by a point. Nearly every other change moves it a little.
func notable(f record.FieldChange) bool {
	if f.Field != "scores.composite" {
		return false
	}
	before, known := points(f.Old)
	after, stillKnown := points(f.New)
	return known != stillKnown || math.Abs(after-before) >= 1
}

// lists returns what of a list was added and what was removed.
func (r *row) lists() (added, removed []string) {
	return without(r.new.list, r.old.list), without(r.old.list, r.new.list)
}

func without(list, other []string) []string {
	var rest []string
	for _, s := range list {
		if !slices.Contains(other, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// move is one benchmark before and after a change, "" where it was not there.
type move struct{ name, old, new string }

// moves returns the benchmarks that differ: those of now in their order, then
// those that are gone. The second of a name is compared with the second.
func (r *row) moves() []move {
	var moves []move
	before := slices.Clone(r.old.results)
	for _, now := range r.new.results {
		m := move{name: now.name, new: now.value}
		if i := slices.IndexFunc(before, func(b result) bool { return b.name == now.name }); i >= 0 {
			m.old = before[i].value
			before = slices.Delete(before, i, i+1)
		}
		if m.old != m.new {
			moves = append(moves, m)
		}
	}
	for _, gone := range before {
		moves = append(moves, move{name: gone.name, old: gone.value})
	}
	return moves
}

// listed tells whether both sides are lists or nothing.
func (r *row) listed() bool {
	return r.old.text == "" && r.new.text == "" && len(r.old.list)+len(r.new.list) > 0
}

// measured tells whether both sides are benchmarks or nothing.
func (r *row) measured() bool {
	return r.old.text == "" && r.new.text == "" && !r.listed() && len(r.old.results)+len(r.new.results) > 0
}

func isAddress(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}
