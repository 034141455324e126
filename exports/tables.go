package exports

import (
	"bytes"
	"errors"
	"hash/fnv"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Large tables are compressed in shards of the key space, so that all
// processors take part and one edited record changes one shard. A shard ends
// where the hash of a record's key says so, on average after shardMean records:
// adding or removing a record never moves the boundaries of other shards.
const shardMean = 256

func endsShard(key string) bool {
	h := fnv.New32a()
	h.Write([]byte(key)) // never fails
	return h.Sum32()%shardMean == 0
}

// sharded are the text formats, and the codings of their variants.
var (
	shardedFormats   = []string{"json", "jsonl", "csv"}
	shardedEncodings = []string{"gzip", "zstd"}
)

// shard is the finished form of some consecutive records.
type shard struct {
	lengths []int64  // of each JSONL line, without its end
	files   [][]byte // formats, then formats × encodings
	err     error
}

// WriteTable writes a table in every format as base.json, base.csv and so on,
// with compressed variants. keys are those of the rows, in their order; row is
// called once or twice for each of them, from several goroutines. It returns
// the length of every JSONL line.
func (w *Writer) WriteTable(base string, columns []Column, keys []string, row func(int) Row) ([]int64, error) {
	var g errgroup.Group
	g.Go(func() error { return w.writeParquet(base, columns, len(keys), row) })
	lengths, err := w.writeText(base, columns, keys, row)
	return lengths, errors.Join(err, g.Wait())
}

func (w *Writer) writeParquet(base string, columns []Column, n int, row func(int) Row) error {
	f, err := w.Create(base + ".parquet")
	if err != nil {
		return err
	}
	enc, err := NewEncoder("parquet", f, columns)
	for i := 0; i < n && err == nil; i++ {
		err = enc.Write(row(i))
	}
	if err == nil {
		err = enc.Close()
	}
	return errors.Join(err, f.Close())
}

func (w *Writer) writeText(base string, columns []Column, keys []string, row func(int) Row) ([]int64, error) {
	var outs []*FileWriter
	closeAll := func(err error) error {
		for _, f := range outs {
			err = errors.Join(err, f.Close())
		}
		return err
	}
	for _, ext := range append([]string{""}, ".gz", ".zst") {
		for _, format := range shardedFormats {
			f, err := w.Create(base + "." + format + ext)
			if err != nil {
				return nil, closeAll(err)
			}
			outs = append(outs, f)
		}
	}
	var lengths []int64
	err := inOrder(shardBounds(keys), func(from, to int) *shard {
		return encodeShard(columns, from, to, len(keys), row)
	}, func(s *shard) error {
		lengths = append(lengths, s.lengths...)
		for i, b := range s.files {
			if _, err := outs[i].Write(b); err != nil {
				return err
			}
		}
		return s.err
	})
	return lengths, closeAll(err)
}

// shardBounds returns where shards begin, and last the number of keys. There
// is always at least one shard, if an empty one.
func shardBounds(keys []string) []int {
	bounds := []int{0}
	for i, key := range keys {
		if i+1 < len(keys) && endsShard(key) {
			bounds = append(bounds, i+1)
		}
	}
	return append(bounds, len(keys))
}

// inOrder makes shards on all processors and hands them on in their order. Few
// are in memory at once.
func inOrder(bounds []int, produce func(from, to int) *shard, consume func(*shard) error) error {
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

func encodeShard(columns []Column, from, to, total int, row func(int) Row) *shard {
	s := &shard{}
	var array, lines, table bytes.Buffer
	csv := newCSVBody(&table, columns)
	if from == 0 {
		header, err := newCSVEncoder(&table, columns)
		if err == nil {
			err = header.Close()
		}
		s.err = errors.Join(s.err, err)
	}
	var buf []byte
	for i := from; i < to; i++ {
		r := row(i)
		buf = AppendRow(buf[:0], columns, r)
		s.lengths = append(s.lengths, int64(len(buf)))
		if i == 0 {
			array.WriteString("[\n")
		} else {
			array.WriteString(",\n")
		}
		array.Write(buf)
		lines.Write(buf)
		lines.WriteByte('\n')
		s.err = errors.Join(s.err, csv.Write(r))
	}
	if to == total {
		if total == 0 {
			array.WriteString("[")
		} else {
			array.WriteString("\n")
		}
		array.WriteString("]\n")
	}
	s.err = errors.Join(s.err, csv.Close())
	s.files = [][]byte{array.Bytes(), lines.Bytes(), table.Bytes()}
	for _, enc := range shardedEncodings {
		for _, raw := range s.files[:len(shardedFormats)] {
			packed, err := Compress(enc, raw)
			s.err = errors.Join(s.err, err)
			s.files = append(s.files, packed)
		}
	}
	return s
}
