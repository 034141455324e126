package edge

// GET /api/openapi
func (a *API) openapi(c *call) (*reply, error) {
	format, err := c.query.OneOf("format", "", []string{"json", "yaml"})
	if err != nil {
		return nil, err
	}
	if format == "" {
		format = "json"
		if prefersYAML(c.request.Header.Get("Accept")) {
			format = "yaml"
		}
	}
	r := &reply{mediaType: jsonType, body: a.described.json}
	if format == "yaml" {
		r.mediaType, r.body = "application/yaml", a.described.yaml
	}
	r.header = map[string][]string{"Vary": {"Accept"}}
	return r, nil
}

// GET /openapi.json and /openapi.yaml, where tools look for a description
func toOpenAPI(format string) handler {
	return func(*call) (*reply, error) { return &reply{location: "/api/openapi?format=" + format}, nil }
}
