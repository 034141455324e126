package web

import (
	"log/slog"
	"net/http"
	"time"

	"kindex/edge/ratelimit"
)

// Shared is common to all requests. It does not change once requests are served.
type Shared struct {
	Log            *slog.Logger
	Now            func() time.Time
	Metrics        *metrics
	LogRequests    bool
	URL            string // the public address of the service, "" to use the requested host
	ContactAddress string // of the operator, "" for none
	Proxies        *ratelimit.Proxies
	Exports        *ratelimit.Gate // held while the client of a stream reads
	AccountTimeout time.Duration   // 0 for AccountTimeout
	Paths          []string        // of the API, for suggestions
	Vary           VaryValues
}

// Admission is what is known about a request before it is handled: its caller, and the
// remaining limit.
type Admission interface {
	// Exhausted reports whether the caller has no requests left, and can only get a
	// 304.
	Exhausted() bool
	// Exceeded returns the problem for a caller with no requests left. refused, if not
	// nil, is why the key was rejected.
	Exceeded(refused error) *Problem
	// Finalize is called with the status when the response starts. It uncounts a free
	// request and writes the headers of the limit. An error means that another response
	// must be sent instead.
	Finalize(h http.Header, status int) error
	// Exporter returns the ID of the account or address whose exports are limited
	// together.
	Exporter() string
}
