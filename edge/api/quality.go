package api

import (
	"bytes"

	"kindex/edge/web"
	"kindex/exports"
)

// Quality handles GET /api/quality.
func (a *API) Quality(c *web.Call) (*web.Reply, error) {
	data, _, _ := c.Served.Build.File(exports.QualityFile)
	return &web.Reply{MediaType: web.JSONType, Body: entityObject(c.Served, c.Buffer(), bytes.TrimSpace(data))}, nil
}
