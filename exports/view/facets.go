package view

import (
	"cmp"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
)

// field holds the values of a filter field.
type field struct {
	values []value // by folded value
	// The indexes of the values of all records. Those of an ordinal are from start[ordinal] to start[ordinal+1].
	of, start []uint32
}

// value is a value of a filter field.
type value struct {
	folded string
	shown  string // the spelling that most records use
	set    *roaring.Bitmap
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

// mostFrequent returns the spelling that most records use.
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
	if f := v.fields[name]; f != nil {
		for _, x := range f.values {
			list = append(list, x.shown)
		}
	}
	return list
}

// Bitmap returns the records that have a value in a filter field, or nil if there are none. Values are
// compared in folded form.
func (v *View) Bitmap(name, text string) *roaring.Bitmap {
	f := v.fields[name]
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
	f := v.fields[name]
	if f == nil {
		return []FacetCount{}
	}
	counts := make([]int, len(f.values))
	for o := range roaring.Values(set) {
		for _, i := range f.of[f.start[o]:f.start[o+1]] {
			counts[i]++
		}
	}
	var found []int
	for i, n := range counts {
		if n > 0 {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(i, j int) int { return cmp.Compare(counts[j], counts[i]) })
	list := []FacetCount{}
	for _, i := range found[:min(top, len(found))] {
		list = append(list, FacetCount{f.values[i].shown, counts[i]})
	}
	return list
}
