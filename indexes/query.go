package indexes

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
	vlevenshtein "github.com/blevesearch/vellum/levenshtein"
)

// maxWords is how many words of a query count; the rest would only narrow what
// is narrow already.
const maxWords = 12

// word is one word of a query.
type word struct {
	term    string
	stem    string
	edits   int               // how many edits still find it
	blurred *vlevenshtein.DFA // what tells whether a term is within them, nil unless edits were tried
}

// parse splits a query into words. Stop words are dropped unless there is
// nothing else.
func parse(text string) []word {
	var kept, all []word
	seen := map[string]bool{}
	for _, t := range terms(text) {
		if seen[t] {
			continue
		}
		seen[t] = true
		w := word{term: t, stem: stem(t), edits: allowedEdits(t)}
		all = append(all, w)
		if !stopWords[t] {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		kept = all
	}
	return kept[:min(len(kept), maxWords)]
}

// allowedEdits is one from four letters on and two from eight on. Words with
// digits are not blurred: GPT-4 is not GPT-5.
func allowedEdits(t string) int {
	n := utf8.RuneCountInString(t)
	switch {
	case n < 4 || strings.ContainsAny(t, "0123456789"):
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// automata build Levenshtein automata in which exchanging two neighbours is one
// edit; making a builder takes milliseconds, using it microseconds.
var automata = sync.OnceValue(func() [3]*vlevenshtein.LevenshteinAutomatonBuilder {
	var b [3]*vlevenshtein.LevenshteinAutomatonBuilder
	for d := 1; d <= 2; d++ {
		var err error
		if b[d], err = vlevenshtein.NewLevenshteinAutomatonBuilder(uint8(d), true); err != nil {
			panic(err) // the distances are constant
		}
	}
	return b
})

// What a match is worth, by field and by how the word was met.
const (
	worthName, worthTopic, worthText    = 8, 3, 1.5
	worthExact, worthPrefix, worthEdits = 1, 0.35, 0.3
)

// group is the set of documents that have a word in one way.
type group struct {
	set   *roaring.Bitmap
	worth float32
	exact bool // the word as it is
}

// match is all that was found for one word, the best groups first.
type match struct {
	groups []group
	union  *roaring.Bitmap
}

func (m *match) add(set *roaring.Bitmap, worth float32, exact bool) {
	if set == nil || set.IsEmpty() {
		return
	}
	m.groups = append(m.groups, group{set, worth, exact})
	if m.union == nil {
		m.union = set
	} else {
		m.union = roaring.Or(m.union, set)
	}
}

// find collects what matches a word: as it is, as the beginning of longer
// words, and, when nothing has it as it is or blur is set, with edits.
func (x *session) find(w *word, blur bool) (m *match, err error) {
	m = &match{union: roaring.New()}
	searched := []struct {
		field string
		term  string
		worth float32
	}{{fieldName, w.term, worthName}, {fieldTopic, w.stem, worthTopic}, {fieldText, w.stem, worthText}}
	for _, f := range searched {
		set, err := x.postings(f.field, []byte(f.term))
		if err != nil {
			return nil, err
		}
		m.add(set, f.worth*worthExact, true)
	}
	exact := !m.union.IsEmpty()
	for _, f := range searched {
		set, err := x.prefix(f.field, f.term)
		if err != nil {
			return nil, err
		}
		m.add(set, f.worth*worthPrefix, false)
	}
	if w.edits > 0 && (blur || !exact) {
		if w.blurred, err = automata()[w.edits].BuildDfa(w.term, uint8(w.edits)); err != nil {
			return nil, err
		}
		for _, f := range searched {
			if err := x.edits(m, f.field, w, f.worth*worthEdits); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// prefix joins the documents of all terms that begin with a word.
func (x *session) prefix(field, term string) (*roaring.Bitmap, error) {
	var sets []*roaring.Bitmap
	var failed error
	err := x.matching(field, nil, []byte(term), prefixEnd(term), func(t string) bool {
		if t == term {
			return true
		}
		set, err := x.postings(field, []byte(t))
		failed = err
		sets = append(sets, set)
		return err == nil
	})
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	return roaring.FastOr(sets...), nil
}

// edits adds the documents of the terms within the edits of a word, those with
// fewer edits first.
func (x *session) edits(m *match, field string, w *word, worth float32) error {
	sets := make([][]*roaring.Bitmap, w.edits+1)
	var failed error
	err := x.matching(field, w.blurred, nil, nil, func(t string) bool {
		_, d := w.blurred.MatchAndDistance(t)
		if d == 0 || int(d) > w.edits {
			return true
		}
		set, err := x.postings(field, []byte(t))
		if err != nil {
			failed = err
			return false
		}
		sets[d] = append(sets[d], set)
		return true
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	for d := 1; d <= w.edits; d++ {
		m.add(roaring.FastOr(sets[d]...), worth/float32(d), false)
	}
	return nil
}
