package edge

import (
	"net/http"

	"kindex/exports/croissant"
)

// GET /api/export/croissant
//
// Edits are in no file yet, so the answer is that of the build without them.
func (a *API) exportCroissant(c *call) (*reply, error) {
	m := c.served.build.Manifest
	body, err := croissant.Describe(m, c.base())
	if err != nil {
		return nil, err
	}
	h := http.Header{"Link": c.served.licenses}
	return &reply{mediaType: croissant.MediaType, header: h, build: m.ID, body: body}, nil
}
