package edge

import (
	"context"
	"net/http"
	"time"

	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
)

// Console serves what people use with a browser: the website, signing in, the developer's
// panel and the form for submissions.
type Console struct {
	shared   *Shared
	live     *live
	accounts *Service
	state    *storage.State
	people   *auth.Handler     // nil where nobody can sign in
	starts   *ratelimit.Memory // of sign-ins and of writes in the panel, nil where nobody can
	forms    forms
	routes   []pageRoute
	limitKey int64
	// peek reads what is left of a limit.
	peek         func(context.Context, ratelimit.Subject) (ratelimit.State, error)
	writeTimeout time.Duration // of a connection
}

// pageRoute is an address of pages that look at cookies.
type pageRoute struct {
	verb   string
	path   string
	answer func(*call, http.ResponseWriter)
}

// ConsoleOptions say what a Console works with.
type ConsoleOptions struct {
	Shared   *Shared
	Live     *live
	Accounts *Service
	State    *storage.State
	// SignIn has the providers that people may sign in with; the rest of it is filled in.
	SignIn auth.Options
	// LimitKey is how many requests an account may make in a UTC day.
	LimitKey     int64
	Peek         func(context.Context, ratelimit.Subject) (ratelimit.State, error)
	WriteTimeout time.Duration
}

// newConsole returns a Console. Close ends it.
func newConsole(o ConsoleOptions) (*Console, error) {
	s := &Console{shared: o.Shared, live: o.Live, accounts: o.Accounts, state: o.State, limitKey: o.LimitKey, peek: o.Peek, writeTimeout: o.WriteTimeout, forms: newForms(o.Shared)}
	if err := s.signIn(o.SignIn); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// close ends what counts.
func (s *Console) close() {
	if s.starts != nil {
		_ = s.starts.Close(context.Background()) // it keeps nothing
	}
	s.forms.close()
}

// owns reports whether a path is of pages for this origin alone.
func (s *Console) owns(path string) bool {
	return s.people != nil && auth.Owns(path) || ownsForm(path)
}
