package parallel_test

import (
	"bytes"
	"sync/atomic"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/parallel"
)

func TestRanges(t *testing.T) {
	suite.InTest(t)
	for n := range 200 {
		seen := make([]atomic.Int32, n)
		parallel.Ranges(n, func(from, to int) {
			for i := from; i < to; i++ {
				seen[i].Add(1)
			}
		})
		for i := range seen {
			if k := seen[i].Load(); k != 1 {
				t.Fatalf("%d of %d is in %d ranges", i, n, k)
			}
		}
	}
}

// TestPanic checks that a panic of any worker reaches the caller, after all workers have ended.
func TestPanic(t *testing.T) {
	suite.InTest(t)
	for wrong := range 4 {
		var ended atomic.Int32
		got := func() (cause any) {
			defer func() { cause = recover() }()
			parallel.Do(4, func(w int) {
				if w == wrong {
					panic(w)
				}
				ended.Add(1)
			})
			return nil
		}()
		if p, ok := got.(*parallel.Panic); !ok || p.Cause != wrong || !bytes.Contains(p.Stack, []byte("TestPanic")) || ended.Load() != 3 {
			t.Errorf("panic %v, want %d; %d workers ended", got, wrong, ended.Load())
		}
	}
}
