package neighbors

import (
	"runtime"

	"kindex/exports"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// Previous is a previous build by the same version of the builder; *exports.Build
// implements it. Its methods must be safe for concurrent use.
type Previous interface {
	// Len returns the number of entities, including withdrawn ones; every ordinal is less than
	// Len.
	Len() int
	// Find returns the ordinal of the entity that has a slug. If there is none, it returns the
	// ordinal of the entity that had the slug earlier, and moved is true.
	Find(typ, slug string) (ordinal uint32, moved, ok bool)
	// Entity returns the entity with an ordinal.
	Entity(ordinal uint32) (*record.Entity, error)
	// AppendSimilar appends the neighbours of an entity to dst, nearest first.
	AppendSimilar(dst []exports.Neighbour, ordinal uint32) []exports.Neighbour
	// Features returns the number of features, and Feature returns one of the features.
	Features() int
	Feature(i uint32) exports.Feature
}

var _ Previous = (*exports.Build)(nil)

// FindIncremental returns exactly what Find returns, but recalculates only the neighbours that
// the changes since the previous build can affect. It calls unchanged for every index of
// entities; unchanged returns the ordinal of an entity in the previous build if its content is certainly
// the same. sets has the features of the entities of that build; if it is nil, they are collected
// again. If too much has changed, or the previous build cannot be read, everything is recalculated.
//
// Why the other results remain valid: The neighbours of an entity i depend on three things: on
// its features and their squared weights; on which of these features are read (its reach); and
// on each candidate that shares a feature that is read. Of a candidate, only its features, its
// norm, its rank relative to other candidates, and whether it is hidden matter. The numbers
// assigned to features and entities do not matter, because every order derives from frequencies, weights,
// values and keys, and the ranks of any two remaining entities keep their order. So, as long as
// the total number of entities has the same number of bits as before, nothing changes for i
// unless
//
//  1. i is new, or its features have changed,
//  2. the squared weight of one of its features has changed,
//  3. its reach, as a set, has changed because frequencies have, or
//  4. it shares a feature that is read with an entity T that was added, removed, hidden or
//     shown, or whose features (1) or norm (2) have changed.
//
// Case 4 matters only if T, before or after the change, promises i at least the similarity of
// the last neighbour of i, or the minimum similarity if the list of i is not full. A promise is
// an upper bound on a similarity, and the neighbours are the most similar of all candidates. So
// if T promises less both before and after the change, it is a neighbour in neither case, and the most
// similar of the other candidates remain the same.
//
// Which neighbours are alternatives depends on the list, and on the types, slugs, names and
// features of its members. A member for which any of these changed is such a T, and promises enough.
func FindIncremental(entities []*record.Entity, words func(string) []string, previous Previous, sets *Sets, unchanged Unchanged) *Found {
	return findIncremental(entities, words, previous, sets, unchanged, defaultLimits)
}

// Unchanged returns the ordinal in the previous build of an unchanged entity, given its index.
type Unchanged func(i int) (ordinal uint32, ok bool)

func findIncremental(entities []*record.Entity, words func(string) []string, previous Previous, sets *Sets, unchanged Unchanged, l limits) *Found {
	u := &update{limits: l, previous: previous, unchanged: make([]uint32, len(entities))}
	for i := range entities {
		u.unchanged[i] = none
		if o, ok := unchanged(i); ok {
			u.unchanged[i] = o
		}
	}
	var k *known
	if sets != nil {
		k = &known{previous, sets, u.unchanged}
	}
	u.vectors = newVectors(entities, words, k)
	if !sameWeights(len(entities), previous.Len()) || !u.compare(entities, words) {
		return u.found(u.all(l), len(entities))
	}
	near := u.keep() // cases 1 to 3 are done
	u.meet()         // case 4
	return u.found(near, u.compute(near))
}

// keep returns the previous neighbours of all entities that, so far, need no recalculation. It
// also records the conditions under which these neighbours would change.
func (u *update) keep() []exports.PackedNeighbours {
	feature := make([]uint32, u.previous.Features())
	for i := range feature {
		id, ok := u.ids[u.previous.Feature(uint32(i))]
		if !ok {
			id = none
		}
		feature[i] = id
	}
	found := make([]exports.PackedNeighbours, len(u.ordinal))
	u.kept = make([]kept, len(u.ordinal))
	workers := runtime.GOMAXPROCS(0)
	parallel.Do(workers, func(w int) {
		var list []exports.Neighbour
		for i := uint32(w); i < uint32(len(found)); i += uint32(workers) {
			if u.recompute[i] {
				continue
			}
			list = u.previous.AppendSimilar(list[:0], u.previousOrdinal[i])
			if !u.translate(list, feature) {
				u.recompute[i] = true
				continue
			}
			found[u.ordinal[i]] = exports.PackNeighbours(list)
			u.kept[i] = u.keeps(i, list)
		}
	})
	return found
}

// translate replaces the ordinals and features in a list of neighbours with the current ones. It
// returns false if a neighbour no longer exists.
func (u *update) translate(list []exports.Neighbour, feature []uint32) bool {
	for k := range list {
		n := &list[k]
		n.Ordinal = u.now[n.Ordinal]
		var reasons [exports.MaxReasons]uint32
		previous := n.Reasons.List()
		for r, id := range previous {
			if reasons[r] = feature[id]; reasons[r] == none {
				return false
			}
		}
		if n.Ordinal == none {
			return false
		}
		n.Reasons = exports.ReasonsOf(reasons[:len(previous)]...)
	}
	return true
}

// kept contains the values that determine whether an entity keeps its neighbours.
type kept struct {
	reach uint32  // the entity's first feature that is not read; 0 if its neighbours are recalculated
	rest  uint32  // sum of the squared weights of the features that are not read
	least float32 // the promise above which a candidate matters
}

func (u *update) keeps(i uint32, list []exports.Neighbour) kept {
	has := u.has.of(i)
	read := u.reach(has, u.df)
	k := kept{reach: none, rest: uint32(u.product(has[read:])), least: u.promised(i, minSimilarity)}
	if read < len(has) {
		k.reach = has[read]
	}
	if len(list) == u.most {
		k.least = u.promised(i, list[u.most-1].Similarity)
	}
	return k
}

// meet finds the entities that are affected by changed entities.
func (u *update) meet() {
	workers := min(runtime.GOMAXPROCS(0), len(u.versions))
	marks := make([][]bool, workers)
	parallel.Do(workers, func(w int) {
		marks[w] = make([]bool, len(u.kept))
		s := u.scratch(u.limits)
		for k := w; k < len(u.versions); k += workers {
			u.mark(&u.versions[k], s, marks[w])
		}
	})
	for _, m := range marks {
		for i, matters := range m {
			u.recompute[i] = u.recompute[i] || matters
		}
	}
}

// mark marks the entities that a version affects.
func (u *update) mark(t *version, s *scratch, marks []bool) {
	touched := s.touched[:0]
	for _, id := range t.features {
		square := u.square[id]
		if square == 0 {
			continue
		}
		for _, i := range u.inverted.of(id) {
			if id >= u.kept[i].reach {
				continue
			}
			if s.cells[i].partial == 0 {
				touched = append(touched, i)
			}
			s.cells[i].partial += square
		}
	}
	for _, i := range touched {
		promise := float32(s.cells[i].partial+u.kept[i].rest) * t.inverse
		s.cells[i].partial = 0
		if promise >= u.kept[i].least {
			marks[i] = true
		}
	}
}

// compute calculates the missing neighbours, and returns the number of entities whose neighbours
// were missing.
func (u *update) compute(found []exports.PackedNeighbours) int {
	var list []uint32
	for i, afresh := range u.recompute {
		if afresh {
			list = append(list, uint32(i))
		}
	}
	workers := runtime.GOMAXPROCS(0)
	parallel.Do(workers, func(w int) {
		s := u.scratch(u.limits)
		for k := w; k < len(list); k += workers {
			found[u.ordinal[list[k]]] = exports.PackNeighbours(u.neighbours(list[k], s))
		}
	})
	return len(list)
}
