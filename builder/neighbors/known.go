package neighbors

import (
	"encoding/binary"
	"slices"

	"kindex/exports"
)

// Sets holds the features of all entities of a build, as numbers in the list of features.
type Sets struct {
	lists
	number []uint32 // the number in lists of each entity, in the order of their ordinals
}

// Bytes returns the features in the form that ReadSets reads: the number of features up to and including
// each entity, then the features, as little-endian numbers of 32 bits.
func (s *Sets) Bytes() []byte {
	data := make([]byte, 0, 4*(len(s.number)+len(s.items)))
	end := uint32(0)
	for _, i := range s.number {
		end += uint32(len(s.of(i)))
		data = binary.LittleEndian.AppendUint32(data, end)
	}
	for _, i := range s.number {
		for _, id := range s.of(i) {
			data = binary.LittleEndian.AppendUint32(data, id)
		}
	}
	return data
}

// ReadSets reads the features of the entities of a build. It returns nil if they are damaged.
func ReadSets(data []byte, entities, features int) *Sets {
	if len(data)%4 != 0 || len(data) < 4*entities {
		return nil
	}
	numbers := make([]uint32, 1+len(data)/4)
	for i := range numbers[1:] {
		numbers[1+i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	s := &Sets{lists: lists{numbers[:1+entities], numbers[1+entities:]}}
	tooLarge := func(id uint32) bool { return int(id) >= features }
	if !slices.IsSorted(s.start) || int(s.start[entities]) != len(s.items) || slices.ContainsFunc(s.items, tooLarge) {
		return nil
	}
	return s
}

// known provides the features of entities that have not changed since the previous build. A nil known
// provides none.
type known struct {
	previous Previous
	sets     *Sets
	ordinals []uint32 // in the previous build, in the given order; none if an entity has changed
}

// of returns the features that an entity has in the previous build, given its index in the given order,
// or nil if it has changed.
func (k *known) of(o uint32) []uint32 {
	if k == nil || k.ordinals[o] == none {
		return nil
	}
	return k.sets.of(k.ordinals[o])
}

// len returns the number of features in the previous build.
func (k *known) len() int {
	if k == nil {
		return 0
	}
	return k.previous.Features()
}

// list returns the features of the previous build.
func (k *known) list() []exports.Feature {
	list := make([]exports.Feature, k.len())
	for i := range list {
		list[i] = k.previous.Feature(uint32(i))
	}
	return list
}

// removed counts, for each feature, the entities of the previous build that had it and are not known.
func (k *known) removed() []int32 {
	count := make([]int32, k.len())
	if k == nil {
		return count
	}
	kept := make([]bool, k.previous.Len())
	for _, o := range k.ordinals {
		if o != none {
			kept[o] = true
		}
	}
	for o, is := range kept {
		if is {
			continue
		}
		for _, id := range k.sets.of(uint32(o)) {
			count[id]++
		}
	}
	return count
}
