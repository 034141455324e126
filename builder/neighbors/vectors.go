package neighbors

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// The kinds of features, as used in reasons, and their weights.
const (
	kindCategory   = "category"
	kindTag        = "tag"
	kindCapability = "capability"
	kindProvider   = "provider"
	kindWord       = "word"
)

var kindWeights = map[string]uint32{kindCategory: 3, kindTag: 3, kindCapability: 2, kindProvider: 2, kindWord: 1}

// vectors contains the features of all entities. Features are numbered by their yield; see
// compareYield. Entities have their numbers in the given order.
type vectors struct {
	entities []*record.Entity
	features []exports.Feature
	square   []uint32   // squared weight of each feature
	has      [][]uint32 // features of each entity, ascending
	inverted [][]uint32 // entities with each feature, ascending
	norm     []float64
}

func newVectors(entities []*record.Entity, words func(string) []string) *vectors {
	n := len(entities)
	v := &vectors{entities: entities, has: make([][]uint32, n), norm: make([]float64, n)}
	own := make([][]exports.Feature, n)
	parallel.Ranges(n, func(from, to int) {
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
	v.features = slices.SortedFunc(maps.Keys(df), func(a, b exports.Feature) int { return compareYield(n, a, b, df[a], df[b]) })
	v.square, v.inverted = make([]uint32, len(df)), make([][]uint32, len(df))
	ids := make(map[exports.Feature]uint32, len(df))
	for id, f := range v.features {
		ids[f] = uint32(id)
		if f.Kind != kindCategory || df[f] < n { // a category of everything says nothing
			v.square[id] = square(f.Kind, n, df[f])
		}
	}
	for i, list := range own {
		for _, f := range list {
			v.has[i] = append(v.has[i], ids[f])
			v.inverted[ids[f]] = append(v.inverted[ids[f]], uint32(i))
		}
		slices.Sort(v.has[i])
		v.norm[i] = math.Sqrt(float64(max(1, v.sharedOf(v.has[i], uint32(i)))))
	}
	return v
}

func featuresOf(e *record.Entity, words func(string) []string) (list []exports.Feature) {
	add := func(kind string, values ...string) {
		for _, value := range values {
			list = append(list, exports.Feature{Kind: kind, Value: value})
		}
	}
	add(kindCategory, e.Category)
	if e.Provider != "" {
		add(kindProvider, e.Provider)
	}
	add(kindTag, e.Tags...)
	add(kindCapability, e.Capabilities...)
	for _, w := range words(e.Name + " " + e.Description) {
		if len(w) > 2 {
			add(kindWord, w)
		}
	}
	slices.SortFunc(list, compareFeatures)
	return slices.Compact(list)
}

func compareFeatures(a, b exports.Feature) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Value, b.Value))
}

// compareYield orders two features, which dfA and dfB out of n entities have, by yield, highest first. The yield
// is the squared weight divided by the length of the inverted list. Features of a single entity come before all
// others, because their lists need not be read.
func compareYield(n int, a, b exports.Feature, dfA, dfB int) int {
	if dfA < 2 || dfB < 2 {
		return cmp.Or(cmp.Compare(min(dfA, 2), min(dfB, 2)), compareFeatures(a, b))
	}
	return cmp.Or(cmp.Compare(uint64(square(b.Kind, n, dfB))*uint64(dfA), uint64(square(a.Kind, n, dfA))*uint64(dfB)), compareFeatures(a, b))
}

// square returns the squared weight of a feature that df out of n entities have, 0 if only one has it. The
// weight changes only at powers of two, so that adding an entity hardly ever changes the weights of other
// features.
func square(kind string, n, df int) uint32 {
	if df < 2 {
		return 0
	}
	w := kindWeights[kind] * uint32(1+bits.Len(uint(n))-bits.Len(uint(df)))
	return w * w
}

// sharedOf returns the dot product of the features of entity j with the given features of another.
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
	return math.Round(min(1, float64(dot)/(v.norm[i]*v.norm[j]))*1e4) / 1e4
}
