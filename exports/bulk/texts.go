package bulk

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"

	"kindex/exports/packed"
	"kindex/exports/store"
	"kindex/exports/table"
)

// tableTexts writes the text files of a table and their compressed variants.
type tableTexts struct {
	*writer
	plan     *plan
	texts    []*store.FileWriter // by store.TextFormats
	variants map[variant]*store.FileWriter
	gzips    map[variant]*gzipFile
	index    shardIndex
	large    atomic.Bool // set once the JSONL file is longer than Options.LargeTable
}

// writeText writes all formats except Parquet and sends the rows for it to the channel, one list for each
// shard.
func (w *writer) writeText(p *plan, rows chan<- []table.Row) error {
	x := &tableTexts{writer: w, plan: p, variants: map[variant]*store.FileWriter{}, gzips: map[variant]*gzipFile{}}
	err := x.create()
	if err == nil && p.copiedSize() > w.LargeTable {
		err = x.enlarge() // now, so that no unneeded variants are compressed
	}
	if err != nil {
		return x.close(err)
	}
	withRows := p.needsRows()
	err = encodeInOrder(len(p.earlier), func(k int) *shard {
		return p.shard(k, withRows[k], variants(x.large.Load()))
	}, func(s *shard) error {
		if err := errors.Join(s.err, x.write(s)); err != nil {
			return err
		}
		rows <- s.rows
		s.release()
		return nil
	})
	if err = x.close(err); err != nil {
		return err
	}
	for _, sum := range p.inputs {
		x.index[store.ShardInputs] = append(x.index[store.ShardInputs], sum[:]...)
	}
	for _, g := range p.groups {
		x.index.addLength(store.ShardGroups, g.shards)
	}
	return w.Add(store.ShardsFile(p.Base), packed.PackSections(x.index[:]...))
}

// create creates the files.
func (x *tableTexts) create() error {
	for _, format := range store.TextFormats {
		f, err := x.Create(x.plan.Base + "." + format)
		if err != nil {
			return err
		}
		x.texts = append(x.texts, f)
	}
	for _, v := range variants(false) {
		f, err := x.Create(v.file(x.plan.Base))
		if err != nil {
			return err
		}
		x.variants[v] = f
		if x.gzips[v], err = x.createGzip(v); err != nil {
			return err
		}
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
	for _, f := range x.gzips {
		err = errors.Join(err, f.Close())
	}
	return err
}

// write writes a shard. Shards that were encoded before the table became large have variants that
// a large table does not have.
func (x *tableTexts) write(s *shard) error {
	if !x.large.Load() && x.texts[linesFormat].Size()+int64(s.lines.Len()) > x.LargeTable {
		if err := x.enlarge(); err != nil {
			return err
		}
	}
	for i, text := range s.texts() {
		if len(text) > store.MaxPiece {
			return fmt.Errorf("%s.%s: the rows of one shard have %d bytes, more than readers accept (%d)",
				x.plan.Base, store.TextFormats[i], len(text), store.MaxPiece)
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
	for v, f := range x.gzips {
		if _, err := f.Write(s.texts()[v]); err != nil {
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
			if err := text.Discard(); err != nil {
				return err
			}
		}
	}
	kept := variants(true)
	for v, f := range x.variants {
		if slices.Contains(kept, v) {
			continue
		}
		delete(x.variants, v)
		x.index[v.section()] = nil
		if err := errors.Join(f.Discard(), x.gzips[v].discard()); err != nil {
			return err
		}
		delete(x.gzips, v)
	}
	return nil
}

// gzipFile is a file that is a single gzip member. Many clients stop silently after the first
// member of several, so it cannot consist of pieces.
type gzipFile struct {
	*gzip.Writer
	file *store.FileWriter
}

func (x *tableTexts) createGzip(v variant) (*gzipFile, error) {
	f, err := x.Create(x.plan.Base + "." + store.TextFormats[v] + store.EncodingExtension("gzip"))
	if err != nil {
		return nil, err
	}
	w, err := gzip.NewWriterLevel(f, store.GzipLevel)
	return &gzipFile{w, f}, err
}

// Close completes the member and the file.
func (f *gzipFile) Close() error { return errors.Join(f.Writer.Close(), f.file.Close()) }

// discard removes the file.
func (f *gzipFile) discard() error { return f.file.Discard() }
