package exports

import (
	"encoding/binary"
	"io"
	"math"
	"strings"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// Feature is a property that two similar entities share, such as a tag.
type Feature struct {
	Kind  string // category, tag, capability, provider, word, …
	Value string
}

// Neighbour is a similar entity. It contains no pointers and is small, because a build has
// millions of neighbours.
type Neighbour struct {
	Similarity  float64 // 0 to 1
	Ordinal     uint32
	Reasons     Reasons
	Alternative bool // it does the same job; otherwise, it is related
}

// The kinds of neighbours, as the API names them.
const (
	Alternative = "alternative"
	Related     = "related"
)

// Kind returns Alternative or Related.
func (n *Neighbour) Kind() string {
	if n.Alternative {
		return Alternative
	}
	return Related
}

// MaxReasons is the maximum number of features listed for a neighbour.
const MaxReasons = 3

// Reasons holds indexes into a list of features, strongest feature first.
type Reasons struct {
	list [MaxReasons]uint32
	n    uint8
}

// ReasonsOf returns Reasons that hold the first MaxReasons indexes in list.
func ReasonsOf(list ...uint32) (r Reasons) {
	r.n = uint8(copy(r.list[:], list))
	return r
}

// List returns the indexes.
func (r Reasons) List() []uint32 { return r.list[:r.n] }

// alternativeFlag marks an alternative. It is added to the number of reasons.
const alternativeFlag = 1 << 8

// neighbourSize is the length of an encoded Neighbour in bytes.
const neighbourSize = 8 + 4*MaxReasons

// packNeighbours writes the lists of neighbours as a lookup file.
func packNeighbours(w io.Writer, lists [][]Neighbour) error {
	offsets := make([]uint32, 1, len(lists)+1)
	total := 0
	for _, list := range lists {
		total += len(list)
		offsets = append(offsets, uint32(total))
	}
	index := packed.PackUint32s(offsets)
	buf := packed.SectionHead(len(index), neighbourSize*total)
	buf = append(append(buf, index...), packed.Padding(len(index))...)
	for _, list := range lists {
		for i := range list {
			buf = list[i].append(buf)
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	_, err := w.Write(append(buf, packed.Padding(neighbourSize*total)...))
	return err
}

// append appends the neighbour in its stored form.
func (n *Neighbour) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, n.Ordinal)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(math.Round(n.Similarity*10000)))
	flags := uint16(n.Reasons.n)
	if n.Alternative {
		flags |= alternativeFlag
	}
	dst = binary.LittleEndian.AppendUint16(dst, flags)
	for _, r := range n.Reasons.list {
		dst = binary.LittleEndian.AppendUint32(dst, r)
	}
	return dst
}

// Similar returns the neighbours that were computed for a record in the build, nearest first.
// An edited record keeps the neighbours that it had before. A new record has none.
func (b *Build) Similar(ordinal uint32) []Neighbour {
	if e := b.edited(ordinal); e != nil {
		i, ok := b.keys.Search(e.Type + "\x00" + e.Slug)
		if !ok || b.targets.At(i)&1 == 1 {
			return nil
		}
		ordinal = b.targets.At(i) >> 1
	}
	offsets := packed.Uint32s(b.similar[0])
	from, to := offsets.At(int(ordinal)), offsets.At(int(ordinal)+1)
	list := make([]Neighbour, 0, to-from)
	for i := from; i < to; i++ {
		raw := b.similar[1][int(i)*neighbourSize:]
		at, ok := b.currentOrdinal(binary.LittleEndian.Uint32(raw))
		if !ok {
			continue
		}
		nb := Neighbour{Ordinal: at, Similarity: float64(binary.LittleEndian.Uint16(raw[4:])) / 10000}
		flags := binary.LittleEndian.Uint16(raw[6:])
		nb.Alternative = flags&alternativeFlag != 0
		nb.Reasons.n = uint8(min(flags&^alternativeFlag, MaxReasons))
		for j := range nb.Reasons.list {
			nb.Reasons.list[j] = binary.LittleEndian.Uint32(raw[8+4*j:])
		}
		list = append(list, nb)
	}
	return list
}

// currentOrdinal returns the ordinal that a listed record of the build has after
// the edits; ok is false if it was removed or withdrawn.
func (b *Build) currentOrdinal(ordinal uint32) (at uint32, ok bool) {
	if b.overlay == nil || !b.overlay.replaced.Contains(ordinal) {
		return ordinal, true
	}
	at, ok = b.overlay.newOrdinals[ordinal]
	return at, ok && b.edited(at).Status != record.Withdrawn
}

// Features returns the number of features that reasons may refer to.
func (b *Build) Features() int { return b.features.Len() }

// Feature returns the feature that a Neighbour's reason refers to.
func (b *Build) Feature(i uint32) Feature {
	kind, value, _ := strings.Cut(string(b.features.At(int(i))), "\x00")
	return Feature{kind, value}
}
