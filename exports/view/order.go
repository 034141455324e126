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

// Order is the order of all records by one key. Its methods may be called concurrently.
type Order struct {
	Sort
	view     *View
	number   number   // of the key
	numbers  []int64  // by ordinal
	names    []string // by ordinal, folded; instead of numbers for the key "name"
	ordinals []uint32 // sorted
}

// Order returns an order. The first call for an order sorts all records.
func (v *View) Order(s Sort) *Order {
	if x, ok := v.orders.Load(s); ok {
		return x.(*Order)
	}
	x := &Order{Sort: s, view: v}
	if s.Key == nameKey {
		x.names = make([]string, len(v.entities))
		for o, e := range v.All {
			x.names[o] = record.Fold(e.Name)
		}
	} else {
		x.number, x.numbers = numberOf(v.declared, s.Key), v.numbers(s.Key)
	}
	kept, _ := v.orders.LoadOrStore(s, x.sorted())
	return kept.(*Order)
}

// OrderByScores returns an order by scores, best first, which records do not have. They are by ordinal.
func (v *View) OrderByScores(scores map[uint32]record.Score) *Order {
	x := &Order{Sort: Sort{Desc: true}, view: v, number: number{score: true}, numbers: make([]int64, len(v.entities))}
	for o := range x.numbers {
		x.numbers[o] = scoreNumber(scores[uint32(o)])
	}
	return x.sorted()
}

func (x *Order) sorted() *Order {
	x.ordinals = slices.Clone(x.view.byKey)
	slices.SortStableFunc(x.ordinals, func(a, b uint32) int { // they are already by type and slug
		if x.Key == nameKey {
			return x.compareNames(x.names[a], x.names[b])
		}
		return x.compareNumbers(x.numbers[a], x.numbers[b])
	})
	return x
}

func (x *Order) compareNames(a, b string) int {
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
func (x *Order) after(p Position) (i int, ok bool) {
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

func (p *Position) compare(e *record.Entity) int {
	return cmp.Or(strings.Compare(e.Type, p.Type), strings.Compare(e.Slug, p.Slug))
}

// Page returns up to limit ordinals of a set in the order, after skipping the first skip, and reports
// whether more follow. If after is not nil, the page starts after that position; ok is false if the
// position does not belong to the order.
func (x *Order) Page(set *roaring.Bitmap, after *Position, skip, limit int) (page []uint32, more, ok bool) {
	from := 0
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
func (x *Order) CountUntil(set *roaring.Bitmap, p Position) int {
	end, _ := x.after(p)
	return len(only(x.ordinals[:end], set))
}

// PositionOf returns the position of a record in the order.
func (x *Order) PositionOf(ordinal uint32) Position {
	e := x.view.entities[ordinal]
	p := Position{Type: e.Type, Slug: e.Slug}
	if x.Key == nameKey {
		p.Value = x.names[ordinal]
	} else {
		p.Value = x.number.format(x.numbers[ordinal])
	}
	return p
}

// Page returns a page in an order, as Order.Page does.
func (v *View) Page(set *roaring.Bitmap, s Sort, after *Position, skip, limit int) (page []uint32, more, ok bool) {
	return v.Order(s).Page(set, after, skip, limit)
}

// SortPosition returns the place of a record in the order of record.CompareRank.
func (v *View) SortPosition(ordinal uint32) float64 { return float64(v.place[ordinal]) }

// SortPositionOf converts a position in the default order to a sort position. If there is no such
// record, the result lies between two. ok is false if the position belongs to another order.
func (v *View) SortPositionOf(p Position) (position float64, ok bool) {
	if o, isAlias, found := v.Find(p.Type, p.Slug); found && !isAlias && v.Order(DefaultSort).PositionOf(o) == p {
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
