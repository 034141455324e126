package exports

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"

	"kindex/exports/history"
	"kindex/exports/jsonenc"
)

// MarshalJSON implements json.Marshaler.
func (n Neighbour) MarshalJSON() ([]byte, error) {
	list := []uint32{n.Ordinal, uint32(math.Round(n.Similarity * 10000)), 0}
	if n.Alternative {
		list[2] = 1
	}
	return json.Marshal(append(list, n.Reasons...))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Neighbour) UnmarshalJSON(b []byte) error {
	var list []uint32
	if err := jsonenc.Decode(b, &list); err != nil {
		return err
	}
	if len(list) < 3 || len(list) > 3+MaxReasons {
		return fmt.Errorf("a neighbour has %d numbers, want 3 to %d", len(list), 3+MaxReasons)
	}
	*n = Neighbour{Ordinal: list[0], Similarity: float64(list[1]) / 10000, Alternative: list[2] == 1, Reasons: list[3:]}
	return nil
}

// WriteNeighbours writes the neighbours of all entities, in the order of their ordinals. The
// reasons are indexes into features.
func (w *Writer) WriteNeighbours(neighbours [][]Neighbour, features []Feature) error {
	f, err := w.Create(similarFile)
	if err != nil {
		return err
	}
	member, err := gzip.NewWriterLevel(f, gzipLevel)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	stored := similar{Features: features}
	for _, list := range neighbours {
		encoded, err := json.Marshal(list)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		stored.Neighbours = append(stored.Neighbours, encoded)
	}
	return errors.Join(json.NewEncoder(member).Encode(stored), member.Close(), f.Close())
}

// openSimilar reads the neighbours, and rejects those of records that do not exist.
func (b *Build) openSimilar() error {
	file, err := b.ReadFile(similarFile)
	if err == nil {
		file, err = history.Inflate(file)
	}
	if err == nil {
		err = jsonenc.Decode(file, &b.similar)
	}
	if err == nil && len(b.similar.Neighbours) != b.Len() {
		err = fmt.Errorf("has the neighbours of %d entities, but there are %d", len(b.similar.Neighbours), b.Len())
	}
	for i := range b.similar.Neighbours {
		if err == nil {
			err = b.checkNeighbours(i)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", similarFile, err)
	}
	return nil
}

func (b *Build) checkNeighbours(ordinal int) error {
	var list []Neighbour
	if err := jsonenc.Decode(b.similar.Neighbours[ordinal], &list); err != nil {
		return err
	}
	for _, n := range list {
		if int(n.Ordinal) >= b.Len() || slices.ContainsFunc(n.Reasons, func(r uint32) bool { return int(r) >= len(b.similar.Features) }) {
			return fmt.Errorf("has a neighbour %d or a reason that does not exist", n.Ordinal)
		}
	}
	return nil
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
	var stored []Neighbour
	if err := jsonenc.Decode(b.similar.Neighbours[ordinal], &stored); err != nil {
		panic(err) // cannot happen: openSimilar has decoded it
	}
	for _, n := range stored {
		var ok bool
		if n.Ordinal, ok = b.currentOrdinal(n.Ordinal); ok {
			list = append(list, n)
		}
	}
	return list
}

// Feature returns the feature that a Neighbour's reason refers to.
func (b *Build) Feature(i uint32) Feature { return b.similar.Features[i] }
