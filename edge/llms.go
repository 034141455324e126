package edge

import (
	"kindex/exports"
	"kindex/site"
)

// leaders is how many entities /llms.txt names.
const leaders = 20

// GET /llms.txt
func (s *Server) llms(c *call) (*reply, error) {
	b := c.view.build
	ranked, err := c.view.ranked()
	if err != nil {
		return nil, err
	}
	m := &site.Map{Manifest: b.Manifest, Base: c.base(), Categories: c.view.categories}
	best, _, _ := b.Page(ranked, exports.DefaultSort, nil, 0, leaders)
	for _, o := range best {
		e, err := b.Entity(o)
		if err != nil {
			return nil, err
		}
		m.Leaders = append(m.Leaders, e)
	}
	return &reply{mediaType: "text/plain; charset=utf-8", cache: anHour, body: site.LLMs(m)}, nil
}
