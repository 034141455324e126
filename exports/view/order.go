package view

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
)

// Sort is an order of records: by a value in a direction, unknown values last, ties by type and slug.
type Sort struct {
	Key  string // one of the SortKeys
	Desc bool
}

// DefaultSort is by composite score, best first.
var DefaultSort = Sort{Key: "composite", Desc: true}

// Position is the place of a record in an order, as cursors store it. It contains no ordinal, so it
// stays valid across builds.
type Position struct {
	Value string `json:"v"` // the sort value as a string, or "" for null
	Type  string `json:"t"`
	Slug  string `json:"s"`
}

// order is the order of all records by one key.
type order struct {
	Sort
	view     *View
	number   number   // of the key
	numbers  []int64  // by ordinal
	names    []string // by ordinal, folded; instead of numbers for the key "name"
	ordinals []uint32 // sorted
}

// order returns an order. The first call for an order sorts all records.
func (v *View) order(s Sort) *order {
	if x, ok := v.orders.Load(s); ok {
		return x.(*order)
	}
	x := &order{Sort: s, view: v, ordinals: slices.Clone(v.byKey)}
	if s.Key == nameKey {
		x.names = make([]string, len(v.entities))
		for o, e := range v.All {
			x.names[o] = record.Fold(e.Name)
		}
	} else {
		x.number, x.numbers = numberOf(v.declared, s.Key), v.numbers(s.Key)
	}
	slices.SortStableFunc(x.ordinals, func(a, b uint32) int { // they are already by type and slug
		if s.Key == nameKey {
			return x.compareNames(x.names[a], x.names[b])
		}
		return x.compareNumbers(x.numbers[a], x.numbers[b])
	})
	kept, _ := v.orders.LoadOrStore(s, x)
	return kept.(*order)
}

func (x *order) compareNames(a, b string) int {
	if x.Desc {
		a, b = b, a
	}
	return strings.Compare(a, b)
}

func (s Sort) compareNumbers(a, b int64) int {
	switch {
	case a == unknown || b == unknown:
		return record.CompareBools(a == unknown, b == unknown)
	case s.Desc:
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// after returns the index of the first record after a position, which need not be that of a record. ok
// is false if the position does not belong to the order.
func (x *order) after(p Position) (i int, ok bool) {
	compare := func(o uint32) int { return x.compareNames(x.names[o], p.Value) }
	if x.Key != nameKey {
		n, ok := x.number.parse(p.Value)
		if !ok {
			return 0, false
		}
		compare = func(o uint32) int { return x.compareNumbers(x.numbers[o], n) }
	}
	return sort.Search(len(x.ordinals), func(i int) bool {
		e := x.view.entities[x.ordinals[i]]
		return cmp.Or(compare(x.ordinals[i]), p.compare(e)) > 0
	}), true
}

// compare compares the address of an entity with that of a position.
func (p *Position) compare(e *record.Entity) int {
	return cmp.Or(strings.Compare(e.Type, p.Type), strings.Compare(e.Slug, p.Slug))
}

// Page returns up to limit ordinals of a set in an order, after skipping the first skip, and reports
// whether more follow. If after is not nil, the page starts after that position; ok is false if the
// position does not belong to the order.
func (v *View) Page(set *roaring.Bitmap, s Sort, after *Position, skip, limit int) (page []uint32, more, ok bool) {
	x, from := v.order(s), 0
	if after != nil {
		if from, ok = x.after(*after); !ok {
			return nil, false, false
		}
	}
	for _, o := range x.ordinals[from:] {
		switch {
		case !set.Contains(o):
		case skip > 0:
			skip--
		case len(page) == limit:
			return page, true, true
		default:
			page = append(page, o)
		}
	}
	return page, false, true
}

// CountUntil returns the number of records in a set that are at or before a position.
func (v *View) CountUntil(set *roaring.Bitmap, s Sort, p Position) (n int) {
	x := v.order(s)
	end, ok := x.after(p)
	if !ok {
		return 0
	}
	for _, o := range x.ordinals[:end] {
		if set.Contains(o) {
			n++
		}
	}
	return n
}

// PositionOf returns the position of a record in an order.
func (v *View) PositionOf(s Sort, ordinal uint32) Position {
	e := v.entities[ordinal]
	p := Position{Type: e.Type, Slug: e.Slug}
	if s.Key == nameKey {
		p.Value = record.Fold(e.Name)
	} else {
		p.Value = numberOf(v.declared, s.Key).format(v.numbers(s.Key)[ordinal])
	}
	return p
}

// SortPosition returns the place of a record in the order of record.CompareRank.
func (v *View) SortPosition(ordinal uint32) float64 { return float64(v.place[ordinal]) }

// SortPositionOf converts a position in the default order to a sort position. If there is no such
// record, the result lies between two. ok is false if the position belongs to another order.
func (v *View) SortPositionOf(p Position) (position float64, ok bool) {
	if o, isAlias, found := v.Find(p.Type, p.Slug); found && !isAlias && v.PositionOf(DefaultSort, o) == p {
		return v.SortPosition(o), true
	}
	s, ok := number{score: true}.parse(p.Value)
	if !ok {
		return 0, false
	}
	n := sort.Search(v.listed, func(i int) bool {
		e := v.entities[v.ranked[i]]
		return cmp.Or(DefaultSort.compareNumbers(scoreNumber(e.Scores.Composite), s), p.compare(e)) > 0
	})
	return float64(n) - 0.5, true
}
