// Package neighbors finds the nearest neighbours of every entity, with reasons. It has no
// side effects.
//
// Entities are similar if they share features: category, tags, capabilities, provider, and words
// in the name and description. Features are weighted by kind and rarity. The similarity of two
// entities is the cosine similarity of their weighted feature sets, which is from 0 to 1.
//
// Neighbours that do the same job are marked as alternatives; see samePurpose. The other
// neighbours are used together with the entity, or are about the same subject.
package neighbors

import (
	"cmp"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// MaxNeighbours is the maximum number of neighbours kept for an entity.
const MaxNeighbours = 20

// minSimilarity is the minimum similarity of neighbours.
const minSimilarity = 0.05

// alternativeShare is how many times less similar than the nearest alternative an alternative may
// be. It excludes entities that have little in common besides a capability that many entities have.
const alternativeShare = 3

// budget is how many entries in inverted lists are read to gather the candidates of an entity.
const budget = 4000

// Find returns the neighbours of every entity, in the given order, and the features to which the reasons
// refer. words splits a string into the words that are used as features. In large catalogues, entities
// that share only frequent features may not be found.
func Find(entities []*record.Entity, words func(string) []string) ([][]exports.Neighbour, []exports.Feature) {
	v := newVectors(entities, words)
	near := make([][]exports.Neighbour, len(entities))
	parallel.Ranges(len(entities), func(from, to int) {
		s := &scratch{shared: make([]uint32, len(entities))}
		for i := from; i < to; i++ {
			near[i] = v.neighbours(uint32(i), s)
		}
	})
	return near, v.features
}

// scratch is the working memory of one goroutine.
type scratch struct {
	shared  []uint32 // by entity: the sum of the squared weights that are known to be shared
	touched []uint32 // the entities for which that is not 0
}

// neighbours finds an entity's candidates by the features with the highest yield, and returns the
// most similar ones.
func (v *vectors) neighbours(i uint32, s *scratch) []exports.Neighbour {
	unread := v.gather(i, s)
	list := make([]exports.Neighbour, 0, MaxNeighbours+1)
	for _, j := range s.touched {
		x := exports.Neighbour{Ordinal: j, Similarity: v.cosine(uint64(s.shared[j])+v.sharedOf(unread, j), i, j)}
		if s.shared[j] = 0; x.Similarity < minSimilarity {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, x, v.compare)
		list = slices.Insert(list, at, x)
		list = list[:min(len(list), MaxNeighbours)]
	}
	closest := 0.0 // the similarity of the nearest alternative
	for k := range list {
		x := &list[k]
		x.Reasons = v.reasons(i, x.Ordinal)
		x.Alternative = x.Similarity*alternativeShare >= closest && samePurpose(v.entities[i], v.entities[x.Ordinal]) && v.sharePurpose(i, x.Ordinal)
		if x.Alternative && closest == 0 {
			closest = x.Similarity
		}
	}
	return list
}

func (v *vectors) compare(x, y exports.Neighbour) int {
	if x.Similarity != y.Similarity {
		return cmp.Compare(y.Similarity, x.Similarity)
	}
	return record.CompareKey(v.entities[x.Ordinal], v.entities[y.Ordinal])
}

// gather reads as many of an entity's features as the budget allows, but at least one, those with
// the highest yield first. It lists the other entities that share them in s, and returns the features
// that it has not read.
func (v *vectors) gather(i uint32, s *scratch) (unread []uint32) {
	s.touched = s.touched[:0]
	read := 0
	for k, id := range v.has[i] {
		list := v.inverted[id]
		if len(list) < 2 {
			continue // no other entity has it
		}
		if read > 0 && read+len(list) > budget {
			return v.has[i][k:]
		}
		read += len(list)
		for _, j := range list {
			if j == i || v.entities[j].Status == record.Withdrawn { // these are never neighbours
				continue
			}
			if s.shared[j] == 0 {
				s.touched = append(s.touched, j)
			}
			s.shared[j] += v.square[id]
		}
	}
	return nil
}

// samePurpose reports whether two entities do the same job: they have the same type and category, share a
// capability if both state any, and neither is tagged with the other's slug or name. Such a tag says that one
// builds on the other or works with it.
func samePurpose(a, b *record.Entity) bool {
	capable := len(a.Capabilities) == 0 || len(b.Capabilities) == 0 ||
		slices.ContainsFunc(a.Capabilities, func(c string) bool { return slices.Contains(b.Capabilities, c) })
	return a.Type == b.Type && a.Category == b.Category && capable && !isTagged(a, b) && !isTagged(b, a)
}

func isTagged(a, b *record.Entity) bool {
	return slices.Contains(a.Tags, b.Slug) || slices.Contains(a.Tags, strings.ReplaceAll(record.Fold(b.Name), " ", "-"))
}

// common returns the shared features that have a weight.
func (v *vectors) common(i, j uint32) (ids []uint32) {
	for _, id := range v.has[i] {
		if _, shared := slices.BinarySearch(v.has[j], id); shared && v.square[id] > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// sharePurpose reports whether two entities share a feature that says what they are for: words and providers do not,
// nor does the category of everything.
func (v *vectors) sharePurpose(i, j uint32) bool {
	return slices.ContainsFunc(v.common(i, j), func(id uint32) bool {
		kind := v.features[id].Kind
		return kind != kindWord && kind != kindProvider
	})
}

// reasons returns the shared features with the largest weights. Words that a quarter of all entities have are none,
// unless nothing else is shared.
func (v *vectors) reasons(i, j uint32) []uint32 {
	all := v.common(i, j)
	top := slices.DeleteFunc(slices.Clone(all), func(id uint32) bool {
		return v.features[id].Kind == kindWord && 4*len(v.inverted[id]) > len(v.entities)
	})
	if len(top) == 0 {
		top = all
	}
	slices.SortFunc(top, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(v.square[b], v.square[a]), compareFeatures(v.features[a], v.features[b]))
	})
	return top[:min(len(top), exports.MaxReasons)]
}
