package api

import (
	"slices"

	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/site"
)

// maxSimilar is the number of similar entities that a build stores for each entity.
const maxSimilar = 20

// similarKinds maps the values of the parameter kind to the kinds of neighbours.
var similarKinds = map[string]string{"alternatives": exports.Alternative, "related": exports.Related}

// Similar handles GET /api/entity/:type/:slug/similar.
func (a *API) Similar(c *web.Call) (*web.Reply, error) {
	limit, err := c.Query.Int("limit", 10, 1, maxSimilar)
	if err != nil {
		return nil, err
	}
	kind, err := c.Query.OneOf("kind", "", []string{"alternatives", "related"})
	if err != nil {
		return nil, err
	}
	o, moved, err := findEntity(c, "/similar")
	if err != nil || moved != nil {
		return moved, err
	}
	b := c.Served.Build
	near := b.Similar(o)
	if kind != "" {
		near = slices.DeleteFunc(near, func(n exports.Neighbour) bool { return n.Kind() != similarKinds[kind] })
	}
	list := newCollection(c)
	for _, n := range near[:min(limit, len(near))] {
		dst := openListed(list.next(), b.Record(n.Ordinal))
		dst = append(dst, `,"kind":"`+n.Kind()+`","similarity":`...)
		dst = jsonenc.AppendNumber(dst, n.Similarity)
		dst = append(dst, `,"reasons":`...)
		reasons := []string{}
		for _, r := range n.Reasons.List() {
			reasons = append(reasons, site.Reason(b.Feature(r), c.Served.Titles))
		}
		list.body = append(web.AppendJSON(dst, reasons), '}')
	}
	return list.end(c.Served, len(near)), nil
}
