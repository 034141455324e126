package neighbors

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"kindex/exports"
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

// eachFeature yields the features of an entity, one kind at a time. It yields a word once for
// each occurrence.
func eachFeature(e *record.Entity, words func(string) []string, yield func(kind string, values ...string)) {
	yield(kindCategory, e.Category)
	if e.Provider != "" {
		yield(kindProvider, e.Provider)
	}
	yield(kindTag, e.Tags...)
	yield(kindCapability, e.Capabilities...)
	yield(kindWord, slices.DeleteFunc(words(e.Name+" "+e.Description), func(w string) bool { return len(w) <= 2 })...)
}

// featuresOf lists the features of an entity in order, without duplicates.
func featuresOf(e *record.Entity, words func(string) []string) []exports.Feature {
	var list []exports.Feature
	eachFeature(e, words, func(kind string, values ...string) {
		for _, value := range values {
			list = append(list, exports.Feature{Kind: kind, Value: value})
		}
	})
	slices.SortFunc(list, compareFeatures)
	return slices.Compact(list)
}

func compareFeatures(a, b exports.Feature) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Value, b.Value))
}

// collection contains the features of some of the entities, collected by one worker.
type collection struct {
	ids      map[string]map[string]uint32 // IDs of features, by kind and value
	features []exports.Feature
	count    []uint32 // how many entities have each feature
	items    []uint32 // the features of the entities, as consecutive lists
	lengths  []uint32 // lengths of the lists in items
}

func (c *collection) add(e *record.Entity, words func(string) []string) {
	from := len(c.items)
	eachFeature(e, words, func(kind string, values ...string) {
		ids := c.ids[kind]
		if ids == nil {
			ids = map[string]uint32{}
			c.ids[kind] = ids
		}
		for _, value := range values {
			id, ok := ids[value]
			if !ok {
				id = uint32(len(c.features))
				value = strings.Clone(value) // a word may be part of a longer string, which would stay in memory without a copy
				ids[value] = id
				c.features = append(c.features, exports.Feature{Kind: kind, Value: value})
				c.count = append(c.count, 0)
			}
			c.items = append(c.items, id)
		}
	})
	own := c.items[from:]
	slices.Sort(own)
	own = slices.Compact(own)
	for _, id := range own {
		c.count[id]++
	}
	c.items = c.items[:from+len(own)]
	c.lengths = append(c.lengths, uint32(len(own)))
}

// collect lists the features of every entity. It numbers them by frequency, then by kind and
// value, so that the numbers do not depend on how the work is divided among the workers.
func (v *vectors) collect(entities []*record.Entity, words func(string) []string) {
	workers := runtime.GOMAXPROCS(0)
	parts := make([]*collection, workers)
	inParallel(workers, func(w int) {
		c := &collection{ids: map[string]map[string]uint32{}}
		for _, e := range entities[w*len(entities)/workers : (w+1)*len(entities)/workers] {
			c.add(e, words)
		}
		parts[w] = c
	})
	numbers := v.number(parts)
	v.has.start = append(make([]uint32, 0, len(entities)+1), 0)
	total := uint32(0)
	for _, c := range parts {
		for _, n := range c.lengths {
			total += n
			v.has.start = append(v.has.start, total)
		}
	}
	v.has.items = make([]uint32, total)
	inParallel(workers, func(w int) {
		i := uint32(w * len(entities) / workers)
		to := v.has.items[v.has.start[i]:]
		for k, id := range parts[w].items {
			to[k] = numbers[w][id]
		}
		for k := range parts[w].lengths {
			slices.Sort(v.has.of(i + uint32(k)))
		}
	})
}

// number merges the features of all parts. It returns, for each part, the numbers of that
// part's features.
func (v *vectors) number(parts []*collection) [][]uint32 {
	numbers := make([][]uint32, len(parts))
	ids := map[exports.Feature]uint32{}
	var features []exports.Feature
	var count []uint32
	for w, c := range parts {
		numbers[w] = make([]uint32, len(c.features))
		for own, f := range c.features {
			id, ok := ids[f]
			if !ok {
				id = uint32(len(features))
				ids[f] = id
				features, count = append(features, f), append(count, 0)
			}
			count[id] += c.count[own]
			numbers[w][own] = id
		}
	}
	order, place := make([]uint32, len(count)), make([]uint32, len(count))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		if c := cmp.Compare(count[a], count[b]); c != 0 {
			return c
		}
		return compareFeatures(features[a], features[b])
	})
	v.features = make([]exports.Feature, len(order))
	for to, id := range order {
		v.features[to], place[id] = features[id], uint32(to)
	}
	for _, list := range numbers {
		for own, id := range list {
			list[own] = place[id]
		}
	}
	return numbers
}
