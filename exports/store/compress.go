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

// Encodings lists the content codings of a build's variants in order of preference. Brotli is
// used only for small files, because at the compression levels that make it worthwhile, it is
// too slow for large files.
var Encodings = []string{"zstd", "br", "gzip"}

// MaxBrotliLen is the maximum size in bytes of a file that gets a Brotli variant.
const MaxBrotliLen = 256 << 10

// Compress encodes data as one complete member or frame of a content coding. It
// is deterministic.
func Compress(encoding string, data []byte) ([]byte, error) {
	return AppendCompressed(nil, encoding, data)
}

// AppendCompressed is like Compress, but appends the result to dst, which must not overlap with
// data.
func AppendCompressed(dst []byte, encoding string, data []byte) ([]byte, error) {
	switch encoding {
	case "gzip":
		buf := bytes.NewBuffer(dst)
		w := gzipWriters.Get().(*gzip.Writer)
		defer gzipWriters.Put(w)
		w.Reset(buf)
		if err := writeClose(w, data); err != nil {
			return nil, err
		}
		return buf.Bytes(), nil
	case "zstd":
		return zstdEncoder().EncodeAll(data, dst), nil
	case "br":
		buf := bytes.NewBuffer(dst)
		w := brotliWriters.Get().(*brotli.Writer)
		defer brotliWriters.Put(w)
		w.Reset(buf)
		if err := writeClose(w, data); err != nil {
			return nil, err
		}
		return buf.Bytes(), nil
	}
	return nil, fmt.Errorf("unknown content coding %q", encoding)
}

func writeClose(w io.WriteCloser, data []byte) error {
	_, err := w.Write(data)
	return errors.Join(err, w.Close())
}

// GzipLevel is the compression level of the gzip files of a build.
const GzipLevel = 5

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, GzipLevel)
	if err != nil {
		panic(err) // the level is valid
	}
	return w
}}

var brotliWriters = sync.Pool{New: func() any { return newBrotliWriter(nil) }}

// newBrotliWriter returns a writer with a window of 64 KiB. With larger windows, the library uses
// tables of 32 MiB, which take longer to clear than most files of a build to compress, and files
// get at most a few percent smaller.
func newBrotliWriter(w io.Writer) *brotli.Writer {
	return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: 9, LGWin: 16})
}

// zstdEncoder is shared by all goroutines: EncodeAll keeps one state per
// processor.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constant
	}
	return w
})
