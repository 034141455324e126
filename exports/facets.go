package exports

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
)

// FacetCount holds a value and the number of records in a set that have it.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Facet counts the values of a filter field in a set. It returns at most top
// values, most frequent first.
func (b *Build) Facet(set *roaring.Bitmap, field string, top int) []FacetCount {
	first, last := b.valueRange(field)
	counts := make([]int, last-first)
	if b.overlay != nil || !b.countByValue(set, field, counts, top) {
		b.countByRecord(set, field, counts)
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

// valueRange returns the range of the indexes of a field's values.
func (b *Build) valueRange(field string) (first, last int) {
	first, _ = b.values.Search(field + "\x00")
	last, _ = b.values.Search(field + "\x01")
	return first, last
}

// countByRecord adds the values of each of a set's stored records to counts.
func (b *Build) countByRecord(set *roaring.Bitmap, field string, counts []int) {
	f := b.facets[slices.Index(FilterFields, field)]
	first, _ := b.valueRange(field)
	var buf, from, to [1024]uint32
	it := set.ManyIterator()
	for n := it.NextMany(buf[:]); n > 0; n = it.NextMany(buf[:]) {
		n, _ = slices.BinarySearch(buf[:n], uint32(b.n)) // edited records are counted elsewhere
		// The places in memory are random. Reading all of one column first lets the processor wait for
		// several at the same time.
		for i, o := range buf[:n] {
			from[i], to[i] = f[0].At(int(o)), f[0].At(int(o)+1)
		}
		for i := range n {
			for j := from[i]; j < to[i]; j++ {
				counts[int(f[1].At(int(j)))-first]++
			}
		}
	}
}

// The estimated cost of reading the values of a record, whose place in memory is random, and of
// opening the set of a value, in units of the cost of comparing 64 records of two sets.
const recordCost, valueCost = 8, 100

// countByValue sets counts to the numbers of records in a set that have each value, the most frequent
// values first, until no other value can be among the top. Values that it did not look at have no
// count. It reports false, with all counts 0, if countByRecord probably takes less time.
func (b *Build) countByValue(set *roaring.Bitmap, field string, counts []int, top int) bool {
	first, last := b.valueRange(field)
	budget := recordCost * int(set.GetCardinality())
	var best []int // the largest counts, in ascending order
	for at := first; at < last && top > 0; at++ {
		i := int(b.valuesBySize.At(at))
		size := int(b.valueSizes.At(i))
		if len(best) == top && best[0] > size {
			break
		}
		if budget -= valueCost + min(size, b.n/64); budget < 0 {
			clear(counts)
			return false
		}
		n := int(b.bitmap(i).AndCardinality(set))
		if counts[i-first] = n; len(best) < top || n > best[0] {
			place, _ := slices.BinarySearch(best, n)
			best = slices.Insert(best, place, n)
			best = best[max(0, len(best)-top):]
		}
	}
	return true
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
