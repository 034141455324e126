package console

import (
	"fmt"
	"net/http"
	"net/url"

	"kindex/edge/web"
	"kindex/site/pages"
)

// pageHeader are the headers of every page of the website. If no public address is
// configured, links use the requested host: no shared cache may store the page.
var pageHeader = http.Header{
	"Content-Security-Policy":    {pages.Policy + "; frame-ancestors 'none'"},
	"Referrer-Policy":            {"strict-origin-when-cross-origin"},
	"Cross-Origin-Opener-Policy": {"same-origin"},
}

// PageMethodNotAllowed handles a method that pages do not support. If there is no such
// page, the response is a 404 instead.
func (s *Console) PageMethodNotAllowed(c *web.Call) (*web.Reply, error) {
	site, err := c.Served.Site()
	if err != nil {
		return nil, err
	}
	a, err := site.Get(pages.Request{Path: c.Request.URL.Path})
	switch {
	case err != nil:
		return nil, err
	case a.Status >= http.StatusBadRequest:
		return c.NotFound()
	}
	return nil, web.MethodNotAllowed(c, http.MethodGet, http.MethodHead)
}

// Page serves a page of the website.
func (s *Console) Page(c *web.Call) (*web.Reply, error) {
	c.Writer.Header()["Vary"] = c.Shared.Vary.Accept
	site, err := c.Served.Site()
	if err != nil {
		return nil, err
	}
	// Unreadable parts of a query are ignored: links to pages often have extra
	// parameters that other sites added.
	q, _ := url.ParseQuery(c.Request.URL.RawQuery)
	a, err := site.Get(pages.Request{Path: c.Request.URL.Path, Query: q, Base: c.BaseURL()})
	return s.pageOrProblem(c, a, err)
}

// pageOrProblem returns a page or, if there is none, an error in the form that the client
// prefers: a program gets a problem, as from the API.
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

// pageReply converts a page to a reply.
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

// Asset answers GET /assets/:asset.
func (s *Console) Asset(c *web.Call) (*web.Reply, error) {
	a, ok := pages.Asset(c.Param("asset"))
	return web.AssetReply(c, a, ok)
}
