package packed

import (
	"encoding/binary"
	"math/bits"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
)

// Column holds numbers that only some items have, such as the prices of models. It finds
// the number of an item in constant time, and the items within a range by binary search.
type Column struct {
	present  []byte     // a bit for each item, in 64-bit words
	before   Uint32s    // for each word, the number of bits set in the words before it
	values   []byte     // int64, of the items that have a number
	sorted   Uint32s    // these items, by number
	prefixes PrefixSets // of sorted
}

// ColumnSections is the number of sections that a column occupies in a lookup file.
const ColumnSections = 5

// PackColumn returns the sections of a column of n items. items lists those that have a
// number, in ascending order, and values their numbers. sorted lists the same items by
// number. A column without numbers takes no space.
func PackColumn(n int, items []uint32, values []int64, sorted []uint32) [][]byte {
	if len(items) == 0 {
		return make([][]byte, ColumnSections)
	}
	present := make([]uint64, words(n))
	for _, i := range items {
		present[i>>6] |= 1 << (i & 63)
	}
	mask, before := make([]byte, 0, 8*len(present)), make([]uint32, len(present))
	count := 0
	for i, w := range present {
		mask = binary.LittleEndian.AppendUint64(mask, w)
		before[i] = uint32(count)
		count += bits.OnesCount64(w)
	}
	numbers := make([]byte, 0, 8*len(values))
	for _, v := range values {
		numbers = binary.LittleEndian.AppendUint64(numbers, uint64(v))
	}
	return [][]byte{mask, PackUint32s(before), numbers, PackUint32s(sorted), PackPrefixSets(n, sorted)}
}

// Column opens the first ColumnSections of parts as a column of n items.
func (s *SectionReader) Column(name string, parts [][]byte, n int) Column {
	c := Column{present: parts[0], before: parts[1], values: parts[2], sorted: parts[3]}
	if len(c.present) == 0 {
		s.Check(name, len(c.before)+len(c.values)+len(c.sorted)+len(parts[4]) == 0)
		return c
	}
	last := words(n) - 1
	fits := len(c.present) == 8*words(n) && c.before.Len() == words(n)
	if fits {
		known := int(c.before.At(last)) + bits.OnesCount64(Uint64At(c.present, last))
		fits = len(c.values) == 8*known && len(c.sorted) == 4*known
	}
	s.Check(name, fits)
	c.prefixes = s.PrefixSets(name, parts[4], n, c.sorted)
	return c
}

// Sorted returns the items that have a number, by number.
func (c Column) Sorted() Uint32s { return c.sorted }

// Get returns the number of an item, and reports whether it has one.
func (c Column) Get(item uint32) (value int64, ok bool) {
	word := int(item >> 6)
	if 8*word >= len(c.present) {
		return 0, false
	}
	w, bit := Uint64At(c.present, word), uint64(1)<<(item&63)
	if w&bit == 0 {
		return 0, false
	}
	return c.value(int(c.before.At(word)) + bits.OnesCount64(w&(bit-1))), true
}

func (c Column) value(i int) int64 { return int64(Uint64At(c.values, i)) }

// Each calls yield with each item that has a number, in ascending order of items.
func (c Column) Each(yield func(item uint32, value int64) bool) {
	n := 0
	for word := range len(c.present) / 8 {
		for w := Uint64At(c.present, word); w != 0; w &= w - 1 {
			if !yield(uint32(64*word+bits.TrailingZeros64(w)), c.value(n)) {
				return
			}
			n++
		}
	}
}

// Within returns the items of a set, or of all items if set is nil, whose number is at
// least low and at most high. The set stays unchanged.
func (c Column) Within(set *roaring.Bitmap, low, high int64) *roaring.Bitmap {
	number := func(i int) int64 { v, _ := c.Get(c.sorted.At(i)); return v }
	known := c.sorted.Len()
	from := sort.Search(known, func(i int) bool { return number(i) >= low })
	to := from + sort.Search(known-from, func(i int) bool { return number(from+i) > high })
	switch {
	case from == to:
		return roaring.New()
	case set == nil:
		return c.prefixes.Between(from, to)
	case lookUpCost*set.GetCardinality() < uint64(c.prefixes.cost(from, to)):
		return c.among(set, low, high)
	default:
		return And(set, c.prefixes.Between(from, to))
	}
}

// lookUpCost is the estimated cost of looking up an item, which reads three random places, in units of
// the cost of setting a bit for an item.
const lookUpCost = 8

// among looks up each item of a set.
func (c Column) among(set *roaring.Bitmap, low, high int64) *roaring.Bitmap {
	var list []uint32
	buf := make([]uint32, 256)
	it := set.ManyIterator()
	for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
		for _, i := range buf[:n] {
			if v, ok := c.Get(i); ok && low <= v && v <= high {
				list = append(list, i)
			}
		}
	}
	return roaring.BitmapOf(list...)
}
