package api

import "kindex/edge/web"

// Score handles GET /api/entity/:type/:slug/score.
//
// The explanation is recalculated with the function that the builder used, because stored
// explanations would take up most of a build.
func (a *API) Score(c *web.Call) (*web.Reply, error) {
	o, moved, err := findEntity(c, "/score")
	if err != nil || moved != nil {
		return moved, err
	}
	e, err := c.Served.Build.Entity(o)
	if err != nil {
		return nil, err
	}
	x := c.Served.Formula.Explain(e, c.Served.AsOf)
	return &web.Reply{MediaType: web.JSONType, Body: entityObject(c.Served, nil, web.AppendJSON(nil, x))}, nil
}
