package web

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"time"

	"github.com/julienschmidt/httprouter"

	"kindex/exports/parallel"
)

// Instrument returns a handler for a route that assigns an ID to each request, measures and logs
// it, and recovers from panics.
func (s *Shared) Instrument(route string, answer func(*Call, http.ResponseWriter)) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		start := time.Now()
		c := &Call{Shared: s, Request: r, Writer: w, Path: p, ID: requestID(r)}
		rec := &recorder{ResponseWriter: w, call: c, status: http.StatusOK}
		header := rec.Header()
		header["X-Request-Id"] = []string{c.ID}
		header["X-Content-Type-Options"] = noSniff
		header["Vary"] = s.Vary("Accept-Encoding")
		s.Metrics.inFlight.Inc()
		defer func() {
			abort := c.recoverPanic(rec, recover())
			if c.CancelDeadline != nil {
				c.CancelDeadline()
			}
			c.LeaveGate()
			s.Metrics.inFlight.Dec()
			s.Metrics.observe(route, rec.status, time.Since(start))
			if s.LogRequests {
				s.Log.Info("request", "requestId", c.ID, "method", r.Method, "path", r.URL.Path, "status", rec.status,
					"bytes", rec.bytes, "took", time.Since(start).Round(time.Microsecond))
			}
			if abort {
				panic(http.ErrAbortHandler)
			}
		}()
		answer(c, rec)
	}
}

// recoverPanic responds if a handler has panicked. If abort is true, part of a response has been
// sent and the connection must be cut.
func (c *Call) recoverPanic(rec *recorder, cause any) (abort bool) {
	switch {
	case cause == nil:
		return false
	case cause == http.ErrAbortHandler: //nolint:errorlint // net/http compares it in the same way
		return true
	}
	c.Shared.Log.Error("panic", "requestId", c.ID, "path", c.Request.URL.Path, "cause", fmt.Sprint(cause), "stack", string(parallel.Stack(cause)))
	if rec.written {
		return true
	}
	c.Fail(rec, fmt.Errorf("panic: %v", cause))
	return false
}

// requestID returns the ID set by a proxy if it is valid, or else a new one.
func requestID(r *http.Request) string {
	if sent := r.Header["X-Request-Id"]; len(sent) > 0 && validRequestID.MatchString(sent[0]) {
		return sent[0]
	}
	return fmt.Sprintf("%016x%08x", rand.Uint64(), rand.Uint32()) //nolint:gosec // the ID is not a secret: it only identifies a request
}

var validRequestID = regexp.MustCompile(`^[0-9A-Za-z._-]{1,64}$`)
