package packed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// Postings holds inverted lists in a lookup file: a sorted table of pairs and, for each pair,
// the set of items that have it. A pair is a field and a value, joined by NUL.
type Postings struct {
	keys    StringTable
	offsets []byte // the start of each set, then the end of the last set
	sets    []byte
}

// PostingSections is the number of sections that postings occupy in a lookup file.
const PostingSections = 3

// Uint64At returns element i of a list of 64-bit numbers.
func Uint64At(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

func (p Postings) bytes(i int) []byte { return p.sets[Uint64At(p.offsets, i):Uint64At(p.offsets, i+1)] }

// set returns set i. The result points into the file and must not be modified.
func (p Postings) set(i int) *roaring.Bitmap {
	set := roaring.New()
	if _, err := set.FromBuffer(p.bytes(i)); err != nil {
		panic(fmt.Sprintf("packed: set %d of a verified build: %v", i, err))
	}
	return set
}

// Find returns the items with a value, or nil if there are none. The set must not
// be modified.
func (p Postings) Find(field, value string) *roaring.Bitmap {
	i, ok := p.keys.Search(field + "\x00" + value)
	if !ok {
		return nil
	}
	return p.set(i)
}

// Any returns the items with at least one of the values.
func (p Postings) Any(field string, values []string) *roaring.Bitmap {
	set := roaring.New()
	for _, v := range values {
		if one := p.Find(field, v); one != nil {
			set = roaring.Or(set, one)
		}
	}
	return set
}

// Values returns the sorted values of a field.
func (p Postings) Values(field string) []string {
	prefix := field + "\x00"
	list := []string{}
	for i, _ := p.keys.Search(prefix); i < p.keys.Len(); i++ {
		value, ok := strings.CutPrefix(string(p.keys.At(i)), prefix)
		if !ok {
			break
		}
		list = append(list, value)
	}
	return list
}

// PackPostings returns the sections of postings that consist of the given sets, by field and value, joined by
// NUL.
func PackPostings(sets map[string]*roaring.Bitmap) ([][]byte, error) {
	keys := slices.Sorted(maps.Keys(sets))
	offsets := make([]byte, 8)
	var all bytes.Buffer
	for _, key := range keys {
		if _, err := sets[key].WriteTo(&all); err != nil {
			return nil, err
		}
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(all.Len()))
	}
	return [][]byte{PackStrings(keys), offsets, all.Bytes()}, nil
}
