package edge

import (
	_ "embed"
	"html/template"
	"strings"
)

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

func prefersYAML(accept string) bool {
	y, j := strings.Index(accept, "yaml"), strings.Index(accept, "json")
	return y >= 0 && (j < 0 || y < j)
}

//go:embed home.html
var homeText string

var homePage = template.Must(template.New("home").Parse(homeText))

// GET /
func (s *Server) home(c *call) (*reply, error) {
	var b strings.Builder
	if err := homePage.Execute(&b, map[string]any{"Manifest": c.view.build.Manifest, "SignIn": s.people != nil}); err != nil {
		return nil, err
	}
	h := map[string][]string{"Content-Security-Policy": {"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}}
	return &reply{mediaType: "text/html; charset=utf-8", header: h, body: []byte(b.String())}, nil
}
