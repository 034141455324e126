package console

import (
	"fmt"
	"net/http"
	"net/url"

	"kindex/edge/web"
	"kindex/site/pages"
)

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
