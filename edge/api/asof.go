package api

import (
	"fmt"
	"net/url"
	"time"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/history"
	"kindex/exports/view"
)

// atParam returns the day requested with the "at" parameter, or "" for the present.
func atParam(c *web.Call) (string, error) {
	day, err := c.Query.Day("at")
	if err != nil || day == "" {
		return "", err
	}
	a := c.Served.Build.History()
	if last := a.LastDay(); day > last {
		return "", &query.Error{Param: "at", Message: fmt.Sprintf("%s is after the last day of this build, %s", day, last), Suggestion: last}
	}
	if first := a.FirstDay(); first == "" || day < first {
		return "", noHistory(c, day)
	}
	return day, nil
}

// noHistory returns the problem for a day before the first change.
func noHistory(c *web.Call, day string) error {
	p := web.NewProblem("no-history", fmt.Sprintf("This index has no history, so there is no data for %s.", day))
	if first := c.Served.Build.History().FirstDay(); first != "" {
		p.Detail = fmt.Sprintf("There is no history for %s: it starts on %s.", day, first)
		_ = p.WithSuggestion(first)
	}
	return p
}

// catalogueAt returns the catalogue from which lists are read: that of the build if day is "", else the
// catalogue at the end of that day.
func catalogueAt(c *web.Call, day string) (*view.View, error) {
	if day == "" {
		return c.Served.Build.View, nil
	}
	past, err := c.Served.Build.History().Day(day)
	if err != nil {
		return nil, err
	}
	return past.View, nil
}

// entityAt returns a record as of the end of a day, with scores as of that day.
func entityAt(c *web.Call, day string, markdown bool) (*web.Reply, error) {
	a, typ, slug := c.Served.Build.History(), c.Param("type"), c.Param("slug")
	v, known, err := versionAt(c, typ, slug, day)
	switch {
	case err != nil:
		return nil, err
	case !known:
		return nil, web.UnknownEntity(c, typ, slug)
	}
	e, err := a.Entity(v)
	if err != nil {
		return nil, err
	}
	asOf, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, err
	}
	if e, err = a.EntityAt(v, day, c.Served.Formula.Scores(e, asOf)); err != nil {
		return nil, err
	}
	if markdown {
		return markdownPageAt(c, e, v, asOf)
	}
	return &web.Reply{MediaType: web.JSONType, Body: entityObject(c.Served, c.Buffer(), e.AppendJSON(nil))}, nil
}

// versionAt returns the version of an entity at the end of a day. It returns a problem if the
// entity did not exist on that day; known is false if it never did.
func versionAt(c *web.Call, typ, slug, day string) (v int, known bool, err error) {
	a := c.Served.Build.History()
	v, lifecycle := a.At(typ, slug, day)
	switch lifecycle {
	case history.Unknown:
		if _, _, ok := c.Served.Build.Find(typ, slug); ok {
			return v, true, web.NewProblem("no-history", fmt.Sprintf("The %s %q has no history because it has not been committed yet.", typ, slug))
		}
		return v, false, nil
	case history.NotYet:
		return v, true, web.NewProblem("no-history", fmt.Sprintf("The %s %q was not in the index on %s.", typ, slug, day))
	case history.Gone:
		return v, true, web.DeletedEntity(typ, slug, a.Version(v).Time)
	}
	return v, true, nil
}

// redirectRemoved handles a request for an entity that is not in the build. The history may show
// that the entity was renamed or deleted.
func redirectRemoved(c *web.Call, resource string) (moved *web.Reply, err error) {
	typ, slug, err := currentAddress(c)
	switch {
	case err != nil:
		return nil, err
	case slug == "":
		return nil, web.UnknownEntity(c, c.Param("type"), c.Param("slug"))
	}
	return redirectTo(c, typ, slug, resource), nil
}

// currentAddress returns the current address of the entity that used to be at the requested
// path, or "" if there was none. It returns an error if the entity was deleted.
func currentAddress(c *web.Call) (typ, slug string, err error) {
	typ, slug = c.Param("type"), c.Param("slug")
	switch version, lifecycle := c.Served.Build.ResolveRemoved(typ, slug); lifecycle {
	case history.Exists:
		return version.Type, version.Slug, nil
	case history.Gone:
		return "", "", web.DeletedEntity(typ, slug, version.Time)
	}
	return "", "", nil
}

// redirectTo redirects to the same resource at the entity's current address.
func redirectTo(c *web.Call, typ, slug, resource string) *web.Reply {
	u := url.URL{Path: "/api/entity/" + typ + "/" + slug + resource, RawQuery: c.Request.URL.RawQuery}
	return &web.Reply{Location: u.String()}
}
