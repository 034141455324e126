package edgetest

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// Cut breaks the connection of the first so many GET requests below a path, each
// behind so many bytes of its body.
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

// cutting ends the connection where it has no bytes left.
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
	_ = http.NewResponseController(c.ResponseWriter).Flush() // else the part is not sent either
	panic(http.ErrAbortHandler)
}

// Unwrap lets http.ResponseController reach the writer below.
func (c *cutting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Busy answers the first so many requests below a path as a proxy does whose server
// is away: 503 with Retry-After in seconds, and a body that is no problem.
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
