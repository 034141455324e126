// Package bulk writes the tables of a build, in every format and with compressed variants, and reuses
// what an earlier build has compressed.
package bulk

import (
	"cmp"
	"errors"
	"hash/fnv"
	"runtime"
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

// A row group of a Parquet file consists of whole shards: groupMean on average. The hash of the last key of
// a shard also decides whether the row group ends there.
const groupMean = 32

func isShardEnd(key string) bool { return hash(key)%shardMean == 0 }

func isGroupEnd(key string) bool { return hash(key)%(shardMean*groupMean) == 0 }

func hash(key string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(key)) // never fails
	return h.Sum32()
}

// Table describes a bulk export.
type Table struct {
	Base    string // the files are named Base.json, Base.csv and so on
	Columns []table.Column
	Keys    []string // the key of each item, which has at least one row
	// Rows returns the rows of an item. It is called at most once per item, from several
	// goroutines.
	Rows func(i int) []table.Row
	// JSON and Cells replace Rows if JSON and JSONL contain more than the flat table: each
	// item has one row, JSON appends it as a compact object, and Cells extracts the cells.
	JSON  func(dst []byte, i int) ([]byte, error)
	Cells func(object []byte) table.Row
	// Inputs, if not nil, appends everything that the rows of an item depend on, or a hash of it. No result
	// must be a prefix of another. A shard whose items have the same inputs as those of a shard of the
	// previous build is copied.
	Inputs func(dst []byte, i int) []byte
	// Kept is the number of items at the beginning that are known to have the same keys and rows as in
	// the previous build.
	Kept int
}

// variants lists the formats of the text files that have compressed variants.
func variants(large bool) (list []variant) {
	for format, extension := range store.TextFormats {
		if store.Compressed(large, extension) {
			list = append(list, variant(format))
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

// Options are the options for writing tables.
type Options struct {
	// LargeTable is the size in bytes of the JSONL file of a table above which the table is large,
	// by default store.LargeTable.
	LargeTable int64
	// StoreTexts also stores the text files of large tables, which readers could recreate. It does not
	// change the content of any file.
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

// Write writes a table in every format, with compressed variants.
func Write(to *store.Staging, t *Table, o Options) error {
	w := &writer{to, o}
	w.LargeTable = cmp.Or(o.LargeTable, store.LargeTable)
	previous := openShards(w.Earlier, t.Base)
	defer previous.close()
	p := t.plan(previous)
	rows := make(chan []table.Row, 2)
	var g errgroup.Group
	g.Go(func() error { return w.writeParquet(p, rows) })
	err := w.writeText(p, rows)
	close(rows)
	return errors.Join(err, g.Wait())
}

// writeParquet writes the rows of each shard that it receives, in order. The rows of shards in a row group
// that is copied are not needed.
func (w *writer) writeParquet(p *plan, rows <-chan []table.Row) error {
	defer func() {
		for range rows { // after an error, or the sender would block
		}
	}()
	f, err := w.Create(p.Base + ".parquet")
	if err != nil {
		return err
	}
	enc := table.NewGroupEncoder(f, p.Columns)
	if err = p.encodeGroups(enc, rows); err == nil {
		err = enc.Close()
	}
	return errors.Join(err, f.Close())
}

func (p *plan) encodeGroups(enc table.GroupEncoder, rows <-chan []table.Row) error {
	for _, g := range p.groups {
		if g.earlier >= 0 {
			if err := enc.CopyGroup(p.previous.groups, g.earlier); err != nil {
				return err
			}
		}
		for range g.shards {
			for _, row := range <-rows {
				if err := enc.Write(row); err != nil {
					return err
				}
			}
		}
		if err := enc.EndGroup(); err != nil {
			return err
		}
	}
	return nil
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

// encodeInOrder encodes n shards in parallel and consumes them in order. Only a few are in
// memory at a time. It returns when no call of produce is running, even after an error: the memory that
// produce reads may be unmapped then.
func encodeInOrder(n int, produce func(k int) *shard, consume func(*shard) error) error {
	workers := runtime.GOMAXPROCS(0)
	queue := make(chan chan *shard, workers)
	stop := make(chan struct{})
	var running sync.WaitGroup
	defer running.Wait()
	defer close(stop)
	running.Go(func() {
		defer close(queue)
		for k := range n {
			slot := make(chan *shard, 1)
			select {
			case queue <- slot:
			case <-stop:
				return
			}
			running.Go(func() { slot <- produce(k) })
		}
	})
	for slot := range queue {
		if err := consume(<-slot); err != nil {
			return err
		}
	}
	return nil
}
