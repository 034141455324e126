// Package neighbors finds the nearest neighbours of every entity, with reasons. It has no
// side effects.
//
// Entities are similar if they share features: category, tags, capabilities, provider, and words
// in the name and description. Features are weighted by kind and rarity. The similarity of two
// entities is the cosine similarity of their weighted feature sets, which is from 0 to 1.
//
// Neighbours that do the same job are marked as alternatives; see samePurpose. The other
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

// budget is how many entries in inverted lists Find reads to gather the candidates of an entity. A
// catalogue of a few thousand entities has no longer lists.
const budget = 4000

// first is how many of the candidates that share the most are compared first, so that most others
// can be ruled out.
const first = 32

// Found is the result of Find.
type Found struct {
	Near     [][]exports.Neighbour // of every entity, in the given order
	Features []exports.Feature     // to which the reasons refer
}

// Find returns the neighbours of every entity. words splits a string into the words that are used as
// features. In large catalogues, entities that share only frequent features may not be found.
func Find(entities []*record.Entity, words func(string) []string) *Found {
	v := newVectors(entities, words)
	near := make([][]exports.Neighbour, len(entities))
	v.each(budget, len(entities), func(s *scratch, i int) {
		near[i] = v.neighbours(uint32(i), s)
	})
	return &Found{near, v.features}
}

// Of returns the neighbours of some of the entities, given by index. It reads all inverted lists.
func Of(entities []*record.Entity, words func(string) []string, some []uint32) [][]exports.Neighbour {
	v := newVectors(entities, words)
	lists := make([][]exports.Neighbour, len(some))
	v.each(math.MaxInt, len(some), func(s *scratch, k int) {
		lists[k] = v.neighbours(some[k], s)
	})
	return lists
}

// each calls work with the numbers below n, on all processors.
func (v *vectors) each(budget, n int, work func(s *scratch, i int)) {
	workers := runtime.GOMAXPROCS(0)
	parallel.Do(workers, func(w int) {
		s := &scratch{budget: budget, shared: make([]uint32, len(v.norm))}
		for i := w; i < n; i += workers {
			work(s, i)
		}
	})
}

// scratch is the working memory of one worker.
type scratch struct {
	budget  int
	shared  []uint32 // by entity: the sum of the squared weights that are known to be shared
	touched []uint32 // the entities for which that is not 0

	leaders, nearest []scored
}

// neighbours finds an entity's candidates by the features with the highest yield, and returns the
// most similar ones. It first compares those that share the most of these features, then all others
// that could be among the most similar.
func (v *vectors) neighbours(i uint32, s *scratch) []exports.Neighbour {
	unread := v.gather(i, s)
	rest := v.product(unread)
	leaders, nearest := s.leaders[:0], s.nearest[:0]
	for _, j := range s.touched {
		if known := float64(s.shared[j]) / v.norm[j]; len(leaders) < first || known > leaders[first-1].similarity {
			leaders = scored{j, v.rank[j], known}.insert(leaders, first)
		}
	}
	least := minSimilarity
	compare := func(j uint32) {
		x := scored{j, v.rank[j], v.cosine(uint64(s.shared[j])+v.sharedOf(unread, j), i, j)}
		if s.shared[j] = 0; x.similarity < minSimilarity {
			return
		}
		if nearest = x.insert(nearest, MaxNeighbours); len(nearest) == MaxNeighbours {
			least = nearest[MaxNeighbours-1].similarity
		}
	}
	for _, l := range leaders {
		compare(l.entity)
	}
	for _, j := range s.touched {
		// Rounding may raise a similarity by up to 0.5e-4.
		if known := s.shared[j]; known > 0 && float64(uint64(known)+rest) >= (least-1e-4)*v.norm[i]*v.norm[j] {
			compare(j)
		}
		s.shared[j] = 0
	}
	s.leaders, s.nearest = leaders, nearest
	list := make([]exports.Neighbour, len(nearest))
	closest := 0.0 // the similarity of the nearest alternative
	for k, x := range nearest {
		alternative := x.similarity*alternativeShare >= closest && samePurpose(v.entities[i], v.entities[x.entity]) && v.sharePurpose(i, x.entity)
		if alternative && closest == 0 {
			closest = x.similarity
		}
		list[k] = exports.Neighbour{Ordinal: x.entity, Similarity: x.similarity, Reasons: v.reasons(i, x.entity), Alternative: alternative}
	}
	return list
}

// gather reads as many of an entity's features as the budget allows, but at least one, those with
// the highest yield first. It lists the other entities that share them in s, and returns the features
// that it has not read.
func (v *vectors) gather(i uint32, s *scratch) (unread []uint32) {
	s.touched = s.touched[:0]
	read := 0
	for k, id := range v.has[i] {
		list := v.inverted[id]
		if len(list) < 2 {
			continue // no other entity has it
		}
		if read > 0 && read+len(list) > s.budget {
			return v.has[i][k:]
		}
		read += len(list)
		for _, j := range list {
			if j == i || v.entities[j].Status == record.Withdrawn { // these are never neighbours
				continue
			}
			if s.shared[j] == 0 {
				s.touched = append(s.touched, j)
			}
			s.shared[j] += v.square[id]
		}
	}
	return nil
}

// scored is a candidate with its similarity.
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

// sharedOf returns the dot product of the features of entity j with the given features, which
// are those of another entity with the lowest yield. It walks both lists backwards at the
// same time.
func (v *vectors) sharedOf(features []uint32, j uint32) (dot uint64) {
	has := v.has[j]
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

// reasons returns the shared features with the largest weights. Words that a quarter of all entities have are none,
// unless nothing else is shared.
func (v *vectors) reasons(i, j uint32) exports.Reasons {
	var top, frequent []uint32
	for _, id := range v.has[i] {
		switch _, shared := slices.BinarySearch(v.has[j], id); {
		case !shared || v.square[id] == 0:
		case v.features[id].Kind == kindWord && 4*len(v.inverted[id]) > len(v.entities):
			frequent = append(frequent, id)
		default:
			top = append(top, id)
		}
	}
	if top == nil {
		top = frequent
	}
	slices.SortFunc(top, v.compareWeights)
	return exports.ReasonsOf(top[:min(len(top), exports.MaxReasons)]...)
}
