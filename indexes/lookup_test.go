package indexes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	vlevenshtein "github.com/blevesearch/vellum/levenshtein"

	"kindex/builder/suite"
)

// TestLookups compares the records that have a term or a prefix with a scan of all documents, in an index
// of two parts of which one has hidden documents.
func TestLookups(t *testing.T) {
	suite.InTest(t)
	r := rand.New(rand.NewPCG(11, 7))
	letters := []rune("abé界 ")
	text := func() string {
		w := make([]rune, 1+r.IntN(9))
		for i := range w {
			w[i] = letters[min(r.IntN(7), 4)]
		}
		return string(w)
	}
	var documents []*document
	for range 1500 {
		documents = append(documents, &document{Names: []string{text(), text()}, Topics: []string{text(), text()}, Text: text() + " " + text()})
	}
	const first = 1200
	hidden := roaring.BitmapOf(3, 500, 501, 1199)
	l := &lookup{Index: &Index{}}
	for at, part := range map[int][]*document{0: documents[:first], first: documents[first:]} {
		s, err := newSegment(part)
		if err != nil {
			t.Fatal(err)
		}
		if l.parts = append(l.parts, newPart(s, at)); at == 0 {
			l.parts[len(l.parts)-1].hidden = hidden
		}
	}
	terms, prefixes := [fieldCount]map[string]*roaring.Bitmap{}, [fieldCount]map[string]*roaring.Bitmap{}
	add := func(to *map[string]*roaring.Bitmap, key string, o int) {
		if *to == nil {
			*to = map[string]*roaring.Bitmap{}
		}
		if (*to)[key] == nil {
			(*to)[key] = roaring.New()
		}
		(*to)[key].Add(uint32(o))
	}
	for o, d := range documents {
		if hidden.Contains(uint32(o)) {
			continue
		}
		for f, list := range d.terms() {
			for _, term := range list {
				add(&terms[f], term, o)
				for n := range term + " " {
					if (f < runField || f == exactField || f == suffixField) && n > 0 {
						add(&prefixes[f], term[:n], o)
					}
				}
			}
		}
	}
	compared := 0
	compare := func(what string, find func(field int, text string) *roaring.Bitmap, want [fieldCount]map[string]*roaring.Bitmap) {
		for f := range want {
			for key, set := range want[f] {
				compared++
				if got := find(f, key); !got.Equals(set) {
					t.Fatalf("%s %q of %s: %d records, want %d", what, key, fieldNames[f], got.GetCardinality(), set.GetCardinality())
				}
			}
		}
	}
	compare("term", l.term, terms)
	compare("prefix", l.prefix, prefixes)
	if l.err != nil || compared < 5000 {
		t.Error(compared, l.err)
	}
}

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
	d := &document{}
	for range suite.Pick(2000, 5000) {
		d.Text += " " + random()
	}
	s, err := newSegment([]*document{d})
	if err != nil {
		t.Fatal(err)
	}
	words, err := readVocabulary(s, textField)
	if err != nil {
		t.Fatal(err)
	}
	within := map[int]int{}
	for edits := 1; edits <= maxEdits; edits++ {
		automata, err := vlevenshtein.NewLevenshteinAutomatonBuilder(uint8(edits), true)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			asked := random()
			automaton, err := automata.BuildDfa(asked, uint8(edits))
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for term, d := range words.near(newPattern(asked, edits)) {
				got = append(got, fmt.Sprint(term, d))
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
