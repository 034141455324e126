package edge

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"kindex/site"
	"kindex/site/pages"
)

// website is the site of a view, made when it is first asked for.
type website struct {
	once  sync.Once
	pages *pages.Site
	err   error
}

// pagesOf is the site of a view.
func (s *Server) pagesOf(v *view) (*pages.Site, error) {
	w := &v.website
	w.once.Do(func() {
		w.pages, w.err = pages.New(pages.Source{Build: v.build, Index: v.index, Boards: v.boards, Formula: v.formula, AsOf: v.asOf, Categories: v.categories},
			pages.Options{SignIn: s.people != nil, Contact: s.options.Contact,
				LimitAnonymous: s.options.LimitAnonymous, LimitKey: s.options.LimitKey})
	})
	return w.pages, w.err
}

// anyParams, as the parameters of a route, tells that whoever answers reads them.
var anyParams = []string{"*"}

// pageHeader is what every page of the website has. A page shows links with the
// address by which the client came, where nobody has said another: no shared cache
// may keep it.
var pageHeader = http.Header{
	"Content-Security-Policy":    {pages.Policy + "; frame-ancestors 'none'"},
	"Referrer-Policy":            {"strict-origin-when-cross-origin"},
	"Cross-Origin-Opener-Policy": {"same-origin"},
}

// elsewhere answers for what is not among the routes: a page of the website, or an
// error in the form of the API below its addresses.
func (s *Server) elsewhere() http.Handler {
	nothing, allowed, refused := s.plain("not found", s.notFound), s.plain("options", s.methods), s.plain("method not allowed", s.pageMethods)
	page := s.attend("page", func(c *call, w http.ResponseWriter) { c.run(w, unmetered, anyParams, s.page) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case meterOf(r.URL.Path) != unmetered || strings.HasPrefix(r.URL.Path, "/badge/") || strings.HasPrefix(r.URL.Path, "/assets/"):
			nothing.ServeHTTP(w, r)
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			page(w, r, nil)
		case r.Method == http.MethodOptions:
			w.Header().Set("Allow", "GET, HEAD, OPTIONS")
			allowed.ServeHTTP(w, r)
		default:
			refused.ServeHTTP(w, r)
		}
	})
}

// pageMethods answers a method that no page takes. Where there is no page, that is said.
func (s *Server) pageMethods(c *call) (*reply, error) {
	site, err := s.pagesOf(c.view)
	if err != nil {
		return nil, err
	}
	a, err := site.Get(pages.Request{Path: c.request.URL.Path})
	switch {
	case err != nil:
		return nil, err
	case a.Status >= http.StatusBadRequest:
		return s.notFound(c)
	}
	return nil, takesOnly(c, http.MethodGet, http.MethodHead)
}

// page answers with a page of the website.
func (s *Server) page(c *call) (*reply, error) {
	c.writer.Header()["Vary"] = s.vary.accept
	site, err := s.pagesOf(c.view)
	if err != nil {
		return nil, err
	}
	// What cannot be read of a query is left out: people come by links that others
	// have lengthened.
	q, _ := url.ParseQuery(c.request.URL.RawQuery)
	a, err := site.Get(pages.Request{Path: c.request.URL.Path, Query: q, Base: c.base()})
	return s.pageOrProblem(c, a, err)
}

// pageOrProblem is a page as it is answered, and where there is none the form that
// whoever asks prefers: a program that took a wrong turn is told so as by the API.
func (s *Server) pageOrProblem(c *call, a *pages.Answer, err error) (*reply, error) {
	if err == nil && a.Status >= http.StatusBadRequest && !prefersHTML(c.request.Header["Accept"]) {
		switch {
		case a.Status == http.StatusNotFound:
			return s.notFound(c)
		case a.Gone != nil:
			return nil, deleted(a.Gone.Type, a.Gone.Slug, a.Gone.Time)
		}
	}
	return pageReply(a, err)
}

// pageReply is a page as it is answered.
func pageReply(a *pages.Answer, err error) (*reply, error) {
	if err != nil {
		return nil, err
	}
	r := &reply{mediaType: a.MediaType, body: a.Body, header: pageHeader, location: a.Location}
	if a.Keep > 0 {
		r.cache = []string{fmt.Sprintf("public, max-age=%d", int(a.Keep.Seconds()))}
	}
	if a.Location == "" && a.Status != http.StatusOK {
		r.refusal = a.Status
	}
	return r, nil
}

// prefersHTML tells whether Accept names HTML and likes it no less than JSON (RFC 9110
// section 12.5.1), as browsers do. Who takes anything, as curl does, names none.
func prefersHTML(accept []string) bool {
	var html, json, problem quality
	for _, line := range accept {
		html.read(line, "text/html", "text/*")
		json.read(line, jsonType, "application/*")
		problem.read(line, problemType, "application/*")
	}
	return html.specific > 1 && html.q > 0 && html.q >= max(json.q, problem.q)
}

// GET /assets/:asset
func (s *Server) asset(c *call) (*reply, error) {
	a, ok := pages.Asset(c.param("asset"))
	return s.assetReply(c, a, ok)
}

// assetReply is a file that a page loads, at an address whose bytes never change.
func (s *Server) assetReply(c *call, a site.Asset, ok bool) (*reply, error) {
	if !ok {
		return s.notFound(c)
	}
	return &reply{mediaType: a.MediaType, immutable: true, file: &fileReply{
		content: bytes.NewReader(a.Data), etag: entityTag(a.ETag, identity),
		variant: func(enc string) (variant, bool) {
			return variant{body: a.Gzip, etag: entityTag(a.ETag, "gzip")}, enc == "gzip"
		},
	}}, nil
}
