package api

import (
	"kindex/edge/openapi"
	"kindex/edge/web"
	"kindex/exports/kinds"
	"strings"
)

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
	d, err := a.describe(c)
	if err != nil {
		return nil, err
	}
	r := &web.Reply{MediaType: "application/yaml", Body: d.yaml}
	if format == "json" {
		r.MediaType = web.JSONType
		if r.Body, err = d.json(); err != nil {
			return nil, err
		}
	}
	r.Header = map[string][]string{"Vary": {"Accept"}}
	return r, nil
}

// description is the description of the API in both formats.
type description struct {
	yaml []byte
	json func() ([]byte, error)
}

// describe returns the description for the kinds of the served build.
func (a *API) describe(c *web.Call) (d *description, err error) {
	names := kinds.Default().Names()
	if c.Served != nil {
		names = c.Served.Build.Kinds().Names()
	}
	key := strings.Join(names, ",")
	if known, ok := a.descriptions.Load(key); ok {
		return known.(*description), nil
	}
	d = new(description)
	if d.yaml, d.json, err = openapi.With(c.Shared.ContactAddress, names); err != nil {
		return nil, err
	}
	a.descriptions.Store(key, d)
	return d, nil
}

// RedirectToOpenAPI handles GET /openapi.json and /openapi.yaml, where tools look for an API
// description.
func RedirectToOpenAPI(format string) web.Handler {
	return func(*web.Call) (*web.Reply, error) { return &web.Reply{Location: "/api/openapi?format=" + format}, nil }
}
