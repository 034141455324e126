package api

import (
	"errors"
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
	o, to, err := badgeOf(c)
	var problem *web.Problem
	switch {
	case to != "":
		u := url.URL{Path: to, RawQuery: c.Request.URL.RawQuery}
		return &web.Reply{Location: u.String(), Cache: web.CacheHour}, nil
	case errors.As(err, &problem) && problem.Status == http.StatusGone:
		message, colour := badge.Deleted()
		return badgeReply(label, message, colour, problem.Status), nil
	case errors.As(err, &problem) && problem.Status == http.StatusNotFound:
		return badgeReply(label, "not found", badge.Grey, problem.Status), nil
	case err != nil:
		return nil, err
	}
	message, colour, err := badge.Describe(c.Served.Build, c.Served.Own, func(category string) string { return c.Served.Titles[category] }, o, show)
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

// badgeOf returns the entity at the requested path or, if its slug has changed, the path of its
// badge under the current slug. It does not look for similar names: the image could not show
// them, and badges have no rate limit.
func badgeOf(c *web.Call) (ordinal uint32, to string, err error) {
	typ, slug := c.Param("type"), c.Param("slug")
	f := find(c, typ, slug)
	switch {
	case !f.present:
		if err := f.deleted(c, typ, slug); err != nil {
			return 0, "", err
		}
		return 0, "", web.NewProblem("unknown-entity", "There is no "+web.Shorten(typ+"/"+slug)+".")
	case f.typ != typ || f.slug != slug:
		return 0, "/badge/" + f.typ + "/" + f.slug + badgeSuffix, nil
	}
	return f.ordinal, "", nil
}
