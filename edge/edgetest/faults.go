package edgetest

import (
	"net/http"
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
