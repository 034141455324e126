package edge

import (
	"fmt"
	"net/url"
	"time"

	"kindex/edge/query"
	"kindex/exports"
)

// day reads at, the day whose state is asked for; "" is the present.
func asOfDay(c *call) (string, error) {
	day, err := c.query.Day("at")
	if err != nil || day == "" {
		return "", err
	}
	a := c.served.build.Archive()
	if last := a.LastDay(); day > last {
		return "", &query.Error{Param: "at", Message: fmt.Sprintf("%s is not known yet: this build knows the index until %s", day, last), Suggestion: last}
	}
	if first := a.FirstDay(); first == "" || day < first {
		return "", noHistory(c, day)
	}
	return day, nil
}

// noHistory answers for a day before the first change.
func noHistory(c *call, day string) error {
	p := newProblem("no-history", fmt.Sprintf("Nothing is known of %s: this index has no history.", day))
	if first := c.served.build.Archive().FirstDay(); first != "" {
		p.Detail = fmt.Sprintf("Nothing is known of %s: the history begins on %s.", day, first)
		p.suggest(first)
	}
	return p
}

// catalogue is what lists are read from: the build, or its latest snapshot not
// after a day, which it then names.
func recordsAt(c *call, day string) (from exports.Catalogue, asOf string, err error) {
	if day == "" {
		return c.served.build, "", nil
	}
	a := c.served.build.Archive()
	s, ok := a.Snapshot(day)
	if !ok { // the scores are of a time before the first change
		return nil, "", newProblem("no-history", fmt.Sprintf("No list is kept of %s or a day before it: the history begins on %s, but the scores of this build are as of %s.",
			day, a.FirstDay(), c.served.asOf.Format(time.DateOnly)))
	}
	return s, s.Day, nil
}

// entityAt answers with a record as it stood at the end of a day, scored as of it.
func entityAt(c *call, day string, markdown bool) (*reply, error) {
	a, typ, slug := c.served.build.Archive(), c.param("type"), c.param("slug")
	v, standing := a.At(typ, slug, day)
	switch standing {
	case exports.Unknown:
		if _, _, ok := c.served.build.Find(typ, slug); ok {
			return nil, newProblem("no-history", fmt.Sprintf("The %s %q has no history: it is not committed yet.", typ, slug))
		}
		return nil, unknownEntity(c, typ, slug)
	case exports.NotYet:
		return nil, newProblem("no-history", fmt.Sprintf("The %s %q was not in the index on %s.", typ, slug, day))
	case exports.Gone:
		return nil, deleted(typ, slug, a.Version(v).Time)
	}
	e, err := a.Entity(v)
	if err != nil {
		return nil, err
	}
	asOf, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, err
	}
	scores := c.served.formula.Scores(e, asOf)
	if markdown {
		then := *e
		then.Scores = scores
		return markdownPageAt(c, &then, v, asOf)
	}
	return &reply{mediaType: jsonType, body: entityObject(c.served, c.buffer(), a.RecordAt(v, scores))}, nil
}

// departed answers for an address that the build does not have: the history may
// know that the entity was renamed or deleted.
func resolveRemoved(c *call, resource string) (moved *reply, err error) {
	typ, slug, err := currentAddress(c)
	switch {
	case err != nil:
		return nil, err
	case slug == "":
		return nil, unknownEntity(c, c.param("type"), c.param("slug"))
	}
	return redirectTo(c, typ, slug, resource), nil
}

// departedTo is the present address of the entity that once had the address of the
// path, "" where nobody knows of one. The error says that it was deleted.
func currentAddress(c *call) (typ, slug string, err error) {
	typ, slug = c.param("type"), c.param("slug")
	switch now, standing := c.served.build.Departed(typ, slug); standing {
	case exports.Exists:
		return now.Type, now.Slug, nil
	case exports.Gone:
		return "", "", deleted(typ, slug, now.Time)
	}
	return "", "", nil
}

// redirect leads to the same resource of an entity at its present address.
func redirectTo(c *call, typ, slug, resource string) *reply {
	u := url.URL{Path: "/api/entity/" + typ + "/" + slug + resource, RawQuery: c.request.URL.RawQuery}
	return &reply{location: u.String()}
}
