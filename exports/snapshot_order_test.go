package exports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestPageByScore compares pages in the order of a score, for which only some of the records
// are sorted, with the full order. Some pages start or end in the middle of a run of equal
// scores.
func TestPageByScore(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	p := newMadeHistory(82, catalogue(82, 3000))
	day := p.days()[len(p.days())-1]
	versions, list := p.listed(p.until(day), p.rng)
	a := p.archive(len(p.versions))
	a.Snapshots = []*SnapshotData{snapshotOf(day, versions, list)}
	s, _ := openBuild(t, list, a).Archive().Snapshot(day)
	rng := rand.New(rand.NewPCG(82, 1))
	among := 0
	for key, name := range record.ScoreNames {
		for what, set := range someSets(rng, len(list)) {
			for _, desc := range []bool{true, false} {
				order := s.sorted(set.ToArray(), key, desc)
				if !slices.IsSortedFunc(order, func(x, y uint32) int {
					return compareSortKeys(s.sortValue(key, x), s.rank(x), s.sortValue(key, y), s.rank(y), desc)
				}) {
					t.Fatalf("%s of %s is not sorted", name, what)
				}
				for range 200 {
					skip, limit := rng.IntN(len(order)+2), rng.IntN(60)
					got, more := s.pageByScore(set.ToArray(), key, desc, skip, limit)
					from := min(skip, len(order))
					end := min(from+limit, len(order))
					wantOrdinals(t, fmt.Sprintf("%s of %s from %d, %d long", name, what, skip, limit), got, order[from:end])
					if more != (end < len(order)) {
						t.Fatalf("%s of %s from %d, %d long: more is %v", name, what, skip, limit, more)
					}
					if from > 0 && from < end && s.code(key, order[from]) == s.code(key, order[from-1]) {
						among++
					}
				}
			}
		}
	}
	if among < 500 {
		t.Errorf("only %d pages started among equals", among)
	}
}
