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
const alternativeFlag = 1 << 7

// packNeighbours writes the lists of neighbours as a lookup file.
func packNeighbours(w io.Writer, lists [][]Neighbour) error {
	offsets := make([]byte, 8, 8*(len(lists)+1))
	var buf []byte
	total := 0
	for _, list := range lists {
		buf = appendNeighbours(buf[:0], list)
		total += len(buf)
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(total))
	}
	buf = append(packed.SectionHead(len(offsets), total), offsets...)
	for _, list := range lists {
		buf = appendNeighbours(buf, list)
		if _, err := w.Write(buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	_, err := w.Write(append(buf, packed.Padding(total)...))
	return err
}

// appendNeighbours appends neighbours in their stored form.
func appendNeighbours(dst []byte, list []Neighbour) []byte {
	for i := range list {
		n := &list[i]
		dst = binary.AppendUvarint(dst, uint64(n.Ordinal))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(math.Round(n.Similarity*10000)))
		flags := n.Reasons.n
		if n.Alternative {
			flags |= alternativeFlag
		}
		dst = append(dst, flags)
		for _, r := range n.Reasons.List() {
			dst = binary.AppendUvarint(dst, uint64(r))
		}
	}
	return dst
}

// parseNeighbours calls yield with each neighbour in a list that appendNeighbours wrote.
func parseNeighbours(raw []byte, yield func(Neighbour)) {
	number := func() uint32 {
		v, n := binary.Uvarint(raw)
		raw = raw[n:]
		return uint32(v)
	}
	for len(raw) > 0 {
		n := Neighbour{Ordinal: number()}
		n.Similarity = float64(binary.LittleEndian.Uint16(raw)) / 10000
		n.Alternative, n.Reasons.n = raw[2]&alternativeFlag != 0, min(raw[2]&^alternativeFlag, MaxReasons)
		raw = raw[3:]
		for j := range n.Reasons.n {
			n.Reasons.list[j] = number()
		}
		yield(n)
	}
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
	from, to := packed.Uint64At(b.similar[0], int(ordinal)), packed.Uint64At(b.similar[0], int(ordinal)+1)
	var list []Neighbour
	parseNeighbours(b.similar[1][from:to], func(n Neighbour) {
		var ok bool
		if n.Ordinal, ok = b.currentOrdinal(n.Ordinal); ok {
			list = append(list, n)
		}
	})
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
