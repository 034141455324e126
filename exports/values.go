package exports

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// packValues makes the inverted lists (which ordinals have a value) and the
// forward lists (which values an ordinal has) of the filter fields.
func packValues(entities []*Entity) (values, bitmaps, facets []byte, err error) {
	var keys, shown []string
	var places []byte
	var inverted bytes.Buffer
	var forward [][]byte
	for _, field := range FilterFields {
		lists := map[string]*roaring.Bitmap{}
		forms := map[string]map[string]int{}
		for i, e := range entities {
			for _, v := range e.FieldValues(field) {
				key := Fold(v)
				if lists[key] == nil {
					lists[key], forms[key] = roaring.New(), map[string]int{}
				}
				lists[key].Add(uint32(i))
				forms[key][v]++
			}
		}
		ids := make(map[string]uint32, len(lists))
		for _, key := range slices.Sorted(maps.Keys(lists)) {
			ids[key] = uint32(len(keys))
			keys, shown = append(keys, field+"\x00"+key), append(shown, mostFrequent(forms[key]))
			places = binary.LittleEndian.AppendUint64(places, uint64(inverted.Len()))
			lists[key].RunOptimize()
			if _, err := lists[key].WriteTo(&inverted); err != nil {
				return nil, nil, nil, err
			}
		}
		offsets, list := make([]uint32, 1, len(entities)+1), []uint32(nil)
		for _, e := range entities {
			start := len(list)
			for _, v := range e.FieldValues(field) {
				if id := ids[Fold(v)]; !slices.Contains(list[start:], id) {
					list = append(list, id)
				}
			}
			offsets = append(offsets, uint32(len(list)))
		}
		forward = append(forward, appendUint32s(offsets), appendUint32s(list))
	}
	values = packSections(packStrings(keys), packStrings(shown), places)
	return values, inverted.Bytes(), packSections(forward...), nil
}

// mostFrequent picks the spelling that most entities use.
func mostFrequent(forms map[string]int) string {
	best := ""
	for _, f := range slices.Sorted(maps.Keys(forms)) {
		if best == "" || forms[f] > forms[best] {
			best = f
		}
	}
	return best
}
