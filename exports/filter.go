package exports

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// Filter selects records. The zero value selects all listed records.
type Filter struct {
	// Fields maps FilterFields to lists of alternatives. In each field of the map, a record
	// must have all values of at least one alternative. A value that another one has replaced,
	// such as a former slug of a category, stands for its replacement. If "status" is not in
	// the map, withdrawn records are excluded.
	Fields map[string][][]string
	// MinScore is the lowest composite score, or null for no minimum.
	MinScore record.Score
	// AddedSince and UpdatedSince are the earliest days, as YYYY-MM-DD, or "" for
	// no limit.
	AddedSince, UpdatedSince string
	// RetiresBefore is the day before which a record must retire, as YYYY-MM-DD, or "" for
	// no limit. A record without a known retirement does not match.
	RetiresBefore string
	// MaxPrice is the highest blended price, or unknown for no limit.
	MaxPrice record.Price
	// MinParameters and MaxParameters limit the number of parameters of models, or are 0 for no
	// limit. A record without a known number does not match.
	MinParameters, MaxParameters int64
	// Signals are conditions on signals. A record must meet all of them.
	Signals []SignalBound
}

// Empty reports whether the filter selects all listed records.
func (f *Filter) Empty() bool {
	return len(f.Fields) == 0 && !f.MinScore.Known() && f.AddedSince == "" && f.UpdatedSince == "" &&
		f.RetiresBefore == "" && !f.MaxPrice.Known() && f.MinParameters == 0 && f.MaxParameters == 0 && len(f.Signals) == 0
}

// Select returns the ordinals of the records that match a filter. The caller owns
// the set.
func (b *Build) Select(f *Filter) (*roaring.Bitmap, error) {
	set := b.allRecords(f.Fields["status"] != nil)
	for _, field := range FilterFields {
		alternatives, ok := f.Fields[field]
		if !ok {
			continue
		}
		any := roaring.New()
		for _, values := range alternatives {
			any.Or(b.withAllValues(field, values))
		}
		set = packed.And(set, any)
	}
	if f.MinScore.Known() {
		set.And(b.atLeast(0, int64(f.MinScore.Code())))
	}
	for i, since := range [2]string{f.AddedSince, f.UpdatedSince} {
		if since == "" {
			continue
		}
		day, err := record.DayNumber(since)
		if err != nil {
			return nil, err
		}
		set.And(b.atLeast(len(record.ScoreNames)+1+i, int64(day)))
	}
	ranges, err := f.ranges()
	for _, r := range ranges {
		set = b.within(set, r)
	}
	return set, err
}

// withAllValues returns the records that have all of the values in a field. A replaced value
// stands for its replacement.
func (b *Build) withAllValues(field string, values []string) *roaring.Bitmap {
	return packed.Intersect(values, func(v string) *roaring.Bitmap {
		v, _ = b.Preferred(field, v)
		return b.Bitmap(field, v)
	})
}

// Page returns up to limit ordinals of a set in a given order, after skipping the
// first skip, and reports whether more follow. If after is not nil, the page starts
// after that position; ok is false if the position does not belong to that order.
func (b *Build) Page(set *roaring.Bitmap, s Sort, after *Position, skip, limit int) (page []uint32, more, ok bool) {
	key := slices.Index(SortKeys, s.Key)
	isAfter := func(value, rank int64) bool { return true }
	if after != nil {
		from, fromRank, ok := b.sortKeyOf(key, *after)
		if !ok {
			return nil, false, false
		}
		isAfter = func(value, rank int64) bool { return compareSortKeys(value, rank, from, fromRank, s.Desc) > 0 }
	}
	// Compare the records of a small set that is not in the order of its ordinals. For a large one,
	// walk the whole order, which soon finds enough records: a comparison reads random places and takes
	// much longer than a step of a walk.
	if card := set.GetCardinality(); card < uint64(b.n)/256 && !b.isRanked(set, s) {
		list := b.first(set, s, isAfter, skip+limit+1)
		from := min(skip, len(list))
		end := min(from+limit, len(list))
		return list[from:end], end < len(list), true
	}
	stream := b.walk(set, s, isAfter)
	if b.overlay == nil {
		stream, skip = b.stored(set, s, isAfter, skip), 0
	}
	for o := range stream {
		if skip > 0 {
			skip--
			continue
		}
		if len(page) == limit {
			return page, true, true
		}
		page = append(page, o)
	}
	return page, false, true
}

// sort sorts ordinals in a given order.
func (b *Build) sort(list []uint32, s Sort) {
	key := slices.Index(SortKeys, s.Key)
	type keyed struct {
		value, rank int64
		ordinal     uint32
	}
	keys := make([]keyed, len(list))
	for i, o := range list {
		keys[i] = keyed{b.sortValue(key, o), b.rank(o), o}
	}
	slices.SortFunc(keys, func(x, y keyed) int { return compareSortKeys(x.value, x.rank, y.value, y.rank, s.Desc) })
	for i, k := range keys {
		list[i] = k.ordinal
	}
}

// first returns the first n records of a set in a given order for whose sort value and rank isAfter
// returns true.
func (b *Build) first(set *roaring.Bitmap, s Sort, isAfter func(value, rank int64) bool, n int) []uint32 {
	key := slices.Index(SortKeys, s.Key)
	type keyed struct {
		value, rank int64
		ordinal     uint32
	}
	compare := func(x, y keyed) int { return compareSortKeys(x.value, x.rank, y.value, y.rank, s.Desc) }
	var kept []keyed
	var last *keyed // once n records are kept, the last of them; later ones are not kept
	for it := set.Iterator(); it.HasNext(); {
		o := it.Next()
		k := keyed{b.sortValue(key, o), b.rank(o), o}
		if last != nil && compare(k, *last) > 0 || !isAfter(k.value, k.rank) {
			continue
		}
		if kept = append(kept, k); len(kept) >= 2*n+64 {
			slices.SortFunc(kept, compare)
			kept = kept[:n]
			l := kept[n-1]
			last = &l
		}
	}
	slices.SortFunc(kept, compare)
	list := make([]uint32, min(n, len(kept)))
	for i := range list {
		list[i] = kept[i].ordinal
	}
	return list
}

// isRanked reports whether a set's stored records, taken by their ordinals, are in a given
// order: ordinals number the listed records by rank, and then the withdrawn ones.
func (b *Build) isRanked(set *roaring.Bitmap, s Sort) bool {
	return s == DefaultSort && (b.listed == b.n || !set.IntersectsWithInterval(uint64(b.listed), uint64(b.n)))
}

// walk calls yield with the ordinals of a set in a given order, starting with the first one
// for whose sort value and rank isAfter returns true. Edited records are merged in.
func (b *Build) walk(set *roaring.Bitmap, s Sort, isAfter func(value, rank int64) bool) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		key := slices.Index(SortKeys, s.Key)
		var edited []uint32
		for o := range b.edits {
			if set.Contains(o) && isAfter(b.sortValue(key, o), b.rank(o)) {
				edited = append(edited, o)
			}
		}
		b.sort(edited, s)
		for o := range b.stored(set, s, isAfter, 0) {
			for len(edited) > 0 && b.compareTo(key, edited[0], b.sortValue(key, o), b.rank(o), s.Desc) < 0 {
				if !yield(edited[0]) {
					return
				}
				edited = edited[1:]
			}
			if !yield(o) {
				return
			}
		}
		for _, o := range edited {
			if !yield(o) {
				return
			}
		}
	}
}

// stored is walk without the edited records and without the first skip records.
func (b *Build) stored(set *roaring.Bitmap, s Sort, isAfter func(value, rank int64) bool, skip int) func(yield func(uint32) bool) {
	if b.isRanked(set, s) {
		return b.storedByRank(set, isAfter, skip)
	}
	return func(yield func(uint32) bool) {
		key, wanted := slices.Index(SortKeys, s.Key), make([]uint64, max(uint64(b.n+63)/64, set.DenseSize()))
		set.WriteDenseTo(wanted)
		order, rest := b.order(key, s.Desc)
		first := sort.Search(order.Len(), func(i int) bool { return isAfter(b.sortValue(key, order.At(i)), b.rank(order.At(i))) })
		for i := first; i < order.Len(); i++ {
			o := order.At(i)
			if wanted[o>>6]>>(o&63)&1 == 0 {
				continue
			}
			if skip--; skip < 0 && !yield(o) {
				return
			}
		}
		for o := range rest(isAfter) {
			if wanted[o>>6]>>(o&63)&1 == 0 {
				continue
			}
			if skip--; skip < 0 && !yield(o) {
				return
			}
		}
	}
}

// storedByRank is stored for a set whose ordinals are in the order of the list.
func (b *Build) storedByRank(set *roaring.Bitmap, isAfter func(value, rank int64) bool, skip int) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		first := uint32(sort.Search(b.listed, func(i int) bool { return isAfter(b.sortValue(0, uint32(i)), b.rank(uint32(i))) }))
		if skip > 0 {
			if first > 0 {
				skip += int(set.Rank(first - 1))
			}
			o, err := set.Select(uint32(skip))
			if err != nil {
				return // the set has fewer records
			}
			first = max(first, o)
		}
		it := set.Iterator()
		it.AdvanceIfNeeded(first)
		for it.HasNext() {
			if o := it.Next(); int(o) >= b.n || !yield(o) {
				return
			}
		}
	}
}

// order returns a stored order, and a function that yields the records that are not in it: those without
// the measure by which it sorts, by type and slug, from the first one for which isAfter returns true.
func (b *Build) order(key int, desc bool) (order packed.Uint32s, rest func(isAfter func(value, rank int64) bool) iter.Seq[uint32]) {
	if key < len(columnKeys) {
		return b.orders[2*key+boolInt(desc)], func(func(value, rank int64) bool) iter.Seq[uint32] { return func(func(uint32) bool) {} }
	}
	measure := sortMeasures[key-len(columnKeys)]
	column, order := b.measures[measure], b.descending[measure]
	if !desc {
		order = column.Sorted()
	}
	return order, func(isAfter func(value, rank int64) bool) iter.Seq[uint32] {
		return func(yield func(uint32) bool) {
			n := b.targets.Len()
			for i := sort.Search(n, func(i int) bool { return isAfter(nullValue, int64(i)*b.stride()) }); i < n; i++ {
				t := b.targets.At(i)
				if _, known := column.Get(t >> 1); !known && t&1 == 0 && !yield(t>>1) {
					return
				}
			}
		}
	}
}

// Board returns the records on a leaderboard: those in a category (AllBoard for
// any) and of a type ("" for any) that have the score.
func (b *Build) Board(category, typ, score string) (*roaring.Bitmap, error) {
	set, err := b.Select(boardFilter(category, typ))
	if err != nil {
		return nil, err
	}
	set.And(b.atLeast(slices.Index(SortKeys, score), 0))
	return set, nil
}

func boardFilter(category, typ string) *Filter {
	f := &Filter{Fields: map[string][][]string{}}
	if category != AllBoard {
		f.Fields["category"] = [][]string{{category}}
	}
	if typ != "" {
		f.Fields["type"] = [][]string{{typ}}
	}
	return f
}

// CountUntil returns the number of records in a set that are at or before a
// position.
func (b *Build) CountUntil(set *roaring.Bitmap, s Sort, p Position) int {
	key := slices.Index(SortKeys, s.Key)
	value, rank, ok := b.sortKeyOf(key, p)
	if !ok {
		return 0
	}
	n := 0
	it := set.Iterator()
	for it.HasNext() {
		if b.compareTo(key, it.Next(), value, rank, s.Desc) <= 0 {
			n++
		}
	}
	return n
}

// InKeyOrder returns a set sorted by type and slug.
func (b *Build) InKeyOrder(set *roaring.Bitmap) []uint32 {
	list := set.ToArray()
	slices.SortFunc(list, func(x, y uint32) int { return cmp.Compare(b.rank(x), b.rank(y)) })
	return list
}

// InRankOrder returns a set sorted by composite score, best first.
func (b *Build) InRankOrder(set *roaring.Bitmap) []uint32 {
	list := set.ToArray()
	if b.overlay != nil { // without edits, ordinals are in that order
		slices.SortFunc(list, func(x, y uint32) int { return cmp.Compare(b.SortPosition(x), b.SortPosition(y)) })
	}
	return list
}

// Matches reports whether a single entity matches a filter, as Build.Select decides for the
// entity's record. It returns an error only for an invalid filter.
func (f *Filter) Matches(e *record.Entity) (bool, error) {
	if e.Status == record.Withdrawn && f.Fields["status"] == nil {
		return false, nil
	}
	for field, alternatives := range f.Fields {
		if !slices.ContainsFunc(alternatives, func(values []string) bool { return hasAllValues(e, field, values) }) {
			return false, nil
		}
	}
	if f.MinScore.Known() && e.Scores.Composite.Code() < f.MinScore.Code() {
		return false, nil
	}
	for _, d := range [2]struct{ day, since string }{{e.AddedDate, f.AddedSince}, {e.LastUpdated, f.UpdatedSince}} {
		if d.since != "" && d.day < d.since {
			return false, nil
		}
	}
	ranges, err := f.ranges()
	for _, r := range ranges {
		if v := measureOf(e, r.measure); v == nullValue || v < r.low || v > r.high {
			return false, nil
		}
	}
	return err == nil, err
}

func hasAllValues(e *record.Entity, field string, values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !hasValue(e, field, record.Fold(v)) })
}
