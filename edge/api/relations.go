package api

import (
	"kindex/edge/web"
)

// Relations handles GET /api/entity/:type/:slug/relations.
func (a *API) Relations(c *web.Call) (*web.Reply, error) {
	f, moved, err := findEntity(c, "/relations", false)
	if err != nil || moved != nil {
		return moved, err
	}
	type address struct {
		Type string `json:"type"`
		Slug string `json:"slug"`
		Name string `json:"name"`
	}
	type relation struct {
		Field   string  `json:"field"`
		Title   string  `json:"title"`
		Inverse bool    `json:"inverse"`
		Entity  address `json:"entity"`
	}
	list := []relation{}
	for _, r := range c.Served.Build.Relations(f.ordinal) {
		e := c.Served.Build.Entity(r.Ordinal)
		list = append(list, relation{r.Field, r.Title, r.Inverse, address{e.Type, e.Slug, e.Name}})
	}
	return &web.Reply{MediaType: web.JSONType, Body: web.AppendJSON(nil, map[string]any{"data": list, "count": len(list), "build": c.Served.ID()})}, nil
}
