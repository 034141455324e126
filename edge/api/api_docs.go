package api

import (
	"net/http"

	"kindex/edge/openapi"
	"kindex/edge/web"
	"kindex/site"
	"kindex/site/pages"
)

const DocsPath = pages.APIDocsPath

// APIDocs handles GET /docs/api. The page documents the API and can send requests to it. It loads
// nothing from other origins and does not store the API key that the user enters.
func (*API) APIDocs(c *web.Call) (*web.Reply, error) {
	website, err := c.Served.Site()
	if err != nil {
		return nil, err
	}
	var list []pages.Operation
	for _, o := range openapi.Operations() {
		list = append(list, pages.Operation(o))
	}
	a, err := website.APIDocs(pages.Request{Path: DocsPath, Base: c.BaseURL()}, list)
	if err != nil {
		return nil, err
	}
	h := http.Header{"Content-Security-Policy": {site.APIDocsPolicy}, "Referrer-Policy": {"no-referrer"}, "Cross-Origin-Opener-Policy": {"same-origin"}}
	return &web.Reply{MediaType: a.MediaType, Header: h, Body: a.Body}, nil
}

// RedirectToDocs handles GET /docs/api/.
func (*API) RedirectToDocs(*web.Call) (*web.Reply, error) { return &web.Reply{Location: DocsPath}, nil }

// APIDocsAsset handles GET /docs/api/:asset.
func (*API) APIDocsAsset(c *web.Call) (*web.Reply, error) {
	a, ok := site.APIDocsAsset(c.Param("asset"))
	return web.AssetReply(c, a, ok)
}
