package packed

import (
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"
)

// PrefixSets finds the items between two places of a sorted list. It stores the bit set of each of
// prefixCount evenly spaced prefixes of the list. The items between two places are the difference of the
// two nearest sets, corrected by the few items in between. Setting a bit for each item takes up to
// prefixCount times as long.
type PrefixSets struct {
	n    int
	list Uint32s
	sets []byte // empty for a short list, whose bits are set one by one
}

const (
	prefixCount = 16
	// Sets are stored only for at least minPrefixItems items, of which at least one in minPrefixShare is
	// listed.
	minPrefixItems, minPrefixShare = 1 << 10, 8
)

// hasPrefixSets reports whether sets are stored for a list.
func hasPrefixSets(n, listed int) bool { return n >= minPrefixItems && listed >= n/minPrefixShare }

// prefixEnd returns the length of the prefix of a list whose items are in set i. Set 0 is empty and not stored.
func prefixEnd(listed, i int) int { return int(int64(listed) * int64(i) / prefixCount) }

// words returns the number of 64-bit words in a bit set of n items.
func words(n int) int { return (n + 63) / 64 }

// PackPrefixSets returns the section with the sets for a list of distinct items, all below n.
func PackPrefixSets(n int, list []uint32) []byte {
	if !hasPrefixSets(n, len(list)) {
		return nil
	}
	set, out := make([]uint64, words(n)), make([]byte, 0, 8*prefixCount*words(n))
	for i := range prefixCount {
		for _, item := range list[prefixEnd(len(list), i):prefixEnd(len(list), i+1)] {
			set[item>>6] |= 1 << (item & 63)
		}
		for _, w := range set {
			out = binary.LittleEndian.AppendUint64(out, w)
		}
	}
	return out
}

// PrefixSets opens the section that PackPrefixSets returned for a list.
func (s *SectionReader) PrefixSets(name string, section []byte, n int, list Uint32s) PrefixSets {
	want := 0
	if hasPrefixSets(n, list.Len()) {
		want = 8 * prefixCount * words(n)
	}
	s.Check(name, len(section) == want)
	return PrefixSets{n, list, section}
}

// Between returns the items at the places in [from, to).
func (p PrefixSets) Between(from, to int) *roaring.Bitmap {
	set := make([]uint64, words(p.n))
	low, high, combined := p.plan(from, to)
	if !combined {
		p.add(set, from, to)
		return roaring.FromDense(set, false)
	}
	p.subtract(set, high, low)
	start, end := prefixEnd(p.list.Len(), low), prefixEnd(p.list.Len(), high)
	p.remove(set, start, from)
	p.add(set, from, start)
	p.remove(set, to, end)
	p.add(set, end, to)
	return roaring.FromDense(set, false)
}

// plan returns the numbers of the sets that are closest to two places, and reports whether combining them
// leaves fewer items to add or remove than there are between the places.
func (p PrefixSets) plan(from, to int) (low, high int, combined bool) {
	if len(p.sets) == 0 {
		return 0, 0, false
	}
	low, high = p.nearest(from), p.nearest(to)
	return low, high, p.corrections(from, low)+p.corrections(to, high) < to-from
}

// cost returns the estimated cost of Between, in units of the cost of adding an item.
func (p PrefixSets) cost(from, to int) int {
	if low, high, combined := p.plan(from, to); combined {
		return p.corrections(from, low) + p.corrections(to, high) + words(p.n)/4
	}
	return to - from
}

// corrections returns the number of items between a place and the end of the prefix of a set.
func (p PrefixSets) corrections(place, number int) int {
	at := prefixEnd(p.list.Len(), number)
	return max(place-at, at-place)
}

// nearest returns the number of the set whose prefix ends closest to a place.
func (p PrefixSets) nearest(place int) int {
	listed := p.list.Len()
	return int((int64(place)*prefixCount + int64(listed)/2) / int64(listed))
}

// subtract makes set the difference of two sets, given by their numbers.
func (p PrefixSets) subtract(set []uint64, high, low int) {
	if high == 0 {
		return
	}
	size := 8 * len(set)
	copyWords(set, p.sets[size*(high-1):size*high])
	if low == 0 {
		return
	}
	for i, lower := 0, p.sets[size*(low-1):size*low]; i < len(set); i++ {
		set[i] &^= Uint64At(lower, i)
	}
}

func copyWords(set []uint64, from []byte) {
	for i := range set {
		set[i] = Uint64At(from, i)
	}
}

// add sets the bits of the items at the places in [from, to), if there are any.
func (p PrefixSets) add(set []uint64, from, to int) {
	for ; from < to; from++ {
		item := p.list.At(from)
		set[item>>6] |= 1 << (item & 63)
	}
}

// remove clears the bits of the items at the places in [from, to), if there are any.
func (p PrefixSets) remove(set []uint64, from, to int) {
	for ; from < to; from++ {
		item := p.list.At(from)
		set[item>>6] &^= 1 << (item & 63)
	}
}
