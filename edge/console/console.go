// Package console serves the parts of the service that people use in a browser: the
// website, sign-in, the developer panel and the submission form.
package console

import (
	"context"
	"net/http"
	"time"

	"kindex/edge/account"
	"kindex/edge/auth"
	"kindex/edge/live"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/web"
)

// Console serves the website, sign-in, the developer panel and the submission form.
type Console struct {
	shared     *web.Shared
	live       *live.Reloader
	accounts   *account.Service
	state      *storage.State
	auth       *auth.Handler     // nil if sign-in is disabled
	rateLimits *ratelimit.Memory // for sign-ins and for writes in the panel; nil if sign-in is disabled
	forms      forms
	Routes     []pageRoute
	limitKey   int64
	// peekLimit returns a subject's remaining requests without counting a request.
	peekLimit    func(context.Context, ratelimit.Subject) (ratelimit.State, error)
	writeTimeout time.Duration // the server's write timeout for a connection
}

// pageRoute is a route for a page that reads cookies.
type pageRoute struct {
	Verb   string
	Path   string
	Answer func(*web.Call, http.ResponseWriter)
}

// Options configure a Console.
type Options struct {
	Shared   *web.Shared
	Live     *live.Reloader
	Accounts *account.Service
	State    *storage.State
	// SignIn configures the sign-in providers; New sets its other fields.
	SignIn auth.Options
	// LimitKey is the maximum number of requests per account and UTC day.
	LimitKey     int64
	Peek         func(context.Context, ratelimit.Subject) (ratelimit.State, error)
	WriteTimeout time.Duration
}

// New returns a Console. The caller must close it.
func New(o Options) (*Console, error) {
	s := &Console{shared: o.Shared, live: o.Live, accounts: o.Accounts, state: o.State, limitKey: o.LimitKey, peekLimit: o.Peek, writeTimeout: o.WriteTimeout, forms: newForms(o.Shared)}
	if err := s.openSignIn(o.SignIn); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close stops the limiters.
func (s *Console) Close() {
	if s.rateLimits != nil {
		_ = s.rateLimits.Close(context.Background()) // nothing needs to be stored
	}
	s.forms.close()
}

// OwnsPath reports whether a path belongs to pages that only this origin can use.
func (s *Console) OwnsPath(path string) bool {
	return s.auth != nil && auth.Owns(path) || ownsForm(path)
}
