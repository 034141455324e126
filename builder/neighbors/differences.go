package neighbors

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"kindex/exports"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// none is the index used for an entity that does not exist.
const none = math.MaxUint32

// update holds the differences between the previous build and the current entities.
type update struct {
	*vectors
	limits
	previous Previous

	unchanged       []uint32                   // ordinal of each unchanged entity in the previous build, in the given order; none for the others
	previousOrdinal []uint32                   // ordinal of each entity in the previous build
	now             []uint32                   // for each ordinal in the previous build, the index of its entity in the given order
	ids             map[exports.Feature]uint32 // number of each feature
	previousDF      []int                      // document frequency of each feature in the previous build

	versions  []version // old and new versions of changed entities
	recompute []bool    // entities whose neighbours must be recalculated
	kept      []kept    // set for entities that keep their neighbours
}

// version is the old or new state of a changed entity.
type version struct {
	features []uint32
	inverse  float32 // inverse of the norm
}

// difference is an entity that was changed, added (previous is nil) or removed (current is
// none).
type difference struct {
	current  uint32
	previous *record.Entity
}

// compare finds the changed entities and their effect on the features and neighbours of other
// entities, except for case 4 of FindIncremental. It returns false if too much has changed.
func (u *update) compare(entities []*record.Entity, words func(string) []string) bool {
	most := int(u.changed * float64(len(entities)))
	differences, ok := u.differences(entities, most)
	if !ok {
		return false
	}
	u.recompute = make([]bool, len(entities))
	u.count(differences, words)
	u.reweigh()
	if len(u.versions) > 2*most {
		return false
	}
	u.recheckChanged()
	return true
}

// differences lists the entities with relevant changes. ok is false if there are more than
// most of them.
func (u *update) differences(entities []*record.Entity, most int) (list []difference, ok bool) {
	u.previousOrdinal = make([]uint32, len(entities))
	workers := runtime.GOMAXPROCS(0)
	parts := make([][]difference, workers)
	var failed atomic.Bool
	parallel.Do(workers, func(w int) {
		for i := w; i < len(entities) && len(parts[w]) <= most; i += workers {
			d, differs, err := u.difference(uint32(i), entities[u.ordinal[i]])
			if err != nil {
				failed.Store(true)
				return
			}
			if differs {
				parts[w] = append(parts[w], d)
			}
		}
	})
	list = slices.Concat(parts...)
	if failed.Load() || len(list) > most {
		return nil, false
	}
	u.now = slices.Repeat([]uint32{none}, u.previous.Len())
	for i, o := range u.previousOrdinal {
		if o != none {
			u.now[o] = u.ordinal[i]
		}
	}
	for o, place := range u.now {
		if place != none {
			continue
		}
		e, err := u.previous.Entity(uint32(o))
		if err != nil || len(list) == most {
			return nil, false
		}
		list = append(list, difference{none, e})
	}
	return list, true
}

// difference records the previous ordinal of an entity and compares the entity with its old
// state.
func (u *update) difference(i uint32, e *record.Entity) (d difference, differs bool, err error) {
	if u.previousOrdinal[i] = u.unchanged[u.ordinal[i]]; u.previousOrdinal[i] != none {
		return d, false, nil
	}
	o, moved, ok := u.previous.Find(e.Type, e.Slug)
	if !ok || moved {
		u.previousOrdinal[i] = none
		return difference{current: i}, true, nil
	}
	u.previousOrdinal[i] = o
	old, err := u.previous.Entity(o)
	if err != nil {
		return d, false, err
	}
	return difference{i, old}, !sameFeatures(e, old), nil
}

// sameFeatures reports whether two entities have the same features, because the fields that
// determine them are the same, and whether both entities are hidden or both are visible.
func sameFeatures(a, b *record.Entity) bool {
	return a.Name == b.Name && a.Description == b.Description && a.Category == b.Category && a.Provider == b.Provider &&
		slices.Equal(a.Tags, b.Tags) && slices.Equal(a.Capabilities, b.Capabilities) && hidden(a) == hidden(b)
}

// count calculates how many entities had each feature in the previous build. It also lists
// the old and new versions of the changed entities.
func (u *update) count(differences []difference, words func(string) []string) {
	had := make([][]exports.Feature, len(differences))
	more := map[exports.Feature]int{} // change in the number of entities with each feature
	for k, d := range differences {
		if d.previous != nil {
			had[k] = featuresOf(d.previous, words)
		}
		for _, f := range had[k] {
			more[f]--
		}
		if d.current != none {
			u.recompute[d.current] = true
			for _, id := range u.has.of(d.current) {
				more[u.features[id]]++
			}
		}
	}
	u.ids, u.previousDF = make(map[exports.Feature]uint32, len(u.features)), make([]int, len(u.features))
	for id, f := range u.features {
		u.ids[f], u.previousDF[id] = uint32(id), u.df(uint32(id))-more[f]
	}
	for k, d := range differences {
		if d.previous != nil && !hidden(d.previous) {
			u.versions = append(u.versions, u.before(had[k], more))
		}
		if d.current != none && !u.hidden[d.current] {
			u.versions = append(u.versions, version{u.has.of(d.current), u.inverse[d.current]})
		}
	}
}

// before returns the old version of a visible entity that had these features.
func (u *update) before(had []exports.Feature, more map[exports.Feature]int) (t version) {
	product := uint64(0)
	for _, f := range had {
		df := -more[f]
		if id, ok := u.ids[f]; ok {
			df = u.previousDF[id]
			t.features = append(t.features, id)
		}
		product += uint64(square(f.Kind, u.previous.Len(), df))
	}
	t.inverse = inverse(length(product))
	return t
}

// reweigh finds the entities that have a feature whose squared weight has changed. It treats
// them as changed entities, because their norms have changed as well, which affects other
// entities.
func (u *update) reweigh() {
	for id, f := range u.features {
		if df := u.df(uint32(id)); u.previousDF[id] == df || u.squareBefore(uint32(id)) == square(f.Kind, len(u.ordinal), df) {
			continue
		}
		for _, i := range u.inverted.of(uint32(id)) {
			if u.recompute[i] {
				continue
			}
			u.recompute[i] = true
			if u.hidden[i] {
				continue
			}
			product := uint64(0)
			for _, own := range u.has.of(i) {
				product += uint64(u.squareBefore(own))
			}
			u.versions = append(u.versions, version{u.has.of(i), max(u.inverse[i], inverse(length(product)))})
		}
	}
}

// squareBefore returns the squared weight that a feature had in the previous build.
func (u *update) squareBefore(id uint32) uint32 {
	return square(u.features[id].Kind, u.previous.Len(), u.previousDF[id])
}

// recheckChanged finds the entities whose set of features that are read has changed.
func (u *update) recheckChanged() {
	asked := make([]bool, len(u.recompute))
	var own []uint32
	for id := range u.features {
		if u.previousDF[id] == u.df(uint32(id)) {
			continue
		}
		for _, i := range u.inverted.of(uint32(id)) {
			if !u.recompute[i] && !asked[i] {
				own = append(own[:0], u.has.of(i)...)
				u.recompute[i], asked[i] = !u.readsAsBefore(own), true
			}
		}
	}
}

// readsAsBefore reports whether the features that are read for an entity are the same as in
// the previous build. It may change the order of has.
func (u *update) readsAsBefore(has []uint32) bool {
	reach := u.reach(has, u.df)
	last := has[reach-1]
	compare := func(a, b uint32) int {
		return compareYield(u.previous.Len(), u.features[a], u.features[b], u.previousDF[a], u.previousDF[b])
	}
	if !slices.IsSortedFunc(has, compare) {
		slices.SortFunc(has, compare)
	}
	return u.reach(has, func(id uint32) int { return u.previousDF[id] }) == reach && slices.Max(has[:reach]) == last
}
