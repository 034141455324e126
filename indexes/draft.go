package indexes

import (
	"fmt"
	"slices"
	"strings"

	vlevenshtein "github.com/blevesearch/vellum/levenshtein"

	"kindex/exports"
)

// draft is what edits change in an index that is not built anew: documents behind
// those of the index, and records that count no more.
type draft struct {
	dead      set
	gone      int         // how many are dead
	documents []*document // of ordinal records+i
	terms     [fieldCount]draftTerms
}

// draftTerms are the terms that edited documents have in a field.
type draftTerms struct {
	terms []string // sorted
	of    map[string][]uint32
}

// With returns the index as it would answer with the edits of a build: b is what
// exports.Build.With made of the build of this index, titles are those of the
// categories. Every result is that of an index built from the edited content,
// but for ordinals, which are those of b.
//
// It costs as much as the edits do, whatever the size of the index. The result
// lives as long as x.
func (x *Index) With(b *exports.Build, titles map[string]string) (*Index, error) {
	switch {
	case x.draft != nil:
		return nil, fmt.Errorf("indexes: an index with edits takes no further ones")
	case b.Manifest.ID != x.build.Manifest.ID:
		return nil, fmt.Errorf("indexes: edits of build %s for the index of build %s", b.Manifest.ID, x.build.Manifest.ID)
	}
	edited := b.Edited()
	d := &draft{dead: make(set, setWords(x.records+len(edited)))}
	if dead := b.Dead(); dead != nil {
		dead.WriteDenseTo(d.dead)
		d.gone = int(dead.GetCardinality())
	}
	for f := range d.terms {
		d.terms[f].of = map[string][]uint32{}
	}
	known := map[string]*vocable{}
	for i, e := range edited {
		doc := newDocument(e, titles[e.Category])
		d.documents = append(d.documents, doc)
		var terms fieldTerms
		doc.terms(&terms, func(_ int, word string) *vocable {
			if known[word] == nil {
				known[word] = newVocable(word)
			}
			return known[word]
		})
		for f, list := range terms {
			d.terms[f].add(list, uint32(x.records+i))
		}
	}
	for f := range d.terms {
		slices.Sort(d.terms[f].terms)
	}
	return &Index{stored: x.stored, build: b, draft: d}, nil
}

func (t *draftTerms) add(list []string, ordinal uint32) {
	for _, term := range list {
		of, known := t.of[term]
		if !known {
			t.terms = append(t.terms, term)
		}
		t.of[term] = append(of, ordinal)
	}
}

func (t *draftTerms) text(term string) []uint32 { return t.of[term] }

func (t *draftTerms) prefix(prefix string) (ordinals []uint32) {
	from, _ := slices.BinarySearch(t.terms, prefix)
	for _, term := range t.terms[from:] {
		if !strings.HasPrefix(term, prefix) {
			break
		}
		ordinals = append(ordinals, t.of[term]...)
	}
	return ordinals
}

func (t *draftTerms) near(a *vlevenshtein.DFA) (ordinals [maxEdits + 1][]uint32) {
	for _, term := range t.terms {
		if ok, edits := a.MatchAndDistance(term); ok {
			ordinals[edits] = append(ordinals[edits], t.of[term]...)
		}
	}
	return ordinals
}

// join makes a set of stored records one of the edited index: without those that
// count no more, and with edited ones; nil where there are none.
func (s *session) join(found set, edited []uint32) set {
	if found != nil {
		if found.andNot(s.index.draft.dead); len(edited) == 0 && found.empty() {
			return nil
		}
	} else if len(edited) > 0 {
		found = s.set()
	}
	for _, o := range edited {
		found.add(o)
	}
	return found
}

// size is the number of ordinals, of which some may count no more.
func (x *Index) size() int {
	if x.draft == nil {
		return x.records
	}
	return x.records + len(x.draft.documents)
}

// living is the number of records.
func (x *Index) living() int {
	if x.draft == nil {
		return x.records
	}
	return x.size() - x.draft.gone
}

// standing is where a record stands among others that are as relevant.
func (x *Index) standing(o uint32) float64 {
	if int(o) < x.records {
		return float64(o)
	}
	return x.build.Standing(o)
}

// length is document.length of a record.
func (x *Index) length(o uint32) int {
	if int(o) < x.records {
		return int(x.lengths[o])
	}
	return int(x.draft.documents[int(o)-x.records].length())
}

// hasPhrase tells in which lists the document has a phrase.
func (d *document) hasPhrase(phrase []string) (has [listCount]bool) {
	for list, texts := range [listCount][][]string{inName: d.names, inTopic: d.topics, inText: {d.text}} {
		has[list] = slices.ContainsFunc(texts, func(text []string) bool {
			for i := range text {
				if len(text)-i >= len(phrase) && slices.Equal(text[i:i+len(phrase)], phrase) {
					return true
				}
			}
			return false
		})
	}
	return has
}
