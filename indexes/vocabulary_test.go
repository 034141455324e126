package indexes

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/vellum"
	vlevenshtein "github.com/blevesearch/vellum/levenshtein"

	"kindex/builder/suite"
)

// TestVocabulary compares the near words in a vocabulary with those that a Levenshtein
// automaton finds in the transducer. Some words have near words by chance, and others are not
// similar to any word.
func TestVocabulary(t *testing.T) {
	suite.InTest(t)
	r := rand.New(rand.NewPCG(3, 5))
	alphabets := [][]rune{[]rune("ab"), []rune("abcdeé界"), []rune("abcdefghijklmnopqrstuvwxyz0123456789"), []rune("aA!界\U00010428")}
	word := func() string {
		letters := alphabets[r.IntN(len(alphabets))]
		w := make([]rune, r.IntN(r.IntN(50)+2))
		for i := range w {
			w[i] = letters[r.IntN(len(letters))]
		}
		return string(w)
	}
	having := map[string][]uint32{}
	for i := range suite.Pick(2000, 5000) {
		having[word()] = []uint32{uint32(i)}
	}
	var terms memTerms
	if err := terms.build(having); err != nil {
		t.Fatal(err)
	}
	if err := terms.buildVocabulary(); err != nil {
		t.Fatal(err)
	}
	words := terms.vocabulary
	for _, prefix := range []string{"a", "ab", "é", "aA", "z", "界", "ac", "\U00010428"} {
		got, want := []uint64{}, []uint64{}
		if err := words.prefix(prefix, func(value uint64) error { got = append(got, value); return nil }); err != nil {
			t.Fatal(err)
		}
		for i, term := range slices.Sorted(maps.Keys(having)) {
			if strings.HasPrefix(term, prefix) {
				want = append(want, uint64(i))
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%d terms start with %q, found %d", len(want), prefix, len(got))
		}
	}
	within := map[int]int{}
	for edits := 1; edits <= maxEdits; edits++ {
		automata, err := vlevenshtein.NewLevenshteinAutomatonBuilder(uint8(edits), true)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			asked := word()
			if n := len([]rune(asked)); n == 0 || n > maxFuzzyLen {
				continue
			}
			a, err := automata.BuildDfa(asked, uint8(edits))
			if err != nil {
				t.Fatal(err)
			}
			want := walked(t, terms.fst, a)
			got := map[uint64]int{}
			if err := words.fuzzy(newFuzzyPattern(asked, edits), func(_ string, value uint64, edits int) error {
				got[value] = edits
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for value, d := range want {
				if got[value] != d {
					t.Fatalf("%q: %v is %d edits away, not %d", asked, terms.postings[value], d, got[value])
				}
				within[d]++
			}
			if len(got) != len(want) {
				t.Fatalf("%q: %d terms, want %d", asked, len(got), len(want))
			}
		}
	}
	for d := range maxEdits + 1 {
		if within[d] < 100 {
			t.Errorf("only %d terms were %d edits away", within[d], d)
		}
	}
}

// walked returns the terms that an automaton finds, with their numbers of edits.
func walked(t *testing.T, fst *vellum.FST, a *vlevenshtein.DFA) map[uint64]int {
	t.Helper()
	var it vellum.FSTIterator
	found := map[uint64]int{}
	err := it.Reset(fst, nil, nil, a)
	for ; err == nil; err = it.Next() {
		term, value := it.Current()
		if ok, d := a.MatchAndDistance(string(term)); ok {
			found[value] = int(d)
		}
	}
	if !errors.Is(err, vellum.ErrIteratorDone) {
		t.Fatal(err)
	}
	return found
}
