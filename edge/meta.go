package edge

import "strings"

// GET /api/openapi
func (s *Server) openapi(c *call) (*reply, error) {
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
	r := &reply{mediaType: jsonType, body: s.described.json}
	if format == "yaml" {
		r.mediaType, r.body = "application/yaml", s.described.yaml
	}
	r.header = map[string][]string{"Vary": {"Accept"}}
	return r, nil
}

// GET /openapi.json and /openapi.yaml, where tools look for a description
func toOpenAPI(format string) handler {
	return func(*call) (*reply, error) { return &reply{location: "/api/openapi?format=" + format}, nil }
}

func prefersYAML(accept string) bool {
	y, j := strings.Index(accept, "yaml"), strings.Index(accept, "json")
	return y >= 0 && (j < 0 || y < j)
}
