package indexes

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	vlevenshtein "github.com/blevesearch/vellum/levenshtein"

	"kindex/builder/suite"
)

// TestVocabulary compares the near words in a vocabulary with those that a Levenshtein
// automaton accepts. Some words have near words by chance, and others are not
// similar to any word.
func TestVocabulary(t *testing.T) {
	suite.InTest(t)
	r := rand.New(rand.NewPCG(3, 5))
	alphabets := [][]rune{[]rune("ab"), []rune("abcdeé界"), []rune("abcdefghijklmnopqrstuvwxyz0123456789"), []rune("ab界\U00010429")}
	random := func() string {
		letters := alphabets[r.IntN(len(alphabets))]
		w := make([]rune, 1+r.IntN(r.IntN(maxFuzzyLen)+1))
		for i := range w {
			w[i] = letters[r.IntN(len(letters))]
		}
		return string(w)
	}
	texts := map[string]bool{}
	for range suite.Pick(2000, 5000) {
		texts[random()] = true
	}
	var words vocabulary
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		words = append(words, newWord(text, nil))
	}
	within := map[int]int{}
	for edits := 1; edits <= maxEdits; edits++ {
		automata := suite.Must(vlevenshtein.NewLevenshteinAutomatonBuilder(uint8(edits), true))(t)
		for range 100 {
			asked := random()
			automaton := suite.Must(automata.BuildDfa(asked, uint8(edits)))(t)
			var got, want []string
			for w, d := range words.near(newPattern(asked, edits)) {
				got = append(got, fmt.Sprint(w.text, d))
				within[d]++
			}
			for _, w := range words {
				if ok, d := automaton.MatchAndDistance(w.text); ok {
					want = append(want, fmt.Sprint(w.text, d))
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q, %d edits: %s, want %s", asked, edits, strings.Join(got, " "), strings.Join(want, " "))
			}
		}
	}
	for d := range maxEdits + 1 {
		if within[d] < 50 {
			t.Errorf("only %d terms were %d edits away", within[d], d)
		}
	}
}
