package web

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// identity is the content coding that means no compression.
const identity = "identity"

const minCompressLen = 1024

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
	best, bestQ := identity, 0.0
	for _, enc := range offered {
		if q := accepted[enc]; q > bestQ {
			best, bestQ = enc, q
		}
	}
	identityQ, named := accepted[identity]
	_, gzipNamed := accepted["gzip"]
	switch {
	case best == identity && named && identityQ == 0 && accepted["*"] > 0 && !gzipNamed && slices.Contains(offered, "gzip"):
		return "gzip"
	case identityQ > bestQ:
		return identity
	}
	return best
}

// compressible reports whether it is worthwhile to compress data of a media type.
func compressible(mediaType string) bool {
	base, _, _ := strings.Cut(mediaType, ";")
	return !slices.Contains([]string{"application/vnd.apache.parquet", "application/octet-stream", "application/gzip", "application/zstd"}, base)
}

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

// PrefersYAML reports whether Accept names YAML before JSON.
func PrefersYAML(accept string) bool {
	y, j := strings.Index(accept, "yaml"), strings.Index(accept, "json")
	return y >= 0 && (j < 0 || y < j)
}

// encoders are pools of fast encoders for generated responses. They are reused because the buffers of an
// encoder cost more than a small response.
var encoders = map[string]*sync.Pool{
	"gzip": {New: func() any {
		w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the options are constant
		return w
	}},
	"zstd": {New: func() any {
		w, _ := zstd.NewWriter(io.Discard, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		return w
	}},
}

// encodeTo calls write with a writer that writes encoded data to w.
func encodeTo(w io.Writer, encoding string, write func(io.Writer) error) error {
	if encoding == identity {
		return write(w)
	}
	encoder := encoders[encoding].Get().(interface {
		io.WriteCloser
		Reset(io.Writer)
	})
	defer encoders[encoding].Put(encoder)
	encoder.Reset(w)
	if err := write(encoder); err != nil {
		return err
	}
	return encoder.Close()
}

func encode(encoding string, body []byte) ([]byte, error) {
	var buf bytes.Buffer
	err := encodeTo(&buf, encoding, func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	})
	return buf.Bytes(), err
}

const chunkTimeout = 30 * time.Second

// Streams occupy one of a few slots while their clients read. If other requests are waiting for
// a slot, a client must read at least minBytesPerSecond on average after SlowStartGrace.
const (
	minBytesPerSecond = 16 << 10
	SlowStartGrace    = 20 * time.Second
)

// clientWriter extends the write deadline as long as the client keeps reading, so that a long
// download can complete, but a stalled one is cut off. If contended is set, it also aborts a stream
// whose client reads too slowly while other requests are waiting.
type clientWriter struct {
	http.ResponseWriter
	control   *http.ResponseController
	contended func() bool
	now       func() time.Time
	start     time.Time
	sent      int64
}

func newClientWriter(w http.ResponseWriter) *clientWriter {
	return &clientWriter{ResponseWriter: w, control: http.NewResponseController(w)}
}

func (p *clientWriter) Write(b []byte) (n int, err error) {
	const chunk = 1 << 18
	if p.contended != nil {
		if took := p.now().Sub(p.start) - SlowStartGrace; took > 0 && float64(p.sent) < took.Seconds()*minBytesPerSecond && p.contended() {
			return 0, errTooSlow
		}
	}
	for n < len(b) {
		// If deadlines are not supported, the server's own deadline applies.
		_ = p.control.SetWriteDeadline(time.Now().Add(chunkTimeout))
		m, err := p.ResponseWriter.Write(b[n:min(n+chunk, len(b))])
		n += m
		p.sent += int64(m)
		if err != nil {
			return n, writeError{err}
		}
	}
	return n, nil
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (p *clientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

var errTooSlow = errors.New("the client reads too slowly while other requests are waiting")

// writeError means that sending failed because the client has disconnected, so the error cannot
// be reported to the client.
type writeError struct{ error }

// ErrorCatcher intercepts error responses of other handlers, such as http.ServeContent, because the
// edge reports every error as a problem.
type ErrorCatcher struct {
	http.ResponseWriter
	Type    string // intercept only errors of this media type; "" for all
	Started bool   // a response that is not intercepted has begun
	Status  int    // of the error, or 0 if there is none
	Text    []byte // the beginning of its body
}

// WriteHeader implements http.ResponseWriter.
func (e *ErrorCatcher) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(e.Header().Get("Content-Type"), e.Type) {
		e.Status = status
		return
	}
	e.Started = true
	e.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (e *ErrorCatcher) Write(b []byte) (int, error) {
	if e.Status != 0 {
		e.Text = append(e.Text, b[:min(len(b), 1000-min(len(e.Text), 1000))]...)
		return len(b), nil
	}
	e.Started = true
	return e.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (e *ErrorCatcher) Unwrap() http.ResponseWriter { return e.ResponseWriter }
