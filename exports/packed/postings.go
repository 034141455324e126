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

// NoPostings returns empty Postings.
func NoPostings() Postings { return Postings{keys: NoStrings(), offsets: make([]byte, 8)} }

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

// All returns the items with all of the values. The result is empty if values is
// empty.
func (p Postings) All(field string, values []string) *roaring.Bitmap {
	return Intersect(values, func(v string) *roaring.Bitmap { return p.Find(field, v) })
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

// PostingsBuilder collects the items for each field and value pair, joined by NUL.
type PostingsBuilder map[string][]uint32

// Add records that item i has a value. Items must be added in ascending order.
func (p PostingsBuilder) Add(field, value string, i int) {
	key := field + "\x00" + value
	if list := p[key]; len(list) == 0 || list[len(list)-1] != uint32(i) {
		p[key] = append(list, uint32(i))
	}
}

// Pack returns the sections of postings that combine the first kept of the n items in
// previous with the added items. It copies unchanged sets. Changed sets are passed to
// RunOptimize, so that they have the same form as if they had been built from scratch.
func (p PostingsBuilder) Pack(previous Postings, kept, n int) ([][]byte, error) {
	all := slices.Collect(maps.Keys(p))
	if kept > 0 {
		for i := range previous.keys.Len() {
			all = append(all, string(previous.keys.At(i)))
		}
	}
	slices.Sort(all)
	var keys []string
	offsets := make([]byte, 8)
	var sets bytes.Buffer
	i := 0 // the index in previous
	for _, key := range slices.Compact(all) {
		set := roaring.BitmapOf(p[key]...)
		if kept > 0 && i < previous.keys.Len() && string(previous.keys.At(i)) == key {
			switch {
			case kept < n:
				first := roaring.New()
				first.AddRange(0, uint64(kept))
				set.Or(roaring.And(previous.set(i), first))
			case set.IsEmpty():
				sets.Write(previous.bytes(i))
			default:
				set = roaring.Or(previous.set(i), set)
			}
			i++
		}
		if !set.IsEmpty() {
			set.RunOptimize()
			if _, err := set.WriteTo(&sets); err != nil {
				return nil, err
			}
		}
		if uint64(sets.Len()) > Uint64At(offsets, len(keys)) { // leave out empty sets
			keys = append(keys, key)
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(sets.Len()))
		}
	}
	return [][]byte{PackStrings(keys), offsets, sets.Bytes()}, nil
}

// MergeStrings merges two lists of strings into a sorted table without duplicates. It also
// returns the index of each string in that table, for the first list and then for the second.
// The first list consists of the strings of previous whose indexes are the first kept
// elements of ranks. The second list is more.
func MergeStrings(previous StringTable, ranks Uint32s, kept int, more []string) (table []string, rank []uint32) {
	used := make([]bool, previous.Len())
	for i := range kept {
		used[ranks.At(i)] = true
	}
	added := slices.Clone(more)
	slices.Sort(added)
	added = slices.Compact(added)
	newIndex := make([]uint32, previous.Len())
	for i := range used {
		if !used[i] {
			continue
		}
		old := string(previous.At(i))
		for len(added) > 0 && added[0] < old {
			table, added = append(table, added[0]), added[1:]
		}
		if len(added) > 0 && added[0] == old {
			added = added[1:]
		}
		newIndex[i] = uint32(len(table))
		table = append(table, old)
	}
	table = append(table, added...)
	rank = make([]uint32, 0, kept+len(more))
	for i := range kept {
		rank = append(rank, newIndex[ranks.At(i)])
	}
	for _, s := range more {
		i, _ := slices.BinarySearch(table, s)
		rank = append(rank, uint32(i))
	}
	return table, rank
}

// Intersect returns the intersection of the sets of all values. A nil set counts as
// empty. If there are no values, the intersection is empty.
func Intersect(values []string, of func(value string) *roaring.Bitmap) *roaring.Bitmap {
	var set *roaring.Bitmap
	for _, v := range values {
		one := of(v)
		switch {
		case one == nil:
			return roaring.New()
		case set == nil:
			set = one
		default:
			set = And(set, one)
		}
	}
	if set == nil {
		return roaring.New()
	}
	return set
}

// And returns the intersection of two sets, which it leaves unchanged. If both have many runs, roaring
// takes milliseconds for a million items: it copies the intersection run by run, and each run moves
// those after it.
func And(x, y *roaring.Bitmap) *roaring.Bitmap {
	if !x.HasRunCompression() || !y.HasRunCompression() || sparse(x) || sparse(y) {
		return roaring.And(x, y)
	}
	a, b := x.ToDense(), y.ToDense()
	a = a[:min(len(a), len(b))]
	for i := range a {
		a[i] &= b[i]
	}
	return roaring.FromDense(a, false)
}

// sparse reports whether a set would take far more memory with one bit for each item: it has few members, or
// comes from a forged file.
func sparse(x *roaring.Bitmap) bool { return x.DenseSize() > 64*x.GetCardinality() }

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
