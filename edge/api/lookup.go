package api

import (
	"fmt"
	"net/url"
	"time"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/history"
)

// found is what is known of the entity at an address.
type found struct {
	known     bool
	typ, slug string // its current address
	present   bool   // it is in the build
	ordinal   uint32 // its record, if it is
	newest    int    // its newest version, or -1 if it was never committed
}

// find looks up the entity at an address, which may be a former one, even if it was deleted.
func find(c *web.Call, typ, slug string) (f found) {
	b := c.Served.Build
	a := b.History()
	f.newest = -1
	if f.ordinal, _, f.present = b.Find(typ, slug); !f.present {
		last, ok := a.Last(typ, slug)
		if !ok {
			return f
		}
		f.typ, f.slug, f.newest = typ, slug, a.Newest(last)
		// The entity may have moved, and a different one may have its slug now.
		if v := a.Version(f.newest); v.Slug != slug || v.Type != typ {
			if to, ok := a.Last(v.Type, v.Slug); ok && a.Newest(to) == f.newest {
				f.typ, f.slug = v.Type, v.Slug
				f.ordinal, _, f.present = b.Find(v.Type, v.Slug)
			}
		}
	}
	f.known = true
	if f.present {
		f.typ, f.slug = b.Key(f.ordinal)
		if v, ok := a.NewestOf(f.ordinal); ok {
			f.newest = v
		}
	}
	return f
}

// deleted returns the problem for an entity that is not in the build, or nil if its history does not say
// that it was deleted.
func (f *found) deleted(c *web.Call, typ, slug string) error {
	if !f.gone(c) {
		return nil
	}
	return web.DeletedEntity(typ, slug, c.Served.Build.History().Version(f.newest).Time)
}

func (f *found) gone(c *web.Call) bool {
	return f.known && !f.present && c.Served.Build.History().Version(f.newest).Deleted
}

// findEntity looks up the entity at the requested path. If its slug has changed, moved is a redirect to
// the same resource under the new slug. Only if ever is set, it may have been deleted.
func findEntity(c *web.Call, resource string, ever bool) (f found, moved *web.Reply, err error) {
	typ, slug := c.Param("type"), c.Param("slug")
	f = find(c, typ, slug)
	switch {
	case f.known && (f.typ != typ || f.slug != slug) && (f.present || ever):
		u := url.URL{Path: "/api/entity/" + f.typ + "/" + f.slug + resource, RawQuery: c.Request.URL.RawQuery}
		return f, &web.Reply{Location: u.String()}, nil
	case f.present, f.known && ever:
		return f, nil, nil
	}
	if err := f.deleted(c, typ, slug); err != nil {
		return f, nil, err
	}
	return f, nil, web.UnknownEntity(c, typ, slug)
}

// changes returns the changes to the entity under all its slugs, oldest first.
func (f *found) changes(c *web.Call) []uint32 {
	if f.newest < 0 {
		return nil
	}
	return c.Served.Build.History().EntityChanges(f.newest)
}

// moments returns the contents of the entity, oldest first.
func (f *found) moments(c *web.Call) ([]history.Moment, error) {
	b := c.Served.Build
	if f.present {
		return b.Moments(f.ordinal, maxSeriesVersions)
	}
	moments, err := b.History().Moments(f.newest, maxSeriesVersions)
	if n := len(moments); n > 0 && moments[n-1].Entity != nil {
		moments = append(moments, history.Moment{}) // an edit that is not committed removed it
	}
	return moments, err
}

// atParam returns the day requested with the "at" parameter, or "" for the present.
func atParam(c *web.Call) string {
	day, a := c.Query.Day("at"), c.Served.Build.History()
	switch last, first := a.LastDay(), a.FirstDay(); {
	case day == "":
	case day > last:
		c.Query.Fail(&query.Error{Param: "at", Message: fmt.Sprintf("%s is after the last day of this build, %s", day, last), Suggestion: last})
	case first == "" || day < first:
		c.Query.Fail(noHistory(c, day))
	default:
		return day
	}
	return ""
}

func noHistory(c *web.Call, day string) error {
	first := c.Served.Build.History().FirstDay()
	if first == "" {
		return web.NewProblem("no-history", fmt.Sprintf("This index has no history, so there is no data for %s.", day))
	}
	return web.NewProblem("no-history", fmt.Sprintf("There is no history for %s: it starts on %s.", day, first)).WithSuggestion(first)
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
	asOf, _ := time.Parse(time.DateOnly, day) // it has been parsed before
	if e, err = a.EntityAt(v, day, c.Served.Formula.Scores(e, asOf)); err != nil {
		return nil, err
	}
	if !markdown {
		return objectReply(c, e.AppendJSON(nil)), nil
	}
	return &web.Reply{MediaType: MarkdownType, Body: c.Served.Site().MarkdownAt(e, v, asOf, c.BaseURL())}, nil
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
