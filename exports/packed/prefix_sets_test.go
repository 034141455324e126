package packed

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

// TestBetween compares the sets between random places of lists with sets that are built item by item.
func TestBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, size := range [][2]int{{1, 1}, {63, 40}, {1000, 1000}, {1024, 0}, {1024, 127}, {1024, 128}, {1024, 1024}, {5000, 700}, {5001, 5001}, {70_000, 30_000}} {
		n, listed := size[0], size[1]
		list := make([]uint32, 0, n)
		for _, i := range rng.Perm(n)[:listed] {
			list = append(list, uint32(i))
		}
		section := PackPrefixSets(n, list)
		if stored := n >= 1024 && listed >= n/8; stored != (len(section) > 0) {
			t.Errorf("%d of %d items: the section has %d bytes", listed, n, len(section))
		}
		s := NewSectionReader(func(string) []byte { return nil })
		m := s.PrefixSets("test", section, n, PackUint32s(list))
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
		for i := range 400 {
			from := rng.IntN(listed + 1)
			to := from + rng.IntN(listed-from+1)
			switch i { // the ends
			case 0:
				from, to = 0, listed
			case 1:
				to = from
			}
			if got, want := m.Between(from, to), roaring.BitmapOf(list[from:to]...); !got.Equals(want) {
				t.Fatalf("%d of %d items, from %d to %d: %d items, want %d", listed, n, from, to, got.GetCardinality(), want.GetCardinality())
			}
			if cost := m.cost(from, to); cost > to-from+words(n)/4 || len(section) > 0 && cost > listed/prefixCount+2+words(n)/4 {
				t.Fatalf("%d of %d items, from %d to %d: sets %d bits", listed, n, from, to, cost)
			}
		}
	}
}

// TestPrefixSetsOfWrongLength checks that a section of another length is refused.
func TestPrefixSetsOfWrongLength(t *testing.T) {
	list := make([]uint32, 2000)
	for i := range list {
		list[i] = uint32(i)
	}
	section := PackPrefixSets(2000, list)
	for _, wrong := range [][]byte{nil, section[:len(section)-8], append(slices.Clone(section), 0)} {
		s := NewSectionReader(func(string) []byte { return nil })
		if s.PrefixSets("test", wrong, 2000, PackUint32s(list)); s.Err() == nil {
			t.Errorf("%d bytes are accepted instead of %d", len(wrong), len(section))
		}
	}
}
