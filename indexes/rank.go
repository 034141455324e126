package indexes

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// scoreUnit is the score for a relevance of 1. Scores are integers so that they are
// the same on every machine.
const scoreUnit = 10000

// Other weights.
const (
	fillerWeight      = 0.3              // of words that records need not have
	extraFieldWeight  = 0.2              // for each additional list that contains the exact word
	scoreCoverage     = 10 * scoreUnit   // the query contains all words of the name and the slug
	scoreTenth        = scoreUnit / 250  // per tenth of a point of the composite score
	scoreStart        = 8 * scoreUnit    // the name or slug starts with the words of the query
	scoreNear         = 30 * scoreUnit   // without spaces, the query is the name or slug apart from typos
	scoreJoinedPrefix = 20 * scoreUnit   // without spaces, the name starts with the query, at some word
	scoreOpen         = 5 * scoreUnit    // it is open, as the query wants
	scoreComplete     = 12 * scoreUnit   // it has all words, where others follow
	scoreAlternative  = 40 * scoreUnit   // it is in the category of what the query wants alternatives to
	scoreOriginal     = 50 * scoreUnit   // alternatives to it are wanted
	scoreVariant      = 60 * scoreUnit   // but for the number of a word, the query is the name or slug
	scoreIdentified   = 500 * scoreUnit  // the query is the name of its package, or another identifier
	scoreJoinedExact  = 100 * scoreUnit  // without spaces, the query is the name or slug
	scoreExact        = 1000 * scoreUnit // the query is the name or slug
)

// scorePhrase holds the score for containing the query as a phrase, by the first
// list that contains it. Later lists must not score higher than earlier ones.
var scorePhrase = [wordFields]int32{nameField: 40 * scoreUnit, topicField: 40 * scoreUnit, textField: 3 * scoreUnit}

// weightedGroup is a group with its score.
type weightedGroup struct {
	set   set
	score int32
	extra int32 // score if a better group for the same word also matches
	name  bool
}

// weightGroups computes the scores of each word's groups and sorts them, best first. A word
// contributes the weight of its best match in a record, multiplied by the word's rarity.
func (r *ranking) weightGroups() [][]weightedGroup {
	out := make([][]weightedGroup, len(r.matched))
	for i, m := range r.matched {
		idf := idf(r.index.numDocs(), m.union.count())
		if r.clauses[i].filler {
			idf *= fillerWeight
		}
		for _, g := range m.groups {
			w := weightedGroup{set: g.set, score: int32(math.Round(g.weight * idf * scoreUnit)), name: g.list == nameField}
			if g.exact {
				w.extra = int32(math.Round(extraFieldWeight * g.weight * idf * scoreUnit))
			}
			out[i] = append(out[i], w)
		}
		slices.SortStableFunc(out[i], func(a, b weightedGroup) int { return cmp.Compare(b.score, a.score) })
	}
	return out
}

// findNamed sets named to the records that match a word in their names.
func (r *ranking) findNamed() {
	r.named = r.set()
	for _, m := range r.matched {
		for _, g := range m.groups {
			if g.list == nameField {
				r.named.or(g.set)
			}
		}
	}
}

// special returns the records that may score for more than what their topics and descriptions match.
func (r *ranking) special() set {
	all := r.set()
	copy(all, r.named)
	for _, w := range r.whole {
		all.or(w.set)
	}
	for list := range r.phraseCandidates {
		for _, s := range []set{r.phraseCandidates[list], r.synonymPhrases[list]} {
			if s != nil {
				all.or(s)
			}
		}
	}
	return all
}

// maxPlainScore returns an upper bound for the scores of records that are not special, without what
// they get for their composite scores.
func maxPlainScore(words [][]weightedGroup) (sum int32) {
	for _, groups := range words {
		first := true
		for _, g := range groups { // best first
			if g.name {
				continue
			}
			if first {
				sum += g.score
				first = false
			}
			sum += g.extra
		}
	}
	return sum
}

// tieBreak returns the margin by which a block's maximum score must exceed the
// worst hit. It is 1 if all records in the block come after all previous records,
// because among equal scores, earlier records win. Otherwise it is 0: edited
// records may come anywhere.
func (r *ranking) tieBreak(block int) int32 {
	if r.index.overlay != nil && 64*block+63 >= r.index.records {
		return 0
	}
	return 1
}

// maxScore returns an upper bound for the scores in a block.
func (r *ranking) maxScore(words [][]weightedGroup, block int, among uint64) int32 {
	sum := r.maxPhraseScore(block, among) + scoreTenth*r.maxComposite(block)
	if r.named[block]&among != 0 {
		sum += scoreCoverage
	}
	for _, groups := range words {
		first := true
		for _, g := range groups {
			if g.set[block]&among == 0 {
				continue
			}
			if first {
				sum += g.score
				first = false
			}
			sum += g.extra
		}
	}
	for _, w := range r.whole {
		if w.set[block]&among != 0 {
			sum += w.score
		}
	}
	return sum
}

// findPhraseCandidates prepares for calls to maxPhraseScore and phraseScore.
func (r *ranking) findPhraseCandidates() {
	if len(r.queryPhrases) == 0 {
		return
	}
	candidates := r.mayContain(r.queryPhrases)
	candidates.and(r.matches)
	for list := range r.phraseCandidates {
		all := r.set()
		copy(all, candidates)
		for _, m := range r.matched {
			if m.exactSets[list] == nil {
				clear(all)
				break
			}
			all.and(m.exactSets[list])
		}
		r.phraseCandidates[list] = all
	}
}

// maxPhraseScore returns an upper bound for the phraseScore of the records in a
// block.
func (r *ranking) maxPhraseScore(block int, among uint64) int32 {
	for list, candidates := range r.phraseCandidates {
		if candidates != nil && candidates[block]&among != 0 {
			return scorePhrase[list]
		}
		if s := r.synonymPhrases[list]; s != nil && s[block]&among != 0 {
			return scorePhrase[list] // more than scoreSynonym
		}
	}
	return 0
}

// phraseScore returns the score that a record gets for containing the query or a
// synonym of the query as a phrase.
func (r *ranking) phraseScore(o uint32) (best int32) {
	for list, candidates := range r.phraseCandidates {
		if candidates != nil && candidates.has(o) && r.hasAny(o, r.queryPhrases, list) {
			return max(best, scorePhrase[list])
		}
		if s := r.synonymPhrases[list]; s != nil && s.has(o) {
			best = max(best, scoreSynonym(scorePhrase[list]))
		}
	}
	return best
}

// maxComposite returns an upper bound, in tenths of a point, for the composite
// scores in a block. Records are in the order of their composite scores, followed
// by withdrawn records, then edited ones.
func (r *ranking) maxComposite(block int) int32 {
	first := uint32(64 * block)
	if 64*block+63 >= r.index.listed || r.index.build.Entity(first) == nil {
		return 1000
	}
	return r.composite(first)
}

func (r *ranking) composite(o uint32) int32 {
	return int32(r.index.build.Entity(o).Scores.Composite.Tenths())
}

// queryScores returns the scores for matching the query as a whole.
func (r *ranking) queryScores() (list []weightedGroup) {
	for edits, set := range r.near {
		if set != nil {
			list = append(list, weightedGroup{set: set, score: scoreNear / int32(edits)})
		}
	}
	identified := scoreIdentified
	if r.topics[0].set != nil || r.topics[1].set != nil {
		identified = scoreJoinedPrefix // the word mostly means something else
	}
	for _, w := range append(slices.Concat(r.topics[:], r.parts[:]),
		weightedGroup{set: r.start, score: scoreStart},
		weightedGroup{set: r.open, score: scoreOpen}, weightedGroup{set: r.complete, score: scoreComplete},
		weightedGroup{set: r.alternatives, score: scoreAlternative}, weightedGroup{set: r.original, score: scoreOriginal},
		weightedGroup{set: r.variant, score: scoreVariant}, weightedGroup{set: r.identified, score: int32(identified)},
		weightedGroup{set: r.joinedPrefix, score: scoreJoinedPrefix},
		weightedGroup{set: r.joinedExact, score: scoreJoinedExact}, weightedGroup{set: r.exact, score: scoreExact}) {
		if w.set != nil {
			list = append(list, w)
		}
	}
	return list
}

// scores returns the scores of the matches in a block. They consist of the score of
// each word's best group, more if the words make up much of the name, and a little
// for the composite score.
func (r *ranking) scores(words [][]weightedGroup, block int, among uint64) (scores [64]int32) {
	var inName [64]int32
	for _, groups := range words {
		left := among
		for _, g := range groups {
			hit := g.set[block] & among
			if g.extra > 0 {
				each(hit&^left, func(i int) { scores[i] += g.extra })
			}
			hit &= left
			left &^= hit
			each(hit, func(i int) {
				scores[i] += g.score
				if g.name {
					inName[i]++
				}
			})
		}
	}
	each(among, func(i int) {
		o := uint32(block*64 + i)
		length := int32(r.index.nameLength(o))
		scores[i] += scoreCoverage*min(inName[i], length)/length + scoreTenth*r.composite(o)
	})
	for _, w := range r.whole {
		each(w.set[block]&among, func(i int) { scores[i] += w.score })
	}
	return scores
}

// final returns the score of a record, less if it is retired.
func (r *ranking) final(o uint32, score int32) int32 {
	if r.retired != nil && r.retired.has(o) {
		return score / 4
	}
	return score
}

// each calls f with the indexes of the set bits.
func each(bitset uint64, f func(i int)) {
	for ; bitset != 0; bitset &= bitset - 1 {
		f(bits.TrailingZeros64(bitset))
	}
}
