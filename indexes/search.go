package indexes

import (
	"math"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// Hit is a record found by a search.
type Hit struct {
	Ordinal   uint32
	Relevance float64 // higher is better; comparable only within one search
}

// Result holds the results of a search.
type Result struct {
	Hits []Hit
	// Matches holds the ordinals of all records that match.
	Matches *roaring.Bitmap
	// Dropped holds the words that some matches lack because few records have all words. Those
	// that have all words come first.
	Dropped []string
	index   *Index
	clauses []clause
	// The synonyms that were searched, each as one or more spellings.
	synonyms [][]clause
	joined   string // the words joined without spaces, or "" if the query is not matched in this form
}

// After is the position after which a page of results starts. The results on the
// page have a lower relevance, or the same relevance and a later SortPosition.
type After struct {
	Relevance    float64
	SortPosition float64 // result of exports.Build.SortPosition; may be between two records
}

// Search finds the records in a set that match a query. They are ranked by
// relevance, then by their default order. Search returns at most limit hits, after
// skipping the first skip hits or starting after a position.
//
// Every word must match a name, a topic or a description: exactly, as a prefix of a
// word, within a few edits, or as a synonym. If few records have all words, those follow that
// lack only the least telling ones. Fillers, such as "best" or "framework", need not match next
// to other words. Words in quotes must occur exactly and consecutively,
// regardless of case. A single letter matches names that start with it, and text
// that contains it as a word.
func (x *Index) Search(text string, within *roaring.Bitmap, after *After, skip, limit int) (*Result, error) {
	return x.search(text, within, false, func(r *ranking) []Hit { return r.page(after, skip, limit) })
}

// search finds the matches of a query, and ranks them with page.
func (x *Index) search(text string, within *roaring.Bitmap, exhaustive bool, page func(*ranking) []Hit) (*Result, error) {
	text, excluded := cutExclusions(text)
	words := parse(text)
	if len(words) == 0 {
		return &Result{Matches: roaring.New(), index: x}, nil
	}
	s, err := x.session()
	if err != nil {
		return nil, err
	}
	defer s.end()
	s.exhaustive = exhaustive
	r := &ranking{session: s, clauses: words, within: s.set(), matches: s.set()}
	within.WriteDenseTo(r.within)
	for _, list := range excluded {
		if err := r.exclude(list); err != nil {
			return nil, err
		}
	}
	if err := r.find(text); err != nil {
		return nil, err
	}
	res := &Result{Matches: r.matches.bitmap(), index: x, clauses: words, synonyms: r.synonyms, joined: r.joinedText}
	for i := range words {
		if words[i].dropped {
			res.Dropped = append(res.Dropped, words[i].term)
		}
	}
	res.Hits = page(r)
	return res, nil
}

// ranking holds the state of one search.
type ranking struct {
	*session
	clauses []clause
	matched []*match
	within  set
	matches set

	queryWords       int               // number of words in the query without fillers at its ends
	joinedText       string            // the query without spaces
	exact            set               // records whose name or slug is the query
	joinedExact      set               // the same with spaces removed
	joinedPrefix     set               // records with a name that, from one of its words on, starts with joinedText
	start            set               // records whose name or slug starts with the words of the query
	variant          set               // records whose name or slug is the query but for the number of a word
	identified       set               // records that the query identifies
	original         set               // records to which the query asks for alternatives
	alternatives     set               // records in the categories of original
	open             set               // records with open source or weights, if the query asks for that
	retired          set               // records that are deprecated or withdrawn
	complete         set               // records with all words, if others follow
	near             [maxEdits + 1]set // by number of edits: records whose name or slug is the query apart from typos
	queryPhrases     []*phrase         // the query as a phrase, with its last word as it is, in the singular and in the plural; empty for a single word
	synonyms         [][]clause
	synonymSets      [maxClauses][]synonymSets // by clause
	whole            []weightedGroup           // result of queryScores
	topics           topicGroups               // records with what the query names
	parts            topicGroups               // the same for parts of the query
	synonymPhrases   fieldSets                 // records with a synonym of the whole query
	named            set                       // records that match a word in their names
	phraseCandidates fieldSets                 // records with all exact words in one list; only these can contain the phrase
}

// maxFuzzyClauses is the maximum number of words in a query for which near words are searched
// if no record has all words.
const maxFuzzyClauses = 4

// find computes the matches and everything needed to rank them.
func (r *ranking) find(text string) error {
	if err := r.matchQuery(terms(text)); err != nil {
		return err
	}
	r.findIdentified(text)
	r.findTopics(terms(text), false)
	r.findParts(terms(text))
	r.findOpen(terms(text))
	r.findRetired()
	if err := r.findAlternatives(terms(text)); err != nil {
		return err
	}
	if err := r.findSynonyms(text); err != nil {
		return err
	}
	if err := r.findSpellings(); err != nil {
		return err
	}
	r.matched = make([]*match, len(r.clauses))
	for i := range r.clauses {
		var err error
		if r.matched[i], err = r.session.matchClause(&r.clauses[i], r.synonymSets[i], r.within); err != nil {
			return err
		}
	}
	if err := r.findNear(terms(text)); err != nil {
		return err
	}
	r.intersect()
	if r.matches.empty() && len(r.clauses) <= maxFuzzyClauses {
		for i := range r.clauses {
			if err := r.addFuzzy(r.matched[i], &r.clauses[i]); err != nil {
				return err
			}
		}
		r.intersect()
	}
	r.relax()
	return nil
}

// matchQuery finds the records that match the query as a whole.
func (r *ranking) matchQuery(list []string) (err error) {
	if r.exact, err = r.termSet(exactField, strings.Join(list, " ")); err != nil {
		return err
	}
	joined := strings.Join(list, "")
	if r.joinedExact, err = r.termSet(joinedField, joined); err != nil {
		return err
	}
	if err := r.findVariants(list); err != nil {
		return err
	}
	bare := trimFillers(list)
	if r.start, err = r.prefixSet(exactField, strings.Join(withoutKinds(bare), " ")+" "); err != nil {
		return err
	}
	named, err := r.termSet(joinedField, strings.Join(withoutKinds(bare), ""))
	if err != nil {
		return err
	}
	r.variant = r.union(r.variant, named)
	if r.queryWords = len(bare); len(bare) > 1 {
		phrases := spellings(bare)
		if plain := withoutKinds(bare); len(plain) > 1 && len(plain) < len(bare) {
			phrases = append(phrases, spellings(plain)...)
		}
		for _, c := range phrases {
			p, err := r.index.encodePhrase(c.phrase)
			if err != nil {
				return err
			}
			if p != nil {
				r.queryPhrases = append(r.queryPhrases, p)
			}
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

// intersect sets matches to the records that match all words.
func (r *ranking) intersect() {
	copy(r.matches, r.within)
	for i, m := range r.matched {
		if w := &r.clauses[i]; !w.filler && !w.dropped {
			r.matches.and(m.union)
		}
	}
	for _, s := range append(r.near[:], r.joinedPrefix, r.variant, r.identified, r.alternatives) {
		if s != nil {
			r.matches.or(s)
		}
	}
	r.matches.and(r.within)
}

// idf returns the weight of a word, given how many records have it.
func idf(numDocs, docFreq int) float64 {
	return math.Log1p(float64(numDocs)/(1+float64(docFreq))) + 1
}
