package api

import (
	"net/http"

	"kindex/edge/web"
	"kindex/exports/croissant"
)

// ExportCroissant handles GET /api/export/croissant. The response describes the build's files,
// which do not contain previewed edits.
func (a *API) ExportCroissant(c *web.Call) (*web.Reply, error) {
	m := c.Served.Build.Manifest
	body, err := croissant.Describe(m, c.Served.Build.Kinds(), c.BaseURL(), c.Served.Signature())
	if err != nil {
		return nil, err
	}
	c.BuildOnly = false // the build may be signed later
	h := http.Header{"Link": c.Served.Licenses}
	return &web.Reply{MediaType: croissant.MediaType, Header: h, Build: m.ID, Body: body}, nil
}
