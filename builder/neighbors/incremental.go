package neighbors

import (
	"math/bits"
	"runtime"

	"kindex/exports"
	"kindex/exports/record"
)

// Previous is a build that the same recipe made of other content; an
// *exports.Build is one. Its methods may be called from several goroutines.
type Previous interface {
	// Len is the number of entities, withdrawn ones included; ordinals are below it.
	Len() int
	// Find returns the ordinal of an entity, or of the one that once had this
	// slug, which has moved.
	Find(typ, slug string) (ordinal uint32, moved, ok bool)
	// Entity returns an entity as it was.
	Entity(ordinal uint32) (*record.Entity, error)
	// Similar returns the neighbours that were found, in a list of its own.
	Similar(ordinal uint32) []exports.Neighbour
	// Features is the number of features, and Feature returns one of them.
	Features() int
	Feature(i uint32) exports.Feature
}

var _ Previous = (*exports.Build)(nil)

// FindIncremental returns exactly what Find returns, but finds anew only the neighbours
// that the difference between an earlier build and these entities can have
// changed; computed says of how many entities. It asks unchanged of every entity
// that the earlier build knows by type and slug, from several goroutines: whether
// surely all of its content is as it was. Where too much has changed, everything
// is found anew, and so it is where the earlier build cannot be read.
//
// Why the rest stays. What is found for an entity i depends on: its features and
// their squares; which of them are read, its reach; and of each candidate that
// shares a feature read, on its features, norm, whether it is hidden, and its rank
// beside others. The numbers of features and entities do not matter, as every
// order goes back to frequencies, values and keys, and two entities that stay keep
// the order of their ranks. So, as long as the number of all entities has as many
// bits as before, nothing changes for i unless
//
//  1. i is new, or its features are not what they were,
//  2. the square of one of its features has changed,
//  3. its reach has, as a set, because frequencies have, or
//  4. it shares a feature read with an entity T that came, went, or changed in
//     features or hiding (1) or norm (2).
//
// And of (4), only where T, as it was or as it is, promises i at least the
// similarity of its last neighbour, or the weakest of all where its list is not
// full. Let H be the candidates that promise that much. A promise is the most that
// a similarity can be, so all neighbours were in H, and whoever is not in H would
// come behind them. If no such T is in H, before or after, then H is what it was,
// and so is its order by promise; the shortlist begins with the same members of H
// as before, all of them or as many as it holds; and the nearest of these are the
// neighbours again, whoever else is on the shortlist.
func FindIncremental(entities []*record.Entity, words func(string) []string, previous Previous, unchanged func(*record.Entity) bool) (
	near [][]exports.Neighbour, features []exports.Feature, computed int) {
	return findIncremental(entities, words, previous, unchanged, defaultLimits)
}

func findIncremental(entities []*record.Entity, words func(string) []string, previous Previous, unchanged func(*record.Entity) bool, l limits) (
	[][]exports.Neighbour, []exports.Feature, int) {
	v := newVectors(entities, words)
	u := &update{vectors: v, limits: l, previous: previous}
	if bits.Len(uint(len(entities))) != bits.Len(uint(previous.Len())) || !u.compare(entities, words, unchanged) {
		return v.all(l), v.features, len(entities)
	}
	found := u.keep() // 1 to 3 are done
	u.meet()          // 4
	return found, v.features, u.compute(found)
}

// keep returns the neighbours of all entities that are not to be found afresh, as
// they were, and notes what it takes to change them.
func (u *update) keep() [][]exports.Neighbour {
	feature := make([]uint32, u.previous.Features())
	for i := range feature {
		id, ok := u.ids[u.previous.Feature(uint32(i))]
		if !ok {
			id = none
		}
		feature[i] = id
	}
	found := make([][]exports.Neighbour, len(u.ordinal))
	u.kept = make([]kept, len(u.ordinal))
	workers := runtime.GOMAXPROCS(0)
	inParallel(workers, func(w int) {
		for i := uint32(w); i < uint32(len(found)); i += uint32(workers) {
			if u.recompute[i] {
				continue
			}
			list := u.previous.Similar(u.previousOrdinal[i])
			if !u.translate(list, feature) {
				u.recompute[i] = true
				continue
			}
			found[u.ordinal[i]] = list
			u.kept[i] = u.keeps(i, list)
		}
	})
	return found
}

// translate puts into neighbours the places and features of today. It is false
// where a neighbour is gone.
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

// kept is what decides whether an entity keeps its neighbours.
type kept struct {
	reach uint32  // the first of its features that is not read; 0 where the neighbours are found afresh
	rest  uint32  // product of those not read
	least float32 // what a candidate must promise to matter
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

// meet finds the entities for which one that changed matters.
func (u *update) meet() {
	workers := min(runtime.GOMAXPROCS(0), len(u.versions))
	marks := make([][]bool, workers)
	inParallel(workers, func(w int) {
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

// mark marks the entities for which this version matters.
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

// compute finds the neighbours that must be found, and returns of how many.
func (u *update) compute(found [][]exports.Neighbour) int {
	var list []uint32
	for i, afresh := range u.recompute {
		if afresh {
			list = append(list, uint32(i))
		}
	}
	workers := runtime.GOMAXPROCS(0)
	inParallel(workers, func(w int) {
		s := u.scratch(u.limits)
		for k := w; k < len(list); k += workers {
			found[u.ordinal[list[k]]] = u.neighbours(list[k], s)
		}
	})
	return len(list)
}
