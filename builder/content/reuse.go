package content

import (
	"crypto/sha1"
	"crypto/sha256"
	"iter"
	"slices"
	"strconv"

	"kindex/exports/record"
	"kindex/exports/store"
)

// Reuse provides the entities of files that were read earlier. Its methods are called concurrently.
type Reuse interface {
	// Unread returns the entity of a file with this identity, which is then not read. ok is false if
	// the file must be read.
	Unread(typ, slug string, identity store.Identity) (f EarlierFile, ok bool)
	// Unparsed returns the entity of a file with this SHA-256, which is then not parsed. ok is false if
	// the file must be parsed, because it is unknown or had problems.
	Unparsed(typ, slug string, sum [sha256.Size]byte) (f EarlierFile, ok bool)
}

// EarlierFile is a file without problems that was read earlier. The reader owns the entity.
type EarlierFile struct {
	Entity  *record.Entity
	Ordinal uint32            // of the entity in the build that provides it
	Sum     [sha256.Size]byte // only from Unread
	Blob    [sha1.Size]byte   // only from Unread
}

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

// grow makes room for n more entities.
func (c *Content) grow(n int) {
	c.Entities = slices.Grow(c.Entities, n)
	c.Blobs, c.Sums = slices.Grow(c.Blobs, n), slices.Grow(c.Sums, n)
	c.Unchanged, c.Identities = slices.Grow(c.Unchanged, n), slices.Grow(c.Identities, n)
	c.Ordinals = slices.Grow(c.Ordinals, n)
}

// add adds an entity together with the data about its file.
func (c *Content) add(r *file, e *record.Entity) {
	sum := r.sum
	if len(r.problems) > 0 {
		sum = [sha256.Size]byte{}
	}
	c.Entities = append(c.Entities, e)
	c.Blobs, c.Sums = append(c.Blobs, r.blob), append(c.Sums, sum)
	c.Unchanged, c.Identities = append(c.Unchanged, r.reused), append(c.Identities, r.identity)
	c.Ordinals = append(c.Ordinals, r.ordinal)
}

// Sort sorts the entities together with the data about their files.
func (c *Content) Sort(compare func(a, b *record.Entity) int) {
	order := make([]int, len(c.Entities))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return compare(c.Entities[i], c.Entities[j]) })
	c.Entities, c.Blobs = reordered(order, c.Entities), reordered(order, c.Blobs)
	c.Sums, c.Unchanged = reordered(order, c.Sums), reordered(order, c.Unchanged)
	c.Identities, c.Ordinals = reordered(order, c.Identities), reordered(order, c.Ordinals)
}

func reordered[T any](order []int, list []T) []T {
	sorted := make([]T, len(order))
	for i, from := range order {
		sorted[i] = list[from]
	}
	return sorted
}
