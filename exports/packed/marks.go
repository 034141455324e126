package packed

import (
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"
)

// Marks finds the set of the items between two places of a sorted list. It stores the set of the
// items before each of markCount places, which divide the list evenly, with one bit per item. The
// set between any two places is the difference of two stored sets, after adding or removing the
// few items next to these places. Setting a bit for each item would take markCount times as long.
type Marks struct {
	n    int
	list Uint32s
	sets []byte // empty if the list is so short that the bits of its items can be set one by one
}

const (
	markCount = 16
	// minMarkedItems is the minimum number of items for which sets are stored, and minMarkedShare the
	// minimum share of them that must be in the list, as its reciprocal.
	minMarkedItems, minMarkedShare = 1 << 10, 8
)

func marked(n, listed int) bool { return n >= minMarkedItems && listed >= n/minMarkedShare }

// markAt returns the place in a list of the given length before which are the items of set i, which
// is at most markCount.
func markAt(listed, i int) int { return int(int64(listed) * int64(i) / markCount) }

// words returns the number of 64-bit words of a set of n items.
func words(n int) int { return (n + 63) / 64 }

// PackMarks returns the section with the sets for a list of distinct items, all below n.
func PackMarks(n int, list []uint32) []byte {
	if !marked(n, len(list)) {
		return nil
	}
	set, out := make([]uint64, words(n)), make([]byte, 0, 8*markCount*words(n))
	for i := range markCount {
		for _, item := range list[markAt(len(list), i):markAt(len(list), i+1)] {
			set[item>>6] |= 1 << (item & 63)
		}
		for _, w := range set {
			out = binary.LittleEndian.AppendUint64(out, w)
		}
	}
	return out
}

// Marks opens the section that PackMarks returned for a list.
func (s *SectionReader) Marks(name string, section []byte, n int, list Uint32s) Marks {
	want := 0
	if marked(n, list.Len()) {
		want = 8 * markCount * words(n)
	}
	s.Check(name, len(section) == want)
	return Marks{n, list, section}
}

// Between returns the items at the places from up to to.
func (m Marks) Between(from, to int) *roaring.Bitmap {
	set := make([]uint64, words(m.n))
	low, high, combined := m.plan(from, to)
	if !combined {
		m.add(set, from, to)
		return roaring.FromDense(set, false)
	}
	m.subtract(set, high, low)
	start, end := markAt(m.list.Len(), low), markAt(m.list.Len(), high)
	m.remove(set, start, from)
	m.add(set, from, start)
	m.remove(set, to, end)
	m.add(set, end, to)
	return roaring.FromDense(set, false)
}

// plan returns the stored sets that are closest to two places, and reports whether combining them leaves
// fewer items to add or remove than there are between the places.
func (m Marks) plan(from, to int) (low, high int, combined bool) {
	if len(m.sets) == 0 {
		return 0, 0, false
	}
	low, high = m.nearest(from), m.nearest(to)
	return low, high, m.corrections(from, low)+m.corrections(to, high) < to-from
}

// cost returns the number of items that Between adds or removes one by one.
func (m Marks) cost(from, to int) int {
	if low, high, combined := m.plan(from, to); combined {
		return m.corrections(from, low) + m.corrections(to, high)
	}
	return to - from
}

// corrections returns the number of items between a place and that of a stored set.
func (m Marks) corrections(place, mark int) int {
	at := markAt(m.list.Len(), mark)
	return max(place-at, at-place)
}

// nearest returns the stored set that is closest to a place.
func (m Marks) nearest(place int) int {
	listed := m.list.Len()
	return int((int64(place)*markCount + int64(listed)/2) / int64(listed))
}

// subtract makes set the difference of two stored sets.
func (m Marks) subtract(set []uint64, high, low int) {
	if high == 0 {
		return
	}
	size := 8 * len(set)
	copyWords(set, m.sets[size*(high-1):size*high])
	if low == 0 {
		return
	}
	for i, lower := 0, m.sets[size*(low-1):size*low]; i < len(set); i++ {
		set[i] &^= Uint64At(lower, i)
	}
}

func copyWords(set []uint64, from []byte) {
	for i := range set {
		set[i] = Uint64At(from, i)
	}
}

// add sets the bits of the items at the places from up to to, if there are any.
func (m Marks) add(set []uint64, from, to int) {
	for ; from < to; from++ {
		item := m.list.At(from)
		set[item>>6] |= 1 << (item & 63)
	}
}

// remove clears the bits of the items at the places from up to to, if there are any.
func (m Marks) remove(set []uint64, from, to int) {
	for ; from < to; from++ {
		item := m.list.At(from)
		set[item>>6] &^= 1 << (item & 63)
	}
}
