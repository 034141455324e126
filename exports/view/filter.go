package view

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

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
	// Bounds are conditions on signals and declared fields. A record must meet all of them.
	Bounds []Bound
}

// Bound is a condition on a signal or a declared field: its value must be at least the bound or, with
// AtMost, at most. A record without the value does not meet it.
type Bound struct {
	Key    string // SignalKey of a signal, or the path of a field
	AtMost bool
	Number float64 // the bound, if the value is a number
	Day    string  // the bound, if the value is a date: YYYY-MM-DD
}

// limit is a condition on a number: it must be known and from low to high.
type limit struct {
	key       string
	low, high int64
}

func (l limit) allows(n int64) bool { return n != unknown && l.low <= n && n <= l.high }

// Empty reports whether the filter selects all listed records.
func (f *Filter) Empty() bool { return len(f.Fields) == 0 && len(f.limits()) == 0 }

func (f *Filter) limits() (list []limit) {
	add := func(wanted bool, key string, low, high int64) {
		if wanted {
			list = append(list, limit{key, low, high})
		}
	}
	const lowest, highest = math.MinInt64, math.MaxInt64
	add(f.MinScore.Known(), "composite", int64(f.MinScore.Code()), highest)
	add(f.AddedSince != "", "addedDate", since(f.AddedSince), highest)
	add(f.UpdatedSince != "", "lastUpdated", since(f.UpdatedSince), highest)
	add(f.RetiresBefore != "", "retires", lowest, until(f.RetiresBefore)-1)
	add(f.MaxPrice.Known(), "price", lowest, f.MaxPrice.Micros())
	for _, s := range f.Bounds {
		low, high := int64(lowest), int64(highest)
		switch {
		case s.AtMost && s.Day != "":
			high = until(s.Day)
		case s.AtMost:
			high = orderedNumber(s.Number)
		case s.Day != "":
			low = since(s.Day)
		default:
			low = orderedNumber(s.Number)
		}
		add(true, s.Key, low, high)
	}
	return list
}

// since returns the number of a day. Nothing is since a day that does not exist.
func since(day string) int64 {
	if n := dayNumber(day); n != unknown {
		return n
	}
	return math.MaxInt64
}

// until returns the number of a day. Nothing is until a day that does not exist: its number is below all days.
func until(day string) int64 { return max(dayNumber(day), unknown+1) }

// Select returns the records that match a filter.
func (v *View) Select(f *Filter) *roaring.Bitmap {
	set := v.all(f.Fields["status"] != nil)
	for field, alternatives := range f.Fields {
		any := roaring.New()
		for _, values := range alternatives {
			any.Or(v.withAll(field, values))
		}
		set.And(any)
	}
	for _, l := range f.limits() {
		numbers := v.numbers(l.key)
		set = keep(set, func(o uint32) bool { return l.allows(numbers[o]) })
	}
	return set
}

// withAll returns the records that have all of the values in a field, or none without values.
func (v *View) withAll(field string, values []string) *roaring.Bitmap {
	var sets []*roaring.Bitmap
	for _, text := range values {
		text, _ = v.Preferred(field, text)
		sets = append(sets, cmp.Or(v.Bitmap(field, text), roaring.New()))
	}
	return roaring.FastAnd(sets...)
}

// keep returns the records of a set for which f returns true.
func keep(set *roaring.Bitmap, f func(ordinal uint32) bool) *roaring.Bitmap {
	kept := roaring.New()
	for o := range roaring.Values(set) {
		if f(o) {
			kept.Add(o)
		}
	}
	return kept
}

// AllBoard is the leaderboard of all categories.
const AllBoard = "all"

// Board returns the records on a leaderboard: those in a category (AllBoard for any) and of a type (""
// for any) that have the score.
func (v *View) Board(category, typ, score string) *roaring.Bitmap {
	f := &Filter{Fields: map[string][][]string{}}
	if category != AllBoard {
		f.Fields["category"] = [][]string{{category}}
	}
	if typ != "" {
		f.Fields["type"] = [][]string{{typ}}
	}
	numbers := v.numbers(score)
	return keep(v.Select(f), func(o uint32) bool { return numbers[o] != unknown })
}

// Matches reports whether an entity matches a filter, as View.Select decides for its record. It does
// not know which values others have replaced.
func (f *Filter) Matches(e *record.Entity) bool {
	return !New([]*record.Entity{e}, nil, NewTerms(e.Declared(), nil), "").Select(f).IsEmpty()
}

// field holds the values of a filter field.
type field struct {
	values []value // by folded value
	// The indexes of the values of all records, by which values are counted faster than by sets.
	// Those of an ordinal are from start[ordinal] to start[ordinal+1].
	of, start []uint32
}

// value is a value of a filter field.
type value struct {
	folded string
	shown  string // the spelling that most records use
	set    *roaring.Bitmap
}

// field returns a filter field, or nil if there is none with that name.
func (v *View) field(name string) *field {
	if f := v.fields[name]; f != nil {
		return f()
	}
	return nil
}

// newField collects the values of a filter field. In the past, a record may have a value that was
// replaced since: it counts as the replacement.
func (v *View) newField(name string) *field {
	sets, spellings := map[string]*roaring.Bitmap{}, map[string]map[string]int{}
	for _, o := range v.ranked {
		for _, text := range v.entities[o].FieldValues(name) {
			if v.Day != "" {
				text, _ = v.Preferred(name, text)
			}
			folded := record.Fold(text)
			if sets[folded] == nil {
				sets[folded], spellings[folded] = roaring.New(), map[string]int{}
			}
			sets[folded].Add(o)
			spellings[folded][text]++
		}
	}
	f := &field{start: make([]uint32, len(v.entities)+1)}
	for _, folded := range slices.Sorted(maps.Keys(sets)) {
		f.values = append(f.values, value{folded, mostFrequent(spellings[folded]), sets[folded]})
		for o := range roaring.Values(sets[folded]) {
			f.start[o]++
		}
	}
	for o := range len(v.entities) { // the ends for now
		f.start[o+1] += f.start[o]
	}
	f.of = make([]uint32, f.start[len(v.entities)])
	for i, x := range slices.Backward(f.values) {
		for o := range roaring.Values(x.set) {
			f.start[o]--
			f.of[f.start[o]] = uint32(i)
		}
	}
	return f
}

func mostFrequent(spellings map[string]int) (best string) {
	for _, text := range slices.Sorted(maps.Keys(spellings)) {
		if best == "" || spellings[text] > spellings[best] {
			best = text
		}
	}
	return best
}

// Values returns the values of a filter field, each in its most frequent spelling, sorted by folded
// value. A field that no kind has has no values.
func (v *View) Values(name string) (list []string) {
	if f := v.field(name); f != nil {
		for _, x := range f.values {
			list = append(list, x.shown)
		}
	}
	return list
}

// Bitmap returns the records that have a value in a filter field, or nil if there are none. Values are
// compared in folded form.
func (v *View) Bitmap(name, text string) *roaring.Bitmap {
	f := v.field(name)
	if f == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(f.values, record.Fold(text), func(x value, folded string) int { return cmp.Compare(x.folded, folded) })
	if !ok {
		return nil
	}
	return f.values[i].set.Clone()
}

// FacetCount holds a value and the number of records in a set that have it.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Facets counts the values of filter fields in a set. Of each field, it returns at most top values,
// most frequent first.
func (v *View) Facets(set *roaring.Bitmap, names []string, top int) map[string][]FacetCount {
	all := make(map[string][]FacetCount, len(names))
	for _, name := range names {
		all[name] = v.Facet(set, name, top)
	}
	return all
}

// Facet counts the values of one field as Facets does.
func (v *View) Facet(set *roaring.Bitmap, name string, top int) []FacetCount {
	list := []FacetCount{}
	f := v.field(name)
	if f == nil {
		return list
	}
	counts := make([]int, len(f.values))
	for o := range roaring.Values(set) {
		for _, i := range f.of[f.start[o]:f.start[o+1]] {
			counts[i]++
		}
	}
	for i, n := range counts {
		if n > 0 {
			list = append(list, FacetCount{f.values[i].shown, n})
		}
	}
	slices.SortStableFunc(list, func(a, b FacetCount) int { return b.Count - a.Count })
	return list[:min(top, len(list))]
}
