package content

import (
	"crypto/sha1"
	"iter"
	"slices"
	"strconv"

	"kindex/exports/record"
)

// gitBlobName returns the git blob name of a file: the SHA-1 of a header and its bytes.
func gitBlobName(data []byte) (name [sha1.Size]byte) {
	h := sha1.New()
	var room [32]byte
	h.Write(append(strconv.AppendInt(append(room[:0], "blob "...), int64(len(data)), 10), 0))
	h.Write(data) // never fails
	h.Sum(name[:0])
	return name
}

// Files returns the git blob names of the files that the content was read from, keyed by path
// relative to the folder. A nil Content has no files.
func (c *Content) Files() iter.Seq2[string, [sha1.Size]byte] {
	return func(yield func(string, [sha1.Size]byte) bool) {
		if c == nil {
			return
		}
		for name, blob := range c.roots {
			if !yield(name, blob) {
				return
			}
		}
		for i, e := range c.Entities {
			if !yield(e.Type+"/"+e.Slug+".yaml", c.Blobs[i]) {
				return
			}
		}
	}
}

// Sort sorts the entities together with the data about their files.
func (c *Content) Sort(compare func(a, b *record.Entity) int) {
	order := make([]int, len(c.Entities))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return compare(c.Entities[i], c.Entities[j]) })
	c.Entities, c.Blobs = reordered(order, c.Entities), reordered(order, c.Blobs)
}

func reordered[T any](order []int, list []T) []T {
	sorted := make([]T, len(order))
	for i, from := range order {
		sorted[i] = list[from]
	}
	return sorted
}
