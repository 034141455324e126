package edge

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// patience is how long a client may take for each chunk of a long answer.
const patience = 30 * time.Second

// patientWriter moves the write deadline on while the client takes what it is
// given, so that a long download may take its time and a stalled one may not.
type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func newPatientWriter(w http.ResponseWriter) *patientWriter {
	return &patientWriter{w, http.NewResponseController(w)}
}

func (p *patientWriter) Write(b []byte) (int, error) {
	const chunk = 1 << 18
	n := 0
	for len(b) > 0 {
		// Where deadlines are not supported the server's own applies.
		_ = p.control.SetWriteDeadline(time.Now().Add(patience))
		m, err := p.ResponseWriter.Write(b[:min(chunk, len(b))])
		n += m
		if err != nil {
			return n, writeError{err}
		}
		b = b[m:]
	}
	return n, nil
}

// Unwrap lets http.ResponseController reach the writer below.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Streams hold one of a few slots while their client reads. Where others wait for one,
// a client must take minPace bytes a second on average, once slowStart is over.
const (
	minPace   = 16 << 10
	slowStart = 20 * time.Second
)

// pacedWriter aborts a stream if its client reads too slowly while others wait.
type pacedWriter struct {
	*patientWriter
	contended func() bool
	now       func() time.Time
	start     time.Time
	sent      int64
}

func (p *pacedWriter) Write(b []byte) (int, error) {
	if took := p.now().Sub(p.start) - slowStart; took > 0 && float64(p.sent) < took.Seconds()*minPace && p.contended() {
		return 0, errTooSlow
	}
	n, err := p.patientWriter.Write(b)
	p.sent += int64(n)
	return n, err
}

var errTooSlow = errors.New("the client reads too slowly while others wait")

// writeError is a failure to send: the client has gone, and there is nobody
// left to tell.
type writeError struct{ error }

func writeAll(w io.Writer, b []byte) error {
	_, err := w.Write(b)
	if err != nil {
		return writeError{err}
	}
	return nil
}

// clientGone drops errors that only mean that the client has left.
func clientGone(err error) error {
	var gone writeError
	if errors.As(err, &gone) {
		return nil
	}
	return err
}
