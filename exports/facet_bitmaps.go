package exports

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// packValues builds the inverted lists (which ordinals have a value) and the
// forward lists (which values an ordinal has) of the filter fields.
func packValues(entities []*record.Entity) (values, bitmaps, facets []byte, err error) {
	var keys, spellings []string
	var frequent []uint32
	var frequentSets []byte
	var sizes, bySize []uint32
	var offsets []byte
	var inverted bytes.Buffer
	rows := emptyRows(entities)
	for _, field := range FilterFields {
		lists := map[string]*valueList{}
		of := listsOf(entities, field, lists)
		first := len(keys)
		for _, key := range slices.Sorted(maps.Keys(lists)) {
			l := lists[key]
			l.id = uint32(len(keys))
			keys, spellings = append(keys, field+"\x00"+key), append(spellings, mostFrequent(l.spellings))
			sizes, bySize = append(sizes, uint32(l.ordinals.GetCardinality())), append(bySize, l.id)
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(inverted.Len()))
			if isFrequent(l.ordinals.GetCardinality(), len(entities)) {
				frequent, frequentSets = append(frequent, l.id), appendDense(frequentSets, l.ordinals, len(entities))
			}
			l.ordinals.RunOptimize()
			if _, err := l.ordinals.WriteTo(&inverted); err != nil {
				return nil, nil, nil, err
			}
		}
		slices.SortStableFunc(bySize[first:], func(i, j uint32) int { return cmp.Compare(sizes[j], sizes[i]) })
		for i, e := range entities {
			start := len(rows[i])
			for _, v := range e.FieldValues(field) {
				if id := of[v].id; !slices.Contains(rows[i][start:], id) {
					rows[i] = append(rows[i], id)
				}
			}
		}
	}
	values = packed.PackSections(packed.PackStrings(keys), packed.PackStrings(spellings), offsets, packed.PackUint32s(sizes), packed.PackUint32s(bySize))
	places, all := packLists(rows)
	return values, inverted.Bytes(), packed.PackSections(places, all, packed.PackUint32s(frequent), frequentSets), nil
}

// isFrequent reports whether a value that size of n records have is also stored as a bit set. With fewer
// records, a bit set is larger than the ordinals and takes longer to read.
func isFrequent(size uint64, n int) bool { return n >= 1<<10 && size >= uint64(n)/128 }

// appendDense appends the bit set of ordinals below n.
func appendDense(b []byte, set *roaring.Bitmap, n int) []byte {
	for _, w := range newDenseSet(set, n).words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// emptyRows returns an empty list for each entity, with room for its values.
func emptyRows(entities []*record.Entity) [][]uint32 {
	rows, sizes, total := make([][]uint32, len(entities)), make([]int, len(entities)), 0
	for i, e := range entities {
		for _, field := range FilterFields {
			sizes[i] += len(e.FieldValues(field))
		}
		total += sizes[i]
	}
	room := make([]uint32, total)
	for i, n := range sizes {
		rows[i], room = room[:0:n], room[n:]
	}
	return rows
}

// packLists packs lists of numbers: the place where each begins and where the last one ends, and all the
// numbers.
func packLists(lists [][]uint32) (places, all []byte) {
	starts, numbers := make([]uint32, 1, len(lists)+1), []uint32(nil)
	for _, l := range lists {
		numbers = append(numbers, l...)
		starts = append(starts, uint32(len(numbers)))
	}
	return packed.PackUint32s(starts), packed.PackUint32s(numbers)
}

// valueList is one value of a filter field.
type valueList struct {
	id        uint32
	ordinals  *roaring.Bitmap // the entities that have the value
	spellings map[string]int  // spelling → number of entities
}

// listsOf adds a field's values to lists, by folded form. It also returns them by
// original spelling, so that each spelling is folded only once.
func listsOf(entities []*record.Entity, field string, lists map[string]*valueList) (of map[string]*valueList) {
	of = map[string]*valueList{}
	for i, e := range entities {
		for _, v := range e.FieldValues(field) {
			l := of[v]
			if l == nil {
				key := record.Fold(v)
				if l = lists[key]; l == nil {
					l = &valueList{ordinals: roaring.New(), spellings: map[string]int{}}
					lists[key] = l
				}
				of[v] = l
			}
			l.ordinals.Add(uint32(i))
			l.spellings[v]++
		}
	}
	return of
}

// mostFrequent picks the spelling that most entities use.
func mostFrequent(spellings map[string]int) string {
	best := ""
	for _, f := range slices.Sorted(maps.Keys(spellings)) {
		if best == "" || spellings[f] > spellings[best] {
			best = f
		}
	}
	return best
}
