package indexes

import (
	"math"
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/parallel"
)

// set is a set of ordinals with one bit per record. This is the fastest form for the sets
// that a search combines: with a hundred thousand records, a union takes microseconds.
type set []uint64

func setWords(records int) int { return (records + 63) / 64 }

func (s set) add(o uint32)      { s[o>>6] |= 1 << (o & 63) }
func (s set) has(o uint32) bool { return s[o>>6]>>(o&63)&1 == 1 }

// fill adds the ordinals below n.
func (s set) fill(n int) {
	for i := range n / 64 {
		s[i] = math.MaxUint64
	}
	if n%64 != 0 {
		s[n/64] |= 1<<(n%64) - 1
	}
}

func (s set) or(t set) {
	for i, w := range t {
		s[i] |= w
	}
}

func (s set) and(t set) {
	for i := range s {
		s[i] &= t[i]
	}
}

// andEither removes the members that are in neither t nor u. A nil set is empty.
func (s set) andEither(t, u set) {
	if t == nil {
		s.and(u)
		return
	}
	for i := range s {
		s[i] &= t[i] | u[i]
	}
}

func (s set) andNot(t set) {
	for i := range s {
		s[i] &^= t[i]
	}
}

func (s set) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

func (s set) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls yield with the members in order until yield returns false.
func (s set) each(yield func(uint32) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(uint32(i*64 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// parallelSet is the number of members from which keep uses all processors. Tests set a lower value.
var parallelSet = 1 << 13

// keepBatch is the maximum number of members that keep passes at once.
const keepBatch = 128

// keep removes members. It calls f with members in batches, concurrently if there are many; f sets kept[i] if
// members[i] is to stay.
func (s set) keep(f func(members []uint32, kept []bool)) {
	if s.count() < parallelSet {
		s.keepWords(f, 0, len(s))
		return
	}
	parallel.Ranges(len(s), func(from, to int) { s.keepWords(f, from, to) })
}

func (s set) keepWords(f func(members []uint32, kept []bool), from, to int) {
	members, kept := make([]uint32, 0, keepBatch), make([]bool, keepBatch)
	flush := func() {
		clear(kept)
		f(members, kept[:len(members)])
		for i, o := range members {
			if !kept[i] {
				s[o>>6] &^= 1 << (o & 63)
			}
		}
		members = members[:0]
	}
	for i := from; i < to; i++ {
		for w := s[i]; w != 0; w &= w - 1 {
			if members = append(members, uint32(i*64+bits.TrailingZeros64(w))); len(members) == keepBatch {
				flush()
			}
		}
	}
	flush()
}

// bitmap returns the set in the form that other packages use.
func (s set) bitmap() *roaring.Bitmap { return roaring.FromDense(s, true) }

// maxArrayLen is a size up to which no container of a bitmap can be stored as bits.
const maxArrayLen = 4096

// addBitmap adds the members of a bitmap. The scratch set must be as large as s.
func (s set) addBitmap(b *roaring.Bitmap, scratch set) {
	if b.GetCardinality() <= maxArrayLen {
		b.WriteDenseTo(s) // WriteDenseTo overwrites containers that are stored as bits
		return
	}
	clear(scratch)
	b.WriteDenseTo(scratch)
	s.or(scratch)
}
