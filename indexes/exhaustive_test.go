package indexes_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"kindex/builder/suite"
)

// TestExhaustively compares searches of each class with exhaustive ones. With KINDEX_BENCH_BUILD,
// it searches that build.
func TestExhaustively(t *testing.T) {
	suite.InTest(t)
	c := benchCatalogue(t)
	classes := wordsOf(c).queries()
	names := make([]string, 0, len(classes))
	for name := range classes {
		names = append(names, name)
	}
	slices.Sort(names)
	rng := rand.New(rand.NewPCG(5, 4))
	found := 0
	for _, name := range names {
		for range suite.Pick(10, 40) {
			q := classes[name](rng)
			got, err := c.index.Search(q, c.all, nil, 0, 20)
			if err != nil {
				t.Fatal(err)
			}
			want, err := c.index.SearchExhaustively(q, c.all, 20)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Matches.Equals(want.Matches) {
				t.Errorf("%q has %d matches, want %d", q, got.Matches.GetCardinality(), want.Matches.GetCardinality())
			}
			if !slices.Equal(got.Hits, want.Hits) {
				t.Errorf("%q finds\n%v, want\n%v", q, got.Hits, want.Hits)
			}
			found += len(want.Hits)
		}
	}
	if found < 500 {
		t.Errorf("only %d records were found", found)
	}
}
