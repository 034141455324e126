package edge

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"unicode/utf8"

	"kindex/edge/query"
	"kindex/exports/safetext"
	"kindex/site"
	"kindex/site/pages"
)

const (
	badgeType   = "image/svg+xml"
	badgeSuffix = ".svg"
)

// badgePolicy keeps a badge that is opened as a page from loading or running anything.
var badgePolicy = []string{"default-src 'none'; sandbox"}

// GET /badge/:type/:slug.svg
//
// A page shows a picture whatever the status, so that what is wrong is said in one.
func (a *API) badge(c *call) (*reply, error) {
	if cutSuffix(c, badgeSuffix) == "" {
		return c.notFound()
	}
	show, err := c.query.OneOf("show", pages.BadgeShows[0], pages.BadgeShows)
	if err != nil {
		return nil, err
	}
	label, err := badgeLabel(c, show)
	if err != nil {
		return nil, err
	}
	o, to, err := badgeOf(c)
	var wrong *Problem
	switch {
	case to != "":
		u := url.URL{Path: to, RawQuery: c.request.URL.RawQuery}
		return &reply{location: u.String(), cache: anHour}, nil
	case errors.As(err, &wrong) && wrong.Status == http.StatusGone:
		message, colour := pages.GoneBadge()
		return badgeReply(label, message, colour, wrong.Status), nil
	case errors.As(err, &wrong) && wrong.Status == http.StatusNotFound:
		return badgeReply(label, "not found", site.Grey, wrong.Status), nil
	case err != nil:
		return nil, err
	}
	message, colour, err := pages.Standing(c.served.build, c.served.boards, o, show)
	if err != nil {
		return nil, err
	}
	return badgeReply(label, message, colour, 0), nil
}

func badgeReply(label, message, colour string, refusal int) *reply {
	return &reply{mediaType: badgeType, cache: anHour, refusal: refusal, body: site.Badge(label, message, colour),
		header: http.Header{"Content-Security-Policy": badgePolicy}}
}

// badgeLabel is the text of the left half: as asked for, else the name of the index
// and what is shown.
func badgeLabel(c *call, show string) (string, error) {
	label, err := c.query.Text("label")
	switch n := utf8.RuneCountInString(label); {
	case err != nil:
		return "", err
	case n > site.LongestLabel:
		return "", &query.Error{Param: "label", Message: fmt.Sprintf("has %d characters, at most %d are allowed", n, site.LongestLabel)}
	case n > 0 && (!utf8.ValidString(label) || safetext.OneLine(label) == ""):
		return "", &query.Error{Param: "label", Message: "must have characters that can be seen, in UTF-8"}
	case n == 0:
		return pages.BadgeLabel(c.served.build.Manifest, show), nil
	}
	return label, nil
}

// badgeOf is the entity of the path, or the path of its badge under its present slug.
// Where there is none, nothing is searched for: the picture could not tell of it, and
// badges are asked for without limit.
func badgeOf(c *call) (ordinal uint32, to string, err error) {
	b, typ, slug := c.served.build, c.param("type"), c.param("slug")
	o, old, ok := b.Find(typ, slug)
	switch {
	case ok && !old:
		return o, "", nil
	case ok:
		_, slug = b.Key(o)
	default:
		now, at, err := currentAddress(c)
		switch {
		case err != nil:
			return 0, "", err
		case at == "":
			return 0, "", newProblem("unknown-entity", "There is no "+shorten(typ+"/"+slug)+".")
		}
		typ, slug = now, at
	}
	return 0, "/badge/" + typ + "/" + slug + badgeSuffix, nil
}
