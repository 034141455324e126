package indexes

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestPhraseSets compares the stored sets of documents with phrases with the text of all documents. Every word
// that would be expensive to search for has a set, even if no document has it in that list, and so has every frequent
// pair of words.
func TestPhraseSets(t *testing.T) {
	suite.InTest(t)
	r := rand.New(rand.NewPCG(8, 3))
	vocabulary := []string{"model", "models", "tool", "tools", "fast", "界", "for", "the", "of", "rare1", "rare2", "rare3", "rare4", "rare5"}
	word := func() string { return vocabulary[min(r.IntN(len(vocabulary)), r.IntN(len(vocabulary)))] }
	var entities []*record.Entity
	for i := range 2000 {
		entities = append(entities, &record.Entity{Type: "tool", Slug: fmt.Sprint("s", i), Name: word() + " " + word(),
			Category: "c", Tags: []string{word(), word() + " " + word()}, Description: word() + " " + word() + " " + word() + " " + word()})
	}
	dir, err := Prepare(entities, map[string]string{}).Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var documents []*document
	for _, e := range entities {
		s := newSource(e, "")
		documents = append(documents, newDocument(&s))
	}
	having := func(phrase []string) (sets fieldSets) {
		for list := range sets {
			sets[list] = make(set, setWords(len(documents)))
		}
		for i, d := range documents {
			for list, found := range d.hasPhrase(phrase) {
				if found {
					sets[list].add(uint32(i))
				}
			}
		}
		return sets
	}
	anywhere := func(lists fieldSets) set {
		all := slices.Clone(lists[nameField])
		all.or(lists[topicField])
		all.or(lists[textField])
		return all
	}
	limit := maxReadDocuments(len(documents))
	words := map[string]fieldSets{} // by singular: all documents with one of its forms
	for _, w := range vocabulary {
		sets := having([]string{w})
		if of, ok := words[stem(w)]; ok {
			for list := range sets {
				sets[list].or(of[list])
			}
		}
		words[stem(w)] = sets
	}
	want := map[string]set{}
	for _, w := range vocabulary {
		own, all := having([]string{w}), words[stem(w)]
		for list := range own {
			candidates := all[list]
			switch {
			case stopWords[w]:
				candidates = anywhere(own)
			case list == nameField:
				candidates = own[list]
			}
			if candidates.count() > limit {
				want[fieldNames[list]+" "+w] = own[list]
			}
		}
		for _, second := range vocabulary {
			lists := having([]string{w, second})
			for list, found := range lists {
				if anywhere(lists).count() > limit {
					want[fieldNames[list]+" "+w+" "+second] = found
				}
			}
		}
	}
	x := openedPostings(t, dir, phraseSetsFile)
	stored := map[string]bool{}
	for _, name := range fieldNames[:wordFields] {
		for _, phrase := range x.Values(name) {
			stored[name+" "+phrase] = true
			got := make(set, setWords(len(documents)))
			x.Find(name, phrase).WriteDenseTo(got)
			list := slices.Index(fieldNames[:], name)
			truth := having(strings.Fields(phrase))[list]
			if candidates, ok := words[stem(phrase)]; ok && list != nameField && !stopWords[phrase] {
				got.and(candidates[list])
			}
			if !slices.Equal(got, truth) {
				t.Errorf("%s: %d documents have %q, want %d", name, got.count(), phrase, truth.count())
			}
		}
	}
	pairs := 0
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if pairs += strings.Count(key, " ") - 1; !stored[key] {
			t.Errorf("%s has no set, but %d documents", key, want[key].count())
		}
	}
	if pairs < 20 || len(want)-pairs < 20 {
		t.Errorf("only %d phrases and %d pairs need sets", len(want), pairs)
	}
	for _, key := range []string{"text rare5 rare4", "name rare5"} {
		if stored[key] {
			t.Errorf("%s has a set, although few documents have it", key)
		}
	}
}
