package exports

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// packValues builds the inverted lists (which ordinals have a value) and the
// forward lists (which values an ordinal has) of the filter fields.
func packValues(entities []*record.Entity) (values, bitmaps, facets []byte, err error) {
	var keys, spellings []string
	var offsets []byte
	var inverted bytes.Buffer
	var forward [][]byte
	for _, field := range FilterFields {
		lists := map[string]*valueList{}
		of := listsOf(entities, field, lists)
		for _, key := range slices.Sorted(maps.Keys(lists)) {
			l := lists[key]
			l.id = uint32(len(keys))
			keys, spellings = append(keys, field+"\x00"+key), append(spellings, mostFrequent(l.spellings))
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(inverted.Len()))
			l.ordinals.RunOptimize()
			if _, err := l.ordinals.WriteTo(&inverted); err != nil {
				return nil, nil, nil, err
			}
		}
		offsets, list := make([]uint32, 1, len(entities)+1), []uint32(nil)
		for _, e := range entities {
			start := len(list)
			for _, v := range e.FieldValues(field) {
				if id := of[v].id; !slices.Contains(list[start:], id) {
					list = append(list, id)
				}
			}
			offsets = append(offsets, uint32(len(list)))
		}
		forward = append(forward, packed.PackUint32s(offsets), packed.PackUint32s(list))
	}
	values = packed.PackSections(packed.PackStrings(keys), packed.PackStrings(spellings), offsets)
	return values, inverted.Bytes(), packed.PackSections(forward...), nil
}

// valueList is one value of a filter field.
type valueList struct {
	id        uint32
	ordinals  *roaring.Bitmap // the entities that have the value
	spellings map[string]int  // spelling → number of entities
}

// listsOf adds a field's values to lists, by folded form. It also returns them by
// original spelling, so that each spelling is folded only once.
func listsOf(entities []*record.Entity, field string, lists map[string]*valueList) (of map[string]*valueList) {
	of = map[string]*valueList{}
	for i, e := range entities {
		for _, v := range e.FieldValues(field) {
			l := of[v]
			if l == nil {
				key := record.Fold(v)
				if l = lists[key]; l == nil {
					l = &valueList{ordinals: roaring.New(), spellings: map[string]int{}}
					lists[key] = l
				}
				of[v] = l
			}
			l.ordinals.Add(uint32(i))
			l.spellings[v]++
		}
	}
	return of
}

// mostFrequent picks the spelling that most entities use.
func mostFrequent(spellings map[string]int) string {
	best := ""
	for _, f := range slices.Sorted(maps.Keys(spellings)) {
		if best == "" || spellings[f] > spellings[best] {
			best = f
		}
	}
	return best
}

// FacetCount holds a value and the number of records in a set that have it.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Facet counts the values of a filter field in a set. It returns at most top
// values, most frequent first.
func (b *Build) Facet(set *roaring.Bitmap, field string, top int) []FacetCount {
	f := b.facets[slices.Index(FilterFields, field)]
	first, last := b.values.Len(), 0
	for i := range b.valuesOf(field) {
		first, last = min(first, i), i+1
	}
	counts := make([]int, max(0, last-first))
	buf := make([]uint32, 1024)
	it := set.ManyIterator()
	for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
		for _, o := range buf[:n] {
			if int(o) >= b.n {
				break // edited records are counted below
			}
			for j := f[0].At(int(o)); j < f[0].At(int(o)+1); j++ {
				counts[int(f[1].At(int(j)))-first]++
			}
		}
	}
	added := b.addFacets(set, field, counts, first)
	type counted struct {
		FacetCount
		folded string
	}
	var list []counted
	for _, i := range mostCounted(counts, top) {
		list = append(list, counted{FacetCount{string(b.spellings.At(first + i)), counts[i]}, string(b.values.At(first + i)[len(field)+1:])})
	}
	for folded, c := range added {
		list = append(list, counted{c, folded})
	}
	slices.SortFunc(list, func(x, y counted) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.folded, y.folded))
	})
	out := make([]FacetCount, 0, min(top, len(list)))
	for _, c := range list[:min(top, len(list))] {
		out = append(out, c.FacetCount)
	}
	return out
}

// mostCounted returns the indexes of up to top counts, largest first. It omits zeros, and puts
// equal counts in the order of their indexes. A field can have thousands of values, of which only
// a few are shown.
func mostCounted(counts []int, top int) []int {
	var list []int
	least := 1
	cut := func() {
		slices.SortFunc(list, func(i, j int) int { return cmp.Or(cmp.Compare(counts[j], counts[i]), cmp.Compare(i, j)) })
		list = list[:min(top, len(list))]
	}
	for i, n := range counts {
		if n < least {
			continue
		}
		if list = append(list, i); top > 0 && len(list)/2 > top {
			cut()
			least = 1 + counts[list[top-1]]
		}
	}
	cut()
	return list
}

// addFacets adds the values of a set's edited entities to counts. It returns the
// counts of values that no record in the build has, by folded form.
func (b *Build) addFacets(set *roaring.Bitmap, field string, counts []int, first int) map[string]FacetCount {
	added := map[string]FacetCount{}
	for o, e := range b.edits {
		if !set.Contains(o) {
			continue
		}
		seen := map[string]bool{}
		for _, v := range e.FieldValues(field) {
			key := record.Fold(v)
			if seen[key] {
				continue
			}
			seen[key] = true
			if i, ok := b.values.Search(field + "\x00" + key); ok {
				counts[i-first]++
			} else {
				added[key] = FacetCount{Value: cmp.Or(added[key].Value, v), Count: added[key].Count + 1}
			}
		}
	}
	return added
}
