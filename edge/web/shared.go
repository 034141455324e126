package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"kindex/edge/ratelimit"
)

// Shared contains what all requests have in common. It must not be changed once requests are
// being served.
type Shared struct {
	Log            *slog.Logger
	Now            func() time.Time
	Metrics        *metrics
	LogRequests    bool
	URL            string // the service's public address; if "", the requested host is used
	ContactAddress string // the operator's address, or "" if there is none
	SignIn         bool   // people can sign in on the website
	Limited        bool   // requests are counted towards a daily limit
	Proxies        *ratelimit.Proxies
	Limits         *ratelimit.Limits
	AccountTimeout time.Duration // if 0, the constant AccountTimeout is used
	Paths          []string      // paths of the API, for suggestions
	Origins        bool          // responses depend on the origin of the request

	stateFailed atomic.Int64 // the second in which an unavailable database was last logged
}

// Vary returns the Vary header of responses that depend on these headers of the request.
func (s *Shared) Vary(names string) []string {
	if s.Origins {
		names += ", Origin"
	}
	return []string{names}
}

// LogFailure logs a request that failed. While the database is unavailable, that is one line a second
// instead of one for each request.
func (s *Shared) LogFailure(id, path string, p *Problem) {
	if now := s.Now().Unix(); p.Code == "state-unavailable" && s.stateFailed.Swap(now) == now {
		return
	}
	s.Log.Error("request failed", "requestId", id, "path", path, "error", fmt.Sprint(p.Cause))
}

// Admission decides whether a request is handled. It identifies the caller and keeps track of the
// remaining requests.
type Admission interface {
	// Exhausted reports whether the caller has no requests left, so that the request can only be
	// answered with a 304.
	Exhausted() bool
	// Charge counts further requests for a request that costs more than one. If fewer remain, it
	// returns a problem with status 429, and the request costs nothing.
	Charge(requests int64) error
	// Exceeded returns the problem for a caller with no requests left. If the caller's key was
	// rejected, refused is the reason; otherwise, it is nil.
	Exceeded(refused error) *Problem
	// Finalize is called with the status when the response starts. It uncounts a request that
	// turns out to be free and sets the limit headers.
	Finalize(h http.Header, status int)
	// Exporter returns the ID of the account or IP address whose exports are limited together.
	Exporter() string
}
