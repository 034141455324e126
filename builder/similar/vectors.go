package similar

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"kindex/exports"
)

// The kinds of feature, as reasons name them, and what they weigh.
const (
	kindCategory   = "category"
	kindTag        = "tag"
	kindCapability = "capability"
	kindProvider   = "provider"
	kindWord       = "word"
)

var kindWeights = map[string]uint32{kindCategory: 3, kindTag: 3, kindCapability: 2, kindProvider: 2, kindWord: 1}

// vectors holds the features of all entities. Features are numbered from the
// rarest to the most frequent, and entities so that those of one category, which
// meet each other most, lie side by side in memory.
type vectors struct {
	ordinal  []uint32 // of each entity in the order given
	features []exports.Feature
	square   []uint32 // of the weight of each feature
	reason   []uint32 // place of each feature among reasons: the heaviest first
	has      lists    // features of each entity, ascending
	inverted lists    // entities with each feature, ascending
	norm     []float64
	inverse  []float32 // of norm
	hidden   []bool    // withdrawn entities are nobody's neighbours
	rank     []int32   // place in the order by type and slug: what breaks ties
}

// lists are lists of numbers, one behind the other.
type lists struct{ start, items []uint32 }

func (l *lists) of(i uint32) []uint32 { return l.items[l.start[i]:l.start[i+1]] }

func newVectors(given []*exports.Entity, words func(string) []string) *vectors {
	n := len(given)
	v := &vectors{ordinal: byCategory(given), norm: make([]float64, n), inverse: make([]float32, n), hidden: make([]bool, n)}
	entities := make([]*exports.Entity, n)
	for i, o := range v.ordinal {
		entities[i] = given[o]
	}
	v.rank = keyRanks(entities)
	v.collect(entities, words)
	v.invert(n)
	v.weigh(n)
	for i, e := range entities {
		v.hidden[i] = e.Status == exports.Withdrawn
		v.norm[i] = math.Sqrt(float64(v.product(v.has.of(uint32(i)))))
		v.inverse[i] = float32(1 / max(v.norm[i], 1))
	}
	return v
}

// byCategory sorts the places of entities by category, type and slug.
func byCategory(entities []*exports.Entity) []uint32 {
	order := make([]uint32, len(entities))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(entities[a].Category, entities[b].Category), exports.CompareKey(entities[a], entities[b]))
	})
	return order
}

// collect lists the features of every entity and numbers them by how many
// entities have them, then by kind and value.
func (v *vectors) collect(entities []*exports.Entity, words func(string) []string) {
	ids := map[string]uint32{}
	var count []uint32
	v.has.start = append(v.has.start, 0)
	for _, e := range entities {
		for _, f := range featuresOf(e, words) {
			id, ok := ids[f]
			if !ok {
				id = uint32(len(count))
				ids[f] = id
				kind, value, _ := strings.Cut(f, "\x00")
				v.features = append(v.features, exports.Feature{Kind: kind, Value: value})
				count = append(count, 0)
			}
			count[id]++
			v.has.items = append(v.has.items, id)
		}
		v.has.start = append(v.has.start, uint32(len(v.has.items)))
	}
	order := make([]uint32, len(count))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), compareFeatures(v.features[a], v.features[b]))
	})
	features, number := make([]exports.Feature, len(order)), make([]uint32, len(order))
	for place, id := range order {
		features[place], number[id] = v.features[id], uint32(place)
	}
	v.features = features
	for i, id := range v.has.items {
		v.has.items[i] = number[id]
	}
	for i := range entities {
		slices.Sort(v.has.of(uint32(i)))
	}
}

func compareFeatures(a, b exports.Feature) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value))
}

// invert makes the lists of entities of the lists of features.
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

// weigh gives the features their weights, and the order in which they are
// named as reasons.
func (v *vectors) weigh(n int) {
	v.square, v.reason = make([]uint32, len(v.features)), make([]uint32, len(v.features))
	order := make([]uint32, len(v.features))
	for id := range v.features {
		w := kindWeights[v.features[id].Kind] * rarity(n, len(v.inverted.of(uint32(id))))
		v.square[id], order[id] = w*w, uint32(id)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(v.square[b], v.square[a]), compareFeatures(v.features[a], v.features[b]))
	})
	for place, id := range order {
		v.reason[id] = uint32(place)
	}
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
