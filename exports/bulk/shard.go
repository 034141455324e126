package bulk

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"sync"

	"kindex/exports/packed"
	"kindex/exports/store"
	"kindex/exports/table"
)

// linesFormat and cellsFormat are the indexes of two formats in store.TextFormats. The third is derived
// from the lines.
var (
	linesFormat = slices.Index(store.TextFormats, "jsonl")
	cellsFormat = slices.Index(store.TextFormats, "csv")
)

// shard is the encoded form of consecutive records.
type shard struct {
	rows []table.Row         // for the Parquet file; nil if it needs none
	sums [][sha256.Size]byte // hashes of the texts
	err  error

	array, lines, cells bytes.Buffer // the texts
	compressed, spare   map[variant][]byte
}

// texts returns the uncompressed files, in the order of store.TextFormats.
func (s *shard) texts() [][]byte { return [][]byte{s.array.Bytes(), s.lines.Bytes(), s.cells.Bytes()} }

// shardPool holds shards for reuse: their buffers are most of what writing a table allocates.
var shardPool = sync.Pool{New: func() any {
	return &shard{compressed: map[variant][]byte{}, spare: map[variant][]byte{}}
}}

func newShard() *shard {
	s := shardPool.Get().(*shard)
	s.reset()
	return s
}

func (s *shard) reset() {
	s.sums, s.err = s.sums[:0], nil
	maps.Copy(s.spare, s.compressed)
	clear(s.compressed)
	s.array.Reset()
	s.lines.Reset()
	s.cells.Reset()
}

// release makes the shard available for reuse. Its rows, which others may still read, are not.
func (s *shard) release() {
	s.rows = nil
	shardPool.Put(s)
}

// shard encodes shard k in all formats, or copies it from the previous build. It keeps its rows if
// withRows is set.
func (p *plan) shard(k int, withRows bool, variants []variant) *shard {
	s := newShard()
	if at := p.earlier[k]; at >= 0 {
		if err := s.copy(p, k, at, variants); err == nil {
			if withRows {
				s.rows = p.rowsOf(k, s.lines.Bytes())
			}
			return s
		}
		s.reset() // the shard cannot be read
	}
	s.encode(p, k)
	s.compress(variants, p.previous)
	if !withRows {
		s.rows = nil
	}
	return s
}

// rowsOf returns the rows of a shard, which has the given lines.
func (p *plan) rowsOf(k int, lines []byte) (rows []table.Row) {
	if p.JSON != nil {
		for line := range bytes.Lines(lines) {
			rows = append(rows, p.Cells(bytes.TrimSuffix(line, []byte("\n"))))
		}
		return rows
	}
	for i := p.bounds[k]; i < p.bounds[k+1]; i++ {
		rows = append(rows, p.Rows(i)...)
	}
	return rows
}

// copy copies a shard of the previous build.
func (s *shard) copy(p *plan, k, at int, variants []variant) (err error) {
	for _, v := range variants {
		if from := p.previous.variants[v]; from != nil {
			if s.compressed[v], err = from.append(s.spare[v][:0], at); err != nil {
				return err
			}
		}
	}
	for _, text := range []struct {
		format int
		to     *bytes.Buffer
	}{{linesFormat, &s.lines}, {cellsFormat, &s.cells}} {
		text.to.Grow(int(packed.Uint64At(p.previous.sections[store.ShardLengths+text.format], at)))
		data, err := p.previous.text(text.to.AvailableBuffer(), text.format, at, s.compressed[variant(text.format)])
		if err != nil {
			return err
		}
		text.to.Write(data)
	}
	if err := s.makeArray(p, k); err != nil {
		return err
	}
	for format := range store.TextFormats {
		s.sums = append(s.sums, p.previous.sum(format, at))
	}
	for _, v := range variants {
		if s.compressed[v] == nil { // the earlier table was large
			s.compressed[v], err = store.AppendCompressed(s.spare[v][:0], "zstd", s.texts()[v])
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// makeArray derives the JSON text from the lines.
func (s *shard) makeArray(p *plan, k int) error {
	array := table.NewArrayWriter(&s.array, p.bounds[k] > 0)
	_, err := array.Write(s.lines.Bytes())
	if p.bounds[k+1] == len(p.Keys) {
		err = errors.Join(err, array.Close())
	}
	return err
}

// encode encodes the rows of a shard as texts.
func (s *shard) encode(p *plan, k int) {
	csv := table.NewCSVBody(&s.cells, p.Columns)
	if p.bounds[k] == 0 {
		header, err := table.NewEncoder("csv", &s.cells, p.Columns)
		if err == nil {
			err = header.Close()
		}
		s.err = errors.Join(s.err, err)
	}
	var buf []byte
	for i := p.bounds[k]; i < p.bounds[k+1] && s.err == nil; i++ {
		var err error
		buf, err = p.rows(buf, i, func(object []byte, cells table.Row) {
			s.rows = append(s.rows, cells)
			s.lines.Write(object)
			s.lines.WriteByte('\n')
			s.err = errors.Join(s.err, csv.Write(cells))
		})
		s.err = errors.Join(s.err, err)
	}
	s.err = errors.Join(s.err, s.makeArray(p, k), csv.Close())
}

// compress computes the compressed files from the texts. It skips compression for texts that the earlier
// build has.
func (s *shard) compress(variants []variant, previous *shards) {
	texts := s.texts()
	for _, text := range texts {
		s.sums = append(s.sums, sha256.Sum256(text))
	}
	for _, v := range variants {
		data, known := previous.find(s.spare[v][:0], v, s.sums[v])
		if !known {
			var err error
			data, err = store.AppendCompressed(data, "zstd", texts[v])
			s.err = errors.Join(s.err, err)
		}
		s.compressed[v] = data
	}
}
