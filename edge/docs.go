package edge

import (
	"net/http"

	"kindex/site"
)

const docsPath = "/docs/api"

// GET /docs/api
//
// The page that explains the interface and tries it out. It loads nothing from
// elsewhere, and keeps no key.
func (s *Server) apiDocs(c *call) (*reply, error) {
	body, err := site.APIDocs(c.view.build.Manifest.Title, docsPath)
	h := http.Header{"Content-Security-Policy": {site.APIDocsPolicy}, "Referrer-Policy": {"no-referrer"}, "Cross-Origin-Opener-Policy": {"same-origin"}}
	return &reply{mediaType: "text/html; charset=utf-8", header: h, body: body}, err
}

// GET /docs/api/
func (s *Server) toDocs(*call) (*reply, error) { return &reply{location: docsPath}, nil }

// GET /docs/api/:asset
func (s *Server) apiDocsAsset(c *call) (*reply, error) {
	a, ok := site.APIDocsAsset(c.param("asset"))
	return s.assetReply(c, a, ok)
}
