package api

import (
	"kindex/edge/live"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/site"
)

// maxLeaders is how many entities /llms.txt names.
const maxLeaders = 20

// LLMs answers GET /llms.txt.
//
// Its links are absolute. Where nobody has said what the public address is, they are
// those by which the client came, and no shared cache may give them to others.
func (a *API) LLMs(c *web.Call) (*web.Reply, error) {
	base := c.BaseURL()
	r := &web.Reply{MediaType: "text/plain; charset=utf-8"}
	if c.PublicURL() != "" {
		r.Cache = web.CacheHour
	}
	// It is asked for without limit and made of dozens of records: the last one is kept.
	if kept := c.Served.LLMs.Load(); kept != nil && kept.Base == base {
		r.Body = kept.Body
		return r, nil
	}
	b := c.Served.Build
	ranked, err := c.Served.Boards.Ranked()
	if err != nil {
		return nil, err
	}
	m := &site.Map{Manifest: b.Manifest, Base: base, Categories: c.Served.Categories}
	best, _, _ := b.Page(ranked, exports.DefaultSort, nil, 0, maxLeaders)
	for _, o := range best {
		e, err := b.Entity(o)
		if err != nil {
			return nil, err
		}
		m.Leaders = append(m.Leaders, e)
	}
	r.Body = site.LLMs(m)
	c.Served.LLMs.Store(&live.LLMsText{Base: base, Body: r.Body})
	return r, nil
}
