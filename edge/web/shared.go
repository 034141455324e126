package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
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
	Keys           *apikey.Authenticator
	// LimitAnonymous and LimitKey are the maximum numbers of requests per day, or 0.
	LimitAnonymous, LimitKey int64
	Proxies                  *ratelimit.Proxies
	Limits                   *ratelimit.Limits
	AccountTimeout           time.Duration // if 0, the constant AccountTimeout is used
	Paths                    []string      // paths of the API, for suggestions
	Origins                  bool          // responses depend on the origin of the request

	stateFailed atomic.Int64 // the second in which an unavailable database was last logged
}

// Limited reports whether requests are counted towards a daily limit.
func (s *Shared) Limited() bool { return s.LimitAnonymous > 0 || s.LimitKey > 0 }

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

// WithSessionActor returns a context in which changes are attributed to the signed-in user.
func (s *Shared) WithSessionActor(r *http.Request) context.Context {
	return storage.WithActor(r.Context(), storage.Actor{Kind: storage.BySession, Address: s.ClientAddress(r)})
}

// ClientAddress returns the IP address that a request comes from, in the form used in the audit
// log.
func (s *Shared) ClientAddress(r *http.Request) string {
	return s.Proxies.Client(r).Unmap().WithZone("").String()
}

// SuspendedProblem returns the problem for a key of a suspended account.
func (s *Shared) SuspendedProblem(err *apikey.SuspendedError) *Problem {
	return NewProblem("account-suspended", AsSentence(err.Error())+s.ContactSentence(" Write to %s."))
}

// ContactSentence returns a sentence in which it replaces %s with the operator's address, or "" if the
// operator has none.
func (s *Shared) ContactSentence(sentence string) string {
	if s.ContactAddress == "" {
		return ""
	}
	return strings.Replace(sentence, "%s", s.ContactAddress, 1)
}
