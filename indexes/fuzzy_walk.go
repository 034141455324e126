package indexes

import (
	"errors"
	"sync"

	"github.com/blevesearch/vellum"
	"github.com/blevesearch/vellum/levenshtein"
)

// maxWalkedEdits is the maximum number of edits for which a transducer is walked with an
// automaton. Preparing the automata takes milliseconds for two edits, and a hundred times as long
// for three.
const maxWalkedEdits = 2

// automata builds the automata for a number of edits. It is safe for concurrent use.
var automata = func() (list [maxWalkedEdits + 1]func() (*levenshtein.LevenshteinAutomatonBuilder, error)) {
	for edits := range list {
		list[edits] = sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
			return levenshtein.NewLevenshteinAutomatonBuilder(uint8(edits), true)
		})
	}
	return list
}()

// walkFuzzy is vocabulary.fuzzy for a transducer, which may be nil. It is used while the
// vocabulary is being built, because it takes milliseconds instead of microseconds. ok is false
// if the word allows too many edits.
func walkFuzzy(terms *vellum.FST, w *fuzzyPattern, f func(term string, value uint64, edits int) error) (ok bool, err error) {
	if w.edits > maxWalkedEdits {
		return false, nil
	}
	if w.automaton == nil {
		builder, err := automata[w.edits]()
		if err != nil {
			return false, err
		}
		w.automaton, err = builder.BuildDfa(w.text, uint8(w.edits))
		if errors.Is(err, levenshtein.ErrTooManyStates) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	if terms == nil {
		return true, nil
	}
	it, err := terms.Search(w.automaton, nil, nil)
	for ; err == nil; err = it.Next() {
		term, value := it.Current()
		found := string(term)
		if err := f(found, value, w.Distance(found)); err != nil {
			return true, err
		}
	}
	if errors.Is(err, vellum.ErrIteratorDone) {
		err = nil
	}
	return true, err
}
