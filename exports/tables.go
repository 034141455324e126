package exports

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"hash/fnv"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"kindex/exports/packed"
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

// shardedFormats are the text formats, which are sharded.
var shardedFormats = []string{"json", "jsonl", "csv"}

// The encodings of the compressed variants of a table's text files.
var (
	WebEncodings  = []string{"gzip", "zstd"}
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
	JSON  func(dst []byte, i int) []byte
	Cells func(object []byte) table.Row
}

// files lists the extensions of the sharded files: first all formats uncompressed, then all
// formats in each encoding.
func (t *Table) files() []string {
	var list []string
	for _, coding := range append([]string{""}, t.Encodings...) {
		for _, format := range shardedFormats {
			list = append(list, "."+format+store.EncodingExtension(coding))
		}
	}
	return list
}

// rows calls yield with each row of an item, as an object, which is valid until yield
// returns, and as cells.
func (t *Table) rows(buf []byte, i int, yield func(object []byte, cells table.Row)) []byte {
	if t.JSON != nil {
		buf = t.JSON(buf[:0], i)
		yield(buf, t.Cells(buf))
		return buf
	}
	for _, r := range t.Rows(i) {
		buf = table.AppendRow(buf[:0], t.Columns, r)
		yield(buf, r)
	}
	return buf
}

// shard is the encoded form of consecutive records.
type shard struct {
	lengths []int64 // length of each JSONL line, without its line ending
	rows    []table.Row
	files   [][]byte            // by Table.files
	sums    [][sha256.Size]byte // hashes of the uncompressed files
	err     error

	array, lines, cells bytes.Buffer // the uncompressed files, in the order of shardedFormats
	compressed          [][]byte     // buffers for the compressed files
}

// shardPool holds shards for reuse: their buffers are most of what writing a table allocates.
var shardPool = sync.Pool{New: func() any { return &shard{} }}

func newShard() *shard {
	s := shardPool.Get().(*shard)
	s.lengths, s.files, s.sums, s.err = s.lengths[:0], s.files[:0], s.sums[:0], nil
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

// WriteTable writes a table in every format, with compressed variants. Shards that also exist
// in the previous build are copied from there. WriteTable returns the length of every JSONL
// line.
func (w *Writer) WriteTable(t *Table) ([]int64, error) {
	rows := make(chan []table.Row, 2)
	var g errgroup.Group
	g.Go(func() error { return w.writeParquet(t, rows) })
	lengths, err := w.writeText(t, rows)
	close(rows)
	return lengths, errors.Join(err, g.Wait())
}

// writeParquet writes the rows that it receives, in order.
func (w *Writer) writeParquet(t *Table, rows <-chan []table.Row) error {
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

// writeText writes all formats except Parquet and sends the rows to the channel.
func (w *Writer) writeText(t *Table, rows chan<- []table.Row) ([]int64, error) {
	var outs []*store.FileWriter
	closeAll := func(err error) error {
		for _, f := range outs {
			err = errors.Join(err, f.Close())
		}
		return err
	}
	for _, ext := range t.files() {
		f, err := w.Create(t.Base + ext)
		if err != nil {
			return nil, closeAll(err)
		}
		outs = append(outs, f)
	}
	var lengths []int64
	index := make(shardIndex, len(outs))
	previous := openShards(w.previous, t)
	defer previous.close()
	err := encodeInOrder(shardBounds(t.Keys), func(from, to int) *shard {
		return encodeShard(t, from, to, previous)
	}, func(s *shard) error {
		lengths = append(lengths, s.lengths...)
		for i, b := range s.files {
			if _, err := outs[i].Write(b); err != nil {
				return err
			}
		}
		index.add(s)
		rows <- s.rows
		err := s.err
		s.release()
		return err
	})
	if err = closeAll(err); err != nil {
		return nil, err
	}
	return lengths, w.Add(shardsFile(t.Base), packed.PackSections(index...))
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
func encodeShard(t *Table, from, to int, previous *shards) *shard {
	s := newShard()
	array, lines := &s.array, &s.lines
	csv := table.NewCSVBody(&s.cells, t.Columns)
	if from == 0 {
		header, err := table.NewEncoder("csv", &s.cells, t.Columns)
		if err == nil {
			err = header.Close()
		}
		s.err = errors.Join(s.err, err)
	}
	var buf []byte
	for i := from; i < to; i++ {
		buf = t.rows(buf, i, func(object []byte, cells table.Row) {
			s.rows = append(s.rows, cells)
			s.lengths = append(s.lengths, int64(len(object)))
			if array.Len() == 0 && from == 0 {
				array.WriteString("[\n")
			} else {
				array.WriteString(",\n")
			}
			array.Write(object)
			lines.Write(object)
			lines.WriteByte('\n')
			s.err = errors.Join(s.err, csv.Write(cells))
		})
	}
	if to == len(t.Keys) {
		if to == 0 {
			array.WriteString("[")
		} else {
			array.WriteString("\n")
		}
		array.WriteString("]\n")
	}
	s.err = errors.Join(s.err, csv.Close())
	s.compress(t.Encodings, previous, s.array.Bytes(), s.lines.Bytes(), s.cells.Bytes())
	return s
}

// compress computes the compressed files from the uncompressed ones.
func (s *shard) compress(encodings []string, previous *shards, raw ...[]byte) {
	s.files = append(append(s.files, raw...), make([][]byte, len(encodings)*len(raw))...)
	if missing := len(encodings)*len(raw) - len(s.compressed); missing > 0 {
		s.compressed = append(s.compressed, make([][]byte, missing)...)
	}
	for i, data := range raw {
		s.sums = append(s.sums, sha256.Sum256(data))
		compressed, known := previous.find(i, s.sums[i])
		for j, coding := range encodings {
			if !known {
				buf := &s.compressed[j*len(raw)+i]
				var err error
				*buf, err = store.AppendCompressed((*buf)[:0], coding, data)
				s.err = errors.Join(s.err, err)
				compressed = append(compressed, *buf)
			}
			s.files[(j+1)*len(shardedFormats)+i] = compressed[j]
		}
	}
}
