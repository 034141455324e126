package exports

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// Filter chooses records. The zero value chooses all that lists show.
type Filter struct {
	// Fields maps one of the FilterFields to alternatives, each a list of
	// values that must all be there. Without "status", withdrawn records are
	// left out.
	Fields map[string][][]string
	// MinScore is the least composite score, null for none.
	MinScore Score
	// AddedSince and UpdatedSince are the first day, YYYY-MM-DD, "" for none.
	AddedSince, UpdatedSince string
}

// Empty tells whether the filter chooses all that lists show.
func (f *Filter) Empty() bool {
	return len(f.Fields) == 0 && !f.MinScore.Known() && f.AddedSince == "" && f.UpdatedSince == ""
}

// Select returns the ordinals that a filter chooses. The set is the caller's.
func (b *Build) Select(f *Filter) (*roaring.Bitmap, error) {
	set := roaring.New()
	if f.Fields["status"] == nil {
		set.AddRange(0, uint64(b.listed))
	} else {
		set.AddRange(0, uint64(b.n))
	}
	for _, field := range FilterFields {
		alternatives, ok := f.Fields[field]
		if !ok {
			continue
		}
		any := roaring.New()
		for _, values := range alternatives {
			any.Or(b.all(field, values))
		}
		set.And(any)
	}
	if f.MinScore.Known() {
		set.And(b.atLeast(0, int64(f.MinScore.code())))
	}
	for i, since := range [2]string{f.AddedSince, f.UpdatedSince} {
		if since == "" {
			continue
		}
		day, err := DayNumber(since)
		if err != nil {
			return nil, err
		}
		set.And(b.atLeast(len(ScoreNames)+1+i, int64(day)))
	}
	return set, nil
}

// all returns the records that have every one of the values.
func (b *Build) all(field string, values []string) *roaring.Bitmap {
	var set *roaring.Bitmap
	for _, v := range values {
		one := b.Bitmap(field, v)
		switch {
		case one == nil:
			return roaring.New()
		case set == nil:
			set = one
		default:
			set = roaring.And(set, one)
		}
	}
	if set == nil {
		return roaring.New()
	}
	return set
}

// atLeast returns the records whose value in a sort key is known and not below
// least: a prefix of the descending order.
func (b *Build) atLeast(key int, least int64) *roaring.Bitmap {
	order := b.orders[2*key+1]
	n := sort.Search(order.len(), func(i int) bool { return b.sortValue(key, order.at(i)) < least })
	list := make([]uint32, n)
	for i := range list {
		list[i] = order.at(i)
	}
	slices.Sort(list)
	return roaring.BitmapOf(list...)
}

// Sort is an order of records.
type Sort struct {
	Key  string // one of the SortKeys
	Desc bool
}

// DefaultSort is by composite score, the best first.
var DefaultSort = Sort{Key: "composite", Desc: true}

// Place is where a record stands in an order: what a cursor remembers. It goes
// on across builds, because it names no ordinal.
type Place struct {
	Value string // the sort value as text, "" for null
	Type  string
	Slug  string
}

// PlaceOf returns the place of a record in an order.
func (b *Build) PlaceOf(s Sort, ordinal uint32) Place {
	typ, slug := b.Key(ordinal)
	p := Place{Type: typ, Slug: slug}
	key := slices.Index(SortKeys, s.Key)
	v := b.sortValue(key, ordinal)
	switch {
	case v == nullValue:
	case s.Key == "name":
		p.Value = string(b.names.at(int(v)))
	case key > len(ScoreNames):
		p.Value = time.Unix(v*86400, 0).UTC().Format(time.DateOnly)
	default:
		p.Value = strconv.FormatInt(v, 10)
	}
	return p
}

// position turns a place into comparable numbers of this build, doubled, so
// that what this build does not have falls between its neighbours.
func (b *Build) position(key int, p Place) (value, rank int64, ok bool) {
	double := func(i int, found bool) int64 { return 2*int64(i) - 1 + int64(boolInt(found)) }
	rank = double(b.keys.search(p.Type + "\x00" + p.Slug))
	switch {
	case SortKeys[key] == "name": // never null; of marks alone it folds to ""
		return double(b.names.search(p.Value)), rank, true
	case p.Value == "":
		return nullValue, rank, true
	case key > len(ScoreNames):
		d, err := DayNumber(p.Value)
		return 2 * int64(d), rank, err == nil
	default:
		v, err := strconv.ParseInt(p.Value, 10, 16)
		return 2 * v, rank, err == nil && v >= 0 && v <= 1000
	}
}

// comparePosition orders a record against a position.
func (b *Build) comparePosition(key int, o uint32, value, rank int64, desc bool) int {
	v := b.sortValue(key, o)
	if v != nullValue {
		v *= 2
	}
	return comparePlaces(v, 2*int64(b.keyRank.at(int(o))), value, rank, desc)
}

// Page returns up to limit ordinals of a set in an order, after skipping skip
// of them, and whether more follow. With a non-nil after it begins behind that
// place instead; ok is false where the place does not fit the order.
func (b *Build) Page(set *roaring.Bitmap, s Sort, after *Place, skip, limit int) (page []uint32, more, ok bool) {
	key := slices.Index(SortKeys, s.Key)
	order := b.orders[2*key+boolInt(s.Desc)]
	behind := func(uint32) bool { return true }
	if after != nil {
		value, rank, ok := b.position(key, *after)
		if !ok {
			return nil, false, false
		}
		behind = func(o uint32) bool { return b.comparePosition(key, o, value, rank, s.Desc) > 0 }
	}
	// A small set is sorted; a large one is met soon on a walk in order.
	if card := set.GetCardinality(); card < uint64(b.n)/32 {
		list := set.ToArray()
		slices.SortFunc(list, func(x, y uint32) int {
			return comparePlaces(b.sortValue(key, x), int64(b.keyRank.at(int(x))), b.sortValue(key, y), int64(b.keyRank.at(int(y))), s.Desc)
		})
		i := sort.Search(len(list), func(i int) bool { return behind(list[i]) })
		i = min(i+skip, len(list))
		end := min(i+limit, len(list))
		return list[i:end], end < len(list), true
	}
	i := 0
	if after != nil {
		i = sort.Search(order.len(), func(i int) bool { return behind(order.at(i)) })
	}
	for ; i < order.len(); i++ {
		o := order.at(i)
		if !set.Contains(o) {
			continue
		}
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

// FacetCount is how many records of a set have a value.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Facet counts the values of a filter field over a set, the most frequent
// first, at most top of them.
func (b *Build) Facet(set *roaring.Bitmap, field string, top int) []FacetCount {
	f := b.facets[slices.Index(FilterFields, field)]
	first, _ := b.values.search(field + "\x00")
	last := first
	for last < b.values.len() && hasField(b.values.at(last), field) {
		last++
	}
	counts := make([]int, last-first)
	buf := make([]uint32, 1024)
	it := set.ManyIterator()
	for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
		for _, o := range buf[:n] {
			for j := f[0].at(int(o)); j < f[0].at(int(o)+1); j++ {
				counts[int(f[1].at(int(j)))-first]++
			}
		}
	}
	order := make([]int, 0, len(counts))
	for i, n := range counts {
		if n > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y)) })
	out := make([]FacetCount, 0, min(top, len(order)))
	for _, i := range order[:min(top, len(order))] {
		out = append(out, FacetCount{string(b.shown.at(first + i)), counts[i]})
	}
	return out
}

func hasField(key []byte, field string) bool {
	return len(key) > len(field) && key[len(field)] == 0 && string(key[:len(field)]) == field
}

// Board returns the records of a leaderboard: those of a category, or of
// AllBoard, and of a type unless it is "", that have the score.
func (b *Build) Board(category, typ, score string) (*roaring.Bitmap, error) {
	f := Filter{Fields: map[string][][]string{}}
	if category != AllBoard {
		f.Fields["category"] = [][]string{{category}}
	}
	if typ != "" {
		f.Fields["type"] = [][]string{{typ}}
	}
	set, err := b.Select(&f)
	if err != nil {
		return nil, err
	}
	set.And(b.atLeast(slices.Index(SortKeys, score), 0))
	return set, nil
}

// CountUntil is how many records of a set stand at a place or before it.
func (b *Build) CountUntil(set *roaring.Bitmap, s Sort, p Place) int {
	key := slices.Index(SortKeys, s.Key)
	value, rank, ok := b.position(key, p)
	if !ok {
		return 0
	}
	n := 0
	it := set.Iterator()
	for it.HasNext() {
		if b.comparePosition(key, it.Next(), value, rank, s.Desc) <= 0 {
			n++
		}
	}
	return n
}

// OrdinalOf is the ordinal of a place in the default order, between two where
// this build has no such record. ok is false where the place is of another
// order.
func (b *Build) OrdinalOf(p Place) (ordinal float64, ok bool) {
	if o, moved, found := b.Find(p.Type, p.Slug); found && !moved && b.PlaceOf(DefaultSort, o) == p {
		return float64(o), true
	}
	value, rank, ok := b.position(0, p)
	if !ok {
		return 0, false
	}
	before := sort.Search(b.listed, func(i int) bool { return b.comparePosition(0, uint32(i), value, rank, true) > 0 })
	return float64(before) - 0.5, true
}

// InKeyOrder lists a set by type and slug.
func (b *Build) InKeyOrder(set *roaring.Bitmap) []uint32 {
	list := set.ToArray()
	slices.SortFunc(list, func(x, y uint32) int { return cmp.Compare(b.keyRank.at(int(x)), b.keyRank.at(int(y))) })
	return list
}
