package edge

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"

	"kindex/site"
	"kindex/site/pages"
)

// pageHeader is what every page of the website has. A page shows links with the
// address by which the client came, where nobody has said another: no shared cache
// may keep it.
var pageHeader = http.Header{
	"Content-Security-Policy":    {pages.Policy + "; frame-ancestors 'none'"},
	"Referrer-Policy":            {"strict-origin-when-cross-origin"},
	"Cross-Origin-Opener-Policy": {"same-origin"},
}

// pageMethods answers a method that no page takes. Where there is no page, that is said.
func (s *Console) pageMethods(c *call) (*reply, error) {
	site, err := c.served.site()
	if err != nil {
		return nil, err
	}
	a, err := site.Get(pages.Request{Path: c.request.URL.Path})
	switch {
	case err != nil:
		return nil, err
	case a.Status >= http.StatusBadRequest:
		return c.notFound()
	}
	return nil, takesOnly(c, http.MethodGet, http.MethodHead)
}

// page answers with a page of the website.
func (s *Console) page(c *call) (*reply, error) {
	c.writer.Header()["Vary"] = c.shared.vary.accept
	site, err := c.served.site()
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
func (s *Console) pageOrProblem(c *call, a *pages.Answer, err error) (*reply, error) {
	if err == nil && a.Status >= http.StatusBadRequest && !prefersHTML(c.request.Header["Accept"]) {
		switch {
		case a.Status == http.StatusNotFound:
			return c.notFound()
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

// GET /assets/:asset
func (s *Console) asset(c *call) (*reply, error) {
	a, ok := pages.Asset(c.param("asset"))
	return assetReply(c, a, ok)
}

// assetReply is a file that a page loads, at an address whose bytes never change.
func assetReply(c *call, a site.Asset, ok bool) (*reply, error) {
	if !ok {
		return c.notFound()
	}
	return &reply{mediaType: a.MediaType, immutable: true, file: &fileReply{
		content: bytes.NewReader(a.Data), etag: entityTag(a.ETag, identity),
		variant: func(enc string) (variant, bool) {
			return variant{body: a.Gzip, etag: entityTag(a.ETag, "gzip")}, enc == "gzip"
		},
	}}, nil
}
