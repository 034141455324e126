package api

import (
	"kindex/edge/openapi"
	"kindex/edge/web"
	"kindex/exports/kinds"
	"net/http"
	"sync"
)

// OpenAPI handles GET /api/openapi.
func (a *API) OpenAPI(c *web.Call) (*web.Reply, error) {
	preferred := "json"
	if web.PrefersYAML(c.Request.Header.Get("Accept")) {
		preferred = "yaml"
	}
	mediaType, description := web.JSONType, a.describe(c).json
	if c.Query.OneOf("format", preferred, []string{"json", "yaml"}) == "yaml" {
		mediaType, description = "application/yaml", a.describe(c).yaml
	}
	body, err := description()
	return &web.Reply{MediaType: mediaType, Body: body, Header: http.Header{"Vary": {"Accept"}}}, err
}

// description is the description of the API for the declarations of an index. Each form is made when it is
// first asked for.
type description struct {
	kinds      *kinds.Set
	yaml, json func() ([]byte, error)
}

// describe returns the description for the served build.
func (a *API) describe(c *web.Call) *description {
	declared := kinds.Default()
	if c.Served != nil {
		declared = c.Served.Build.Kinds()
	}
	if d := a.described.Load(); d != nil && d.kinds == declared {
		return d
	}
	d := &description{kinds: declared}
	contact := c.Shared.ContactAddress
	d.yaml = sync.OnceValues(func() ([]byte, error) {
		b, err := openapi.Served(declared)
		return openapi.With(contact, b), err
	})
	d.json = sync.OnceValues(func() ([]byte, error) {
		b, err := d.yaml()
		if err != nil {
			return nil, err
		}
		return openapi.JSON(b)
	})
	a.described.Store(d)
	return d
}

// RedirectToOpenAPI handles GET /openapi.json and /openapi.yaml, where tools look for an API
// description.
func RedirectToOpenAPI(format string) web.Handler {
	return func(*web.Call) (*web.Reply, error) { return &web.Reply{Location: "/api/openapi?format=" + format}, nil }
}
