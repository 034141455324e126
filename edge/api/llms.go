package api

import (
	"kindex/edge/web"
	"kindex/exports/view"
	"kindex/site"
)

// maxLeaders is the number of entities listed in /llms.txt.
const maxLeaders = 20

// LLMs handles GET /llms.txt.
//
// Its links are absolute. If no public address is configured, the links use the host in the
// request, and shared caches must not store the response.
func (a *API) LLMs(c *web.Call) (*web.Reply, error) {
	base := c.BaseURL()
	r := &web.Reply{MediaType: "text/plain; charset=utf-8"}
	if c.PublicURL() != "" {
		r.Cache = web.CacheHour
	}
	b := c.Served.Build
	ranked := c.Served.Boards.Ranked()
	m := &site.Map{Manifest: b.Manifest, Base: base, Categories: c.Served.Categories}
	m.Boards = c.Served.Own.Published()
	best, _, _ := b.Page(ranked, view.DefaultSort, nil, 0, maxLeaders)
	for _, o := range best {
		e := b.Entity(o)
		m.Leaders = append(m.Leaders, e)
	}
	r.Body = site.LLMs(m)
	return r, nil
}
