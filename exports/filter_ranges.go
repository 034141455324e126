package exports

import (
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
)

// within returns the records of a set that meet a condition on a measure.
func (b *Build) within(set *roaring.Bitmap, r measureRange) *roaring.Bitmap {
	found := b.measures[r.measure].Within(set, r.low, r.high)
	for o, e := range b.edits {
		if v := measureOf(e, r.measure); set.Contains(o) && v != nullValue && r.low <= v && v <= r.high {
			found.Add(o)
		}
	}
	return found
}

// atLeast returns the records with a known value of at least minimum for a score or a date.
func (b *Build) atLeast(key int, minimum int64) *roaring.Bitmap {
	set := roaring.New()
	if key == 0 { // the order of the ordinals of listed records and, after them, of withdrawn ones
		for _, part := range [2][2]int{{0, b.listed}, {b.listed, b.n}} {
			from, to := part[0], part[1]
			end := from + sort.Search(to-from, func(i int) bool { return b.sortValue(key, uint32(from+i)) < minimum })
			set.AddRange(uint64(from), uint64(end))
		}
	} else {
		down := b.orders[2*key+1] // unknown values are last
		set = b.prefixes[key].Between(0, sort.Search(b.n, func(i int) bool { return b.sortValue(key, down.At(i)) < minimum }))
	}
	for o := range b.edits {
		if b.sortValue(key, o) >= minimum {
			set.Add(o)
		}
	}
	return set
}
