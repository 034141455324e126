package console

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/web"
	"kindex/site/pages"
	"kindex/site/panel"
)

// openSignIn sets up the sign-in pages and the panel, if the operator has enabled sign-in. These
// pages are not part of the API: they are the only ones that use cookies, and they do not count
// towards the API limits.
func (s *Console) openSignIn(o auth.Options) error {
	if !o.Configured() {
		return nil
	}
	o.AllowStart, o.Network, o.Address = s.allowSignIn, s.networkOf, s.shared.ClientAddress
	o.URL, o.Store, o.Now, o.Log, o.Pages = s.shared.URL, s.state, s.shared.Now, s.shared.Log, signInPages{s}
	var err error
	if s.auth, err = auth.New(o); err != nil {
		return err
	}
	for _, r := range auth.Routes() {
		s.Routes = append(s.Routes, pageRoute{r.Method, r.Path, func(c *web.Call, w http.ResponseWriter) {
			ctx, cancel := context.WithTimeout(c.Request.Context(), s.writeTimeout) // no response could be sent after this time
			defer cancel()
			s.auth.ServeHTTP(w, c.Request.WithContext(ctx))
		}})
	}
	s.Routes = append(s.Routes, s.panel()...)
	return nil
}

// allowSignIn counts a sign-in that is about to start.
func (s *Console) allowSignIn(r *http.Request) bool {
	_, ok := s.shared.Limits.Allow(ratelimit.SignIn, s.shared.Proxies.Client(r), 1)
	return ok
}

// networkOf returns the network that a request comes from.
func (s *Console) networkOf(r *http.Request) netip.Prefix {
	return ratelimit.Network(s.shared.Proxies.Client(r))
}

// signInPages render the sign-in pages in the style of the website.
type signInPages struct{ *Console }

// Choice implements auth.Pages.
func (s signInPages) Choice(r *http.Request, c auth.Choice) ([]byte, error) {
	p := &panel.SignInPage{}
	for _, o := range c.Providers {
		p.Providers = append(p.Providers, panel.SignInProvider(o))
	}
	return s.render(r, p)
}

// FirstKey implements auth.Pages.
func (s signInPages) FirstKey(r *http.Request, k auth.FirstKey) ([]byte, error) {
	return s.render(r, &panel.FirstKeyPage{Account: k.Account, Login: k.Login, Key: k.Key})
}

// Problem implements auth.Pages.
func (s signInPages) Problem(r *http.Request, p auth.Problem) ([]byte, error) {
	return s.render(r, &panel.RefusalPage{Status: p.Status, Heading: p.Heading, Text: p.Text, Back: "/signin", BackTo: "Sign in"})
}

func (s signInPages) render(r *http.Request, p panel.Page) ([]byte, error) {
	v := s.live.Acquire()
	if v == nil {
		return nil, web.ErrNotReady()
	}
	defer v.Release()
	site, err := v.Site()
	if err != nil {
		return nil, err
	}
	a, err := site.Panel(pages.Request{Path: r.URL.Path, Base: strings.TrimSuffix(s.shared.URL, "/")}, p)
	if err != nil {
		return nil, err
	}
	return a.Body, nil
}
