package depot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"kindex/exports/store"
	"kindex/exports/table"
)

// asArray makes the file of a table as a JSON array from the file with one object a line.
const asArray = "array"

// arrayExtension and linesExtension are those of the two files.
const (
	arrayExtension = ".json"
	linesExtension = ".jsonl"
)

// compress returns one gzip member or zstd frame.
func compress(encoding string, data []byte) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	if encoding == "gzip" {
		w, err = gzip.NewWriterLevel(&out, 5)
	} else {
		w, err = zstd.NewWriter(&out)
	}
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

func validDerivation(d *derivation) bool {
	for _, n := range d.Pieces {
		if n < 1 {
			return false
		}
	}
	return d.As == asArray || slices.Contains([]string{"gzip", "zstd"}, d.As)
}

// write writes the derived file to w; source is the other file.
func (d *derivation) write(w io.Writer, source io.Reader) error {
	if d.As == asArray {
		array := table.NewArrayWriter(w)
		_, err := io.CopyBuffer(array, source, make([]byte, 1<<18))
		return errors.Join(err, array.Close())
	}
	pieces := d.Pieces
	if len(pieces) == 0 {
		pieces = []int64{-1}
	}
	var piece bytes.Buffer
	for _, n := range pieces {
		piece.Reset()
		if n < 0 {
			n = maxPiece
		}
		if _, err := piece.ReadFrom(io.LimitReader(source, min(n, maxPiece))); err != nil {
			return err
		}
		out, err := compress(d.As, piece.Bytes())
		if err != nil {
			return err
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	if n, err := io.ReadFull(source, make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return errors.Join(err, errors.New("the pieces do not end with the file"))
	}
	return nil
}

// maxPiece limits the size of a part of a file that is compressed separately, in bytes.
const maxPiece = 64 << 20

// candidates returns how files might be made from others: compressed variants and arrays. The
// publisher tries each. pieces returns the lengths of the parts of the file that a zstd variant
// consists of.
func candidates(files []store.File, pieces func(variant string) ([]int64, error)) (map[string]*derivation, error) {
	exists := make(map[string]bool, len(files))
	for _, f := range files {
		exists[f.Path] = true
	}
	found := map[string]*derivation{}
	for _, f := range files {
		if f.Encoding == "" {
			if base, ok := strings.CutSuffix(f.Path, arrayExtension); ok && exists[base+linesExtension] {
				found[f.Path] = &derivation{Path: base + linesExtension, As: asArray}
			}
			continue
		}
		base := strings.TrimSuffix(f.Path, store.GzipExtension)
		if !exists[base] {
			continue
		}
		d := &derivation{Path: base, As: f.Encoding}
		if variant := base + ".zst"; f.Encoding == "zstd" && exists[variant] {
			var err error
			if d.Pieces, err = pieces(variant); err != nil {
				return nil, err
			}
		}
		found[f.Path] = d
	}
	return found, nil
}

// framesOf returns the uncompressed lengths of the frames of a zstd file, as RFC 8878 describes
// them. It returns none if a frame does not state its length.
func framesOf(r io.Reader) ([]int64, error) {
	in := &frameReader{r: r}
	var lengths []int64
	for {
		var head [zstd.HeaderMaxSize]byte
		n, err := io.ReadFull(in, head[:])
		if n == 0 && err == io.EOF {
			return lengths, nil
		}
		var h zstd.Header
		if err := h.Decode(head[:n]); err != nil {
			return nil, fmt.Errorf("frame %d: %w", len(lengths), err)
		}
		if h.Skippable || !h.HasFCS {
			return nil, nil
		}
		in.unread(head[h.HeaderSize:n])
		if err := in.skipBlocks(h.HasCheckSum); err != nil {
			return nil, fmt.Errorf("frame %d: %w", len(lengths), err)
		}
		if h.FrameContentSize > 0 {
			lengths = append(lengths, int64(h.FrameContentSize))
		}
	}
}

// frameReader is a reader to which bytes can be returned.
type frameReader struct {
	r       io.Reader
	pending []byte
}

// Read implements io.Reader.
func (c *frameReader) Read(b []byte) (int, error) {
	if len(c.pending) > 0 {
		n := copy(b, c.pending)
		c.pending = c.pending[n:]
		return n, nil
	}
	return c.r.Read(b)
}

func (c *frameReader) unread(b []byte) { c.pending = append(bytes.Clone(b), c.pending...) }

// skipBlocks reads the blocks of a frame and its checksum.
func (c *frameReader) skipBlocks(checksum bool) error {
	for {
		var head [4]byte
		if _, err := io.ReadFull(c, head[:3]); err != nil {
			return err
		}
		h := binary.LittleEndian.Uint32(head[:])
		size := int64(h >> 3)
		if kind := h >> 1 & 3; kind == 1 { // one byte, repeated
			size = 1
		}
		if _, err := io.CopyN(io.Discard, c, size); err != nil {
			return err
		}
		if h&1 != 0 {
			break
		}
	}
	if !checksum {
		return nil
	}
	_, err := io.CopyN(io.Discard, c, 4)
	return err
}
