package edge

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/site/pages"
)

// signin adds the pages for signing in, where the operator offers it, and the panel
// behind them. They are no part of the interface: they alone look at cookies, and
// cost nobody anything.
func (s *Server) signin() error {
	o := s.options.SignIn
	if !o.Configured() {
		return nil
	}
	s.starts = ratelimit.NewMemory(nil, ratelimit.MemoryOptions{Now: s.now, Log: s.log})
	o.MayStart, o.Network, o.Address = s.mayStart, s.networkOf, s.addressOfClient
	o.URL, o.Store, o.Now, o.Log, o.Pages = s.options.URL, s.state, s.now, s.log, signInPages{s}
	var err error
	if s.people, err = auth.New(o); err != nil {
		return err
	}
	for _, r := range auth.Routes() {
		h := s.paced(r.Path, func(c *call, w http.ResponseWriter) {
			ctx, cancel := context.WithTimeout(c.request.Context(), writeTimeout) // nobody can be answered later
			defer cancel()
			s.people.ServeHTTP(w, c.request.WithContext(ctx))
		})
		s.router.Handle(r.Method, r.Path, h)
		if r.Method == http.MethodGet && !strings.HasSuffix(r.Path, "/callback") { // which is no mere look
			s.router.HEAD(r.Path, h)
		}
	}
	s.panel()
	return nil
}

// How many sign-ins an address, and a network of addresses, may start in an hour:
// people behind one address are many, but not hundreds at a time.
const (
	maxStarts        = 60
	maxNetworkStarts = 600
)

// mayStart counts a sign-in that is about to start. The network comes first, so that
// one network makes the counts of no more addresses than it may start sign-ins.
func (s *Server) mayStart(r *http.Request) bool {
	from := s.proxies.Client(r)
	for _, who := range []ratelimit.Subject{ratelimit.OfNetwork(from, maxNetworkStarts), ratelimit.OfAddress(from, maxStarts)} {
		who.Window = time.Hour
		if st, err := s.starts.Take(r.Context(), who); err != nil || !st.Allowed {
			return false
		}
	}
	return true
}

// networkOf is the network that a request comes from.
func (s *Server) networkOf(r *http.Request) netip.Prefix {
	return ratelimit.Network(s.proxies.Client(r))
}

// signInPages give the pages of signing in the look of the website.
type signInPages struct{ *Server }

// Choice implements signin.Pages.
func (s signInPages) Choice(r *http.Request, c auth.Choice) ([]byte, error) {
	p := &pages.SignInPage{}
	for _, o := range c.Providers {
		p.Providers = append(p.Providers, pages.Provider(o))
	}
	return s.rendered(r, p)
}

// FirstKey implements signin.Pages.
func (s signInPages) FirstKey(r *http.Request, k auth.FirstKey) ([]byte, error) {
	return s.rendered(r, &pages.FirstKeyPage{Account: k.Account, Login: k.Login, Key: k.Key})
}

// Problem implements signin.Pages.
func (s signInPages) Problem(r *http.Request, p auth.Problem) ([]byte, error) {
	return s.rendered(r, &pages.RefusalPage{Status: p.Status, Heading: p.Heading, Text: p.Text, Back: "/signin", BackTo: "Sign in"})
}

func (s signInPages) rendered(r *http.Request, p pages.Panel) ([]byte, error) {
	v := s.live.acquire()
	if v == nil {
		return nil, newProblem("not-ready", "No build is being served yet; try again in a moment.")
	}
	defer v.release()
	site, err := s.pagesOf(v)
	if err != nil {
		return nil, err
	}
	a, err := site.Panel(pages.Request{Path: r.URL.Path, Base: strings.TrimSuffix(s.options.URL, "/")}, p)
	if err != nil {
		return nil, err
	}
	return a.Body, nil
}
