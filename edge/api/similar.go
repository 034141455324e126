package api

import (
	"slices"

	"kindex/edge/web"
	"kindex/exports"
	"kindex/site"
)

// maxSimilar is the number of similar entities that a build stores for each entity.
const maxSimilar = 20

// similarKinds maps the values of the parameter kind to the kinds of neighbours.
var similarKinds = map[string]string{"alternatives": exports.Alternative, "related": exports.Related}

// Similar handles GET /api/entity/:type/:slug/similar.
func (a *API) Similar(c *web.Call) (*web.Reply, error) {
	limit, kind := c.Query.Int("limit", 10, 1, maxSimilar), c.Query.OneOf("kind", "", []string{"alternatives", "related"})
	f, moved, err := findEntity(c, "/similar", false)
	if err != nil || moved != nil {
		return moved, err
	}
	b := c.Served.Build
	near := b.Similar(f.ordinal)
	if kind != "" {
		near = slices.DeleteFunc(near, func(n exports.Neighbour) bool { return n.Kind() != similarKinds[kind] })
	}
	l := newList(c)
	for _, n := range near[:min(limit, len(near))] {
		reasons := []string{}
		for _, r := range n.Reasons.List() {
			reasons = append(reasons, site.Reason(b.Feature(r), c.Served.Titles))
		}
		l.addRecord(n.Ordinal, struct {
			Kind       string   `json:"kind"`
			Similarity float64  `json:"similarity"`
			Reasons    []string `json:"reasons"`
		}{n.Kind(), n.Similarity, reasons})
	}
	return l.reply(len(near), nil), nil
}
