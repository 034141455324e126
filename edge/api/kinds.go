package api

import (
	"kindex/edge/web"
	"kindex/exports/kinds"
)

// Kinds handles GET /api/kinds: what the index declares, with the number of listed entities of each kind.
func (a *API) Kinds(c *web.Call) (*web.Reply, error) {
	type counted struct {
		kinds.KindJSON
		Count int `json:"count"`
	}
	set := c.Served.Build.Kinds()
	list := []counted{}
	for _, k := range set.Order {
		list = append(list, counted{k.JSON(), c.Served.Build.Manifest.Counts.Types[k.Name]})
	}
	return &web.Reply{MediaType: web.JSONType, Body: web.AppendJSON(nil, map[string]any{"build": c.Served.ID(), "data": list, "count": len(list),
		"fields": set.FieldsJSON(), "signals": set.SignalsJSON()})}, nil
}
