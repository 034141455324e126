package bulk

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"slices"

	"kindex/exports/packed"
	"kindex/exports/store"
	"kindex/exports/table"
)

// variant is the compressed form of one of the text files of a table that consists of pieces,
// which are compressed with zstd. It is an index into store.TextFormats.
type variant int

// file returns the path of the variant of a table.
func (v variant) file(base string) string {
	return base + "." + store.TextFormats[v] + store.EncodingExtension("zstd")
}

// section returns the section of the shards file with the lengths of the pieces.
func (v variant) section() int { return store.ShardCompressed + int(v) }

// pieces is a file that consists of one piece for each shard.
type pieces struct {
	*os.File
	ends []int64 // where each piece ends
}

// append appends a piece to dst.
func (p *pieces) append(dst []byte, shard int) ([]byte, error) {
	from := int64(0)
	if shard > 0 {
		from = p.ends[shard-1]
	}
	n := int(p.ends[shard] - from)
	dst = slices.Grow(dst, n)[:len(dst)+n]
	_, err := p.ReadAt(dst[len(dst)-n:], from)
	return dst, err
}

// shards holds the shards of a table in the previous build. They are read on demand with ReadAt, not
// through the memory mapping, because mapped pages would count towards the memory of the process.
type shards struct {
	sections [][]byte // of the shards file
	n        int      // the number of shards
	texts    map[int]*pieces
	variants map[variant]*pieces
	bySum    []map[[sha256.Size]byte]int // by store.TextFormats: hash of a piece → shard
	byInputs map[[sha256.Size]byte]int   // hash of the Inputs of a shard → shard

	parquet *os.File
	groups  *table.RowGroups
	starts  map[int]int // first shard of a row group → row group
}

// shardIndex is the sections of a shards file, which describes the pieces of a table's files. It
// lets a later build find them.
type shardIndex [store.ShardSections][]byte

func (x *shardIndex) addLength(section, length int) {
	x[section] = binary.LittleEndian.AppendUint64(x[section], uint64(length))
}

func (x *shardIndex) add(s *shard, variants map[variant]*store.FileWriter) {
	for format, text := range s.texts() {
		x[store.ShardSums+format] = append(x[store.ShardSums+format], s.sums[format][:]...)
		x.addLength(store.ShardLengths+format, len(text))
	}
	for v := range variants {
		x.addLength(v.section(), len(s.compressed[v]))
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
	s := &shards{sections: sections, n: len(sections[store.ShardSums]) / sha256.Size, texts: map[int]*pieces{},
		variants: map[variant]*pieces{}, byInputs: hashes(sections[store.ShardInputs])}
	open := func(path string, section int) (p *pieces, ok bool) {
		entry, ok := b.Manifest.File(path)
		if !ok {
			return nil, true
		}
		f, err := store.OpenFile(dir, entry)
		if err != nil {
			return nil, store.Unstored(b.Manifest.Files, path)
		}
		p = &pieces{f, prefixSums(sections[section])}
		return p, len(p.ends) == s.n && s.n > 0 && p.ends[s.n-1] == entry.Size
	}
	for format, extension := range store.TextFormats {
		s.bySum = append(s.bySum, hashes(sections[store.ShardSums+format]))
		text, ok := open(base+"."+extension, store.ShardLengths+format)
		if text != nil {
			s.texts[format] = text
		}
		v := variant(format)
		p, intact := open(v.file(base), v.section())
		if p != nil {
			s.variants[v] = p
		}
		if !ok || !intact || len(sections[store.ShardSums+format]) != sha256.Size*s.n {
			s.close()
			return nil
		}
	}
	if entry, ok := b.Manifest.File(base + ".parquet"); ok {
		s.openParquet(store.OpenFile(dir, entry))
	}
	return s
}

// openParquet opens the Parquet file. If it does not match the shards file, its row groups are not reused.
func (s *shards) openParquet(f *os.File, err error) {
	if err != nil {
		return
	}
	s.parquet = f
	info, err := f.Stat()
	if err != nil {
		return
	}
	groups, err := table.OpenRowGroups(f, info.Size())
	ends := prefixSums(s.sections[store.ShardGroups])
	if err != nil || len(ends) != groups.Len() || len(ends) > 0 && ends[len(ends)-1] != int64(s.n) {
		return
	}
	s.groups, s.starts = groups, map[int]int{}
	start := 0
	for i, end := range ends {
		s.starts[start], start = i, int(end)
	}
}

// group returns the row group that consists of exactly the given shards.
func (s *shards) group(list []int) (i int, ok bool) {
	if s == nil || len(list) == 0 {
		return 0, false
	}
	for j, shard := range list {
		if shard < 0 || shard != list[0]+j {
			return 0, false
		}
	}
	i, ok = s.starts[list[0]]
	return i, ok && int(packed.Uint64At(s.sections[store.ShardGroups], i)) == len(list)
}

// hashes returns the index of each hash in a section.
func hashes(section []byte) map[[sha256.Size]byte]int {
	places := make(map[[sha256.Size]byte]int, len(section)/sha256.Size)
	for i := range len(section) / sha256.Size {
		places[[sha256.Size]byte(section[i*sha256.Size:])] = i
	}
	return places
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
	if s == nil || s.variants[v] == nil {
		return dst, false
	}
	at, known := s.bySum[v][sum]
	if !known {
		return dst, false
	}
	piece, err := s.variants[v].append(dst, at)
	if err != nil {
		return dst, false
	}
	return piece, true
}

// sum returns the hash of a piece of a text.
func (s *shards) sum(format, shard int) [sha256.Size]byte {
	return [sha256.Size]byte(s.sections[store.ShardSums+format][sha256.Size*shard:])
}

// text appends a piece of a text to dst. compressed is its zstd variant.
func (s *shards) text(dst []byte, format, shard int, compressed []byte) ([]byte, error) {
	if text := s.texts[format]; text != nil {
		return text.append(dst, shard)
	}
	return store.AppendDecompressed(dst, compressed)
}

func (s *shards) close() {
	if s == nil {
		return
	}
	for _, p := range s.texts {
		_ = p.Close() // the files were only read
	}
	for _, p := range s.variants {
		_ = p.Close()
	}
	if s.parquet != nil {
		_ = s.parquet.Close()
	}
}
