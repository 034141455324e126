package neighbors

import (
	"math"
	"slices"
	"strings"

	"kindex/exports/record"
)

// alternativeShare is how many times less similar than the nearest alternative an alternative may
// be. It excludes entities that have little in common besides a capability that many entities have.
const alternativeShare = 3

// none stands for a feature that no entity has.
const none = math.MaxUint32

// purposes holds what determines whether two neighbours are alternatives, besides their shared
// features.
type purposes struct {
	types   []string
	capable []bool      // whether an entity states capabilities
	names   [][2]uint32 // the tags that are an entity's slug and its name; none if no entity has the tag
}

// newPurposes returns the purposes of entities, in their order in v.
func (v *vectors) newPurposes(entities []*record.Entity) purposes {
	tags := map[string]uint32{}
	for id, f := range v.features {
		if f.Kind == kindTag {
			tags[f.Value] = uint32(id)
		}
	}
	tag := func(name string) uint32 {
		if id, ok := tags[name]; ok {
			return id
		}
		return none
	}
	n := len(entities)
	p := purposes{types: make([]string, n), capable: make([]bool, n), names: make([][2]uint32, n)}
	for i, e := range entities {
		p.types[i] = e.Type
		p.capable[i] = len(e.Capabilities) > 0
		p.names[i] = [2]uint32{tag(e.Slug), tag(strings.ReplaceAll(record.Fold(e.Name), " ", "-"))}
	}
	return p
}

// samePurpose reports whether two entities with the given common features do the same job: they
// have the same type and category, share a capability if both state any, and neither is tagged with
// the other's slug or name. Such a tag says that one builds on the other or works with it.
func (v *vectors) samePurpose(i, j uint32, common []uint32) bool {
	if v.types[i] != v.types[j] || v.tagged(i, j) || v.tagged(j, i) {
		return false
	}
	category, capability := false, !v.capable[i] || !v.capable[j]
	for _, id := range common {
		kind := v.features[id].Kind
		category, capability = category || kind == kindCategory, capability || kind == kindCapability
	}
	return category && capability
}

// tagged reports whether entity i is tagged with the slug or the name of entity j.
func (v *vectors) tagged(i, j uint32) bool {
	for _, id := range v.names[j] {
		if id == none {
			continue
		}
		if _, ok := slices.BinarySearch(v.has[i], id); ok {
			return true
		}
	}
	return false
}
