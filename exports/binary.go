package exports

import (
	"encoding/binary"
	"errors"
	"sort"
)

// Lookup files are made of sections: a count, the length of each section, then
// the sections, each starting at a multiple of eight. Numbers are little-endian.

func packSections(parts ...[]byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(parts)))
	for _, p := range parts {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(p)))
	}
	for _, p := range parts {
		out = append(out, p...)
		for len(out)%8 != 0 {
			out = append(out, 0)
		}
	}
	return out
}

var errSections = errors.New("the sections of a lookup file do not fit its length")

func unpackSections(b []byte, want int) ([][]byte, error) {
	if len(b) < 8 || binary.LittleEndian.Uint64(b) != uint64(want) || len(b) < 8+8*want {
		return nil, errSections
	}
	at := uint64(8 + 8*want)
	parts := make([][]byte, want)
	for i := range parts {
		n := binary.LittleEndian.Uint64(b[8+8*i:])
		if n > uint64(len(b)) || at+n > uint64(len(b)) {
			return nil, errSections
		}
		parts[i] = b[at : at+n : at+n]
		at = (at + n + 7) &^ 7
	}
	return parts, nil
}

// uint32s is a list of numbers within a lookup file.
type uint32s []byte

func (u uint32s) len() int        { return len(u) / 4 }
func (u uint32s) at(i int) uint32 { return binary.LittleEndian.Uint32(u[i*4:]) }
func appendUint32s(list []uint32) []byte {
	b := make([]byte, 0, 4*len(list))
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// stringTable is an immutable list of texts: a count, the offsets, the bytes.
type stringTable struct {
	offsets uint32s
	text    []byte
}

func packStrings(list []string) []byte {
	offsets := make([]uint32, 1, len(list)+1)
	var text []byte
	for _, s := range list {
		text = append(text, s...)
		offsets = append(offsets, uint32(len(text)))
	}
	return packSections(appendUint32s(offsets), text)
}

func openStrings(b []byte) (stringTable, error) {
	parts, err := unpackSections(b, 2)
	if err != nil {
		return stringTable{}, err
	}
	return stringTable{offsets: parts[0], text: parts[1]}, nil
}

func (t stringTable) len() int        { return t.offsets.len() - 1 }
func (t stringTable) at(i int) []byte { return t.text[t.offsets.at(i):t.offsets.at(i+1)] }

// search returns the first place in a sorted table whose text is not below s,
// and whether it is s.
func (t stringTable) search(s string) (int, bool) {
	i := sort.Search(t.len(), func(i int) bool { return string(t.at(i)) >= s })
	return i, i < t.len() && string(t.at(i)) == s
}
