// Package similar finds the nearest neighbours of every entity, with reasons.
// It is pure.
//
// Entities are alike by what they share: category, tags, capabilities, provider
// and words of name and description. Each such feature weighs by its kind and
// by how rare it is; the similarity of two entities is the cosine of their
// weighted feature sets, from 0 to 1.
package similar

import (
	"cmp"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"

	"kindex/exports"
)

// Most is how many neighbours are kept for an entity.
const Most = 20

// The kinds of feature, as reasons name them, and what they weigh.
const (
	kindCategory   = "category"
	kindTag        = "tag"
	kindCapability = "capability"
	kindProvider   = "provider"
	kindWord       = "word"
)

var kindWeights = map[string]uint32{kindCategory: 3, kindTag: 3, kindCapability: 2, kindProvider: 2, kindWord: 1}

// weakest is the similarity below which two entities have nothing to do with
// each other.
const weakest = 0.05

// budget is how many entries of inverted lists are read to gather candidates
// for one entity, the rarest features first, and shortlist how many candidates
// are then compared exactly.
const (
	budget    = 6000
	shortlist = 80
)

// vectors holds the features of all entities.
type vectors struct {
	features []exports.Feature
	weight   []uint32   // of each feature
	has      [][]uint32 // features of each entity, ascending
	inverted [][]uint32 // entities with each feature, ascending
	norm     []float64
	inverse  []float32 // of norm
	hidden   []bool    // withdrawn entities are nobody's neighbours
	rank     []int32   // place in the order by type and slug: what breaks ties
}

// Find returns the neighbours of every entity in the order given, and the
// features that their reasons point to. words splits a text into the words
// that count.
func Find(entities []*exports.Entity, words func(string) []string) ([][]exports.Neighbour, []exports.Feature) {
	v := newVectors(entities, words)
	lists := make([][]exports.Neighbour, len(entities))
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			s := &scratch{partial: make([]uint32, len(entities))}
			for i := w; i < len(entities); i += workers {
				lists[i] = v.neighbours(uint32(i), s, budget)
			}
		})
	}
	wg.Wait()
	return lists, v.features
}

func newVectors(entities []*exports.Entity, words func(string) []string) *vectors {
	n := len(entities)
	v := &vectors{has: make([][]uint32, n), norm: make([]float64, n), inverse: make([]float32, n), hidden: make([]bool, n), rank: keyRanks(entities)}
	ids := map[string]uint32{}
	for i, e := range entities {
		v.hidden[i] = e.Status == exports.Withdrawn
		for _, f := range featuresOf(e, words) {
			id, ok := ids[f]
			if !ok {
				id = uint32(len(v.inverted))
				ids[f] = id
				kind, value, _ := strings.Cut(f, "\x00")
				v.features = append(v.features, exports.Feature{Kind: kind, Value: value})
				v.inverted = append(v.inverted, nil)
			}
			v.has[i] = append(v.has[i], id)
			v.inverted[id] = append(v.inverted[id], uint32(i))
		}
		slices.Sort(v.has[i])
	}
	v.weight = make([]uint32, len(v.inverted))
	for id, list := range v.inverted {
		v.weight[id] = kindWeights[v.features[id].Kind] * rarity(n, len(list))
	}
	for i, has := range v.has {
		var sum uint64
		for _, id := range has {
			sum += uint64(v.weight[id]) * uint64(v.weight[id])
		}
		v.norm[i] = math.Sqrt(float64(sum))
		v.inverse[i] = float32(1 / max(v.norm[i], 1))
	}
	return v
}

// keyRanks numbers entities by type and slug.
func keyRanks(entities []*exports.Entity) []int32 {
	order, rank := make([]int32, len(entities)), make([]int32, len(entities))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return exports.CompareKey(entities[a], entities[b]) })
	for place, i := range order {
		rank[i] = int32(place)
	}
	return rank
}

// rarity weighs a feature that df of n entities have. It moves in steps of
// powers of two, so that adding one entity hardly ever changes the weights of
// others. A feature that nobody shares weighs nothing.
func rarity(n, df int) uint32 {
	if df < 2 {
		return 0
	}
	return uint32(1 + bits.Len(uint(n)) - bits.Len(uint(df)))
}

// featuresOf lists the features of an entity, each once, as kind, NUL, value.
func featuresOf(e *exports.Entity, words func(string) []string) []string {
	list := []string{kindCategory + "\x00" + e.Category}
	if e.Provider != "" {
		list = append(list, kindProvider+"\x00"+e.Provider)
	}
	for _, t := range e.Tags {
		list = append(list, kindTag+"\x00"+t)
	}
	for _, c := range e.Capabilities {
		list = append(list, kindCapability+"\x00"+c)
	}
	for _, w := range words(e.Name + " " + e.Description) {
		if len(w) > 2 {
			list = append(list, kindWord+"\x00"+w)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// scratch is the memory of one worker.
type scratch struct {
	partial []uint32 // weight shared so far, by entity
	touched []uint32
	order   []uint32
	best    []candidate // a heap, the least promising on top
}

// candidate is an entity that may be a neighbour.
type candidate struct {
	entity  uint32
	rank    int32
	shared  uint32  // the weight that is known to be shared
	promise float32 // the part of the similarity that comes from it
}

// before tells whether c promises more than d.
func (c candidate) before(d candidate) bool {
	if c.promise != d.promise {
		return c.promise > d.promise
	}
	return c.rank < d.rank
}

// offer keeps the shortlist of the most promising candidates.
func (s *scratch) offer(c candidate) {
	if len(s.best) < shortlist {
		s.best = append(s.best, c)
		for i := len(s.best) - 1; i > 0; {
			up := (i - 1) / 2
			if s.best[i].before(s.best[up]) {
				break
			}
			s.best[i], s.best[up] = s.best[up], s.best[i]
			i = up
		}
		return
	}
	if !c.before(s.best[0]) {
		return
	}
	s.best[0] = c
	for i := 0; ; {
		down := 2*i + 1
		if down+1 < len(s.best) && s.best[down].before(s.best[down+1]) {
			down++
		}
		if down >= len(s.best) || !s.best[i].before(s.best[down]) {
			return
		}
		s.best[i], s.best[down] = s.best[down], s.best[i]
		i = down
	}
}

// neighbours finds candidates by the rarest features and compares the most
// promising ones exactly.
func (v *vectors) neighbours(i uint32, s *scratch, budget int) []exports.Neighbour {
	s.order = append(s.order[:0], v.has[i]...)
	slices.SortFunc(s.order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(len(v.inverted[a]), len(v.inverted[b])), cmp.Compare(a, b))
	})
	s.touched = s.touched[:0]
	read, unread := 0, s.order[len(s.order):]
	for k, id := range s.order {
		w := v.weight[id]
		if w == 0 {
			continue
		}
		if read > 0 && read+len(v.inverted[id]) > budget {
			unread = s.order[k:]
			break
		}
		read += len(v.inverted[id])
		for _, j := range v.inverted[id] {
			if s.partial[j] == 0 {
				s.touched = append(s.touched, j)
			}
			s.partial[j] += w * w
		}
	}
	s.best = s.best[:0]
	for _, j := range s.touched {
		if j != i && !v.hidden[j] {
			s.offer(candidate{j, v.rank[j], s.partial[j], float32(s.partial[j]) * v.inverse[j]})
		}
		s.partial[j] = 0
	}
	best := make([]exports.Neighbour, 0, len(s.best))
	for _, c := range s.best {
		dot := uint64(c.shared) + v.sharedOf(unread, c.entity)
		if sim := v.cosine(dot, i, c.entity); sim >= weakest {
			best = append(best, exports.Neighbour{Ordinal: c.entity, Similarity: sim})
		}
	}
	slices.SortFunc(best, func(a, b exports.Neighbour) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(v.rank[a.Ordinal], v.rank[b.Ordinal]))
	})
	best = slices.Clone(best[:min(len(best), Most)])
	for k := range best {
		best[k].Reasons = v.reasons(i, best[k].Ordinal)
	}
	return best
}

// shared calls f with the features that two entities have in common.
func (v *vectors) shared(i, j uint32, f func(id uint32)) {
	a, b := v.has[i], v.has[j]
	for x, y := 0, 0; x < len(a) && y < len(b); {
		switch {
		case a[x] < b[y]:
			x++
		case a[x] > b[y]:
			y++
		default:
			f(a[x])
			x++
			y++
		}
	}
}

// sharedOf is the weight of those of some features that an entity has.
func (v *vectors) sharedOf(features []uint32, j uint32) uint64 {
	var dot uint64
	for _, id := range features {
		if _, ok := slices.BinarySearch(v.has[j], id); ok {
			dot += uint64(v.weight[id]) * uint64(v.weight[id])
		}
	}
	return dot
}

// cosine is the similarity, rounded so that equals are equal.
func (v *vectors) cosine(dot uint64, i, j uint32) float64 {
	if dot == 0 {
		return 0
	}
	return math.Round(min(1, float64(dot)/(v.norm[i]*v.norm[j]))*1e4) / 1e4
}

// reasons are the three weightiest features that two entities share.
func (v *vectors) reasons(i, j uint32) []uint32 {
	top := make([]uint32, 0, 4)
	v.shared(i, j, func(id uint32) {
		if v.weight[id] == 0 {
			return
		}
		at, _ := slices.BinarySearchFunc(top, id, v.compareReasons)
		if at < 3 {
			top = slices.Insert(top, at, id)
			top = top[:min(3, len(top))]
		}
	})
	return top
}

// compareReasons orders features by weight, the heaviest first.
func (v *vectors) compareReasons(a, b uint32) int {
	return cmp.Or(cmp.Compare(v.weight[b], v.weight[a]), cmp.Compare(v.features[a].Kind, v.features[b].Kind),
		cmp.Compare(v.features[a].Value, v.features[b].Value))
}
