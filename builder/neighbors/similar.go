// Package neighbors finds the nearest neighbours of every entity, with reasons. It has no
// side effects.
//
// Entities are similar if they share features: category, tags, capabilities, provider, and words
// in the name and description. Features are weighted by kind and rarity. The similarity of two
// entities is the cosine similarity of their weighted feature sets, which is from 0 to 1.
//
// Neighbours that do the same job are marked as alternatives; see vectors.samePurpose. The other
// neighbours are used together with the entity, or are about the same subject.
package neighbors

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"kindex/exports"
	"kindex/exports/record"
)

// MaxNeighbours is the maximum number of neighbours kept for an entity.
const MaxNeighbours = 20

// minSimilarity is the minimum similarity of neighbours.
const minSimilarity = 0.05

// limits contains the limits on the work for one entity and for an incremental update.
type limits struct {
	budget    int // how many entries in inverted lists may be read to gather candidates, rarest features first
	shortlist int // how many candidates are then compared exactly
	most      int // the maximum number of neighbours kept

	// changed is the maximum share of entities that may have changed for an incremental update
	// to pay off.
	changed float64
}

var defaultLimits = limits{budget: 16000, shortlist: 250, most: MaxNeighbours, changed: 0.1}

// Found is the result of Find and FindIncremental.
type Found struct {
	Near     [][]exports.Neighbour // of every entity, in the given order
	Features []exports.Feature     // to which the reasons refer
	Sets     *Sets                 // the features of every entity
	Computed int                   // the number of entities whose neighbours were calculated, not copied
}

// Find returns the neighbours of every entity. words splits a string into the words that are used as
// features.
func Find(entities []*record.Entity, words func(string) []string) *Found {
	v := newVectors(entities, words, nil)
	return v.found(v.all(defaultLimits), len(entities))
}

// found returns the result.
func (v *vectors) found(near [][]exports.Neighbour, computed int) *Found {
	s := &Sets{lists: v.has, number: make([]uint32, len(v.ordinal))}
	for i, o := range v.ordinal {
		s.number[o] = uint32(i)
	}
	return &Found{near, v.features, s, computed}
}

// all returns the neighbours of all entities, in the order in which they were given.
func (v *vectors) all(l limits) [][]exports.Neighbour {
	found := make([][]exports.Neighbour, len(v.ordinal))
	workers := runtime.GOMAXPROCS(0)
	inParallel(workers, func(w int) {
		s := v.scratch(l)
		for i := w; i < len(found); i += workers {
			found[v.ordinal[i]] = v.neighbours(uint32(i), s)
		}
	})
	return found
}

// inParallel calls work concurrently, once for each part; w is the number of the part.
func inParallel(parts int, work func(w int)) {
	var wg sync.WaitGroup
	for w := range parts {
		wg.Go(func() { work(w) })
	}
	wg.Wait()
}

// scratch is the working memory of one worker.
type scratch struct {
	limits
	cells   []cell      // by entity
	touched []uint32    // has room for one more than the number of entities
	best    []candidate // a heap with the least promising candidate at the top
	order   []uint64    // promises and indexes of the candidates in best, sorted
}

// cell keeps an entity's most frequently used values together in memory.
type cell struct {
	partial uint32 // sum of the squared weights that are known to be shared
	inverse float32
}

func (v *vectors) scratch(l limits) *scratch {
	s := &scratch{limits: l, cells: make([]cell, len(v.inverse)), touched: make([]uint32, len(v.inverse)+1)}
	for j, x := range v.inverse {
		s.cells[j].inverse = x
	}
	return s
}

// candidate is an entity that may be a neighbour.
type candidate struct {
	entity  uint32
	rank    int32
	partial uint32  // the part of the dot product that is known so far
	promise float32 // an upper bound on the similarity, multiplied by the entity's own norm
}

// before reports whether c promises more than d.
func (c candidate) before(d candidate) bool {
	if c.promise != d.promise {
		return c.promise > d.promise
	}
	return c.rank < d.rank
}

// offer adds a candidate to the shortlist if the candidate is one of the most promising.
func (s *scratch) offer(c candidate) {
	if len(s.best) < s.shortlist {
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

// neighbours finds an entity's candidates by its rarest features, and calculates the exact
// similarity of the most promising ones.
func (v *vectors) neighbours(i uint32, s *scratch) []exports.Neighbour {
	unread := v.gather(i, s)
	nearest := make([]scored, 0, s.most+1)
	least := minSimilarity // similarity of the last neighbour, once the list is full
	s.order = s.order[:0]
	for k, c := range s.best {
		s.order = append(s.order, uint64(math.Float32bits(c.promise))<<32|uint64(k))
	}
	slices.Sort(s.order)
	for k := len(s.order) - 1; k >= 0; k-- {
		c := s.best[uint32(s.order[k])]
		if c.promise < v.promised(i, least) {
			break // later candidates cannot reach this similarity either
		}
		dot := uint64(c.partial) + v.sharedOf(unread, c.entity)
		n := scored{c.entity, c.rank, v.cosine(dot, i, c.entity)}
		if n.similarity < minSimilarity {
			continue
		}
		if nearest = n.insert(nearest, s.most); len(nearest) == s.most {
			least = nearest[s.most-1].similarity
		}
	}
	list := make([]exports.Neighbour, len(nearest))
	for k, n := range nearest {
		list[k] = exports.Neighbour{Ordinal: v.ordinal[n.entity], Similarity: n.similarity, Reasons: v.reasons(i, n.entity)}
	}
	v.markAlternatives(i, nearest, list)
	return list
}

// scored is a candidate with its exact similarity.
type scored struct {
	entity     uint32
	rank       int32
	similarity float64
}

// insert adds a candidate to a sorted list with a maximum length of most.
func (n scored) insert(list []scored, most int) []scored {
	at := len(list)
	for at > 0 && (n.similarity > list[at-1].similarity || n.similarity == list[at-1].similarity && n.rank < list[at-1].rank) {
		at--
	}
	if at == most {
		return list
	}
	list = slices.Insert(list, at, n)
	return list[:min(len(list), most)]
}

// product returns the squared norm of a set of features.
func (v *vectors) product(features []uint32) (sum uint64) {
	for _, id := range features {
		sum += uint64(v.square[id])
	}
	return sum
}

// reach returns how many of the given features, which are sorted by their frequency df, are
// read. These are as many as the budget allows, but at least one. A feature that only one entity
// has costs nothing.
func (l limits) reach(features []uint32, df func(id uint32) int) int {
	read := 0
	for k, id := range features {
		n := df(id)
		if n < 2 {
			continue
		}
		if read > 0 && read+n > l.budget {
			return k
		}
		read += n
	}
	return len(features)
}

// gather reads as many of an entity's features as the budget allows, rarest first, and fills the
// shortlist with the most promising entities that share these features. It returns the features
// that it has not read, which are the most frequent ones.
func (v *vectors) gather(i uint32, s *scratch) (unread []uint32) {
	s.best = s.best[:0]
	has := v.has.of(i)
	reach := s.reach(has, v.df)
	unread = has[reach:]
	touched := v.touch(has[:reach], s)
	rest := uint32(v.product(unread))
	least := float32(0) // the minimum promise that a candidate must make
	cells := s.cells
	for _, j := range touched {
		c := &cells[j]
		partial := c.partial
		c.partial = 0
		promise := float32(partial+rest) * c.inverse
		if promise < least || j == i || v.hidden[j] {
			continue
		}
		s.offer(candidate{j, v.rank[j], partial, promise})
		if len(s.best) == s.shortlist {
			least = s.best[0].promise
		}
	}
	return unread
}

// touch adds the squared weight of each given feature to the cells of all entities that have the
// feature. It returns these entities.
func (v *vectors) touch(features []uint32, s *scratch) []uint32 {
	touched := 0
	cells, list := s.cells, s.touched // local copies: in this hot loop, they would be reloaded after each write through s
	for _, id := range features {
		square := v.square[id]
		if square == 0 {
			continue
		}
		for _, j := range v.inverted.of(id) {
			// Avoid a branch, because it would be unpredictable: always write j, but keep it
			// only if it was not touched before.
			c := &cells[j]
			list[touched] = j
			touched += int((uint64(c.partial) - 1) >> 63)
			c.partial += square
		}
	}
	return list[:touched]
}

// promised returns the minimum promise that a candidate must make to entity i to be able to
// reach a given similarity.
func (v *vectors) promised(i uint32, similarity float64) float32 {
	// Subtract 1e-4, because rounding may raise a similarity by half of that. The other half,
	// and the factor 1 - 1e-4, allow for the limited precision of a promise.
	return float32((similarity - 1e-4) * v.norm[i] * (1 - 1e-4))
}

// sharedOf returns the dot product of the features of entity j with the given features, which
// are some of the most frequent features of another entity. It walks both lists backwards at the
// same time.
func (v *vectors) sharedOf(features []uint32, j uint32) (dot uint64) {
	has := v.has.of(j)
	for x, y := len(features)-1, len(has)-1; x >= 0 && y >= 0; {
		switch a, b := features[x], has[y]; {
		case a > b:
			x--
		case a < b:
			y--
		default:
			dot += uint64(v.square[a])
			x--
			y--
		}
	}
	return dot
}

// cosine returns the similarity of two entities with the given dot product. It rounds the
// result, so that equal similarities compare as equal.
func (v *vectors) cosine(dot uint64, i, j uint32) float64 {
	if dot == 0 {
		return 0
	}
	return math.Round(min(1, float64(dot)/(v.norm[i]*v.norm[j]))*1e4) / 1e4
}

// reasons returns the shared features with the largest weights.
func (v *vectors) reasons(i, j uint32) exports.Reasons {
	var top [exports.MaxReasons + 1]uint32
	n := 0
	a, b := v.has.of(i), v.has.of(j)
	for x, y := 0, 0; x < len(a) && y < len(b); {
		switch {
		case a[x] < b[y]:
			x++
		case a[x] > b[y]:
			y++
		default:
			if id := a[x]; v.square[id] > 0 {
				at := n
				for ; at > 0 && v.reason[id] < v.reason[top[at-1]]; at-- {
					top[at] = top[at-1]
				}
				top[at] = id
				n = min(n+1, exports.MaxReasons)
			}
			x++
			y++
		}
	}
	return exports.ReasonsOf(top[:n]...)
}
