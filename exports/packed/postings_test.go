package packed_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/builder/suite"
	"kindex/exports/packed"
)

// TestAnd compares And with roaring's own intersection, for sets with and without runs. The memory
// for a result must not depend on the largest member of a forged set.
func TestAnd(t *testing.T) {
	suite.InTest(t)
	rng := rand.New(rand.NewPCG(2, 6))
	random := func(share float64) *roaring.Bitmap {
		x := roaring.New()
		for i := range uint32(200_000) {
			if rng.Float64() < share {
				x.Add(i)
			}
		}
		x.RunOptimize()
		return x
	}
	forged := roaring.New()
	forged.AddRange(1<<32-1<<16, 1<<32)
	forged.Add(7)
	forged.RunOptimize()
	sets := []*roaring.Bitmap{roaring.New(), random(0.001), random(0.5), random(0.999), forged}
	for i, x := range sets {
		for k, y := range sets {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := packed.And(x, y)
			runtime.ReadMemStats(&after)
			if !got.Equals(roaring.And(x, y)) {
				t.Errorf("the intersection of sets %d and %d has %d members", i, k, got.GetCardinality())
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
				t.Errorf("the intersection of sets %d and %d took %d bytes", i, k, took)
			}
		}
	}
}
