package neighbors

import (
	"cmp"
	"runtime"
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

// compareYield orders two features, which dfA and dfB out of n entities have, by yield, highest first. The yield
// is the squared weight divided by the length of the inverted list. Features of a single entity come before all
// others, because their lists need not be read.
func compareYield(n int, a, b exports.Feature, dfA, dfB int) int {
	if dfA < 2 || dfB < 2 {
		return cmp.Or(cmp.Compare(min(dfA, 2), min(dfB, 2)), compareFeatures(a, b))
	}
	return cmp.Or(cmp.Compare(uint64(square(b.Kind, n, dfB))*uint64(dfA), uint64(square(a.Kind, n, dfA))*uint64(dfB)), compareFeatures(a, b))
}

// collection contains the features of some of the entities, collected by one worker.
type collection struct {
	ids      map[string]map[string]uint32 // IDs of features, by kind and value
	features []exports.Feature
	count    []uint32 // how many entities have each feature
	items    []uint32 // the features of the entities whose features are not known, as consecutive lists
	lengths  []uint32 // the number of features of each entity, including those whose features are known
	known    []uint32 // for each known feature, how many of the entities whose features are known have it
}

// addKnown adds an entity whose features are known.
func (c *collection) addKnown(list []uint32) {
	for _, id := range list {
		c.known[id]++
	}
	c.lengths = append(c.lengths, uint32(len(list)))
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

// collect lists the features of every entity. It numbers them by yield, then by kind and value, so that the
// numbers do not depend on how the work is divided among the workers, or on what is known. known may be nil.
func (v *vectors) collect(entities []*record.Entity, words func(string) []string, known *known) {
	workers := runtime.GOMAXPROCS(0)
	parts := make([]*collection, workers)
	parallel.Do(workers, func(w int) {
		c := &collection{ids: map[string]map[string]uint32{}, known: make([]uint32, known.len())}
		for i := w * len(entities) / workers; i < (w+1)*len(entities)/workers; i++ {
			if list := known.of(v.ordinal[i]); list != nil {
				c.addKnown(list)
			} else {
				c.add(entities[i], words)
			}
		}
		parts[w] = c
	})
	numbers, earlier := v.number(parts, known)
	v.has.start = append(make([]uint32, 0, len(entities)+1), 0)
	total := uint32(0)
	for _, c := range parts {
		for _, n := range c.lengths {
			total += n
			v.has.start = append(v.has.start, total)
		}
	}
	v.has.items = make([]uint32, total)
	parallel.Do(workers, func(w int) {
		i, items := uint32(w*len(entities)/workers), parts[w].items
		for ; i < uint32((w+1)*len(entities)/workers); i++ {
			list, own, number := v.has.of(i), known.of(v.ordinal[i]), earlier
			if own == nil {
				own, number = items[:len(list)], numbers[w]
				items = items[len(list):]
			}
			for k, id := range own {
				list[k] = number[id]
			}
			if !slices.IsSorted(list) {
				slices.Sort(list)
			}
		}
	})
}

// number merges the features of all parts with those that are known. It returns, for each part, the
// numbers of that part's features, and the numbers of the known ones.
func (v *vectors) number(parts []*collection, known *known) (numbers [][]uint32, earlier []uint32) {
	features, count := known.list(), make([]uint32, known.len())
	for _, c := range parts {
		for id, n := range c.known {
			count[id] += n
		}
	}
	fewer := known.removed() // by feature: how many fewer entities have it than in the previous build
	ids := map[exports.Feature]uint32{}
	for _, c := range parts {
		for _, f := range c.features {
			ids[f] = none
		}
	}
	for id, f := range features {
		if _, ok := ids[f]; ok {
			ids[f] = uint32(id)
		}
	}
	numbers = make([][]uint32, len(parts))
	for w, c := range parts {
		numbers[w] = make([]uint32, len(c.features))
		for own, f := range c.features {
			if ids[f] == none {
				ids[f] = uint32(len(features))
				features, count, fewer = append(features, f), append(count, 0), append(fewer, 0)
			}
			id := ids[f]
			count[id] += c.count[own]
			fewer[id] -= int32(c.count[own])
			numbers[w][own] = id
		}
	}
	compare := func(a, b uint32) int {
		return compareYield(len(v.ordinal), features[a], features[b], int(count[a]), int(count[b]))
	}
	stillSorted := known != nil && sameWeights(len(v.ordinal), known.previous.Len())
	var keep, rest []uint32 // those of the previous build with the same frequency and weight are still in order
	for id := range features {
		switch {
		case count[id] == 0: // no entity has it any longer
		case stillSorted && id < known.len() && fewer[id] == 0:
			keep = append(keep, uint32(id))
		default:
			rest = append(rest, uint32(id))
		}
	}
	slices.SortFunc(rest, compare)
	place := make([]uint32, len(features))
	v.features = make([]exports.Feature, 0, len(keep)+len(rest))
	for len(keep)+len(rest) > 0 {
		from := &keep
		if len(keep) == 0 || len(rest) > 0 && compare(rest[0], keep[0]) < 0 {
			from = &rest
		}
		id := (*from)[0]
		*from = (*from)[1:]
		place[id] = uint32(len(v.features))
		v.features = append(v.features, features[id])
	}
	for _, list := range numbers {
		for own, id := range list {
			list[own] = place[id]
		}
	}
	return numbers, place[:known.len()]
}
