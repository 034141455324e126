// Package console serves the parts of the service that people use in a browser: the
// website, sign-in, the developer panel and the submission form.
package console

import (
	"net/http"
	"net/url"
	"time"

	"kindex/edge/account"
	"kindex/edge/auth"
	"kindex/edge/live"
	"kindex/edge/storage"
	"kindex/edge/web"
)

// Console serves the website, sign-in, the developer panel and the submission form.
type Console struct {
	Options
	auth    *auth.Handler               // nil if sign-in is disabled
	foreign *http.CrossOriginProtection // of forms
	Routes  []pageRoute
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
	WriteTimeout time.Duration // the server's, for a connection
}

// New returns a Console.
func New(o Options) (*Console, error) {
	s := &Console{Options: o, foreign: http.NewCrossOriginProtection()}
	if u, err := url.Parse(o.Shared.URL); err == nil && u.Host != "" {
		_ = s.foreign.AddTrustedOrigin(u.Scheme + "://" + u.Host) // without a trusted origin, the request's origin is compared with the Host header
	}
	return s, s.openSignIn(o.SignIn)
}

// OwnsPath reports whether a path belongs to pages that only this origin can use.
func (s *Console) OwnsPath(path string) bool {
	return s.auth != nil && auth.Owns(path) || ownsForm(path)
}
