package api

import "kindex/edge/web"

// OpenAPI handles GET /api/openapi.
func (a *API) OpenAPI(c *web.Call) (*web.Reply, error) {
	format, err := c.Query.OneOf("format", "", []string{"json", "yaml"})
	if err != nil {
		return nil, err
	}
	if format == "" {
		format = "json"
		if web.PrefersYAML(c.Request.Header.Get("Accept")) {
			format = "yaml"
		}
	}
	r := &web.Reply{MediaType: "application/yaml", Body: a.description.yaml}
	if format == "json" {
		r.MediaType = web.JSONType
		if r.Body, err = a.description.json(); err != nil {
			return nil, err
		}
	}
	r.Header = map[string][]string{"Vary": {"Accept"}}
	return r, nil
}

// RedirectToOpenAPI handles GET /openapi.json and /openapi.yaml, where tools look for an API
// description.
func RedirectToOpenAPI(format string) web.Handler {
	return func(*web.Call) (*web.Reply, error) { return &web.Reply{Location: "/api/openapi?format=" + format}, nil }
}
