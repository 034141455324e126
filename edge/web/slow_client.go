package web

import (
	"errors"
	"net/http"
	"time"
)

// chunkTimeout is how long a client can take to read each chunk of a long response.
const chunkTimeout = 30 * time.Second

// deadlineWriter extends the write deadline as long as the client keeps reading, so that a long
// download can complete, but a stalled one is cut off.
type deadlineWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func newDeadlineWriter(w http.ResponseWriter) *deadlineWriter {
	return &deadlineWriter{w, http.NewResponseController(w)}
}

func (p *deadlineWriter) Write(b []byte) (int, error) {
	const chunk = 1 << 18
	n := 0
	for len(b) > 0 {
		// If deadlines are not supported, the server's own deadline applies.
		_ = p.control.SetWriteDeadline(time.Now().Add(chunkTimeout))
		m, err := p.ResponseWriter.Write(b[:min(chunk, len(b))])
		n += m
		if err != nil {
			return n, writeError{err}
		}
		b = b[m:]
	}
	return n, nil
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (p *deadlineWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Streams occupy one of a few slots while their clients read. If other requests are waiting for
// a slot, a client must read at least minBytesPerSecond on average after SlowStartGrace.
const (
	minBytesPerSecond = 16 << 10
	SlowStartGrace    = 20 * time.Second
)

// pacedWriter aborts a stream if its client reads too slowly while other requests are waiting.
type pacedWriter struct {
	*deadlineWriter
	contended func() bool
	now       func() time.Time
	start     time.Time
	sent      int64
}

func (p *pacedWriter) Write(b []byte) (int, error) {
	if took := p.now().Sub(p.start) - SlowStartGrace; took > 0 && float64(p.sent) < took.Seconds()*minBytesPerSecond && p.contended() {
		return 0, errTooSlow
	}
	n, err := p.deadlineWriter.Write(b)
	p.sent += int64(n)
	return n, err
}

var errTooSlow = errors.New("the client reads too slowly while other requests are waiting")

// writeError means that sending failed because the client has disconnected, so the error cannot
// be reported to the client.
type writeError struct{ error }
