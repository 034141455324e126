package api

import (
	"fmt"
	"net/http"
	"net/url"
	"unicode/utf8"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/safetext"
	"kindex/site/badge"
)

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
