package didyoumean

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/antzucaro/matchr"

	"kindex/builder/suite"
)

func TestName(t *testing.T) {
	known := []string{"limit", "name", "category", "tool", "model", "minScore", "ab", "signals.stars"}
	for word, want := range map[string]string{
		"limt": "limit", "ilmit": "limit", "nmae": "name", "LIMIT": "limit", "categry": "category", "cat": "category",
		"tools": "tool", "minscore": "minScore", "xyz": "", "": "", "q": "", "abc": "ab", "li": "",
		"limitlimitlimit": "limit", "stars": "signals.stars", "tars": "",
	} {
		suite.Equal(t, Name(word, known), want, "Name", word)
	}
	if got := Names("modl", []string{"model", "modal", "mode", "module"}, 2); len(got) != 2 || got[0] != "modal" && got[0] != "mode" && got[0] != "model" {
		t.Errorf("%v", got)
	}
}

// byAll is a direct implementation of Names: it compares and sorts all candidates.
func byAll(word string, candidates []string, most int) []string {
	word = strings.ToLower(word)
	n := len([]rune(word))
	if n == 0 || n > 100 {
		return nil
	}
	allowed := max(1, n/3)
	var found []candidate
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if len(lower) == 0 || len(lower) > 3*n+16 {
			continue
		}
		d := matchr.DamerauLevenshtein(word, lower)
		if n >= 3 && d > allowed && (strings.HasPrefix(lower, word) || len(lower) >= 3 && strings.HasPrefix(word, lower)) {
			d = allowed
		}
		if d <= allowed && d < n {
			found = append(found, candidate{c, d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range found[:min(most, len(found))] {
		names = append(names, f.name)
	}
	return names
}

// TestNames compares Names with byAll for words made of only a few distinct letters, which
// are often near each other, and for words with common prefixes.
func TestNames(t *testing.T) {
	suite.InTest(t)
	r := rand.New(rand.NewPCG(4, 2))
	beginnings := []string{"", "", "abc", "provider-", "Providér ", strings.Repeat("界a", 30)}
	alphabets := [][]rune{[]rune("abc"), []rune("abcé界A\x01-"), []rune("0123456789")}
	word := func() string {
		w := []rune(beginnings[r.IntN(len(beginnings))])
		letters := alphabets[r.IntN(len(alphabets))]
		for range r.IntN(9) {
			w = append(w, letters[r.IntN(len(letters))])
		}
		if n := len(w); n > 2 && r.IntN(3) == 0 {
			i := r.IntN(n - 2)
			w[i], w[i+1] = w[i+1], w[i]
		}
		return string(w)
	}
	found := 0
	for range 3000 {
		candidates := make([]string, r.IntN(60))
		for i := range candidates {
			candidates[i] = word()
		}
		asked, most := word(), r.IntN(7)
		got, want := Names(asked, candidates, most), byAll(asked, candidates, most)
		if !slices.Equal(got, want) {
			t.Fatalf("Names(%q, %q, %d) = %q, want %q", asked, candidates, most, got, want)
		}
		found += len(got)
	}
	if found < 1000 {
		t.Errorf("only %d names were near", found)
	}
}

// TestBounds compares the distances and their lower bounds with those of a library, for
// words made of only a few distinct letters.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		w := make([]rune, r.IntN(9))
		for i := range w {
			w[i] = []rune("abcé界A\x01")[r.IntN(7)]
		}
		return string(w)
	}
	tight := 0
	for range 100_000 {
		a, b := word(), word()
		distance := matchr.DamerauLevenshtein(a, b)
		if bound := MinDistance(LetterMask(a), LetterMask(b)); bound > distance {
			t.Fatalf("%q and %q are %d apart, not %d at least", a, b, distance, bound)
		} else if bound == distance {
			tight++
		}
		if aligned := Distance(a, b); aligned < distance || 2*aligned > 3*distance || aligned <= 2 && aligned != distance {
			t.Fatalf("%q and %q are %d apart, and %d aligned", a, b, distance, aligned)
		}
	}
	if tight < 1000 {
		t.Errorf("the bound is the distance of %d pairs only", tight)
	}
}
