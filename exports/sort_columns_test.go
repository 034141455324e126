package exports

import (
	"slices"
	"testing"
)

// TestOrders compares the stored orders with a sort by compareSortKeys.
func TestOrders(t *testing.T) {
	for _, n := range []int{0, 1, 2, 700} {
		list := catalogue(uint64(20+n), n)
		b := openBuild(t, list)
		for i, key := range SortKeys {
			for _, desc := range []bool{false, true} {
				want := make([]uint32, n)
				for o := range want {
					want[o] = uint32(o)
				}
				slices.SortFunc(want, func(x, y uint32) int {
					return compareSortKeys(b.sortValue(i, x), b.rank(x), b.sortValue(i, y), b.rank(y), desc)
				})
				got := slices.Collect(b.walk(b.allRecords(true), Sort{key, desc}, func(int64, int64) bool { return true }))
				if !slices.Equal(got, want) {
					t.Errorf("%d records by %s, descending %v: not in order", n, key, desc)
				}
			}
		}
	}
}
