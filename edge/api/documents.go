package api

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/mail"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"kindex/edge/openapi"
	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/site"
	"kindex/site/badge"
	"kindex/site/pages"
	"kindex/site/sdk"
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
	body = bytes.ReplaceAll(body, []byte(openapi.Host), []byte(cmp.Or(c.BaseURL(), openapi.Host)))
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
	declared := c.Served.Build.Kinds()
	if d := a.described.Load(); d != nil && d.kinds == declared {
		return d
	}
	d := &description{kinds: declared}
	service := openapi.Service{Contact: c.Shared.ContactAddress, SignIn: c.Shared.SignIn, Ranked: c.Served.Build.Manifest.Counts.Ranked > 0}
	for _, e := range c.Served.Build.All {
		if e.Status != record.Withdrawn {
			service.Entity, service.Name = e.Key(), e.Name
			break
		}
	}
	d.yaml = sync.OnceValues(func() ([]byte, error) {
		b, err := openapi.Served(declared)
		return openapi.With(service, b), err
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

const DocsPath = pages.APIDocsPath

// APIDocs handles GET /docs/api. The page documents the API and can send requests to it. It loads
// nothing from other origins and does not store the API key that the user enters.
func (*API) APIDocs(c *web.Call) (*web.Reply, error) {
	list := each(openapi.Operations(c.Served.Build.Kinds()), func(o openapi.Operation) pages.Operation {
		return pages.Operation{Method: o.Method, Path: o.Path, Summary: o.Summary}
	})
	a, err := c.Served.Site().APIDocs(pages.Request{Path: DocsPath, Base: c.BaseURL()}, list)
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

const maxLeaders = 20

// LLMs handles GET /llms.txt.
//
// Its links are absolute. If no public address is configured, the links use the host in the
// request, and shared caches must not store the response.
func (a *API) LLMs(c *web.Call) (*web.Reply, error) {
	b := c.Served.Build
	best, _, _ := b.Page(b.Board(view.AllBoard, "", view.DefaultSort.Key), view.DefaultSort, nil, 0, maxLeaders)
	r := &web.Reply{MediaType: "text/plain; charset=utf-8", Body: site.LLMs(&site.Map{Manifest: b.Manifest, Kinds: b.Kinds(), Base: c.BaseURL(),
		Categories: c.Served.Categories, Limited: c.Shared.Limited(), Boards: c.Served.Own.Published(), Leaders: each(best, b.Entity)})}
	if c.PublicURL() != "" {
		r.Cache = web.CacheHour
	}
	return r, nil
}

var sdkNames = map[string]string{sdk.TypeScript: "TypeScript", sdk.Python: "Python"}

// NewestSDK handles GET /api/sdk/typescript and GET /api/sdk/python with the latest version of
// the library, which can be installed from this address. Content-Location is the permanent
// address of that version.
func (*API) NewestSDK(language string) web.Handler {
	return func(*web.Call) (*web.Reply, error) {
		a := sdk.Versions(language)[0]
		r := archiveReply(a)
		r.Header.Set("Content-Location", "/api/sdk/"+language+"/"+a.File)
		return r, nil
	}
}

// SDKVersion handles GET /api/sdk/typescript/:file and GET /api/sdk/python/:file.
func (*API) SDKVersion(language string) web.Handler {
	return func(c *web.Call) (*web.Reply, error) {
		a, ok := sdk.Find(language, c.Param("file"))
		if ok {
			return archiveReply(a), nil
		}
		known := each(sdk.Versions(language), func(a sdk.Archive) string { return a.File })
		p := web.NewProblem("unknown-version", fmt.Sprintf("The %[2]s client has no %[1]s; available: %[3]s.",
			web.Shorten(c.Param("file")), sdkNames[language], strings.Join(known, ", ")))
		return nil, p.WithSuggestion("/api/sdk/" + language + "/" + cmp.Or(didyoumean.Name(c.Param("file"), known), known[0]))
	}
}

func archiveReply(a sdk.Archive) *web.Reply {
	return &web.Reply{MediaType: "application/gzip",
		Header: http.Header{
			"Content-Disposition": {fmt.Sprintf(`attachment; filename="%s"`, a.Name)},
			"Repr-Digest":         {"sha-256=:" + base64.StdEncoding.EncodeToString(a.SHA256[:]) + ":"},
		},
		File: &web.FileReply{Content: bytes.NewReader(a.Data), ETag: hex.EncodeToString(a.SHA256[:16])}}
}

// SecurityPath is where people who have found a vulnerability look for the contact address (RFC
// 9116).
const SecurityPath = "/.well-known/security.txt"

// securityTxtLifetime is how long the file is valid, counted from the day of the request. The
// period starts again every day because a service that still responds is presumably maintained.
const securityTxtLifetime = 180 * 24 * time.Hour

// SecurityText handles GET /.well-known/security.txt.
func (a *API) SecurityText(c *web.Call) (*web.Reply, error) {
	contact := contactURI(c.Shared.ContactAddress)
	if contact == "" {
		return c.NotFound()
	}
	day := c.Shared.Now().UTC().Truncate(24 * time.Hour)
	var b strings.Builder
	fmt.Fprintf(&b, "Contact: %s\nExpires: %s\nPreferred-Languages: en\n", contact, day.Add(securityTxtLifetime).Format(time.RFC3339))
	if u, err := url.Parse(c.Shared.URL); err == nil && u.Scheme == "https" {
		fmt.Fprintf(&b, "Canonical: %s://%s%s\n", u.Scheme, u.Host, SecurityPath)
	}
	return &web.Reply{MediaType: "text/plain; charset=utf-8", Body: []byte(b.String())}, nil
}

// contactURI returns the operator's address as a URI. A URI with the scheme https, mailto or tel
// is returned unchanged, and an email address is returned as a mailto URI. For any other string,
// contactURI returns "".
func contactURI(contact string) string {
	contact = strings.TrimSpace(contact)
	if a, err := mail.ParseAddress(contact); err == nil && a.Name == "" {
		return (&url.URL{Scheme: "mailto", Opaque: url.PathEscape(a.Address)}).String()
	}
	u, err := url.Parse(contact)
	switch {
	case err != nil || u.User != nil:
		return ""
	case u.Scheme == "https" && u.Host != "", (u.Scheme == "mailto" || u.Scheme == "tel") && u.Opaque != "":
		return u.String()
	}
	return ""
}

const (
	BadgeType   = "image/svg+xml"
	badgeSuffix = ".svg"
)

// badgePolicy keeps a badge that is opened as a page from loading or running anything.
var badgePolicy = []string{"default-src 'none'; sandbox"}

// Badge handles GET /badge/:type/:slug.svg. Since browsers show an image whatever its HTTP
// status, problems are reported as images.
func (a *API) Badge(c *web.Call) (*web.Reply, error) {
	if cutSuffix(c, badgeSuffix) == "" {
		return c.NotFound()
	}
	show := c.Query.OneOf("show", badge.Kinds[0], badge.Kinds)
	label := badgeLabel(c, show)
	typ, slug := c.Param("type"), c.Param("slug")
	f := find(c, typ, slug) // without similar names: the image could not show them, and badges have no rate limit
	switch {
	case f.gone(c):
		message, colour := badge.Deleted()
		return badgeReply(label, message, colour, http.StatusGone), nil
	case !f.present:
		return badgeReply(label, "not found", badge.Grey, http.StatusNotFound), nil
	case f.typ != typ || f.slug != slug:
		u := url.URL{Path: "/badge/" + f.typ + "/" + f.slug + badgeSuffix, RawQuery: c.Request.URL.RawQuery}
		return &web.Reply{Location: u.String(), Cache: web.CacheHour}, nil
	}
	message, colour, err := badge.Describe(c.Served.Build, c.Served.Own, func(category string) string { return c.Served.Titles[category] }, f.ordinal, show)
	if err != nil {
		return nil, err
	}
	return badgeReply(label, message, colour, 0), nil
}

func badgeReply(label, message, colour string, refusal int) *web.Reply {
	return &web.Reply{MediaType: BadgeType, Cache: web.CacheHour, ErrorStatus: refusal, Body: badge.SVG(label, message, colour),
		Header: http.Header{"Content-Security-Policy": badgePolicy}}
}

// badgeLabel returns the text on the left side of the badge: the requested label or, by default,
// the name of the index and what the badge shows.
func badgeLabel(c *web.Call, show string) string {
	label := c.Query.Text("label")
	switch n := utf8.RuneCountInString(label); {
	case n > badge.MaxLabelLen:
		c.Query.Fail(&query.Error{Param: "label", Message: fmt.Sprintf("has %d characters; at most %d are allowed", n, badge.MaxLabelLen)})
	case n > 0 && (!utf8.ValidString(label) || safetext.OneLine(label) == ""):
		c.Query.Fail(&query.Error{Param: "label", Message: "must be valid UTF-8 with visible characters"})
	case n > 0:
		return label
	}
	return badge.DefaultLabel(c.Served.Build.Manifest, show)
}
