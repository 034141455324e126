package bulk

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"kindex/exports/packed"
	"kindex/exports/store"
	"kindex/exports/table"
)

// tableTexts writes the text files of a table and their compressed variants.
type tableTexts struct {
	*writer
	table    *Table
	texts    []*store.FileWriter // by store.TextFormats
	variants map[variant]*store.FileWriter
	index    shardIndex
	lengths  []int64     // length of each JSONL line
	large    atomic.Bool // set once the JSONL file is longer than Options.LargeTable
}

// writeText writes all formats except Parquet and sends the rows to the channel.
func (w *writer) writeText(t *Table, rows chan<- []table.Row) ([]int64, error) {
	x := &tableTexts{writer: w, table: t, variants: map[variant]*store.FileWriter{}}
	if err := x.create(); err != nil {
		return nil, x.close(err)
	}
	previous := openShards(w.Earlier, t.Base)
	defer previous.close()
	err := encodeInOrder(shardBounds(t.Keys), func(from, to int) *shard {
		return t.encodeShard(from, to, t.variants(x.large.Load()), previous)
	}, func(s *shard) error {
		if err := errors.Join(s.err, x.write(s)); err != nil {
			return err
		}
		rows <- s.rows
		s.release()
		return nil
	})
	if err = x.close(err); err != nil {
		return nil, err
	}
	return x.lengths, w.Add(store.ShardsFile(t.Base), packed.PackSections(x.index[:]...))
}

// create creates the files.
func (x *tableTexts) create() error {
	for _, format := range store.TextFormats {
		f, err := x.Create(x.table.Base + "." + format)
		if err != nil {
			return err
		}
		x.texts = append(x.texts, f)
	}
	for _, v := range x.table.variants(false) {
		f, err := x.Create(v.file(x.table.Base))
		if err != nil {
			return err
		}
		x.variants[v] = f
	}
	return nil
}

// close closes the files and returns the first error, which may be err.
func (x *tableTexts) close(err error) error {
	for _, f := range x.texts {
		err = errors.Join(err, f.Close())
	}
	for _, f := range x.variants {
		err = errors.Join(err, f.Close())
	}
	return err
}

// write writes a shard. Shards that were encoded before the table became large have variants that
// a large table does not have.
func (x *tableTexts) write(s *shard) error {
	lines := slices.Index(store.TextFormats, "jsonl")
	if !x.large.Load() && x.texts[lines].Size()+int64(s.lines.Len()) > x.LargeTable {
		if err := x.enlarge(); err != nil {
			return err
		}
	}
	x.lengths = append(x.lengths, s.lengths...)
	for i, text := range s.texts() {
		if len(text) > store.MaxPiece {
			return fmt.Errorf("%s.%s: %d rows in one shard have %d bytes, more than readers accept (%d)",
				x.table.Base, store.TextFormats[i], len(s.rows), len(text), store.MaxPiece)
		}
		if _, err := x.texts[i].Write(text); err != nil {
			return err
		}
	}
	for v, f := range x.variants {
		if _, err := f.Write(s.compressed[v]); err != nil {
			return err
		}
	}
	x.index.add(s, x.variants)
	return nil
}

// enlarge drops the files that are not stored for a large table.
func (x *tableTexts) enlarge() error {
	x.large.Store(true)
	if !x.StoreTexts {
		for _, text := range x.texts {
			if err := text.Drop(); err != nil {
				return err
			}
		}
	}
	kept := x.table.variants(true)
	for v, f := range x.variants {
		if slices.Contains(kept, v) {
			continue
		}
		delete(x.variants, v)
		x.index[v.section()] = nil
		if err := f.Drop(); err != nil {
			return err
		}
	}
	return nil
}
