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
	clauses []clause
	joined  string // the words as one, "" where it does not count
}

// After is where a page of results begins: after this relevance, and among
// equals after this place.
type After struct {
	Relevance    float64
	SortPosition float64 // as exports.Build.SortPosition; may lie between two
}

// Search finds the records within a set of ordinals that match a text, ranked
// by relevance, then by their default order, and returns the page of at most limit hits
// after skipping skip of them, or after a place.
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
	r := &ranking{session: s, clauses: words, within: s.set(), matches: s.set()}
	within.WriteDenseTo(r.within)
	if err := r.find(text); err != nil {
		return nil, err
	}
	res := &Result{Matches: r.matches.bitmap(), index: x, clauses: words, joined: r.joinedText}
	res.Hits = r.page(after, skip, limit)
	return res, nil
}

// ranking is the state of one search.
type ranking struct {
	*session
	clauses []clause
	matched []*match
	within  set
	matches set

	joinedText       string    // the query without its spaces
	exact            set       // the query is the name or the slug
	joinedExact      set       // the query without its spaces is the name or slug without its spaces
	joinedPrefix     set       // the query without its spaces is in the name, or begins a part of it
	queryPhrase      *phrase   // the query as a phrase, nil where it is a single word or no record has its words
	phraseCandidates fieldSets // the records that have all words as they are in one list: only they can have the phrase
}

// maxFuzzyClauses is up to how many words all are tried with edits where no record
// has them all. Of more words, the most are looked for.
const maxFuzzyClauses = 4

// find fills matches and all that they are ranked by.
func (r *ranking) find(text string) error {
	if err := r.matchQuery(terms(text)); err != nil {
		return err
	}
	r.matched = make([]*match, len(r.clauses))
	for i := range r.clauses {
		var err error
		if r.matched[i], err = r.session.matchClause(&r.clauses[i], r.within); err != nil {
			return err
		}
	}
	if r.intersect(); !r.matches.empty() {
		return nil
	}
	if len(r.clauses) <= maxFuzzyClauses {
		for i := range r.clauses {
			if err := r.addFuzzy(r.matched[i], &r.clauses[i]); err != nil {
				return err
			}
		}
		if r.intersect(); !r.matches.empty() {
			return nil
		}
	}
	r.matchMost()
	return nil
}

// matchQuery finds the records that are met by the query as a whole.
func (r *ranking) matchQuery(list []string) (err error) {
	if r.exact, err = r.termSet(exactField, strings.Join(list, " ")); err != nil {
		return err
	}
	joined := strings.Join(list, "")
	if r.joinedExact, err = r.termSet(joinedField, joined); err != nil {
		return err
	}
	if len(list) > 1 {
		if r.queryPhrase, err = r.index.encodePhrase(list); err != nil {
			return err
		}
	}
	if len(list) < 2 || len(list) > 4 || slices.ContainsFunc(r.clauses, func(w clause) bool { return w.phrase != nil }) {
		return nil
	}
	if r.joinedPrefix, err = r.prefixSet(nameField, joined); r.joinedPrefix != nil {
		r.joinedText = joined
	}
	return err
}

// intersect sets matches to the records that have all words.
func (r *ranking) intersect() {
	copy(r.matches, r.matched[0].union)
	for _, m := range r.matched[1:] {
		r.matches.and(m.union)
	}
	if r.joinedPrefix != nil {
		r.matches.or(r.joinedPrefix)
	}
	r.matches.and(r.within)
}

// matchMost sets matches to the records that have the most of the words, at least
// half of them, and all phrases.
func (r *ranking) matchMost() {
	required := r.set()
	copy(required, r.within)
	for i, m := range r.matched {
		if r.clauses[i].phrase != nil {
			required.and(m.union)
		}
	}
	best := 0
	for block, block64 := range required {
		if block64 == 0 {
			continue
		}
		byCount := r.countMatches(block)
		for n := len(r.matched); n >= max(best, (len(r.matched)+1)/2); n-- {
			if byCount[n]&block64 != 0 {
				if n > best {
					clear(r.matches)
					best = n
				}
				r.matches[block] = byCount[n] & block64
				break
			}
		}
	}
}

// countMatches counts, for sixty-four records at once, how many of the words each has:
// a mask for each number.
func (r *ranking) countMatches(block int) (byCount [maxClauses + 1]uint64) {
	var bit [4]uint64 // of the number that each record has
	for _, m := range r.matched {
		carry := m.union[block]
		for i := range bit {
			bit[i], carry = bit[i]^carry, bit[i]&carry
		}
	}
	for n := range byCount {
		mask := ^uint64(0)
		for i := range bit {
			if n>>i&1 == 1 {
				mask &= bit[i]
			} else {
				mask &^= bit[i]
			}
		}
		byCount[n] = mask
	}
	return byCount
}

// idf is what a word counts for by how many of the records have it.
func idf(numDocs, docFreq int) float64 {
	return math.Log1p(float64(numDocs)/(1+float64(docFreq))) + 1
}
