package neighbors

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"kindex/exports"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// Exact finds the exact neighbours, because unlike Find, it reads all inverted lists. It is
// the reference for measuring Find. It is not safe for concurrent use.
type Exact struct {
	vectors *vectors
	number  []uint32 // the number in vectors of each entity, in the given order
}

// NewExact returns an Exact for the same arguments as Find.
func NewExact(entities []*record.Entity, words func(string) []string) *Exact {
	x := &Exact{newVectors(entities, words, nil), make([]uint32, len(entities))}
	for i, o := range x.vectors.ordinal {
		x.number[o] = uint32(i)
	}
	return x
}

// Neighbours returns the neighbours of some of the entities. Like Find, it uses all
// processors.
func (x *Exact) Neighbours(of []uint32) [][]exports.Neighbour {
	lists := make([][]exports.Neighbour, len(of))
	unbound := defaultLimits
	unbound.budget = math.MaxInt
	workers := runtime.GOMAXPROCS(0)
	parallel.Do(workers, func(w int) {
		s := x.vectors.scratch(unbound)
		for k := w; k < len(of); k += workers {
			lists[k] = x.vectors.neighbours(x.number[of[k]], s)
		}
	})
	return lists
}

// AllPairs returns the same neighbours as Neighbours, but without reasons. It compares each
// of the given entities with every other entity, which is the simplest implementation of the
// definition.
func (x *Exact) AllPairs(of []uint32) [][]exports.Neighbour {
	v := x.vectors
	out := make([][]exports.Neighbour, len(of))
	workers := runtime.GOMAXPROCS(0)
	parallel.Do(workers, func(w int) {
		for k := w; k < len(of); k += workers {
			i := x.number[of[k]]
			var all []scored
			for j := range uint32(len(v.norm)) {
				if j == i || v.hidden[j] {
					continue
				}
				if sim := v.cosine(v.sharedOf(v.has.of(i), j), i, j); sim >= minSimilarity {
					all = append(all, scored{j, v.rank[j], sim})
				}
			}
			slices.SortFunc(all, func(a, b scored) int {
				return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.rank, b.rank))
			})
			for _, n := range all[:min(len(all), MaxNeighbours)] {
				out[k] = append(out[k], exports.Neighbour{Ordinal: v.ordinal[n.entity], Similarity: n.similarity})
			}
		}
	})
	return out
}

// Recall returns how many of the k nearest neighbours in exact have been found in got, and
// how many there are in exact. A neighbour also counts as found if got contains a different
// neighbour with the same similarity.
func Recall(k int, got, exact []exports.Neighbour) (found, wanted int) {
	exact, got = exact[:min(k, len(exact))], got[:min(k, len(got))]
	for i := range exact {
		if i < len(got) && got[i].Similarity >= exact[len(exact)-1].Similarity {
			found++
		}
	}
	return found, len(exact)
}
