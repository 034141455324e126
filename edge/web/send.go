package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

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
