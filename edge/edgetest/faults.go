package edgetest

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// Cut sends only the first after bytes of a response body and then breaks the connection. It does
// this to the first few GET requests whose path starts with path; times is their number.
func Cut(path string, after int64, times int64) func(http.Handler) http.Handler {
	var left atomic.Int64
	left.Store(times)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, path) || left.Add(-1) < 0 {
				next.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(&cutting{ResponseWriter: w, left: after}, r)
		})
	}
}

// cutting closes the connection once its byte budget is used up.
type cutting struct {
	http.ResponseWriter
	left int64
}

// Write implements http.ResponseWriter.
func (c *cutting) Write(b []byte) (int, error) {
	if int64(len(b)) <= c.left {
		c.left -= int64(len(b))
		return c.ResponseWriter.Write(b)
	}
	_, _ = c.ResponseWriter.Write(b[:c.left])
	_ = http.NewResponseController(c.ResponseWriter).Flush() // without a flush, even the part already written would not be sent
	panic(http.ErrAbortHandler)
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (c *cutting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Busy responds like a proxy in front of a server that is down: with status 503, Retry-After in
// seconds, and a body that is not a problem document. It does this for the first few requests
// whose path starts with path; times is their number.
func Busy(path string, times int64, retryAfter int) func(http.Handler) http.Handler {
	var left atomic.Int64
	left.Store(times)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, path) || left.Add(-1) < 0 {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
			http.Error(w, "<h1>503 Service Unavailable</h1>", http.StatusServiceUnavailable)
		})
	}
}
