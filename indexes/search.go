package indexes

import (
	"slices"
	"strings"
	"unicode/utf8"

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
// relevance, then by their default order; retired ones come last. Search returns at most limit hits,
// after skipping the first skip hits or starting after a position.
//
// Every word must match a name, a topic or a description: exactly, as a prefix of a
// word, within a few edits, or as a synonym. If few records have all words, those follow that
// lack only the least telling ones. Fillers, such as "best" or "framework", need not match next
// to other words. Words in quotes must occur exactly and consecutively,
// regardless of case. A single letter matches names that start with it, and text
// that contains it as a word.
func (x *Index) Search(text string, within *roaring.Bitmap, after *After, skip, limit int) *Result {
	text, excluded := cutExclusions(text)
	clauses := parse(text)
	if len(clauses) == 0 {
		return &Result{Matches: roaring.New()}
	}
	r := &ranking{Index: x, clauses: clauses, within: within.Clone(), alone: roaring.New()}
	for _, words := range excluded {
		r.exclude(words)
	}
	r.find(text)
	res := &Result{Matches: r.matches, index: x, clauses: clauses, synonyms: r.synonyms, joined: r.joinedText}
	for i := range clauses {
		if clauses[i].dropped {
			res.Dropped = append(res.Dropped, clauses[i].term)
		}
	}
	res.Hits = r.page(after, skip, limit)
	return res
}

type ranking struct {
	*Index
	clauses []clause
	matched []*match // by clause
	within  *roaring.Bitmap
	matches *roaring.Bitmap

	alone       *roaring.Bitmap // records that match without having the words
	isNamed     bool            // the query is a name or an identifier, perhaps with typos
	isExact     *roaring.Bitmap // records whose name, slug or identifier is the query
	whole       []award         // what the query as a whole matches
	phrases     []award         // where it occurs as a phrase, or a synonym of it
	topicSets   topicSets       // records with what the query names
	partSets    topicSets       // the same for parts of the query
	joinedText  string          // see Result.joined
	queryWords  int             // number of words in the query without fillers at its ends
	synonyms    [][]clause
	synonymSets [maxClauses][]synonymSets // by clause
}

type award struct {
	set   *roaring.Bitmap
	score int32
}

func (r *ranking) award(set *roaring.Bitmap, score int32) {
	if !set.IsEmpty() {
		r.whole = append(r.whole, award{set, score})
	}
}

// named is like award, for records that match even if they lack the words because the query is
// their name or an identifier.
func (r *ranking) named(set *roaring.Bitmap, score int32) {
	set = roaring.And(set, r.within)
	r.award(set, score)
	r.alone.Or(set)
	r.isNamed = r.isNamed || !set.IsEmpty()
}

// exclude removes the records that contain all of the words from those that are searched.
func (r *ranking) exclude(words []string) {
	found := r.within.Clone()
	for _, w := range words {
		sets := r.exact(w)
		found.And(roaring.FastOr(sets[:]...))
	}
	r.within.AndNot(found)
}

// maxFuzzyClauses is the maximum number of words in a query for which near words are searched
// if no record has all words.
const maxFuzzyClauses = 4

func (r *ranking) find(text string) {
	words := terms(text)
	r.matchQuery(words)
	r.findTopics(words, false)
	r.findParts(words)
	r.findIdentified(text)
	r.findOpen(words)
	r.findAlternatives(words)
	r.findSynonyms(text)
	r.findSpellings()
	for i := range r.clauses {
		r.matched = append(r.matched, r.matchClause(i))
	}
	r.findNear(words)
	if r.intersect(); r.matches.IsEmpty() && len(r.clauses) <= maxFuzzyClauses {
		for i := range r.clauses {
			if w := &r.clauses[i]; r.term(nameField, w.term).IsEmpty() { // the word of a name is no typo
				r.addFuzzy(r.matched[i], w, false)
			}
		}
		r.intersect()
	}
	r.relax()
}

func (r *ranking) matchQuery(words []string) {
	joined, bare := strings.Join(words, ""), trimFillers(words)
	plain := r.withoutKinds(bare)
	exact, named := roaring.And(r.term(exactField, strings.Join(words, " ")), r.within), roaring.And(r.term(joinedField, joined), r.within)
	r.award(exact, scoreExact)
	r.award(named, scoreJoinedExact)
	r.isExact = roaring.Or(exact, named)
	r.isNamed = !r.isExact.IsEmpty()
	for o := range roaring.Values(r.isExact) {
		r.award(r.having("provider", r.build.Entity(o).Provider), scoreMaker)
	}
	ofMaker := r.namedAfterMaker(words)
	r.named(ofMaker, scoreJoinedExact)
	r.isExact.Or(ofMaker)
	variants := r.variants(words)
	variants.Or(r.term(joinedField, strings.Join(plain, "")))
	r.named(variants, scoreVariant)
	r.award(r.prefix(exactField, strings.Join(plain, " ")+" "), scoreStart)
	if len(words) == 1 && digits(joined) != "" { // llama3
		r.award(r.prefix(joinedField, joined), scoreStart)
	}
	if r.queryWords = len(bare); len(bare) > 1 {
		phrases := spellings(bare)
		if len(plain) > 1 && len(plain) < len(bare) {
			phrases = append(phrases, spellings(plain)...)
		}
		for list := range wordFields {
			for _, c := range phrases {
				r.phrases = append(r.phrases, award{r.phrase(list, c.phrase, r.within), scorePhrase[list]})
			}
		}
	}
	if len(words) < 2 || len(words) > 4 || slices.ContainsFunc(r.clauses, func(w clause) bool { return w.phrase != nil }) {
		return
	}
	if set := r.prefix(nameField, joined); !set.IsEmpty() {
		r.award(set, scoreJoinedPrefix)
		r.alone.Or(set)
		r.joinedText = joined
	}
}

// namedAfterMaker returns the records whose name or slug is the query but for that of their provider at one end, or
// the first words of it: OpenAI GPT-4o, Stable Diffusion by Stability.
func (r *ranking) namedAfterMaker(words []string) *roaring.Bitmap {
	found := roaring.New()
	for i := 1; i < len(words) && len(words) <= 2*maxPart; i++ {
		for _, q := range [][2][]string{{words[:i], words[i:]}, {words[i:], words[:i]}} {
			maker, name := q[0], q[1]
			for o := range roaring.Values(roaring.Or(r.term(exactField, strings.Join(name, " ")), r.term(joinedField, strings.Join(name, "")))) {
				made := terms(r.build.Entity(o).Provider)
				if strings.Join(made, "") == strings.Join(maker, "") || slices.Equal(made[:min(len(made), len(maker))], maker) {
					found.Add(o)
				}
			}
		}
	}
	return found
}

// variants returns the records whose name or slug is the query but for the number of a word.
func (r *ranking) variants(words []string) *roaring.Bitmap {
	found := roaring.New()
	for i, w := range words[:min(len(words), maxPart)] {
		if len(words) <= maxPart && utf8.RuneCountInString(w) >= 3 {
			variant := slices.Clone(words)
			variant[i] = otherNumber(w)
			found.Or(r.term(joinedField, strings.Join(variant, "")))
		}
	}
	return found
}

func otherNumber(word string) string {
	if s := stem(word); s != word {
		return s
	}
	return word + "s"
}

func (r *ranking) intersect() {
	var sets []*roaring.Bitmap
	for i, m := range r.matched {
		if w := &r.clauses[i]; !w.filler && !w.dropped {
			sets = append(sets, m.union)
		}
	}
	r.matches = roaring.FastAnd(append(sets, r.within)...)
	r.matches.Or(roaring.And(r.alone, r.within))
}
