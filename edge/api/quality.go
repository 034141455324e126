package api

import (
	"bytes"

	"kindex/edge/web"
	"kindex/exports"
)

// Quality handles GET /api/quality. The response describes and names the build, which does not
// contain edits.
func (a *API) Quality(c *web.Call) (*web.Reply, error) {
	data, err := c.Served.Build.ReadFile(exports.QualityFile)
	return objectOf(c.Served.Build.Manifest.ID, bytes.TrimSpace(data)), err
}
