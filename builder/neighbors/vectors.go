package neighbors

import (
	"cmp"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"

	"kindex/exports"
	"kindex/exports/record"
)

// vectors contains the features of all entities. Features are numbered by their yield; see compareYield.
// Entities are numbered so that those that are compared most often are close to each other in memory: by
// category, or as cluster sorts them.
type vectors struct {
	ordinal    []uint32 // index of each entity in the given order
	features   []exports.Feature
	square     []uint32    // squared weight of each feature
	reason     []uint32    // position of each feature when reasons are sorted by weight, largest first
	has        lists       // features of each entity, ascending
	inverted   lists       // entities with each feature, ascending
	bit        []uint8     // the bit of each feature in signatures
	signatures []signature // the features of each entity
	norm       []float64
	inverse    []float32 // the inverse of each norm
	hidden     []bool    // withdrawn entities are never neighbours
	rank       []int32   // position in the order by type and slug, for breaking ties
	purposes
}

// lists stores lists of numbers one after the other.
type lists struct{ start, items []uint32 }

func (l *lists) of(i uint32) []uint32 { return l.items[l.start[i]:l.start[i+1]] }

// newVectors collects the features of entities. known provides those of entities that have not changed;
// it may be nil.
func newVectors(given []*record.Entity, words func(string) []string, known *known) *vectors {
	n := len(given)
	key := byKey(given)
	v := &vectors{ordinal: byCategory(given, key), rank: make([]int32, n), norm: make([]float64, n), inverse: make([]float32, n), hidden: make([]bool, n)}
	entities := make([]*record.Entity, n)
	for i, o := range v.ordinal {
		entities[i] = given[o]
	}
	v.collect(entities, words, known)
	if known == nil { // otherwise few entities are compared, and sorting all of them takes longer than it saves
		v.cluster()
	}
	v.invert(n)
	v.weigh(n)
	v.signEach(n)
	number := make([]uint32, n)
	for i, o := range v.ordinal {
		entities[i], number[o] = given[o], uint32(i)
	}
	for place, o := range key {
		v.rank[number[o]] = int32(place)
	}
	v.purposes = v.newPurposes(entities)
	for i, e := range entities {
		v.hidden[i] = hidden(e)
		v.norm[i] = length(v.product(v.has.of(uint32(i))))
		v.inverse[i] = inverse(v.norm[i])
	}
	return v
}

// hidden reports whether an entity is never a neighbour.
func hidden(e *record.Entity) bool { return e.Status == record.Withdrawn }

// df returns the number of entities with a feature.
func (v *vectors) df(id uint32) int { return int(v.inverted.start[id+1] - v.inverted.start[id]) }

// length returns the norm, given the squared norm.
func length(product uint64) float64 { return math.Sqrt(float64(product)) }

// inverse returns the inverse of a norm. It is finite even for an entity without shared
// features.
func inverse(norm float64) float32 { return float32(1 / max(norm, 1)) }

// byKey returns the indexes of entities, sorted by type and slug.
func byKey(entities []*record.Entity) []uint32 {
	order := make([]uint32, len(entities))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return record.CompareKey(entities[a], entities[b]) })
	return order
}

// byCategory sorts indexes by category, and keeps the existing order within each category.
func byCategory(entities []*record.Entity, places []uint32) []uint32 {
	of := map[string][]uint32{}
	for _, o := range places {
		of[entities[o].Category] = append(of[entities[o].Category], o)
	}
	order := make([]uint32, 0, len(places))
	for _, category := range slices.Sorted(maps.Keys(of)) {
		order = append(order, of[category]...)
	}
	return order
}

// clusterBy is the number of lists by which cluster sorts.
const clusterBy = 4

// cluster renumbers the entities: it sorts them by the longest inverted lists that are read for them, so that the
// entities in such a list are close to each other in memory. At a million entities, that saves more than a quarter
// of the time for finding neighbours. The numbers do not affect the results.
func (v *vectors) cluster() {
	df := make([]uint32, len(v.features))
	for _, id := range v.has.items {
		df[id]++
	}
	type entity struct {
		lists  [clusterBy]uint64 // the longest lists: their length, and their feature
		number uint32
	}
	order := make([]entity, len(v.ordinal))
	for i := range order {
		e := &order[i]
		e.number = uint32(i)
		has := v.has.of(uint32(i))
		for _, id := range has[:defaultLimits.reach(has, func(id uint32) int { return int(df[id]) })] {
			list := uint64(df[id])<<32 | uint64(id)
			for k := range e.lists {
				if list > e.lists[k] {
					list, e.lists[k] = e.lists[k], list
				}
			}
		}
	}
	slices.SortFunc(order, func(a, b entity) int {
		for k := range a.lists {
			if c := cmp.Compare(b.lists[k], a.lists[k]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.number, b.number)
	})
	ordinal, has := make([]uint32, 0, len(v.ordinal)), lists{make([]uint32, 1, len(v.has.start)), make([]uint32, 0, len(v.has.items))}
	for i := range order {
		e := order[i].number
		ordinal = append(ordinal, v.ordinal[e])
		has.items = append(has.items, v.has.of(e)...)
		has.start = append(has.start, uint32(len(has.items)))
	}
	v.ordinal, v.has = ordinal, has
}

// invert builds the inverted lists, which contain the entities with each feature.
func (v *vectors) invert(n int) {
	v.inverted = lists{make([]uint32, len(v.features)+1), make([]uint32, len(v.has.items))}
	for _, id := range v.has.items {
		v.inverted.start[id+1]++
	}
	for id := range v.features {
		v.inverted.start[id+1] += v.inverted.start[id]
	}
	next := slices.Clone(v.inverted.start)
	for i := range uint32(n) {
		for _, id := range v.has.of(i) {
			v.inverted.items[next[id]] = i
			next[id]++
		}
	}
}

// weigh sets the weights of the features and their order in reasons.
func (v *vectors) weigh(n int) {
	v.square, v.reason = make([]uint32, len(v.features)), make([]uint32, len(v.features))
	order := make([]uint32, len(v.features))
	for id := range v.features {
		v.square[id], order[id] = square(v.features[id].Kind, n, v.df(uint32(id))), uint32(id)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(v.square[b], v.square[a]), compareFeatures(v.features[a], v.features[b]))
	})
	for place, id := range order {
		v.reason[id] = uint32(place)
	}
}

// signEach sets the bits of the features, and the signatures of the entities. The bits depend on nothing but the
// features, so that a change to some entities does not change what others promise.
func (v *vectors) signEach(n int) {
	v.bit, v.signatures = make([]uint8, len(v.features)), make([]signature, n)
	for id, f := range v.features {
		h := fnv.New32a()
		_, _ = io.WriteString(h, f.Kind+"\x00"+f.Value) // a hash never returns an error
		v.bit[id] = uint8(h.Sum32() % uint32(signatureBits))
	}
	for i := range v.signatures {
		for _, id := range v.has.of(uint32(i)) {
			v.signatures[i][v.bit[id]/64] |= 1 << (v.bit[id] % 64)
		}
	}
}

// square returns the squared weight of a feature that df out of n entities have.
func square(kind string, n, df int) uint32 {
	w := kindWeights[kind] * rarity(n, df)
	return w * w
}

// sameWeights reports whether features with the same frequency among n and among m entities have the same weight.
func sameWeights(n, m int) bool { return bits.Len(uint(n)) == bits.Len(uint(m)) }

// rarity returns the weight of a feature that df out of n entities have. The weight changes
// only at powers of two, so that adding an entity hardly ever changes the weights of other
// features. The weight is 0 if only one entity has the feature.
func rarity(n, df int) uint32 {
	if df < 2 {
		return 0
	}
	return uint32(1 + bits.Len(uint(n)) - bits.Len(uint(df)))
}
