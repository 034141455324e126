package web

import (
	"bytes"
	"io"
	"iter"
	"slices"
	"strconv"
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
	accepted := make(map[string]float64, 4)
	for name, q := range qualities(accept) {
		if name == "x-gzip" {
			name = "gzip"
		}
		accepted[name] = q
	}
	best, bestQ := Identity, 0.0
	for _, enc := range offered {
		if q := accepted[enc]; q > bestQ {
			best, bestQ = enc, q
		}
	}
	identityQ, named := accepted[Identity]
	_, gzipNamed := accepted["gzip"]
	switch {
	case best == Identity && named && identityQ == 0 && accepted["*"] > 0 && !gzipNamed && slices.Contains(offered, "gzip"):
		return "gzip"
	case identityQ > bestQ:
		return Identity
	}
	return best
}

// pooledEncoder is an encoder from one of the pools.
type pooledEncoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

// encoders are pools of fast encoders for generated responses. They are reused because the buffers of an
// encoder cost more than a small response.
var encoders = map[string]*sync.Pool{
	"gzip": {New: func() any { return newEncoder(gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)) }},
	"zstd": {New: func() any {
		return newEncoder(zstd.NewWriter(io.Discard, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)))
	}},
}

func newEncoder[E pooledEncoder](w E, err error) pooledEncoder {
	if err != nil {
		panic(err) // the options are constant
	}
	return w
}

// encodeTo calls write with a writer that writes encoded data to w.
func encodeTo(w io.Writer, encoding string, write func(io.Writer) error) error {
	if encoding == Identity {
		return write(w)
	}
	enc := encoders[encoding].Get().(pooledEncoder)
	defer encoders[encoding].Put(enc)
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

// PrefersMarkdown reports whether Accept prefers Markdown to JSON (RFC 9110 section 12.5.1). If
// it prefers neither, the response is JSON.
func PrefersMarkdown(accept []string) bool {
	markdown, _ := qualityOf(accept, "text/markdown")
	json, _ := qualityOf(accept, JSONType)
	return markdown > json
}

// qualityOf returns the quality value of a media type, which is that of the most specific range that
// matches it, and how specific that is: 3 for the type itself, and 0 if none matches.
func qualityOf(accept []string, mediaType string) (quality float64, specificity int) {
	kind, _, _ := strings.Cut(mediaType, "/")
	ranges := []string{"", "*/*", kind + "/*", mediaType}
	for _, line := range accept {
		for name, q := range qualities(line) {
			if i := slices.Index(ranges, name); i > specificity {
				quality, specificity = q, i
			}
		}
	}
	return quality, specificity
}

// qualities returns the elements of a list in a header and their quality values, which are 1 if they are
// missing or invalid (RFC 9110 section 12.4.2).
func qualities(header string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for part := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(part, ";")
			quality := 1.0
			for p := range strings.SplitSeq(params, ";") {
				key, value, _ := strings.Cut(strings.TrimSpace(p), "=")
				if q, err := strconv.ParseFloat(value, 64); strings.EqualFold(key, "q") && err == nil && q >= 0 && q <= 1 {
					quality = q
					break
				}
			}
			if !yield(strings.ToLower(strings.TrimSpace(name)), quality) {
				return
			}
		}
	}
}

// PrefersHTML reports whether Accept names HTML and does not prefer JSON to it (RFC 9110 section
// 12.5.1), as is the case for browsers. Clients that accept everything, such as curl, do not
// name HTML.
func PrefersHTML(accept []string) bool {
	html, specificity := qualityOf(accept, "text/html")
	json, _ := qualityOf(accept, JSONType)
	problem, _ := qualityOf(accept, problemType)
	return specificity > 1 && html > 0 && html >= max(json, problem)
}

func PrefersYAML(accept string) bool {
	y, j := strings.Index(accept, "yaml"), strings.Index(accept, "json")
	return y >= 0 && (j < 0 || y < j)
}
