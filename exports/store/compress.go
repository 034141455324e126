package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Encodings are the content codings that a build's variants come in, the one
// that clients should prefer first. Brotli is kept for small files: at the
// levels that pay off it is too slow for large ones.
var Encodings = []string{"zstd", "br", "gzip"}

// MaxBrotliLen is the size up to which a file gets a Brotli variant too.
const MaxBrotliLen = 256 << 10

// Compress encodes data as one complete member or frame of a content coding.
// The same data always gives the same bytes. Members and frames may be joined:
// the result decodes to the data joined (RFC 1952 section 2.2, RFC 8878
// section 3.1). That does not hold for br.
func Compress(encoding string, data []byte) ([]byte, error) {
	switch encoding {
	case "gzip":
		var buf bytes.Buffer
		w := gzipWriters.Get().(*gzip.Writer)
		defer gzipWriters.Put(w)
		w.Reset(&buf)
		if err := writeClose(w, data); err != nil {
			return nil, err
		}
		return buf.Bytes(), nil
	case "zstd":
		return zstdEncoder().EncodeAll(data, nil), nil
	case "br":
		var buf bytes.Buffer
		w := brotliWriters.Get().(*brotli.Writer)
		defer brotliWriters.Put(w)
		w.Reset(&buf)
		if err := writeClose(w, data); err != nil {
			return nil, err
		}
		return buf.Bytes(), nil
	}
	return nil, fmt.Errorf("there is no content coding %q", encoding)
}

func writeClose(w io.WriteCloser, data []byte) error {
	_, err := w.Write(data)
	return errors.Join(err, w.Close())
}

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, 5)
	if err != nil {
		panic(err) // 5 is a level
	}
	return w
}}

// brotliWriters are used again: each holds tables of many MiB, which are more
// than most files that it packs.
var brotliWriters = sync.Pool{New: func() any { return brotli.NewWriterLevel(nil, 9) }}

// zstdEncoder serves all goroutines: EncodeAll keeps one state per processor.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		panic(err) // the options are constant
	}
	return w
})
