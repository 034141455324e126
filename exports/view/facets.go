package view

import (
	"cmp"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
)

// value is a value of a filter field.
type value struct {
	folded string
	shown  string // the spelling that most records use
	set    *roaring.Bitmap
}

// valuesOf returns the values of a filter field by folded value. In the past, a record may have a value that was
// replaced since: it counts as the replacement.
func (v *View) valuesOf(name string) (list []value) {
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
	for _, folded := range slices.Sorted(maps.Keys(sets)) {
		list = append(list, value{folded, mostFrequent(spellings[folded]), sets[folded]})
	}
	return list
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
	for _, x := range v.fields[name] {
		list = append(list, x.shown)
	}
	return list
}

// Bitmap returns the records that have a value in a filter field, or nil if there are none. Values are
// compared in folded form.
func (v *View) Bitmap(name, text string) *roaring.Bitmap {
	list := v.fields[name]
	i, ok := slices.BinarySearchFunc(list, record.Fold(text), func(x value, folded string) int { return cmp.Compare(x.folded, folded) })
	if !ok {
		return nil
	}
	return list[i].set.Clone()
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
	for _, x := range v.fields[name] {
		if n := set.AndCardinality(x.set); n > 0 {
			list = append(list, FacetCount{x.shown, int(n)})
		}
	}
	slices.SortStableFunc(list, func(a, b FacetCount) int { return b.Count - a.Count })
	return list[:min(top, len(list))]
}
