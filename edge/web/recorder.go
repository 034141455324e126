package web

import (
	"net/http"
)

// recorder records the status of a response, and finalizes the admission before the response is
// sent.
type recorder struct {
	http.ResponseWriter
	call     *Call
	status   int
	bytes    int64
	written  bool
	replaced bool // the current response is discarded, since the limit has been reached
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.written {
		return
	}
	r.call.LeaveGate() // the expensive work has been done
	if status == http.StatusNotModified {
		delete(r.Header(), "Link") // the link contains a cursor that depends on the records on the page
	}
	if err := r.call.Admission.Finalize(r.Header(), status); err != nil {
		r.call.Fail(r, err)
		r.replaced = true
		return
	}
	r.status, r.written = status, true
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if !r.written {
		r.WriteHeader(http.StatusOK)
	}
	if r.replaced {
		return 0, errAnswerReplaced
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
