package web

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Identity is the content coding that means no compression.
const Identity = "identity"

// MinCompressLen is the size in bytes above which compression is worthwhile.
const MinCompressLen = 1024

// negotiateEncoding returns the content coding that the client prefers (RFC 9110 section 12.5.3)
// among those offered, which are listed in the server's order of preference. identity is always
// possible. "*" alone does not select a coding, because many clients that send it can decode
// only gzip or nothing. A client that also rejects identity gets gzip.
func negotiateEncoding(accept string, offered []string) string {
	if accept == "" {
		return Identity
	}
	best, bestQ := Identity, 0.0
	identityQ, anyQ := -1.0, -1.0
	accepted := make(map[string]float64, 4)
	for name, q := range qualities(accept) {
		switch name {
		case Identity:
			identityQ = q
		case "*":
			anyQ = q
		case "x-gzip":
			accepted["gzip"] = q
		default:
			accepted[name] = q
		}
	}
	for _, enc := range offered {
		if q := accepted[enc]; q > bestQ {
			best, bestQ = enc, q
		}
	}
	if _, named := accepted["gzip"]; best == Identity && identityQ == 0 && anyQ > 0 && !named && slices.Contains(offered, "gzip") {
		return "gzip"
	}
	if identityQ > bestQ {
		return Identity
	}
	return best
}

// Pools of fast encoders for generated responses. They are reused because the buffers of an
// encoder cost more than a small response.
var (
	gzipPool = sync.Pool{New: func() any {
		w, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
		if err != nil {
			panic(err) // the level is constant
		}
		return w
	}}
	zstdPool = sync.Pool{New: func() any {
		w, err := zstd.NewWriter(io.Discard, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err) // the options are constant
		}
		return w
	}}
)

// pooledEncoder is an encoder from one of the pools.
type pooledEncoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

func encoderPool(encoding string) *sync.Pool {
	if encoding == "gzip" {
		return &gzipPool
	}
	return &zstdPool
}

// encodeTo calls write with a writer that writes encoded data to w.
func encodeTo(w io.Writer, encoding string, write func(io.Writer) error) error {
	if encoding == Identity {
		return write(w)
	}
	pool := encoderPool(encoding)
	enc := pool.Get().(pooledEncoder)
	defer pool.Put(enc)
	enc.Reset(w)
	if err := write(enc); err != nil {
		return err
	}
	return enc.Close()
}

// encode compresses a complete body.
func encode(encoding string, body []byte) ([]byte, error) {
	var buf bytes.Buffer
	buf.Grow(len(body)/2 + 64)
	err := encodeTo(&buf, encoding, func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	})
	return buf.Bytes(), err
}

// compressible reports whether it is worthwhile to compress data of a media type.
func compressible(mediaType string) bool {
	base, _, _ := strings.Cut(mediaType, ";")
	switch base {
	case "application/vnd.apache.parquet", "application/octet-stream", "application/gzip", "application/zstd":
		return false
	}
	return true
}

// offeredEncodings are the content codings for responses that are not stored, in order of preference.
var offeredEncodings = []string{"zstd", "gzip"}
