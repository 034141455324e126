package edge

import (
	"kindex/exports"
	"kindex/site"
)

// leaders is how many entities /llms.txt names.
const leaders = 20

// mapText is /llms.txt of a view under one address.
type mapText struct {
	base string
	body []byte
}

// GET /llms.txt
//
// Its links are absolute. Where nobody has said what the public address is, they are
// those by which the client came, and no shared cache may give them to others.
func (a *API) llms(c *call) (*reply, error) {
	base := c.base()
	r := &reply{mediaType: "text/plain; charset=utf-8"}
	if c.publicAddress() != "" {
		r.cache = anHour
	}
	// It is asked for without limit and made of dozens of records: the last one is kept.
	if kept := c.served.mapped.Load(); kept != nil && kept.base == base {
		r.body = kept.body
		return r, nil
	}
	b := c.served.build
	ranked, err := c.served.boards.Ranked()
	if err != nil {
		return nil, err
	}
	m := &site.Map{Manifest: b.Manifest, Base: base, Categories: c.served.categories}
	best, _, _ := b.Page(ranked, exports.DefaultSort, nil, 0, leaders)
	for _, o := range best {
		e, err := b.Entity(o)
		if err != nil {
			return nil, err
		}
		m.Leaders = append(m.Leaders, e)
	}
	r.body = site.LLMs(m)
	c.served.mapped.Store(&mapText{base, r.body})
	return r, nil
}
