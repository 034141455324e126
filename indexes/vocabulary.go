package indexes

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/blevesearch/vellum"
	"github.com/blevesearch/vellum/levenshtein"

	"kindex/exports/didyoumean"
)

// vocabulary holds the terms of a field by length. It is used to find terms within
// a number of edits of a word. Scanning all terms of one length takes microseconds.
// An automaton that walks the transducer would take milliseconds and megabytes:
// with three edits, it visits nearly every prefix of three letters.
type vocabulary struct {
	letterMasks []uint64            // didyoumean.LetterMask of each term
	postings    []uint64            // value of each term in the transducer
	ends        []uint32            // term i is text[ends[i]:ends[i+1]]
	text        string              // all terms, ordered by length, then alphabetically
	starts      [maxTermLen + 2]int // by length in letters: index of the first term
}

// maxTermLen is recorded as the length of all terms that are too long to be near any word.
const maxTermLen = maxFuzzyLen + maxEdits + 1

// lazyVocabulary builds a vocabulary on first use.
type lazyVocabulary struct {
	get   func() (*vocabulary, error)
	built atomic.Pointer[vocabulary] // nil until the vocabulary is built
}

func newLazyVocabulary(fst *vellum.FST, cancelled func() bool) *lazyVocabulary {
	l := &lazyVocabulary{}
	l.get = sync.OnceValues(func() (*vocabulary, error) {
		v, err := newVocabulary(fst, cancelled)
		l.built.Store(v)
		return v, err
	})
	return l
}

// errCancelled reports that a vocabulary was not built because the index was closed.
var errCancelled = errors.New("indexes: the index is closed")

// newVocabulary lists the terms of a transducer, which may be nil. It calls
// cancelled from time to time and stops if the result is true.
func newVocabulary(fst *vellum.FST, cancelled func() bool) (v *vocabulary, err error) {
	defer func() {
		if r := recover(); r != nil { // vellum panics on a corrupt transducer
			v, err = nil, fmt.Errorf("cannot read the terms of the search index: %v", r)
		}
	}()
	v = &vocabulary{ends: []uint32{0}}
	if fst == nil {
		return v, nil
	}
	var byLength [maxTermLen + 1]struct {
		text   []byte
		ends   []uint32
		values []uint64
	}
	it, err := fst.Iterator(nil, nil)
	for n := 0; err == nil; err = it.Next() {
		if n++; n%1024 == 0 && cancelled() {
			return nil, errCancelled
		}
		term, value := it.Current()
		l := &byLength[min(utf8.RuneCount(term), maxTermLen)]
		l.text = append(l.text, term...)
		l.ends, l.values = append(l.ends, uint32(len(l.text))), append(l.values, value)
	}
	if !errors.Is(err, vellum.ErrIteratorDone) {
		return nil, err
	}
	var text strings.Builder
	for n, l := range byLength {
		at := uint32(text.Len())
		text.Write(l.text)
		for _, end := range l.ends {
			v.ends = append(v.ends, at+end)
		}
		v.postings = append(v.postings, l.values...)
		v.starts[n+1] = len(v.postings)
	}
	v.text = text.String()
	v.letterMasks = make([]uint64, len(v.postings))
	for i := range v.letterMasks {
		v.letterMasks[i] = didyoumean.LetterMask(v.term(i))
	}
	return v, nil
}

func (v *vocabulary) term(i int) string { return v.text[v.ends[i]:v.ends[i+1]] }

// fuzzy calls f with each term within the number of edits that w allows, its value (the postings)
// and the number of edits.
func (v *vocabulary) fuzzy(w *fuzzyPattern, f func(term string, value uint64, edits int) error) error {
	from, to := v.starts[max(0, w.Letters()-w.edits)], v.starts[w.Letters()+w.edits+1]
	for i, kinds := range v.letterMasks[from:to] {
		if w.MinDistance(kinds) > w.edits {
			continue
		}
		if d := w.Distance(v.term(from + i)); d <= w.edits {
			if err := f(v.term(from+i), v.postings[from+i], d); err != nil {
				return err
			}
		}
	}
	return nil
}

// shortPrefix is the maximum length, in bytes, of prefixes that are looked up here instead of
// in the transducer. So many terms have these prefixes that listing them here is faster.
const shortPrefix = 3

// prefix calls f with the value (the postings) of each term that has a prefix.
func (v *vocabulary) prefix(prefix string, f func(value uint64) error) error {
	for n := range maxTermLen + 1 {
		from, to := v.starts[n], v.starts[n+1]
		from += sort.Search(to-from, func(i int) bool { return v.term(from+i) >= prefix })
		for i := from; i < to && strings.HasPrefix(v.term(i), prefix); i++ {
			if err := f(v.postings[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// fuzzyPattern is a word of at most maxFuzzyLen letters that terms are compared
// with.
type fuzzyPattern struct {
	*didyoumean.Word
	text      string
	edits     int              // maximum number of edits
	automaton *levenshtein.DFA // set by walkFuzzy
}

func newFuzzyPattern(word string, edits int) *fuzzyPattern {
	return &fuzzyPattern{Word: didyoumean.NewWord(word), text: word, edits: edits}
}

// matches reports whether a term is within the allowed number of edits.
func (w *fuzzyPattern) matches(term string) bool {
	n := utf8.RuneCountInString(term)
	return n >= w.Letters()-w.edits && n <= w.Letters()+w.edits && w.Distance(term) <= w.edits
}
