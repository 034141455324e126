package indexes

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTruncateQuery truncates random queries and checks that a search uses
// everything that is kept, that everything else is reported as dropped, and that
// queries within the limits are unchanged.
func TestTruncateQuery(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("of the a gpu model models language c++ 3.5 gpt-4 Zürich vision x")
	equal := func(a, b clause) bool { return a.term == b.term && slices.Equal(a.phrase, b.phrase) }
	shortened := 0
	for range 5000 {
		var b strings.Builder
		for range rng.IntN(25) {
			b.WriteString([]string{" ", " ", "\"", "\" \"", "-", "„"}[rng.IntN(6)])
			b.WriteString(words[rng.IntN(len(words))])
			if rng.IntN(2) == 0 {
				b.WriteString(string(rune('a' + rng.IntN(26))))
			}
		}
		asked, phrases := b.String(), rng.IntN(4)
		var want []clause
		lost := 0
		left := phrases
		for _, w := range parseAll(asked) {
			switch {
			case len(want) == maxClauses || w.phrase != nil && left == 0:
				lost++
				continue
			case w.phrase != nil:
				left--
			}
			want = append(want, w)
		}
		query, out := TruncateQuery(asked, phrases)
		if got := parse(query); len(out) != lost || !slices.EqualFunc(got, want, equal) {
			t.Fatalf("of %q with %d phrases %q is kept and %q left out: %d words instead of %d", asked, phrases, query, out, len(got), len(want))
		}
		if lost == 0 && query != asked {
			t.Fatalf("%q becomes %q", asked, query)
		}
		if lost > 0 {
			shortened++
		}
	}
	if shortened < 1000 || shortened > 4000 {
		t.Errorf("%d queries were shortened", shortened)
	}
}
