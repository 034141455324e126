package api

import "kindex/edge/web"

// Score handles GET /api/entity/:type/:slug/score. With board, it explains the score on that
// board, published or not.
//
// The explanation is recalculated with the function that the builder used, because stored
// explanations would take up most of a build.
func (a *API) Score(c *web.Call) (*web.Reply, error) {
	o, moved, err := findEntity(c, "/score")
	if err != nil || moved != nil {
		return moved, err
	}
	e := c.Served.Build.Entity(o)
	var slugs []string
	for _, b := range c.Served.Own.Boards {
		slugs = append(slugs, b.Slug)
	}
	slug, err := c.Query.OneOf("board", "", slugs)
	if err != nil {
		return nil, err
	}
	var x any = c.Served.Formula.Explain(e, c.Served.AsOf)
	if slug != "" {
		x = c.Served.Own.Find(slug).Explain(e, c.Served.AsOf)
	}
	return &web.Reply{MediaType: web.JSONType, Body: entityObject(c.Served, nil, web.AppendJSON(nil, x))}, nil
}
