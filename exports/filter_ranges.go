package exports

import (
	"encoding/binary"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
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
		set = roaring.FromDense(b.denseAtLeast(key, minimum), false)
	}
	for o := range b.edits {
		if b.sortValue(key, o) >= minimum {
			set.Add(o)
		}
	}
	return set
}

// denseAtLeast returns a bit for each stored record, set if its score or date is at least minimum. An unknown
// value is the lowest of all. Adding the sign of a difference is faster than a branch that cannot be predicted.
func (b *Build) denseAtLeast(key int, minimum int64) []uint64 {
	dense := make([]uint64, (b.n+63)/64)
	set := func(i int, value int64) { dense[i>>6] |= uint64(minimum-1-value) >> 63 << (i & 63) }
	if key < len(record.ScoreNames) {
		for i, column := 0, b.scores[key]; i < b.n; i++ {
			set(i, int64(int16(binary.LittleEndian.Uint16(column[2*i:]))))
		}
		return dense
	}
	for i, column := 0, b.dates[key-len(record.ScoreNames)-1]; i < b.n; i++ {
		set(i, int64(int32(column.At(i))))
	}
	return dense
}
