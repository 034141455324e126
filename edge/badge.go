package edge

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"kindex/edge/query"
	"kindex/exports"
	"kindex/exports/boards"
	"kindex/site"
)

const (
	badgeType   = "image/svg+xml"
	badgeSuffix = ".svg"
)

// shows are what a badge can show.
var shows = []string{"score", "rank", "trend"}

// badgePolicy keeps a badge that is opened as a page from loading or running anything.
var badgePolicy = []string{"default-src 'none'; sandbox"}

// GET /badge/:type/:slug.svg
//
// A page shows a picture whatever the status, so that what is wrong is said in one.
func (s *Server) badge(c *call) (*reply, error) {
	if c.cutSuffix(badgeSuffix) == "" {
		return s.notFound(c)
	}
	show, err := c.query.OneOf("show", shows[0], shows)
	if err != nil {
		return nil, err
	}
	label, err := c.badgeLabel(show)
	if err != nil {
		return nil, err
	}
	o, to, err := c.badgeOf()
	var wrong *Problem
	switch {
	case to != "":
		u := url.URL{Path: to, RawQuery: c.request.URL.RawQuery}
		return &reply{location: u.String(), cache: anHour}, nil
	case errors.As(err, &wrong) && wrong.Status == http.StatusGone:
		return badgeReply(label, "deleted", site.Grey, wrong.Status), nil
	case errors.As(err, &wrong) && wrong.Status == http.StatusNotFound:
		return badgeReply(label, "not found", site.Grey, wrong.Status), nil
	case err != nil:
		return nil, err
	}
	message, colour, err := c.standing(o, show)
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
func (c *call) badgeLabel(show string) (string, error) {
	label, err := c.query.Text("label")
	switch n := utf8.RuneCountInString(label); {
	case err != nil:
		return "", err
	case n > site.LongestLabel:
		return "", &query.Error{Param: "label", Message: fmt.Sprintf("has %d characters, at most %d are allowed", n, site.LongestLabel)}
	case n > 0 && (!utf8.ValidString(label) || !strings.ContainsFunc(label, seen)):
		return "", &query.Error{Param: "label", Message: "must have characters that can be seen, in UTF-8"}
	case n == 0:
		return c.view.build.Manifest.Title + " " + show, nil
	}
	return label, nil
}

// seen tells of characters that leave something in a picture.
func seen(r rune) bool { return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf) }

// badgeOf is the entity of the path, or the path of its badge under its present slug.
// Where there is none, nothing is searched for: the picture could not tell of it, and
// badges are asked for without limit.
func (c *call) badgeOf() (ordinal uint32, to string, err error) {
	b, typ, slug := c.view.build, c.param("type"), c.param("slug")
	o, old, ok := b.Find(typ, slug)
	switch {
	case ok && !old:
		return o, "", nil
	case ok:
		_, slug = b.Key(o)
	default:
		now, at, err := c.departedTo()
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

// standing words how an entity stands, and gives the colour of that.
func (c *call) standing(o uint32, show string) (message, colour string, err error) {
	b := c.view.build
	e, err := b.Entity(o)
	if err != nil {
		return "", "", err
	}
	composite := b.Score("composite", o)
	switch {
	case e.Status == exports.Withdrawn:
		return "withdrawn", site.Grey, nil
	case !composite.Known():
		return "not ranked", site.Grey, nil
	case show == "score":
		return composite.String(), site.ScoreColour(composite), nil
	}
	ranked, err := c.view.boards.Ranked()
	if err != nil {
		return "", "", err
	}
	rank, err := c.view.boards.Rank(o)
	if err != nil {
		return "", "", err
	}
	if show == "trend" {
		return c.trend(o, rank)
	}
	return fmt.Sprintf("#%d of %d", rank, ranked.GetCardinality()), site.ScoreColour(composite), nil
}

// trend words how an entity has moved on the leaderboard of all, as its delta does.
func (c *call) trend(o uint32, rank int) (message, colour string, err error) {
	former, err := c.view.boards.Before("", exports.AllBoard, "", "composite")
	if err != nil {
		return "", "", err
	}
	previous := former.Ranks(c.view.build, []uint32{o})[0]
	switch {
	case !former.Known():
		return "no history", site.Grey, nil
	case previous == 0:
		return "new", site.Green, nil
	case previous > rank:
		return fmt.Sprintf("up %d in %d days", previous-rank, boards.MovementDays), site.Green, nil
	case previous < rank:
		return fmt.Sprintf("down %d in %d days", rank-previous, boards.MovementDays), site.Red, nil
	}
	return "steady", site.Grey, nil
}
