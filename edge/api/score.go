package api

import "kindex/edge/web"

// Score answers GET /api/entity/:type/:slug/score.
//
// The explanation is recalculated with the function that the builder used: stored
// explanations would be the largest part of a build.
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
