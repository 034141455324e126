package api

import (
	"kindex/edge/web"
	"kindex/exports/history"
)

// subject is an entity that has a history. It may have been deleted.
type subject struct {
	ordinal uint32
	present bool // ordinal is its record
	newest  int  // its newest version, -1 if it was never committed
}

// findSubject looks up the entity at an address, even if it was deleted. If its slug has
// changed, moved is a redirect to the same resource under the new slug.
func findSubject(c *web.Call, typ, slug, resource string) (s subject, moved *web.Reply, err error) {
	b := c.Served.Build
	a := b.History()
	o, isAlias, present := b.Find(typ, slug)
	if present && isAlias {
		_, current := b.Key(o)
		return s, redirectTo(c, typ, current, resource), nil
	}
	if present {
		s = subject{ordinal: o, present: true, newest: -1}
		if last, ok := a.NewestOf(o); ok {
			s.newest = last
		}
		return s, nil, nil
	}
	last, ok := a.Last(typ, slug)
	if !ok {
		return s, nil, web.UnknownEntity(c, typ, slug)
	}
	s.newest = a.Newest(last)
	current := a.Version(s.newest)
	// A different entity may have this slug now.
	if to, ok := a.Last(current.Type, current.Slug); ok && current.Slug != slug && a.Newest(to) == s.newest {
		return s, redirectTo(c, current.Type, current.Slug, resource), nil
	}
	return s, nil, nil
}

// changes returns the changes to the entity under all its slugs, oldest first.
func (s *subject) changes(c *web.Call) []uint32 {
	if s.newest < 0 {
		return nil
	}
	return c.Served.Build.History().EntityChanges(s.newest)
}

// moments returns the contents of the entity, oldest first.
func (s *subject) moments(c *web.Call) ([]history.Moment, error) {
	b := c.Served.Build
	if s.present {
		return b.Moments(s.ordinal, maxSeriesVersions)
	}
	list, err := b.History().Moments(s.newest, maxSeriesVersions)
	if n := len(list); n > 0 && list[n-1].Entity != nil {
		list = append(list, history.Moment{}) // an edit that is not committed removed it
	}
	return list, err
}
