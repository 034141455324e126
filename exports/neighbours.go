package exports

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"kindex/exports/packed"
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

// PackedNeighbours is an entity's list of neighbours in its stored form, which takes half the
// memory.
type PackedNeighbours []byte

// PackNeighbours packs a list of neighbours.
func PackNeighbours(list []Neighbour) PackedNeighbours {
	var room [512]byte
	packed := room[:0]
	for i := range list {
		n := &list[i]
		packed = binary.AppendUvarint(packed, uint64(n.Ordinal))
		packed = binary.LittleEndian.AppendUint16(packed, uint16(math.Round(n.Similarity*10000)))
		flags := n.Reasons.n
		if n.Alternative {
			flags |= alternativeFlag
		}
		packed = append(packed, flags)
		for _, r := range n.Reasons.List() {
			packed = binary.AppendUvarint(packed, uint64(r))
		}
	}
	return slices.Clone(packed)
}

// AppendTo appends the neighbours to dst.
func (p PackedNeighbours) AppendTo(dst []Neighbour) []Neighbour {
	number := func() uint32 {
		v, n := binary.Uvarint(p)
		p = p[n:]
		return uint32(v)
	}
	for len(p) > 0 {
		n := Neighbour{Ordinal: number()}
		n.Similarity = float64(binary.LittleEndian.Uint16(p)) / 10000
		n.Alternative, n.Reasons.n = p[2]&alternativeFlag != 0, min(p[2]&^alternativeFlag, MaxReasons)
		p = p[3:]
		for j := range n.Reasons.n {
			n.Reasons.list[j] = number()
		}
		dst = append(dst, n)
	}
	return dst
}

// WriteNeighbours writes the neighbours of all entities, in the order of their ordinals. The
// reasons are indexes into features.
func (w *Writer) WriteNeighbours(neighbours []PackedNeighbours, features []Feature) error {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = f.Kind + "\x00" + f.Value
	}
	f, err := w.Create(similarFile)
	if err != nil {
		return err
	}
	if err := errors.Join(writeNeighbours(f, neighbours), f.Close()); err != nil {
		return err
	}
	return w.Add(featuresFile, packed.PackStrings(names))
}

// writeNeighbours writes the lists of neighbours as a lookup file.
func writeNeighbours(w io.Writer, lists []PackedNeighbours) error {
	offsets := make([]byte, 8, 8*(len(lists)+1))
	total := 0
	for _, list := range lists {
		total += len(list)
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(total))
	}
	if _, err := w.Write(append(packed.SectionHead(len(offsets), total), offsets...)); err != nil {
		return err
	}
	for _, list := range lists {
		if _, err := w.Write(list); err != nil {
			return err
		}
	}
	_, err := w.Write(packed.Padding(total))
	return err
}

// Similar returns the neighbours that were computed for a record in the build, nearest first.
// An edited record keeps the neighbours that it had before. A new record has none.
func (b *Build) Similar(ordinal uint32) (list []Neighbour) {
	if b.edits != nil && int(ordinal) >= b.edits.base.Len() {
		o, isAlias, ok := b.edits.base.Find(b.Key(ordinal))
		if !ok || isAlias {
			return nil
		}
		ordinal = o
	}
	from, to := packed.Uint64At(b.similar[0], int(ordinal)), packed.Uint64At(b.similar[0], int(ordinal)+1)
	for _, n := range PackedNeighbours(b.similar[1][from:to]).AppendTo(nil) {
		var ok bool
		if n.Ordinal, ok = b.currentOrdinal(n.Ordinal); ok {
			list = append(list, n)
		}
	}
	return list
}

// Features returns the number of features that reasons may refer to.
func (b *Build) Features() int { return b.features.Len() }

// Feature returns the feature that a Neighbour's reason refers to.
func (b *Build) Feature(i uint32) Feature {
	kind, value, _ := strings.Cut(string(b.features.At(int(i))), "\x00")
	return Feature{kind, value}
}
