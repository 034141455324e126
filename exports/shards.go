package exports

import (
	"crypto/sha256"
	"encoding/binary"
	"os"

	"kindex/exports/packed"
	"kindex/exports/store"
)

// shards holds the compressed pieces of a table's text files in an earlier build. They are
// read on demand with ReadAt, not through the memory mapping, because mapped pages would
// count towards the memory of the process.
type shards struct {
	files  []*os.File                  // one per combination of the table's encodings and shardedFormats
	ends   [][]int64                   // by file, then by shard: where the shard's piece ends
	byHash []map[[sha256.Size]byte]int // by shardedFormats: hash of a piece → shard
}

// shardIndex lets a later build find the shards of a table. It holds the SHA-256 of
// each piece in each of the shardedFormats, and the length of each piece in each
// compressed file.
type shardIndex [][]byte

func (x shardIndex) add(s *shard) {
	for i := range x {
		if i < len(shardedFormats) {
			x[i] = append(x[i], s.sums[i][:]...)
		} else {
			x[i] = binary.LittleEndian.AppendUint64(x[i], uint64(len(s.files[i])))
		}
	}
}

// openShards opens the pieces of a table. It returns nil if b is nil, has no such
// table, or cannot be read.
func openShards(b *Build, t *Table) *shards {
	if b == nil {
		return nil
	}
	table, err := packed.UnpackSections(b.files[shardsFile(t.Base)], len(t.files()))
	if err != nil {
		return nil
	}
	dir, err := store.OpenFiles(b.Dir)
	if err != nil {
		return nil
	}
	defer dir.Close()
	s := &shards{}
	for _, sums := range table[:len(shardedFormats)] {
		byHash := make(map[[sha256.Size]byte]int, len(sums)/sha256.Size)
		for i := range len(sums) / sha256.Size {
			byHash[[sha256.Size]byte(sums[i*sha256.Size:])] = i
		}
		s.byHash = append(s.byHash, byHash)
	}
	for i, ext := range t.files()[len(shardedFormats):] {
		lengths := table[len(shardedFormats)+i]
		entry, _ := b.Manifest.File(t.Base + ext)
		f, err := store.OpenFile(dir, entry)
		if err == nil {
			s.files = append(s.files, f)
			s.ends = append(s.ends, prefixSums(lengths))
		}
		if n := len(lengths) / 8; err != nil || n == 0 || n != len(table[0])/sha256.Size || s.ends[i][n-1] != entry.Size {
			s.close()
			return nil
		}
	}
	return s
}

// prefixSums converts the lengths of a file's pieces to the offsets at which they
// end.
func prefixSums(lengths []byte) (ends []int64) {
	at := int64(0)
	for ; len(lengths) >= 8; lengths = lengths[8:] {
		at += int64(binary.LittleEndian.Uint64(lengths))
		ends = append(ends, at)
	}
	return ends
}

// find returns the compressed forms of a piece, one for each encoding of the table. If
// there are none or they cannot be read, known is false, and the caller must compress the
// piece itself.
func (s *shards) find(format int, sum [sha256.Size]byte) (compressed [][]byte, known bool) {
	if s == nil {
		return nil, false
	}
	at, known := s.byHash[format][sum]
	if !known {
		return nil, false
	}
	for i := format; i < len(s.files); i += len(shardedFormats) {
		from := int64(0)
		if at > 0 {
			from = s.ends[i][at-1]
		}
		piece := make([]byte, s.ends[i][at]-from)
		if _, err := s.files[i].ReadAt(piece, from); err != nil {
			return nil, false
		}
		compressed = append(compressed, piece)
	}
	return compressed, true
}

func (s *shards) close() {
	if s == nil {
		return
	}
	for _, f := range s.files {
		_ = f.Close() // the file was only read
	}
}
