package packed

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
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

// checkText returns an error if the strings of a table are larger than its offsets, which have 32 bits,
// can address.
func checkText(strings, size int) error {
	if uint64(size) > math.MaxUint32 {
		return fmt.Errorf("a table of %d strings has %d bytes, but offsets of 32 bits can address only 4 GiB", strings, size)
	}
	return nil
}

// PackStrings encodes a table for OpenStrings. It panics if the strings are larger than 4 GiB.
func PackStrings(list []string) []byte {
	text := 0
	for _, s := range list {
		text += len(s)
	}
	if err := checkText(len(list), text); err != nil {
		panic(err)
	}
	offsets := 4 * (len(list) + 1)
	head := SectionHead(offsets, text)
	b := append(make([]byte, 0, len(head)+offsets+len(Padding(offsets))+text+len(Padding(text))), head...)
	at := uint32(0)
	b = binary.LittleEndian.AppendUint32(b, at)
	for _, s := range list {
		at += uint32(len(s))
		b = binary.LittleEndian.AppendUint32(b, at)
	}
	b = append(b, Padding(offsets)...)
	for _, s := range list {
		b = append(b, s...)
	}
	return append(b, Padding(text)...)
}

// StringBuilder encodes a table for OpenStrings, string by string. It uses hardly more memory than the
// table itself, even if the table is large. The zero value is an empty table.
type StringBuilder struct {
	ends   []byte
	blocks [][]byte // the text; only the last block grows
	size   int
}

// blockSize is the capacity of a block of text.
const blockSize = 1 << 20

// Add appends a string to the table.
func (b *StringBuilder) Add(s []byte) {
	last := len(b.blocks) - 1
	if last < 0 || len(b.blocks[last])+len(s) > cap(b.blocks[last]) {
		b.blocks = append(b.blocks, make([]byte, 0, max(blockSize, len(s))))
		last++
	}
	b.blocks[last] = append(b.blocks[last], s...)
	b.size += len(s)
	b.ends = binary.LittleEndian.AppendUint32(b.ends, uint32(b.size)) // WriteTo checks the size
}

// WriteTo writes the table. It fails if the strings are larger than 4 GiB.
func (b *StringBuilder) WriteTo(w io.Writer) (int64, error) {
	if err := checkText(len(b.ends)/4, b.size); err != nil {
		return 0, err
	}
	offsets := 4 + len(b.ends)
	parts := append([][]byte{SectionHead(offsets, b.size), make([]byte, 4), b.ends, Padding(offsets)}, b.blocks...)
	var written int64
	for _, p := range append(parts, Padding(b.size)) {
		n, err := w.Write(p)
		if written += int64(n); err != nil {
			return written, err
		}
	}
	return written, nil
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
