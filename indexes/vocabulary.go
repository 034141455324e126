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

	"kindex/exports/didyoumean"
)

// vocabulary are the terms of a field by their length, for finding those that are
// some edits away from a word. To look at all of a length takes microseconds. An
// automaton that walks the transducer instead takes milliseconds and megabytes: with
// three edits it tries nearly everything that three letters begin with.
type vocabulary struct {
	letterMasks []uint64            // of the letters of each term, as didyoumean.LetterMask has them
	postings    []uint64            // as the transducer has them
	ends        []uint32            // where each term ends in text, by its place plus one
	text        string              // all terms, those of a length in their order
	starts      [maxTermLen + 2]int // by length in letters: the place of the first
}

// maxTermLen is what all terms count as that have more letters than anything near
// to a word.
const maxTermLen = maxFuzzyLen + maxEdits + 1

// lazyVocabulary is a vocabulary that is made when it is first asked for.
type lazyVocabulary struct {
	get   func() (*vocabulary, error)
	built atomic.Pointer[vocabulary] // nil before
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

// errCancelled is what becomes of a vocabulary that nobody waits for any more.
var errCancelled = errors.New("indexes: the index is closed")

// newVocabulary lists the terms of a transducer, nil for none. stopped is asked from
// time to time.
func newVocabulary(fst *vellum.FST, cancelled func() bool) (v *vocabulary, err error) {
	defer func() {
		if r := recover(); r != nil { // vellum trusts what a transducer says of itself
			v, err = nil, fmt.Errorf("the terms of the search index cannot be read: %v", r)
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

// fuzzy calls f for the terms that are within the edits of a word: where their postings
// are, and how many edits away they are.
func (v *vocabulary) fuzzy(w *fuzzyPattern, f func(value uint64, edits int) error) error {
	from, to := v.starts[max(0, w.Letters()-w.edits)], v.starts[w.Letters()+w.edits+1]
	for i, kinds := range v.letterMasks[from:to] {
		if w.MinDistance(kinds) > w.edits {
			continue
		}
		if d := w.Distance(v.term(from + i)); d <= w.edits {
			if err := f(v.postings[from+i], d); err != nil {
				return err
			}
		}
	}
	return nil
}

// shortPrefix is up to how many bytes so many terms may begin alike that to list them
// takes less time here than in the transducer.
const shortPrefix = 3

// prefix calls f for the terms that have a prefix: where their postings are.
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

// fuzzyPattern is a word of at most maxFuzzyLen letters that terms are compared with.
type fuzzyPattern struct {
	*didyoumean.Word
	edits int // how many are allowed
}

func newFuzzyPattern(word string, edits int) *fuzzyPattern {
	return &fuzzyPattern{didyoumean.NewWord(word), edits}
}

// matches tells whether a term is within the edits of the word.
func (w *fuzzyPattern) matches(term string) bool { return w.Distance(term) <= w.edits }
