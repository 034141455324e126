package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"

	"kindex/exports/table"
)

// Content is an open file of a build. If the file is not stored, it is recreated from other files
// while it is read. Content implements io.ReadSeekCloser and io.ReaderAt. ReadAt may be called
// concurrently.
type Content struct {
	*io.SectionReader
	name   string
	closes []io.Closer
}

// Name returns the path of the file, for error messages.
func (c *Content) Name() string { return c.name }

// Recreated reports whether the file is not stored, so that reading it takes time and memory.
func (c *Content) Recreated() bool {
	for _, f := range c.closes {
		if _, ok := f.(*text); ok {
			return true
		}
	}
	return false
}

// Close closes the files that the content is read from.
func (c *Content) Close() error {
	var err error
	for _, f := range c.closes {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Stored opens a file, and returns fs.ErrNotExist if it is not stored. If the result is an
// io.Closer, it is closed with the Content.
type Stored func(File) (io.ReaderAt, error)

// Open opens a file of a build; dir is its folder, and files lists what the manifest lists. Its
// errors are those of OpenFile. A file that is not stored is recreated from others; if these are
// damaged, reading returns a *DamageError. The caller must close the content.
func Open(dir *os.Root, files []File, want File) (*Content, error) {
	return OpenWith(func(f File) (io.ReaderAt, error) {
		file, err := OpenFile(dir, f)
		if err != nil {
			return nil, err // not a nil *os.File
		}
		return file, nil
	}, joinPath(dir, want.Path), files, want)
}

// OpenWith is like Open for a build whose files are opened by stored; name is the path of the file
// for error messages.
func OpenWith(stored Stored, name string, files []File, want File) (*Content, error) {
	c := &Content{name: name}
	r, err := c.open(stored, files, want)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.SectionReader = io.NewSectionReader(r, 0, want.Size)
	return c, nil
}

// open returns a reader for a file.
func (c *Content) open(stored Stored, files []File, want File) (io.ReaderAt, error) {
	r, err := stored(want)
	if err == nil {
		if f, ok := r.(io.Closer); ok {
			c.closes = append(c.closes, f)
		}
		return r, nil
	}
	if !Unstored(files, want.Path) || !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	base, format, _ := splitText(want.Path)
	t := &text{name: c.name, array: format == "json"}
	from, section := want.Path+".zst", ShardCompressed+slices.Index(TextFormats, format)
	if t.array { // recreated from the JSONL file, which may not be stored either
		from, section = base+".jsonl", ShardLengths+slices.Index(TextFormats, "jsonl")
	}
	source, _ := find(files, from)
	if t.source, err = c.open(stored, files, source); err != nil {
		return nil, err
	}
	list, _ := find(files, ShardsFile(base))
	shards, err := c.open(stored, files, list)
	if err != nil {
		return nil, err
	}
	t.ends, err = readEnds(shards, ShardLengths+slices.Index(TextFormats, format), want.Size)
	if err == nil {
		t.sourceEnds, err = readEnds(shards, section, source.Size)
	}
	if err == nil && len(t.ends) != len(t.sourceEnds) {
		err = fmt.Errorf("it has %d pieces, and %s has %d", len(t.ends), from, len(t.sourceEnds))
	}
	if err != nil {
		return nil, t.damage(fmt.Errorf("%s: %w", list.Path, err))
	}
	c.closes = append(c.closes, t)
	return t, nil
}

// text recreates a text file of a table from another file of the table, piece by piece.
type text struct {
	name             string
	array            bool // it is the JSON file, and the source is the JSONL file; otherwise, the source is compressed
	source           io.ReaderAt
	ends, sourceEnds []int64
}

// ReadAt implements io.ReaderAt. Recreating a piece takes about a millisecond, but recent pieces are
// usually still cached, so reading a file from beginning to end is fast.
func (t *text) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		i := sort.Search(len(t.ends), func(i int) bool { return t.ends[i] > at })
		if i == len(t.ends) {
			return n, io.EOF
		}
		data, err := t.piece(i)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], data[at-start(t.ends, i):])
	}
	return n, nil
}

// Close implements io.Closer. It does not close the source.
func (t *text) Close() error {
	pieces.remove(t)
	return nil
}

// start returns where a piece starts.
func start(ends []int64, i int) int64 {
	if i == 0 {
		return 0
	}
	return ends[i-1]
}

// piece returns a piece, which the caller must not modify.
func (t *text) piece(i int) ([]byte, error) {
	if data := pieces.get(t, i); data != nil {
		return data, nil
	}
	data, err := t.recreate(i)
	if err == nil {
		pieces.add(t, i, data)
	}
	return data, err
}

// recreate returns a new copy of a piece.
func (t *text) recreate(i int) ([]byte, error) {
	from, to := start(t.sourceEnds, i), t.sourceEnds[i]
	source := sources.Get().(*[]byte)
	defer sources.Put(source)
	*source = slices.Grow((*source)[:0], int(to-from))[:to-from]
	if _, err := t.source.ReadAt(*source, from); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	want := t.ends[i] - start(t.ends, i)
	data := make([]byte, 0, want)
	var err error
	if t.array {
		data, err = appendArray(data, *source, i > 0, i == len(t.ends)-1)
	} else {
		data, err = AppendDecompressed(data, *source)
	}
	if err == nil && int64(len(data)) != want {
		err = fmt.Errorf("piece %d has %d bytes, not %d", i, len(data), want)
	}
	if err != nil {
		return nil, t.damage(err)
	}
	return data, nil
}

// sources holds buffers for the data from which pieces are recreated.
var sources = sync.Pool{New: func() any { return new([]byte) }}

func (t *text) damage(err error) error {
	return &DamageError{Path: t.name, Problem: "cannot be recreated from the other files of its table: " + err.Error()}
}

// appendArray appends the part of a JSON array that consists of the given lines.
func appendArray(dst, lines []byte, started, last bool) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	w := table.NewArrayWriter(b, started)
	_, err := w.Write(lines)
	if last {
		err = errors.Join(err, w.Close())
	}
	return b.Bytes(), err
}

// AppendDecompressed appends a decompressed zstd frame of at most MaxPiece bytes to dst.
func AppendDecompressed(dst, frame []byte) ([]byte, error) {
	return zstdDecoder().DecodeAll(frame, dst)
}

// zstdDecoder is shared by all goroutines: DecodeAll keeps one state per processor.
var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(MaxPiece))
	if err != nil {
		panic(err) // the options are constant
	}
	return r
})
