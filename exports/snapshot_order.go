package exports

import (
	"math"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// sortValue returns a record's value for a sort key. Table indexes are doubled, to
// leave room between two consecutive ones.
func (s *Snapshot) sortValue(key int, ordinal uint32) int64 {
	k := len(record.ScoreNames)
	switch {
	case key >= len(columnKeys):
		if v, ok := s.archive.measures[sortMeasures[key-len(columnKeys)]].Get(uint32(s.Version(ordinal))); ok {
			return v
		}
		return nullValue
	case key < k:
		if c := s.code(key, ordinal); c >= 0 {
			return int64(c)
		}
		return nullValue
	case key == k:
		return 2 * int64(s.archive.nameRank.At(s.Version(ordinal)))
	default:
		return dateValue(s.archive.day(s.Version(ordinal), key-k-1))
	}
}

// rank returns the position of a record in the order by type and slug.
func (s *Snapshot) rank(ordinal uint32) int64 {
	return 2 * int64(s.KeyRank(ordinal))
}

// rankOf returns the position of a key in that order.
func (s *Snapshot) rankOf(typ, slug string) int64 {
	return doubledIndex(s.archive.addresses, typ+"\x00"+slug)
}

// doubledIndex returns the doubled index of a string in a table. If the table does
// not contain the string, the result is an odd number between its neighbours.
func doubledIndex(t packed.StringTable, text string) int64 {
	i, ok := t.Search(text)
	return 2*int64(i) - int64(boolInt(!ok))
}

// sortKeyOf converts a position to numbers that can be compared with those of records.
func (s *Snapshot) sortKeyOf(key int, p Position) (value, rank int64, ok bool) {
	rank = s.rankOf(p.Type, p.Slug)
	if SortKeys[key] == "name" {
		return doubledIndex(s.archive.names, p.Value), rank, true
	}
	value, ok = parseSortValue(key, p.Value)
	return value, rank, ok
}

// PositionOf returns the position of a record in an order.
func (s *Snapshot) PositionOf(by Sort, ordinal uint32) Position {
	typ, slug := s.Key(ordinal)
	p := Position{Type: typ, Slug: slug}
	if key := slices.Index(SortKeys, by.Key); by.Key != "name" {
		p.Value = formatSortValue(key, s.sortValue(key, ordinal))
	} else {
		p.Value = string(s.archive.names.At(int(s.archive.nameRank.At(s.Version(ordinal)))))
	}
	return p
}

// Page returns up to limit ordinals of a set in a given order, after skipping the
// first skip, and reports whether more follow. If after is not nil, the page starts
// after that position; ok is false if the position does not belong to that order.
func (s *Snapshot) Page(set *roaring.Bitmap, by Sort, after *Position, skip, limit int) (page []uint32, more, ok bool) {
	key := slices.Index(SortKeys, by.Key)
	isAfter := func(uint32) bool { return true }
	if after != nil {
		value, rank, ok := s.sortKeyOf(key, *after)
		if !ok {
			return nil, false, false
		}
		isAfter = func(o uint32) bool { return compareSortKeys(s.sortValue(key, o), s.rank(o), value, rank, by.Desc) > 0 }
	}
	if by == DefaultSort && (set.IsEmpty() || int(set.Maximum()) < s.listed) { // ordinals are in the default order
		page, more = pageOf(set, isAfter, skip, limit)
		return page, more, true
	}
	chosen := set.ToArray()
	if after != nil {
		chosen = slices.DeleteFunc(chosen, func(o uint32) bool { return !isAfter(o) })
	}
	if key < len(record.ScoreNames) {
		page, more = s.pageByScore(chosen, key, by.Desc, skip, limit)
		return page, more, true
	}
	list := s.sorted(chosen, key, by.Desc)
	list = list[min(skip, len(list)):]
	end := min(limit, len(list))
	return list[:end], end < len(list), true
}

// pageOf returns a page of a set in its own order: up to limit values, after those for which isAfter is
// false, which precede all others, and the next skip values.
func pageOf(set *roaring.Bitmap, isAfter func(uint32) bool, skip, limit int) (page []uint32, more bool) {
	total := int(set.GetCardinality())
	at := func(i int) uint32 {
		v, _ := set.Select(uint32(i)) // no error: i is less than total
		return v
	}
	first := sort.Search(total, func(i int) bool { return isAfter(at(i)) })
	first += min(skip, total-first)
	n := min(limit, total-first)
	if n == 0 {
		return nil, first < total
	}
	page = make([]uint32, 0, n)
	it := set.Iterator()
	for it.AdvanceIfNeeded(at(first)); len(page) < n; {
		page = append(page, it.Next())
	}
	return page, first+n < total
}

// sorted returns records in the order of a sort key.
func (s *Snapshot) sorted(list []uint32, key int, desc bool) []uint32 {
	unsorted := make([]sortItem, len(list))
	if key >= len(columnKeys) { // too large for an orderKey
		for i, o := range list {
			unsorted[i] = sortItem{uint64(s.rank(o)), o}
		}
		for i, o := range radixSort(unsorted) {
			unsorted[i] = sortItem{measureKey(s.sortValue(key, o), desc), o}
		}
		return radixSort(unsorted)
	}
	for i, o := range list {
		unsorted[i] = sortItem{orderKey(s.sortValue(key, o), s.rank(o), desc), o}
	}
	return radixSort(unsorted)
}

// pageByScore returns a page of records in the order of a score. Scores have one
// decimal, so counting the records with each of the 1001 possible values shows
// which values are on the page. Only records with those values are sorted.
func (s *Snapshot) pageByScore(list []uint32, key int, desc bool, skip, limit int) (page []uint32, more bool) {
	const null = 1001 // comes last
	bucket := func(o uint32) int {
		switch c := int(s.code(key, o)); {
		case c < 0:
			return null
		case desc:
			return null - 1 - c
		default:
			return c
		}
	}
	skip = min(skip, len(list))
	end := skip + min(limit, len(list)-skip)
	if skip == end {
		return nil, end < len(list)
	}
	var counts [null + 1]int
	for _, o := range list {
		counts[bucket(o)]++
	}
	first, before := 0, 0 // first bucket on the page; number of records before that bucket
	for before+counts[first] <= skip {
		before += counts[first]
		first++
	}
	last, until := first, before+counts[first]
	for until < end {
		last++
		until += counts[last]
	}
	candidates := make([]uint32, 0, until-before)
	for _, o := range list {
		if p := bucket(o); first <= p && p <= last {
			candidates = append(candidates, o)
		}
	}
	return s.sorted(candidates, key, desc)[skip-before : end-before], end < len(list)
}

// orderKey combines a sort value and a rank into one number, so that comparing numbers gives
// the same result as compareSortKeys. Ranks, and sort values other than null, must fit into
// 32 bits.
func orderKey(value, rank int64, desc bool) uint64 {
	v := uint64(math.MaxUint32)
	if value != nullValue {
		v = uint64(value + math.MaxInt32)
		if desc {
			v = math.MaxUint32 - 1 - v
		}
	}
	return v<<32 | uint64(rank)
}

// sortItem is an ordinal with its sort key.
type sortItem struct {
	key     uint64
	ordinal uint32
}

// radixSort sorts by key, byte by byte, least significant first, and keeps the order of equal
// keys. It is ten times as fast as a comparison sort. It overwrites list.
func radixSort(list []sortItem) []uint32 {
	other := make([]sortItem, len(list))
	for shift := 0; shift < 64; shift += 8 {
		var next [257]int // by value of the byte: index of the next item
		for _, k := range list {
			next[k.key>>shift&255+1]++
		}
		if len(list) > 0 && next[list[0].key>>shift&255+1] == len(list) {
			continue // all have the same byte
		}
		for i := range 255 {
			next[i+1] += next[i]
		}
		for _, k := range list {
			at := &next[k.key>>shift&255]
			other[*at] = k
			*at++
		}
		list, other = other, list
	}
	ordinals := make([]uint32, len(list))
	for i, k := range list {
		ordinals[i] = k.ordinal
	}
	return ordinals
}

// CountUntil returns the number of records in a set that are at or before a
// position.
func (s *Snapshot) CountUntil(set *roaring.Bitmap, by Sort, p Position) int {
	key := slices.Index(SortKeys, by.Key)
	value, rank, ok := s.sortKeyOf(key, p)
	if !ok {
		return 0
	}
	n := 0
	it := set.Iterator()
	for it.HasNext() {
		if o := it.Next(); compareSortKeys(s.sortValue(key, o), s.rank(o), value, rank, by.Desc) <= 0 {
			n++
		}
	}
	return n
}

// InRankOrder returns a set sorted by composite score, best first.
func (s *Snapshot) InRankOrder(set *roaring.Bitmap) []uint32 { return set.ToArray() }
