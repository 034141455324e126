package indexes

import (
	"math"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// Hit is one record that a search found.
type Hit struct {
	Ordinal   uint32
	Relevance float64 // larger is better; comparable within one search only
}

// Result is what a search found.
type Result struct {
	Hits []Hit
	// Matches are the ordinals of all records that match.
	Matches *roaring.Bitmap
	index   *Index
	words   []word
	joined  string // the words as one, "" where it does not count
}

// After is where a page of results begins: behind this relevance, and among
// equals behind this place.
type After struct {
	Relevance float64
	Ordinal   float64 // as exports.Build.Standing; may lie between two
}

// Search finds the records within a set of ordinals that match a text, ranked
// by relevance, then by their default order, and returns the page of at most limit hits
// after skipping skip of them, or behind a place.
//
// Every word must match a name, a topic or a description: as it is, as the
// beginning of a word, or with edits. Where no record has all words, those that
// have the most of them are found. Words in quotes must stand as they are, next
// to each other, in any case. A single letter finds names that begin with it,
// and what has it as a word.
func (x *Index) Search(text string, within *roaring.Bitmap, after *After, skip, limit int) (*Result, error) {
	words := parse(text)
	if len(words) == 0 {
		return &Result{Matches: roaring.New(), index: x}, nil
	}
	s, err := x.session()
	if err != nil {
		return nil, err
	}
	defer s.end()
	r := &ranking{session: s, words: words, within: s.set(), matches: s.set()}
	within.WriteDenseTo(r.within)
	if err := r.find(text); err != nil {
		return nil, err
	}
	res := &Result{Matches: r.matches.bitmap(), index: x, words: words, joined: r.joinedText}
	res.Hits = r.page(after, skip, limit)
	return res, nil
}

// ranking is the state of one search.
type ranking struct {
	*session
	words   []word
	found   []*match
	within  set
	matches set

	joinedText string  // the query without its spaces
	exact      set     // the query is the name or the slug
	squeezed   set     // the query without its spaces is the name or slug without its spaces
	joined     set     // the query without its spaces is in the name, or begins a part of it
	asWritten  *phrase // the query as a phrase, nil where it is a single word or no record has its words
	mayHave    found   // the records that have all words as they are in one list: only they can have the phrase
}

// blurredWords is up to how many words all are tried with edits where no record
// has them all. Of more words, the most are looked for.
const blurredWords = 4

// find fills matches and all that they are ranked by.
func (r *ranking) find(text string) error {
	if err := r.whole(terms(text)); err != nil {
		return err
	}
	r.found = make([]*match, len(r.words))
	for i := range r.words {
		var err error
		if r.found[i], err = r.session.find(&r.words[i], r.within); err != nil {
			return err
		}
	}
	if r.intersect(); !r.matches.empty() {
		return nil
	}
	if len(r.words) <= blurredWords {
		for i := range r.words {
			if err := r.blur(r.found[i], &r.words[i]); err != nil {
				return err
			}
		}
		if r.intersect(); !r.matches.empty() {
			return nil
		}
	}
	r.most()
	return nil
}

// whole finds the records that are met by the query as a whole.
func (r *ranking) whole(list []string) (err error) {
	if r.exact, err = r.text(isName, strings.Join(list, " ")); err != nil {
		return err
	}
	joined := strings.Join(list, "")
	if r.squeezed, err = r.text(isJoined, joined); err != nil {
		return err
	}
	if len(list) > 1 {
		if r.asWritten, err = r.index.phrase(list); err != nil {
			return err
		}
	}
	if len(list) < 2 || len(list) > 4 || slices.ContainsFunc(r.words, func(w word) bool { return w.phrase != nil }) {
		return nil
	}
	if r.joined, err = r.prefix(inName, joined); r.joined != nil {
		r.joinedText = joined
	}
	return err
}

// intersect sets matches to the records that have all words.
func (r *ranking) intersect() {
	copy(r.matches, r.found[0].union)
	for _, m := range r.found[1:] {
		r.matches.and(m.union)
	}
	if r.joined != nil {
		r.matches.or(r.joined)
	}
	r.matches.and(r.within)
}

// most sets matches to the records that have the most of the words, at least
// half of them, and all phrases.
func (r *ranking) most() {
	need := r.set()
	copy(need, r.within)
	for i, m := range r.found {
		if r.words[i].phrase != nil {
			need.and(m.union)
		}
	}
	best := 0
	for block, among := range need {
		if among == 0 {
			continue
		}
		exactly := r.tally(block)
		for n := len(r.found); n >= max(best, (len(r.found)+1)/2); n-- {
			if exactly[n]&among != 0 {
				if n > best {
					clear(r.matches)
					best = n
				}
				r.matches[block] = exactly[n] & among
				break
			}
		}
	}
}

// tally counts, for sixty-four records at once, how many of the words each has:
// a mask for each number.
func (r *ranking) tally(block int) (exactly [maxWords + 1]uint64) {
	var bit [4]uint64 // of the number that each record has
	for _, m := range r.found {
		carry := m.union[block]
		for i := range bit {
			bit[i], carry = bit[i]^carry, bit[i]&carry
		}
	}
	for n := range exactly {
		mask := ^uint64(0)
		for i := range bit {
			if n>>i&1 == 1 {
				mask &= bit[i]
			} else {
				mask &^= bit[i]
			}
		}
		exactly[n] = mask
	}
	return exactly
}

// rarity is what a word counts for by how many of the records have it.
func rarity(records, having int) float64 {
	return math.Log1p(float64(records)/(1+float64(having))) + 1
}
