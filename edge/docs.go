package edge

import (
	"net/http"

	"kindex/edge/openapi"
	"kindex/site"
	"kindex/site/pages"
)

const docsPath = pages.APIDocsPath

// GET /docs/api
//
// The page that explains the interface and tries it out. It loads nothing from
// elsewhere, and keeps no key.
func (*API) apiDocs(c *call) (*reply, error) {
	website, err := c.served.site()
	if err != nil {
		return nil, err
	}
	var list []pages.Operation
	for _, o := range openapi.Operations() {
		list = append(list, pages.Operation(o))
	}
	a, err := website.APIDocs(pages.Request{Path: docsPath, Base: c.base()}, list)
	if err != nil {
		return nil, err
	}
	h := http.Header{"Content-Security-Policy": {site.APIDocsPolicy}, "Referrer-Policy": {"no-referrer"}, "Cross-Origin-Opener-Policy": {"same-origin"}}
	return &reply{mediaType: a.MediaType, header: h, body: a.Body}, nil
}

// GET /docs/api/
func (*API) toDocs(*call) (*reply, error) { return &reply{location: docsPath}, nil }

// GET /docs/api/:asset
func (*API) apiDocsAsset(c *call) (*reply, error) {
	a, ok := site.APIDocsAsset(c.param("asset"))
	return assetReply(c, a, ok)
}
