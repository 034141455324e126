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

// Postings are inverted lists in a lookup file: a sorted table of field, NUL,
// value, and the set of places that have each.
type Postings struct {
	keys    StringTable
	offsets []byte // where the sets begin, and last where they end
	sets    []byte
}

// NoPostings returns lists without a key.
func NoPostings() Postings { return Postings{keys: NoStrings(), offsets: make([]byte, 8)} }

// PostingSections is how many sections of a lookup file postings take.
const PostingSections = 3

// Uint64At returns the number at a place of a list of 64-bit numbers.
func Uint64At(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

func (p Postings) bytes(i int) []byte { return p.sets[Uint64At(p.offsets, i):Uint64At(p.offsets, i+1)] }

// set returns one of the sets. It points into the file: it must not be changed.
func (p Postings) set(i int) *roaring.Bitmap {
	set := roaring.New()
	if _, err := set.FromBuffer(p.bytes(i)); err != nil {
		panic(fmt.Sprintf("exports: set %d of a verified build: %v", i, err))
	}
	return set
}

// Find returns the places that have a value, nil if none has. The set must not
// be changed.
func (p Postings) Find(field, value string) *roaring.Bitmap {
	i, ok := p.keys.Search(field + "\x00" + value)
	if !ok {
		return nil
	}
	return p.set(i)
}

// Any returns the places that have one of the values.
func (p Postings) Any(field string, values []string) *roaring.Bitmap {
	set := roaring.New()
	for _, v := range values {
		if one := p.Find(field, v); one != nil {
			set = roaring.Or(set, one)
		}
	}
	return set
}

// All returns the places that have every one of the values, and at least one.
func (p Postings) All(field string, values []string) *roaring.Bitmap {
	return Intersect(values, func(v string) *roaring.Bitmap { return p.Find(field, v) })
}

// Values lists the values of a field in order.
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

// PostingsBuilder collects the places that have a value, by field, NUL, value.
type PostingsBuilder map[string][]uint32

// Add notes a value of a place. Places come in ascending order.
func (p PostingsBuilder) Add(field, value string, i int) {
	key := field + "\x00" + value
	if list := p[key]; len(list) == 0 || list[len(list)-1] != uint32(i) {
		p[key] = append(list, uint32(i))
	}
}

// Pack makes the sections of postings: of the first kept of the n numbers of
// previous, and of those that were added. A set that nothing happened to is copied
// as it is; RunOptimize gives the others the form that they would have had,
// whatever they grew from.
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
		if uint64(sets.Len()) > Uint64At(offsets, len(keys)) { // else none is left
			keys = append(keys, key)
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(sets.Len()))
		}
	}
	return [][]byte{PackStrings(keys), offsets, sets.Bytes()}, nil
}

// MergeStrings makes a sorted table of texts, each once, and tells the place of
// every text in it. The first kept texts are those that ranks names in previous.
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

// Intersect is what the sets of all values have in common. A nil set is an
// empty one, and so is the intersection of no values.
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
			set = roaring.And(set, one)
		}
	}
	if set == nil {
		return roaring.New()
	}
	return set
}
