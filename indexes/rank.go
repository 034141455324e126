package indexes

import (
	"cmp"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
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
	scoreMaker        = 12 * scoreUnit   // the query is the name of something by the same provider
	scoreOpen         = 5 * scoreUnit    // it is open, as the query wants
	scoreComplete     = 12 * scoreUnit   // it has all words, where others follow
	scoreAlternative  = 40 * scoreUnit   // it is in the category of what the query wants alternatives to
	scoreOriginal     = 50 * scoreUnit   // alternatives to it are wanted
	scoreVariant      = 60 * scoreUnit   // but for the number of a word, the query is the name or slug
	scoreIdentified   = 500 * scoreUnit  // the query is the name of its package, or another identifier
	scoreJoinedExact  = 100 * scoreUnit  // without spaces, the query is the name or slug
	scoreExact        = 1000 * scoreUnit // the query is the name or slug

	retiredPart = 1000 // retired records have this part of their score, unless the query names them
)

// scorePhrase holds the score for containing the query as a phrase, by the best list that contains it. A topic
// scores as a category that the query names.
var scorePhrase = [wordFields]int32{nameField: 40 * scoreUnit, topicField: 20 * scoreUnit, textField: 3 * scoreUnit}

// idf returns the weight of a word, given how many records have it.
func idf(numDocs int, docFreq uint64) float64 {
	return math.Log1p(float64(numDocs)/(1+float64(docFreq))) + 1
}

// scores holds the scores of the matches by ordinal.
type scores struct {
	matches *roaring.Bitmap
	of      []int32
	inName  []uint8 // how many words match best in the name
}

// add adds a score to records.
func (s *scores) add(set *roaring.Bitmap, score int32) {
	set.Iterate(func(o uint32) bool {
		s.of[o] += score
		return true
	})
}

// addWord adds the score of a word: that of its best match in a record, multiplied by the word's
// rarity, and a little more if the exact word occurs elsewhere, too.
func (s *scores) addWord(groups []group, idf float64) {
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.weight, a.weight) })
	left := s.matches.Clone()
	for _, g := range groups {
		hits := roaring.And(g.set, s.matches)
		if g.exact {
			s.add(roaring.AndNot(hits, left), int32(math.Round(extraFieldWeight*g.weight*idf*scoreUnit)))
		}
		hits.And(left)
		left.AndNot(hits)
		s.add(hits, int32(math.Round(g.weight*idf*scoreUnit)))
		if g.list == nameField {
			hits.Iterate(func(o uint32) bool {
				s.inName[o]++
				return true
			})
		}
	}
}

// addBest adds to each record the best of the awards that it gets.
func (s *scores) addBest(awards []award) {
	slices.SortStableFunc(awards, func(a, b award) int { return cmp.Compare(b.score, a.score) })
	left := s.matches.Clone()
	for _, a := range awards {
		if a.set == nil {
			continue
		}
		hits := roaring.And(left, a.set)
		left.AndNot(hits)
		s.add(hits, a.score)
	}
}

// score scores all matches: by what each word matches, by what the query matches as a whole, more if
// the words make up much of the name, and a little by the composite score.
func (r *ranking) score() []int32 {
	s := &scores{r.matches, make([]int32, r.build.Len()), make([]uint8, r.build.Len())}
	for i, m := range r.matched {
		weight := idf(r.records, m.union.GetCardinality())
		if r.clauses[i].filler {
			weight *= fillerWeight
		}
		s.addWord(m.groups, weight)
	}
	s.addBest(append(r.phrases, r.topicSets[:subjectFields]...))
	for _, a := range slices.Concat(r.whole, r.topicSets[subjectFields:], r.partSets[:]) {
		if a.set != nil {
			s.add(roaring.And(a.set, r.matches), a.score)
		}
	}
	r.matches.Iterate(func(o uint32) bool {
		if n := int32(r.lengths[o]); s.inName[o] > 0 {
			s.of[o] += scoreCoverage * min(int32(s.inName[o]), n) / n
		}
		s.of[o] += r.standing[o]
		return true
	})
	roaring.And(roaring.AndNot(r.retired, r.isExact), r.matches).Iterate(func(o uint32) bool {
		s.of[o] = max(1, s.of[o]/retiredPart)
		return true
	})
	return s.of
}

// scored is a record with its score and its position among equally relevant
// records.
type scored struct {
	ordinal      uint32
	score        int32
	sortPosition float64
}

func (s scored) relevance() float64 { return float64(s.score) / scoreUnit }

func compareScored(a, b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.sortPosition, b.sortPosition))
}

// precedes reports whether a position comes before a record.
func (a *After) precedes(s scored) bool {
	rel := s.relevance()
	return rel < a.Relevance || rel == a.Relevance && s.sortPosition > a.SortPosition
}

// page returns a page of hits after a position, or from the start if after is nil.
func (r *ranking) page(after *After, skip, limit int) []Hit {
	n := skip + limit
	if n == 0 || skip > 0 && uint64(skip) >= r.matches.GetCardinality() {
		return []Hit{}
	}
	var best []scored
	cut := false // whether best started with a full page once
	scores := r.score()
	for o := range roaring.Values(r.matches) {
		h := scored{o, scores[o], r.build.SortPosition(o)}
		if cut && compareScored(h, best[n-1]) > 0 || after != nil && !after.precedes(h) {
			continue
		}
		if best = append(best, h); len(best) >= 2*n+100 {
			slices.SortFunc(best, compareScored)
			best, cut = best[:n], true
		}
	}
	slices.SortFunc(best, compareScored)
	hits := []Hit{}
	for _, h := range best[min(skip, len(best)):min(n, len(best))] {
		hits = append(hits, Hit{h.ordinal, h.relevance()})
	}
	return hits
}
