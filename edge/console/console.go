// Package console serves the parts of the service that people use in a browser: the
// website, sign-in, the developer panel and the submission form.
package console

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kindex/edge/account"
	"kindex/edge/auth"
	"kindex/edge/live"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/site/pages"
	"kindex/site/panel"
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

// pageHeader contains the headers of every page of the website. If no public address is
// configured, links use the requested host, so shared caches must not store the page.
var pageHeader = http.Header{
	"Content-Security-Policy":    {pages.Policy + "; frame-ancestors 'none'"},
	"Referrer-Policy":            {"strict-origin-when-cross-origin"},
	"Cross-Origin-Opener-Policy": {"same-origin"},
}

// PageMethodNotAllowed handles requests with a method that pages do not support. If the page does
// not exist, the response is 404 instead of 405.
func (s *Console) PageMethodNotAllowed(c *web.Call) (*web.Reply, error) {
	a, err := c.Served.Site().Get(pages.Request{Path: c.Request.URL.Path})
	switch {
	case err != nil:
		return nil, err
	case a.Status >= http.StatusBadRequest:
		return c.NotFound()
	}
	return nil, web.MethodNotAllowed(c, http.MethodGet, http.MethodHead)
}

// Page answers with a page of the website.
func (s *Console) Page(c *web.Call) (*web.Reply, error) {
	c.Writer.Header()["Vary"] = c.Shared.Vary("Accept-Encoding, Accept")
	// Invalid parts of the query are ignored: other sites may have added parameters to a link.
	q, _ := url.ParseQuery(c.Request.URL.RawQuery)
	a, err := c.Served.Site().Get(pages.Request{Path: c.Request.URL.Path, Query: q, Base: c.BaseURL()})
	return s.pageOrProblem(c, a, err)
}

// pageOrProblem returns a page or, if it does not exist, an error in the form that the client
// prefers. A program receives a problem document, as it does from the API.
func (s *Console) pageOrProblem(c *web.Call, a *pages.Answer, err error) (*web.Reply, error) {
	if err == nil && a.Status >= http.StatusBadRequest && !web.PrefersHTML(c.Request.Header["Accept"]) {
		switch {
		case a.Status == http.StatusNotFound:
			return c.NotFound()
		case a.Gone != nil:
			return nil, web.DeletedEntity(a.Gone.Type, a.Gone.Slug, a.Gone.Time)
		}
	}
	return pageReply(a, err)
}

func pageReply(a *pages.Answer, err error) (*web.Reply, error) {
	if err != nil {
		return nil, err
	}
	r := &web.Reply{MediaType: a.MediaType, Body: a.Body, Header: pageHeader, Location: a.Location}
	if a.Keep > 0 {
		r.Cache = []string{fmt.Sprintf("public, max-age=%d", int(a.Keep.Seconds()))}
	}
	if a.Location == "" && a.Status != http.StatusOK {
		r.ErrorStatus = a.Status
	}
	return r, nil
}

// Asset handles GET /assets/:asset.
func (s *Console) Asset(c *web.Call) (*web.Reply, error) {
	a, ok := pages.Asset(c.Param("asset"))
	return web.AssetReply(c, a, ok)
}

// openSignIn sets up the sign-in pages and the panel, if the operator has enabled sign-in. These
// pages are not part of the API: they are the only ones that use cookies, and they do not count
// towards the API limits.
func (s *Console) openSignIn(o auth.Options) error {
	if !o.Configured() {
		return nil
	}
	o.AllowStart, o.Address = s.allowSignIn, s.Shared.ClientAddress
	o.URL, o.Store, o.Now, o.Log, o.Render = s.Shared.URL, s.State, s.Shared.Now, s.Shared.Log, s.renderSignIn
	var err error
	if s.auth, err = auth.New(o); err != nil {
		return err
	}
	for _, r := range auth.Routes() {
		s.Routes = append(s.Routes, pageRoute{r.Method, r.Path, func(c *web.Call, w http.ResponseWriter) {
			ctx, cancel := context.WithTimeout(c.Request.Context(), s.WriteTimeout) // no response could be sent after this time
			defer cancel()
			s.auth.ServeHTTP(w, c.Request.WithContext(ctx))
		}})
	}
	s.Routes = append(s.Routes, s.panel()...)
	return nil
}

func (s *Console) allowSignIn(r *http.Request) bool {
	_, ok := s.Shared.Limits.Allow(ratelimit.SignIn, s.Shared.Proxies.Client(r), 1)
	return ok
}

func (s *Console) renderSignIn(r *http.Request, p *panel.Page) ([]byte, error) {
	v := s.Live.Current()
	if v == nil {
		return nil, web.ErrNotReady()
	}
	a, err := v.Site().Panel(pages.Request{Path: r.URL.Path, Base: strings.TrimSuffix(s.Shared.URL, "/")}, p)
	if err != nil {
		return nil, err
	}
	return a.Body, nil
}
