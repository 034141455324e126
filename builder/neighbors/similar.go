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

	"kindex/exports"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// MaxNeighbours is the maximum number of neighbours kept for an entity.
const MaxNeighbours = 20

// minSimilarity is the minimum similarity of neighbours.
const minSimilarity = 0.05

// limits contains the limits on the work for one entity and for an incremental update.
type limits struct {
	budget int // how many entries in inverted lists may be read to gather candidates, features with the highest yield first
	first  int // how many of the candidates that share the most are compared first, so that most others can be ruled out
	most   int // the maximum number of neighbours kept

	// changed is the maximum share of entities that may have changed for an incremental update
	// to pay off.
	changed float64
}

var defaultLimits = limits{budget: 16000, first: 32, most: MaxNeighbours, changed: 0.1}

// Found is the result of Find and FindIncremental.
type Found struct {
	Near     []exports.PackedNeighbours // of every entity, in the given order
	Features []exports.Feature          // to which the reasons refer
	Sets     *Sets                      // the features of every entity
	Computed int                        // the number of entities whose neighbours were calculated, not copied
}

// Find returns the neighbours of every entity. words splits a string into the words that are used as
// features.
func Find(entities []*record.Entity, words func(string) []string) *Found {
	v := newVectors(entities, words, nil)
	return v.found(v.all(defaultLimits), len(entities))
}

// found returns the result.
func (v *vectors) found(near []exports.PackedNeighbours, computed int) *Found {
	s := &Sets{lists: v.has, number: make([]uint32, len(v.ordinal))}
	for i, o := range v.ordinal {
		s.number[o] = uint32(i)
	}
	return &Found{near, v.features, s, computed}
}

// all returns the neighbours of all entities, in the order in which they were given.
func (v *vectors) all(l limits) []exports.PackedNeighbours {
	found := make([]exports.PackedNeighbours, len(v.ordinal))
	workers := runtime.GOMAXPROCS(0)
	parallel.Do(workers, func(w int) {
		s := v.scratch(l)
		for i := w; i < len(found); i += workers {
			found[v.ordinal[i]] = exports.PackNeighbours(v.neighbours(uint32(i), s))
		}
	})
	return found
}

// neighbours finds an entity's candidates by the features with the highest yield, and returns the most similar
// ones. It first compares those that share the most of these features, then those whose signatures promise the
// most, until all others promise too little to be among the most similar.
func (v *vectors) neighbours(i uint32, s *scratch) []exports.Neighbour {
	unread := v.gather(i, s)
	n := &nearest{vectors: v, of: i, unread: unread, list: make([]scored, 0, s.most+1), most: s.most, least: v.promised(i, minSimilarity)}
	for _, at := range s.leaders {
		n.compare(&s.candidates[at.place])
		s.candidates[at.place].inverse = 0 // already compared
	}
	rest := uint32(v.product(unread))
	s.setProbes(v, unread)
	s.promising = s.promising[:0]
	batch := s.batch[:0]
	for k := range s.candidates {
		if c := &s.candidates[k]; c.promise(rest) >= n.least {
			if batch = append(batch, uint32(k)); len(batch) == cap(batch) {
				s.readSignatures(v, batch, n.least)
				batch = batch[:0]
				if len(s.promising) >= promisingLen {
					s.comparePromising(n, compareAtOnce)
				}
			}
		}
	}
	s.readSignatures(v, batch, n.least)
	s.comparePromising(n, math.MaxInt)
	list := make([]exports.Neighbour, len(n.list))
	for k, x := range n.list {
		list[k] = exports.Neighbour{Ordinal: v.ordinal[x.entity], Similarity: x.similarity, Reasons: v.reasons(i, x.entity)}
	}
	v.markAlternatives(i, n.list, list)
	return list
}

// nearest collects the most similar of the candidates of an entity.
type nearest struct {
	*vectors
	of     uint32
	unread []uint32 // the features of that entity that were not read
	list   []scored // sorted
	most   int      // the maximum length of list
	least  float32  // what a candidate must promise to be inserted
}

// compare calculates the similarity of a candidate, and inserts the candidate if it is one of the most
// similar.
func (n *nearest) compare(c *candidate) {
	dot := uint64(c.partial) + n.sharedOf(n.unread, c.entity)
	x := scored{c.entity, n.rank[c.entity], n.cosine(dot, n.of, c.entity)}
	if x.similarity < minSimilarity {
		return
	}
	if n.list = x.insert(n.list, n.most); len(n.list) == n.most {
		n.least = n.promised(n.of, n.list[n.most-1].similarity)
	}
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

// reach returns how many of the given features, which are sorted by yield, are read. These are as many as
// the budget allows, but at least one. df returns the frequency of a feature; a feature of a
// single entity costs nothing.
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

// promised returns the minimum promise that a candidate must make to entity i to be able to
// reach a given similarity.
func (v *vectors) promised(i uint32, similarity float64) float32 {
	// Subtract 1e-4, because rounding may raise a similarity by half of that. The other half,
	// and the factor 1 - 1e-4, allow for the limited precision of a promise.
	return float32((similarity - 1e-4) * v.norm[i] * (1 - 1e-4))
}

// sharedOf returns the dot product of the features of entity j with the given features, which
// are those of another entity with the lowest yield. It walks both lists backwards at the
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
