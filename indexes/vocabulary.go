package indexes

import (
	"errors"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/vellum"
)

// vocabulary are the terms of a field by their length, for finding those that are
// some edits away from a word. To look at all of a length takes microseconds. An
// automaton that walks the transducer instead takes milliseconds and megabytes: with
// three edits it tries nearly everything that three letters begin with.
type vocabulary struct {
	kinds  []uint64                           // of the letters of each term, as kindsOf has them
	values []uint64                           // as the transducer has them
	ends   []uint32                           // where each term ends in text, by its place plus one
	text   string                             // all terms
	from   [longestBlurred + maxEdits + 2]int // by length in letters: the place of the first
}

// errStopped is what becomes of a vocabulary that nobody waits for any more.
var errStopped = errors.New("indexes: the index is closed")

// newVocabulary lists the terms of a transducer, nil for none, but for those that are
// too long to be near anything. stopped is asked from time to time.
func newVocabulary(fst *vellum.FST, stopped func() bool) (*vocabulary, error) {
	v := &vocabulary{ends: []uint32{0}}
	if fst == nil {
		return v, nil
	}
	var byLength [len(v.from) - 1]struct {
		text   []byte
		ends   []uint32
		values []uint64
	}
	it, err := fst.Iterator(nil, nil)
	for n := 0; err == nil; err = it.Next() {
		if n++; n%1024 == 0 && stopped() {
			return nil, errStopped
		}
		term, value := it.Current()
		if n := utf8.RuneCount(term); n < len(byLength) {
			l := &byLength[n]
			l.text = append(l.text, term...)
			l.ends, l.values = append(l.ends, uint32(len(l.text))), append(l.values, value)
		}
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
		v.values = append(v.values, l.values...)
		v.from[n+1] = len(v.values)
	}
	v.text = text.String()
	v.kinds = make([]uint64, len(v.values))
	for i := range v.kinds {
		v.kinds[i] = kindsOf(v.term(i))
	}
	return v, nil
}

func (v *vocabulary) term(i int) string { return v.text[v.ends[i]:v.ends[i+1]] }

// near calls f for the terms that are within the edits of a word: where their postings
// are, and how many edits away they are.
func (v *vocabulary) near(w *pattern, f func(value uint64, edits int) error) error {
	from, to := v.from[max(0, w.letters-w.edits)], v.from[w.letters+w.edits+1]
	for i, kinds := range v.kinds[from:to] {
		if w.apart(kinds) > w.edits {
			continue
		}
		if d := w.distance(v.term(from + i)); d <= w.edits {
			if err := f(v.values[from+i], d); err != nil {
				return err
			}
		}
	}
	return nil
}

// kindsOf has a bit for each kind of letter that a text has, and one for each that it
// has more than once. Letters are told apart by their last five bits.
func kindsOf(text string) (kinds uint64) {
	for _, r := range text {
		bit := uint64(1) << (r & 31)
		kinds |= bit | (kinds&bit)<<32
	}
	return kinds
}

// pattern is a word of at most longestBlurred letters that terms are compared with.
type pattern struct {
	letters int
	edits   int // how many are allowed
	kinds   uint64
	ascii   [utf8.RuneSelf]uint64 // where a letter stands in the word, a bit for each place
	others  map[rune]uint64       // the same of other letters
}

func newPattern(word string, edits int) *pattern {
	w := &pattern{edits: edits, kinds: kindsOf(word)}
	for _, r := range word {
		place := uint64(1) << w.letters
		w.letters++
		if r < utf8.RuneSelf {
			w.ascii[r] |= place
			continue
		}
		if w.others == nil {
			w.others = map[rune]uint64{}
		}
		w.others[r] |= place
	}
	return w
}

// apart is how many edits the word and a term with such letters are apart at least:
// an edit adds one letter at most, and takes one away.
func (w *pattern) apart(kinds uint64) int {
	return max(bits.OnesCount64(w.kinds&^kinds), bits.OnesCount64(kinds&^w.kinds))
}

// distance is how many edits lead from the word to a term. Exchanging two neighbours
// is one, after which neither is edited again. A column of the table of distances is
// computed at once (H. Hyyrö, "A Bit-Vector Algorithm for Computing Levenshtein and
// Damerau Edit Distances", Nordic Journal of Computing 10, 2003).
func (w *pattern) distance(term string) int {
	if w.letters == 0 {
		return utf8.RuneCountInString(term)
	}
	more, fewer := ^uint64(0), uint64(0) // where a cell is one more than that above it, or one fewer
	var same, before uint64              // where a cell is that left above it; where the letter before stands
	distance, last := w.letters, w.letters-1
	for _, r := range term {
		here := w.places(r)
		swapped := (^same & here) << 1 & before
		same = ((here & more) + more ^ more) | here | fewer | swapped
		right, left := fewer|^(same|more), same&more // where a cell is one more than that left of it, or one fewer
		distance += int(right>>last&1) - int(left>>last&1)
		right, left = right<<1|1, left<<1
		more, fewer, before = left|^(same|right), right&same, here
	}
	return distance
}

func (w *pattern) places(r rune) uint64 {
	if r < utf8.RuneSelf {
		return w.ascii[r]
	}
	return w.others[r]
}

// matches tells whether a term is within the edits of the word.
func (w *pattern) matches(term string) bool { return w.distance(term) <= w.edits }
