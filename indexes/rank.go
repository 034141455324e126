package indexes

import (
	"cmp"
	"container/heap"
	"math"
	"math/bits"
	"slices"
)

// Scores are whole numbers, ten thousand of them to one of relevance, so that
// they are the same on every machine.
const scoreUnit = 10000

// What counts beside the words.
const (
	extraFieldWeight  = 0.2              // the part that a word adds where a record has it as it is in further fields
	scoreCoverage     = 10 * scoreUnit   // all words of the name and the slug are in the query
	scoreTenth        = scoreUnit / 250  // a tenth of a point of the composite
	scoreJoinedPrefix = 20 * scoreUnit   // the query without spaces is in the name, or begins a part of it
	scoreJoinedExact  = 100 * scoreUnit  // it is the name or slug without spaces
	scoreExact        = 1000 * scoreUnit // it is the name or slug
)

// scorePhrase is for the query as it is written, in the best list that has it; no
// list is worth more than one before it.
var scorePhrase = [wordFields]int32{nameField: 40 * scoreUnit, topicField: 40 * scoreUnit, textField: 3 * scoreUnit}

// weightedGroup is a group with what it adds to a score.
type weightedGroup struct {
	set   set
	score int32
	extra int32 // in addition to a better group of the same word
	name  bool
}

// weightGroups gives the groups of each word their scores, the best first. Each word
// adds the worth of the best way in which a record has it, times how rare the
// word is.
func (r *ranking) weightGroups() [][]weightedGroup {
	out := make([][]weightedGroup, len(r.matched))
	for i, m := range r.matched {
		idf := idf(r.index.numDocs(), m.union.count())
		for _, g := range m.groups {
			w := weightedGroup{set: g.set, score: int32(math.Round(g.weight * idf * scoreUnit)), name: g.name}
			if g.exact {
				w.extra = int32(math.Round(extraFieldWeight * g.weight * idf * scoreUnit))
			}
			out[i] = append(out[i], w)
		}
		slices.SortStableFunc(out[i], func(a, b weightedGroup) int { return cmp.Compare(b.score, a.score) })
	}
	return out
}

// page picks the hits after a place. Records are looked at sixty-four at a
// time, and those are left out whose best could not be among the hits.
func (r *ranking) page(after *After, skip, limit int) []Hit {
	words := r.weightGroups()
	n := skip + limit
	if n == 0 {
		return []Hit{}
	}
	r.findPhraseCandidates()
	var best worstFirst
	for block, among := range r.matches {
		if among == 0 || len(best) == n && r.maxScore(words, block, among) < best[0].score+r.tieBreak(block) {
			continue
		}
		scores := r.scores(words, block, among)
		for m := among; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			o := uint32(block*64 + i)
			h := scored{o, scores[i], r.index.sortPosition(o)}
			if more := r.maxPhraseScore(block, 1<<i); more > 0 {
				if len(best) == n && !best[0].worseThan(scored{o, h.score + more, h.sortPosition}) {
					continue
				}
				h.score += r.phraseScore(o)
			}
			if after != nil && !after.precedes(h) {
				continue
			}
			if len(best) < n {
				heap.Push(&best, h)
			} else if best[0].worseThan(h) {
				best[0] = h
				heap.Fix(&best, 0)
			}
		}
	}
	slices.SortFunc(best, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.sortPosition, b.sortPosition))
	})
	hits := []Hit{}
	for _, h := range best[min(skip, len(best)):] {
		hits = append(hits, Hit{h.ordinal, h.relevance()})
	}
	return hits
}

// tieBreak is one for blocks whose records stand after all before them: among
// equals, the first stay. Edited records may stand anywhere.
func (r *ranking) tieBreak(block int) int32 {
	if r.index.overlay != nil && 64*block+63 >= r.index.records {
		return 0
	}
	return 1
}

// maxScore is a score that none of the records of a block can exceed.
func (r *ranking) maxScore(words [][]weightedGroup, block int, among uint64) int32 {
	sum := scoreCoverage + r.maxPhraseScore(block, among) + scoreTenth*r.maxComposite(block)
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
	for _, w := range r.queryScores() {
		if w.set != nil && w.set[block]&among != 0 {
			sum += w.score
		}
	}
	return sum
}

// findPhraseCandidates prepares maxPhraseScore and phraseScore.
func (r *ranking) findPhraseCandidates() {
	if r.queryPhrase == nil {
		return
	}
	for list := range r.phraseCandidates {
		all := r.set()
		copy(all, r.matches)
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

// maxPhraseScore is the most that phraseScore gives to any of the records of a
// block.
func (r *ranking) maxPhraseScore(block int, among uint64) int32 {
	for list, candidates := range r.phraseCandidates {
		if candidates != nil && candidates[block]&among != 0 {
			return scorePhrase[list]
		}
	}
	return 0
}

// phraseScore is what a record gets for having the query as it is written.
func (r *ranking) phraseScore(o uint32) int32 {
	for list, candidates := range r.phraseCandidates {
		if candidates != nil && candidates.has(o) && r.index.hasPhrase(o, r.queryPhrase, list) {
			return scorePhrase[list]
		}
	}
	return 0
}

// maxComposite is a composite, in tenths, that no record of a block exceeds.
// Records stand in the order of their composites, but for the withdrawn, which
// come last, and edited ones after them.
func (r *ranking) maxComposite(block int) int32 {
	if 64*block+63 >= r.index.listed {
		return 1000
	}
	return r.composite(uint32(64 * block))
}

func (r *ranking) composite(o uint32) int32 {
	return int32(r.index.build.Score("composite", o).Tenths())
}

// queryScores are what the query as a whole adds.
func (r *ranking) queryScores() [3]weightedGroup {
	return [...]weightedGroup{
		{set: r.joinedPrefix, score: scoreJoinedPrefix}, {set: r.joinedExact, score: scoreJoinedExact}, {set: r.exact, score: scoreExact}}
}

// scores are those of the records of a block, as far as they are among the
// matches: for each word its best group, for words that make up much of the name
// more, and a little for the composite.
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
	for _, w := range r.queryScores() {
		if w.set != nil {
			each(w.set[block]&among, func(i int) { scores[i] += w.score })
		}
	}
	return scores
}

// each calls f with the places of the bits that are set.
func each(bitset uint64, f func(i int)) {
	for ; bitset != 0; bitset &= bitset - 1 {
		f(bits.TrailingZeros64(bitset))
	}
}

// scored is a record with its score and where it stands among equals.
type scored struct {
	ordinal      uint32
	score        int32
	sortPosition float64
}

// worseThan tells whether a record comes after another.
func (s scored) worseThan(t scored) bool {
	return s.score < t.score || s.score == t.score && s.sortPosition > t.sortPosition
}

func (s scored) relevance() float64 { return float64(s.score) / scoreUnit }

// precedes tells whether a place lies before a record.
func (a *After) precedes(s scored) bool {
	rel := s.relevance()
	return rel < a.Relevance || rel == a.Relevance && s.sortPosition > a.SortPosition
}

// worstFirst is a heap of records with the worst on top.
type worstFirst []scored

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return h[i].worseThan(h[j]) }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worstFirst) Push(x any)        { *h = append(*h, x.(scored)) }
func (h *worstFirst) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
