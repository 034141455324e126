package indexes

import (
	"cmp"
	"container/heap"
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"

	"kindex/exports/parallel"
)

// Blocks of 64 records are ranked a chunk at a time. With fewer matches than parallelRanking, starting more
// goroutines would cost more time than it saves. Tests set lower values.
var (
	chunkBlocks     = 128
	parallelRanking = 1 << 15
)

// pageRanking ranks the matches for one page. Goroutines share it, and each ranks some of the blocks.
type pageRanking struct {
	*ranking
	words    [][]weightedGroup
	special  set   // result of ranking.special
	maxPlain int32 // result of maxPlainScore
	after    *After
	n        int // the number of records up to the end of the page

	chunks atomic.Int64 // the number of chunks that have been taken
	least  atomic.Int32 // at least n records for the page have this score or more; 0 if that is not known
}

// page returns a page of hits after a position, or from the start if after is nil.
func (r *ranking) page(after *After, skip, limit int) []Hit {
	p := &pageRanking{ranking: r, words: r.weightGroups(), after: after, n: skip + limit}
	r.whole = r.queryScores()
	if p.n == 0 || skip > 0 && skip >= p.matches.count() {
		return []Hit{}
	}
	r.findPhraseCandidates()
	r.findNamed()
	p.special, p.maxPlain = r.special(), maxPlainScore(p.words)
	list := p.best()
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.sortPosition, b.sortPosition))
	})
	hits := []Hit{}
	for _, h := range list[min(skip, len(list)):min(p.n, len(list))] {
		hits = append(hits, Hit{h.ordinal, h.relevance()})
	}
	return hits
}

// best returns the best n records, and maybe others.
func (p *pageRanking) best() []scored {
	workers := 1
	if p.matches.count() >= parallelRanking {
		workers = runtime.GOMAXPROCS(0)
	}
	lists := make([]worstFirst, workers)
	parallel.Do(workers, func(w int) { p.rankChunks(&lists[w]) })
	all := lists[0].list
	for _, l := range lists[1:] {
		all = append(all, l.list...)
	}
	return all
}

// rankChunks ranks the records of chunks, in ascending order, until all chunks have been taken. In each block, it
// first ranks those that may score for more than their words, and skips those whose maximum score is
// too low for the page.
func (p *pageRanking) rankChunks(best *worstFirst) {
	best.limit = p.n
	plain := true // whether records that are not special can still be among the best
	for {
		from := chunkBlocks * int(p.chunks.Add(1)-1)
		if from >= len(p.matches) {
			return
		}
		for block := from; block < min(from+chunkBlocks, len(p.matches)); block++ {
			among := p.matches[block]
			if among == 0 {
				continue
			}
			tie := p.tieBreak(block)
			if part := among & p.special[block]; part != 0 && p.mayScore(best, p.maxScore(p.words, block, part), tie) {
				p.rank(best, block, part)
				tie = 0 // some of these may come after the others of this block
			}
			if 64*block+63 < p.index.listed {
				plain = plain && p.mayScore(best, p.maxPlain+scoreTenth*p.maxComposite(block), tie)
				if !plain {
					continue
				}
			}
			if part := among &^ p.special[block]; part != 0 && p.mayScore(best, p.maxScore(p.words, block, part), tie) {
				p.rank(best, block, part)
			}
		}
		p.share(best)
	}
}

// mayScore reports whether a record with a score may be among the best. tie is the margin by which it must exceed
// the worst of these.
func (p *pageRanking) mayScore(best *worstFirst, score, tie int32) bool {
	return score >= p.least.Load() && (!best.full() || score >= best.list[0].score+tie)
}

// share lets the other goroutines skip records that score less than the worst in a full list of best records.
func (p *pageRanking) share(best *worstFirst) {
	if !best.full() {
		return
	}
	for {
		least := p.least.Load()
		if least >= best.list[0].score || p.least.CompareAndSwap(least, best.list[0].score) {
			return
		}
	}
}

// rank adds records of a block to the best ones.
func (p *pageRanking) rank(best *worstFirst, block int, among uint64) {
	scores := p.scores(p.words, block, among)
	for m := among; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		o := uint32(block*64 + i)
		h := scored{o, scores[i], p.index.sortPosition(o)}
		if more := p.maxPhraseScore(block, 1<<i); more > 0 {
			if best.full() && !best.list[0].worseThan(scored{o, h.score + more, h.sortPosition}) {
				continue
			}
			h.score += p.phraseScore(o)
		}
		h.score = p.final(o, h.score)
		if p.after == nil || p.after.precedes(h) {
			best.offer(h)
		}
	}
}

// scored is a record with its score and its position among equally relevant
// records.
type scored struct {
	ordinal      uint32
	score        int32
	sortPosition float64
}

// worseThan reports whether a record comes after another.
func (s scored) worseThan(t scored) bool {
	return s.score < t.score || s.score == t.score && s.sortPosition > t.sortPosition
}

func (s scored) relevance() float64 { return float64(s.score) / scoreUnit }

// precedes reports whether a position comes before a record.
func (a *After) precedes(s scored) bool {
	rel := s.relevance()
	return rel < a.Relevance || rel == a.Relevance && s.sortPosition > a.SortPosition
}

// worstFirst holds the best records so far, as a heap with the worst on top.
type worstFirst struct {
	list  []scored
	limit int
}

// full reports whether there are as many records as wanted. Then only better ones are added.
func (h *worstFirst) full() bool { return len(h.list) == h.limit }

// offer adds a record if it is among the best.
func (h *worstFirst) offer(s scored) {
	if !h.full() {
		heap.Push(h, s)
	} else if h.list[0].worseThan(s) {
		h.list[0] = s
		heap.Fix(h, 0)
	}
}

func (h *worstFirst) Len() int           { return len(h.list) }
func (h *worstFirst) Less(i, j int) bool { return h.list[i].worseThan(h.list[j]) }
func (h *worstFirst) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *worstFirst) Push(x any)         { h.list = append(h.list, x.(scored)) }
func (h *worstFirst) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}
