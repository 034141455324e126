package content

import (
	"crypto/sha1"
	"crypto/sha256"
	"iter"
	"slices"
	"strconv"

	"kindex/exports/record"
)

// Reuse returns what was once read of an entity file, given by its type and slug
// and the SHA-256 of its bytes; nil where that is not known, or where there was
// anything wrong with it. The entity is the caller's. Reuse is called from several
// goroutines.
type Reuse func(typ, slug string, sum [sha256.Size]byte) *record.Entity

// gitBlobName is the name that git gives the bytes of a file: the SHA-1 of a header
// and of them.
func gitBlobName(data []byte) (name [sha1.Size]byte) {
	h := sha1.New()
	var room [32]byte
	h.Write(append(strconv.AppendInt(append(room[:0], "blob "...), int64(len(data)), 10), 0))
	h.Write(data) // never fails
	h.Sum(name[:0])
	return name
}

// Files returns the files that the content was read from, by path below the folder,
// with the SHA-1 names that git gives their bytes. A nil Content has none.
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

// add takes an entity over, and what is known of its file.
func (c *Content) add(r *file, e *record.Entity) {
	sum := r.sum
	if len(r.problems) > 0 {
		sum = [sha256.Size]byte{}
	}
	c.Entities = append(c.Entities, e)
	c.Blobs, c.Sums = append(c.Blobs, r.blob), append(c.Sums, sum)
	c.Unchanged = append(c.Unchanged, r.reused)
}

// Sort brings the entities into another order, and what is known of their files
// with them.
func (c *Content) Sort(compare func(a, b *record.Entity) int) {
	order := make([]int, len(c.Entities))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return compare(c.Entities[i], c.Entities[j]) })
	c.Entities, c.Blobs = reordered(order, c.Entities), reordered(order, c.Blobs)
	c.Sums, c.Unchanged = reordered(order, c.Sums), reordered(order, c.Unchanged)
}

func reordered[T any](order []int, list []T) []T {
	sorted := make([]T, len(order))
	for i, from := range order {
		sorted[i] = list[from]
	}
	return sorted
}
