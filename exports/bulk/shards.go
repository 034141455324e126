package bulk

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"slices"

	"kindex/exports/packed"
	"kindex/exports/store"
)

// variant is a compressed form of one of the text files of a table: places in
// store.TableEncodings and store.TextFormats.
type variant struct{ encoding, format int }

// file returns the path of the variant of a table.
func (v variant) file(base string) string {
	return base + "." + store.TextFormats[v.format] + store.EncodingExtension(store.TableEncodings[v.encoding])
}

// section returns the section of the shards file with the lengths of the pieces.
func (v variant) section() int {
	return store.ShardCompressed + v.encoding*len(store.TextFormats) + v.format
}

// shards holds the compressed pieces of a table's text files in an earlier build. They are
// read on demand with ReadAt, not through the memory mapping, because mapped pages would
// count towards the memory of the process.
type shards struct {
	files  map[variant]*os.File
	ends   map[variant][]int64         // by shard: where the shard's piece ends
	byHash []map[[sha256.Size]byte]int // by store.TextFormats: hash of a piece → shard
}

// shardIndex is the sections of a shards file, which describes the pieces of a table's files. It
// lets a later build find them.
type shardIndex [store.ShardSections][]byte

func (x *shardIndex) add(s *shard, variants map[variant]*store.FileWriter) {
	length := func(section int, data []byte) {
		x[section] = binary.LittleEndian.AppendUint64(x[section], uint64(len(data)))
	}
	for format, text := range s.texts() {
		x[store.ShardSums+format] = append(x[store.ShardSums+format], s.sums[format][:]...)
		length(store.ShardLengths+format, text)
	}
	for v := range variants {
		length(v.section(), s.compressed[v])
	}
}

// Earlier is a build whose tables Write reuses. Its files must be intact.
type Earlier struct {
	Dir      string
	Manifest *store.Manifest
	File     func(path string) []byte // returns the content of a stored file, or nil
}

// openShards opens the pieces of a table. It returns nil if b is nil, has no such
// table, or cannot be read.
func openShards(b *Earlier, base string) *shards {
	if b == nil {
		return nil
	}
	sections, err := packed.UnpackSections(b.File(store.ShardsFile(base)), store.ShardSections)
	if err != nil {
		return nil
	}
	dir, err := store.OpenFiles(b.Dir)
	if err != nil {
		return nil
	}
	defer dir.Close()
	s := &shards{files: map[variant]*os.File{}, ends: map[variant][]int64{}}
	for format := range store.TextFormats {
		sums := sections[store.ShardSums+format]
		byHash := make(map[[sha256.Size]byte]int, len(sums)/sha256.Size)
		for i := range len(sums) / sha256.Size {
			byHash[[sha256.Size]byte(sums[i*sha256.Size:])] = i
		}
		s.byHash = append(s.byHash, byHash)
		for encoding := range store.TableEncodings {
			v := variant{encoding, format}
			entry, ok := b.Manifest.File(v.file(base))
			if !ok {
				continue
			}
			f, err := store.OpenFile(dir, entry)
			if err == nil {
				s.files[v], s.ends[v] = f, prefixSums(sections[v.section()])
			}
			if n := len(s.ends[v]); err != nil || n == 0 || n != len(sums)/sha256.Size || s.ends[v][n-1] != entry.Size {
				s.close()
				return nil
			}
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

// find appends the compressed form of a piece to dst. If there is none or it cannot be read, known
// is false, and the caller must compress the piece itself.
func (s *shards) find(dst []byte, v variant, sum [sha256.Size]byte) (compressed []byte, known bool) {
	if s == nil || s.files[v] == nil {
		return dst, false
	}
	at, known := s.byHash[v.format][sum]
	if !known {
		return dst, false
	}
	from := int64(0)
	if at > 0 {
		from = s.ends[v][at-1]
	}
	n := int(s.ends[v][at] - from)
	piece := slices.Grow(dst, n)[:len(dst)+n]
	if _, err := s.files[v].ReadAt(piece[len(dst):], from); err != nil {
		return dst, false
	}
	return piece, true
}

func (s *shards) close() {
	if s == nil {
		return
	}
	for _, f := range s.files {
		_ = f.Close() // the file was only read
	}
}
