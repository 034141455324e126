package indexes

import (
	"slices"
	"testing"
)

// TestBatchesKeepOrder merges segments the way Bleve's builder does, and checks that the
// documents of the result are in order, and that large indexes are merged in two rounds.
func TestBatchesKeepOrder(t *testing.T) {
	for _, documents := range []int{1, 3999, 4000, 4001, 100_000, 128_000, 128_001, 131_071, 250_000, 999_999, 1_000_000, 1_234_567, 10_000_000} {
		size, merge := batches(documents)
		if size > batchSize || size < batchSize/2 && documents > batchSize {
			t.Errorf("%d documents: %d per segment", documents, size)
		}
		var segments [][]int // the numbers of the first-round segments that each contains
		for i := 0; i*size < documents; i++ {
			segments = append(segments, []int{i})
		}
		if n := len(segments); n > maxMerge && merge >= n {
			t.Errorf("%d documents: %d segments are merged at once", documents, n)
		}
		for len(segments) > 1 {
			n := min(merge, len(segments))
			segments = append(segments[n:], slices.Concat(segments[:n]...))
		}
		if !slices.IsSorted(segments[0]) {
			t.Errorf("%d documents in segments of %d, %d merged at once: out of order", documents, size, merge)
		}
	}
}
