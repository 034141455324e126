// Package bulk writes the tables of a build, in every format and with compressed variants, and reuses
// what an earlier build has compressed.
package bulk

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"hash/fnv"
	"maps"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"kindex/exports/store"
	"kindex/exports/table"
)

// Large tables are compressed in shards, so that all processors can work in parallel and an
// edited record changes only one shard. The hash of a record's key decides whether a shard
// ends there, which happens after shardMean records on average. Adding or removing a record
// therefore never moves the boundaries of other shards.
const shardMean = 256

func isShardEnd(key string) bool {
	h := fnv.New32a()
	h.Write([]byte(key)) // never fails
	return h.Sum32()%shardMean == 0
}

// The encodings of the compressed variants of a table's text files. A large table has fewer
// variants, see store.Compressed.
var (
	WebEncodings  = store.TableEncodings
	BulkEncodings = []string{"zstd"}
)

// Table describes a bulk export.
type Table struct {
	Base      string // the files are named Base.json, Base.csv and so on
	Columns   []table.Column
	Encodings []string // WebEncodings or BulkEncodings
	Keys      []string // the key of each item, which has at least one row
	// Rows returns the rows of an item. It is called once per item, from several
	// goroutines.
	Rows func(i int) []table.Row
	// JSON and Cells replace Rows if JSON and JSONL contain more than the flat table: each
	// item has one row, JSON appends it as a compact object, and Cells extracts the cells.
	JSON  func(dst []byte, i int) ([]byte, error)
	Cells func(object []byte) table.Row
}

// variants lists the compressed variants of the text files.
func (t *Table) variants(large bool) (list []variant) {
	for encoding, name := range store.TableEncodings {
		for format, extension := range store.TextFormats {
			if slices.Contains(t.Encodings, name) && store.Compressed(large, extension, name) {
				list = append(list, variant{encoding, format})
			}
		}
	}
	return list
}

// rows calls yield with each row of an item, as an object, which is valid until yield
// returns, and as cells.
func (t *Table) rows(buf []byte, i int, yield func(object []byte, cells table.Row)) ([]byte, error) {
	if t.JSON != nil {
		buf, err := t.JSON(buf[:0], i)
		if err == nil {
			yield(buf, t.Cells(buf))
		}
		return buf, err
	}
	for _, r := range t.Rows(i) {
		buf = table.AppendRow(buf[:0], t.Columns, r)
		yield(buf, r)
	}
	return buf, nil
}

// shard is the encoded form of consecutive records.
type shard struct {
	lengths []int64 // length of each JSONL line, without its line ending
	rows    []table.Row
	sums    [][sha256.Size]byte // hashes of the texts
	err     error

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
	s.lengths, s.sums, s.err = s.lengths[:0], s.sums[:0], nil
	maps.Copy(s.spare, s.compressed)
	clear(s.compressed)
	s.array.Reset()
	s.lines.Reset()
	s.cells.Reset()
	return s
}

// release makes the shard available for reuse. Its rows, which others may still read, are not.
func (s *shard) release() {
	s.rows = nil
	shardPool.Put(s)
}

// Options are the options for writing tables.
type Options struct {
	// LargeTable is the size in bytes of the JSONL file of a table above which the table is large,
	// by default store.LargeTable.
	LargeTable int64
	// StoreTexts is set to also store the text files of large tables. The files are the same.
	StoreTexts bool
	// Earlier is a build written by the same version of the builder, or nil. Shards that it has are
	// copied from it.
	Earlier *Earlier
}

// writer writes one table.
type writer struct {
	*store.Staging
	Options
}

// Write writes a table in every format, with compressed variants, and returns the length of every JSONL
// line.
func Write(to *store.Staging, t *Table, o Options) ([]int64, error) {
	w := &writer{to, o}
	w.LargeTable = cmp.Or(o.LargeTable, store.LargeTable)
	rows := make(chan []table.Row, 2)
	var g errgroup.Group
	g.Go(func() error { return w.writeParquet(t, rows) })
	lengths, err := w.writeText(t, rows)
	close(rows)
	return lengths, errors.Join(err, g.Wait())
}

// writeParquet writes the rows that it receives, in order.
func (w *writer) writeParquet(t *Table, rows <-chan []table.Row) error {
	f, err := w.Create(t.Base + ".parquet")
	var enc table.Encoder
	if err == nil {
		enc, err = table.NewEncoder("parquet", f, t.Columns)
	}
	for list := range rows { // keep draining the channel after an error, or the sender would block
		for i := 0; i < len(list) && err == nil; i++ {
			err = enc.Write(list[i])
		}
	}
	if err == nil {
		err = enc.Close()
	}
	if f == nil {
		return err
	}
	return errors.Join(err, f.Close())
}

// shardBounds returns the index of the first key of each shard, followed by the
// number of keys. There is always at least one shard, which may be empty.
func shardBounds(keys []string) []int {
	bounds := []int{0}
	for i, key := range keys {
		if i+1 < len(keys) && isShardEnd(key) {
			bounds = append(bounds, i+1)
		}
	}
	return append(bounds, len(keys))
}

// encodeInOrder encodes shards in parallel and consumes them in order. Only a few are in
// memory at a time.
func encodeInOrder(bounds []int, produce func(from, to int) *shard, consume func(*shard) error) error {
	workers := runtime.GOMAXPROCS(0)
	queue := make(chan chan *shard, workers)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(queue)
		for i := 0; i+1 < len(bounds); i++ {
			slot := make(chan *shard, 1)
			select {
			case queue <- slot:
			case <-stop:
				return
			}
			go func() { slot <- produce(bounds[i], bounds[i+1]) }()
		}
	}()
	for slot := range queue {
		if err := consume(<-slot); err != nil {
			return err
		}
	}
	return nil
}

// encodeShard encodes rows in all formats. It skips compression, the expensive
// part, for shards that the previous build has.
func (t *Table) encodeShard(from, to int, variants []variant, previous *shards) *shard {
	s := newShard()
	csv := table.NewCSVBody(&s.cells, t.Columns)
	if from == 0 {
		header, err := table.NewEncoder("csv", &s.cells, t.Columns)
		if err == nil {
			err = header.Close()
		}
		s.err = errors.Join(s.err, err)
	}
	var buf []byte
	for i := from; i < to && s.err == nil; i++ {
		var err error
		buf, err = t.rows(buf, i, func(object []byte, cells table.Row) {
			s.rows = append(s.rows, cells)
			s.lengths = append(s.lengths, int64(len(object)))
			s.lines.Write(object)
			s.lines.WriteByte('\n')
			s.err = errors.Join(s.err, csv.Write(cells))
		})
		s.err = errors.Join(s.err, err)
	}
	array := table.NewArrayWriter(&s.array, from > 0)
	_, err := array.Write(s.lines.Bytes())
	if to == len(t.Keys) {
		err = errors.Join(err, array.Close())
	}
	s.err = errors.Join(s.err, err, csv.Close())
	s.compress(variants, previous)
	return s
}

// compress computes the compressed files from the texts.
func (s *shard) compress(variants []variant, previous *shards) {
	texts := s.texts()
	for _, text := range texts {
		s.sums = append(s.sums, sha256.Sum256(text))
	}
	for _, v := range variants {
		data, known := previous.find(s.spare[v][:0], v, s.sums[v.format])
		if !known {
			var err error
			data, err = store.AppendCompressed(data, store.TableEncodings[v.encoding], texts[v.format])
			s.err = errors.Join(s.err, err)
		}
		s.compressed[v] = data
	}
}
