package neighbors

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"kindex/exports"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// vectors contains the features of all entities. Features are numbered by their yield; see
// compareYield. Entities have their numbers in the given order.
type vectors struct {
	entities []*record.Entity
	features []exports.Feature
	square   []uint32   // squared weight of each feature
	has      [][]uint32 // features of each entity, ascending
	inverted [][]uint32 // entities with each feature, ascending
	norm     []float64
	rank     []int32 // position in the order by type and slug, for breaking ties
}

func newVectors(entities []*record.Entity, words func(string) []string) *vectors {
	n := len(entities)
	v := &vectors{entities: entities, rank: make([]int32, n), norm: make([]float64, n)}
	v.number(entities, words)
	v.square = make([]uint32, len(v.features))
	for id, f := range v.features {
		if df := len(v.inverted[id]); f.Kind != kindCategory || df < n { // a category of everything says nothing
			v.square[id] = square(f.Kind, n, df)
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return record.CompareKey(entities[a], entities[b]) })
	for place, i := range order {
		v.rank[i] = int32(place)
	}
	for i := range entities {
		v.norm[i] = math.Sqrt(float64(max(1, v.sharedOf(v.has[i], uint32(i)))))
	}
	return v
}

// number lists the features of every entity, and numbers them by yield.
func (v *vectors) number(entities []*record.Entity, words func(string) []string) {
	own := make([][]exports.Feature, len(entities))
	parallel.Ranges(len(entities), func(from, to int) {
		for i := from; i < to; i++ {
			own[i] = featuresOf(entities[i], words)
		}
	})
	df := map[exports.Feature]int{}
	for _, list := range own {
		for _, f := range list {
			df[f]++
		}
	}
	v.features = make([]exports.Feature, 0, len(df))
	for f := range df {
		v.features = append(v.features, f)
	}
	slices.SortFunc(v.features, func(a, b exports.Feature) int { return compareYield(len(entities), a, b, df[a], df[b]) })
	ids := make(map[exports.Feature]uint32, len(df))
	for id, f := range v.features {
		ids[f] = uint32(id)
	}
	v.has, v.inverted = make([][]uint32, len(entities)), make([][]uint32, len(v.features))
	for i, list := range own {
		for _, f := range list {
			v.has[i] = append(v.has[i], ids[f])
			v.inverted[ids[f]] = append(v.inverted[ids[f]], uint32(i))
		}
		slices.Sort(v.has[i])
	}
}

// compareWeights orders two features by weight, largest first.
func (v *vectors) compareWeights(a, b uint32) int {
	return cmp.Or(cmp.Compare(v.square[b], v.square[a]), compareFeatures(v.features[a], v.features[b]))
}

// square returns the squared weight of a feature that df out of n entities have.
func square(kind string, n, df int) uint32 {
	w := kindWeights[kind] * rarity(n, df)
	return w * w
}

// rarity returns the weight of a feature that df out of n entities have. The weight changes
// only at powers of two, so that adding an entity hardly ever changes the weights of other
// features. The weight is 0 if only one entity has the feature.
func rarity(n, df int) uint32 {
	if df < 2 {
		return 0
	}
	return uint32(1 + bits.Len(uint(n)) - bits.Len(uint(df)))
}
