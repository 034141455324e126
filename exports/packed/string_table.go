package packed

import (
	"encoding/binary"
	"sort"
)

// Uint32s is a list of numbers in a lookup file.
type Uint32s []byte

// Len returns the number of elements.
func (u Uint32s) Len() int { return len(u) / 4 }

// At returns element i.
func (u Uint32s) At(i int) uint32 { return binary.LittleEndian.Uint32(u[i*4:]) }

// PackUint32s encodes a list for Uint32s.
func PackUint32s(list []uint32) []byte {
	b := make([]byte, 0, 4*len(list))
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// StringTable is an immutable list of strings. It is stored as offsets and the
// bytes of all strings.
type StringTable struct {
	offsets Uint32s
	text    []byte
}

// PackStrings encodes a table for OpenStrings.
func PackStrings(list []string) []byte {
	offsets := make([]uint32, 1, len(list)+1)
	var text []byte
	for _, s := range list {
		text = append(text, s...)
		offsets = append(offsets, uint32(len(text)))
	}
	return PackSections(PackUint32s(offsets), text)
}

// OpenStrings opens a table that PackStrings encoded. The table points into b.
func OpenStrings(b []byte) (StringTable, error) {
	parts, err := UnpackSections(b, 2)
	if err != nil {
		return StringTable{}, err
	}
	return StringTable{offsets: parts[0], text: parts[1]}, nil
}

// Len returns the number of strings.
func (t StringTable) Len() int { return t.offsets.Len() - 1 }

// At returns string i.
func (t StringTable) At(i int) []byte { return t.text[t.offsets.At(i):t.offsets.At(i+1)] }

// Search returns the index of the first string in a sorted table that is not less
// than s, and reports whether it equals s.
func (t StringTable) Search(s string) (int, bool) {
	i := sort.Search(t.Len(), func(i int) bool { return string(t.At(i)) >= s })
	return i, i < t.Len() && string(t.At(i)) == s
}

// NoStrings returns an empty table.
func NoStrings() StringTable { return StringTable{offsets: make([]byte, 4)} }
