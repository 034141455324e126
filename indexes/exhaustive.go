package indexes

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// SearchExhaustively returns what Search should return for the first limit hits. It uses no stored sets of
// prefixes and phrases, no filter of word pairs and no bounds on scores: it scores and sorts every match. Everything
// else is the same as in Search, which it exists to check.
func (x *Index) SearchExhaustively(text string, within *roaring.Bitmap, limit int) (*Result, error) {
	return x.search(text, within, true, func(r *ranking) []Hit { return r.all(limit) })
}

// all scores and sorts all matches and returns the first ones.
func (r *ranking) all(limit int) []Hit {
	words := r.weightGroups()
	r.whole = r.queryScores()
	r.findPhraseCandidates()
	var list []scored
	for o := range r.matches.each {
		score := r.scores(words, int(o>>6), 1<<(o&63))[o&63] + r.phraseScore(o)
		score = r.final(o, score)
		list = append(list, scored{o, score, r.index.sortPosition(o)})
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.sortPosition, b.sortPosition))
	})
	hits := []Hit{}
	for _, h := range list[:min(limit, len(list))] {
		hits = append(hits, Hit{h.ordinal, h.relevance()})
	}
	return hits
}
