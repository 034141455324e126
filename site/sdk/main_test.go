package sdk_test

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kindex/edge"
	"kindex/edge/edgetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(changed.dir) // "" removes nothing
	edgetest.Stop()
	os.Exit(code)
}

// patience is how long a test waits before it gives up. It is long enough for a slow machine.
const patience = 5 * time.Minute

// unavailable responds like a proxy in front of a server that is down: with status 503, Retry-After in
// seconds, and a body that is not a problem document. It does this for the first few requests
// whose path starts with path; times is their number.
func unavailable(path string, times int64, retryAfter int) func(http.Handler) http.Handler {
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

// lastDay starts an edge with a clock that is frozen two seconds before midnight. When the edge
// has refused two requests, the next day starts.
func lastDay(t *testing.T, o edge.Options) *edgetest.Edge {
	t.Helper()
	var refused atomic.Int64
	midnight := time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	o.Now = func() time.Time {
		if refused.Load() < 2 {
			return midnight.Add(-2 * time.Second)
		}
		return midnight.Add(time.Second)
	}
	return edgetest.Start(t, o, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&refusals{w, &refused}, r)
		})
	})
}

// refusals counts the responses with status 429.
type refusals struct {
	http.ResponseWriter
	n *atomic.Int64
}

// WriteHeader implements http.ResponseWriter.
func (r *refusals) WriteHeader(status int) {
	if status == http.StatusTooManyRequests {
		r.n.Add(1)
	}
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (r *refusals) Unwrap() http.ResponseWriter { return r.ResponseWriter }
