package pages

import (
	"slices"
	"time"

	"kindex/exports/calendar"
	"kindex/exports/feed"
	"kindex/exports/history"
	"kindex/exports/news"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/siteurl"
)

// homeNewsLists is what is new: by release, price and retirement, and the latest changes. It is found
// once for each build.
type homeNewsLists struct {
	Released []newsEvent // newest first
	Retiring []newsEvent // the next first; those of the last month after them
	Prices   []changeSummary
	Changes  []changeSummary // without figures and descriptions
}

// newsEvent is a release or a retirement.
type newsEvent struct {
	calendar.Event
	Past bool // the day has passed
}

// Path returns the path of the entity's page.
func (e newsEvent) Path() string { return siteurl.Entity(e.Type, e.Slug) }

// findNews finds what is new.
func (s *Site) findNews() (*homeNewsLists, error) {
	n := &homeNewsLists{}
	set := s.Build.Select(&view.Filter{})
	events, err := calendar.Events(s.Build, s.AsOf, set)
	if err != nil {
		return nil, err
	}
	n.addEvents(events, s.AsOf)
	return n, s.addLatestChanges(n)
}

// addEvents adds the releases and retirements closest to a time; events are sorted by day.
func (n *homeNewsLists) addEvents(events []calendar.Event, asOf time.Time) {
	today := asOf.UTC().Format(time.DateOnly)
	lastMonth := asOf.UTC().AddDate(0, 0, -30).Format(time.DateOnly)
	shown := map[string]bool{} // entities whose newest release is shown
	var past []newsEvent
	for _, e := range slices.Backward(events) {
		key := e.Type + "/" + e.Slug
		switch {
		case e.Kind == calendar.Release && !e.Recorded && e.Day <= today && !shown[key] && len(n.Released) < homeNews:
			shown[key] = true
			n.Released = append(n.Released, newsEvent{e, true})
		case e.Kind == calendar.Retirement && e.Day <= today && e.Day >= lastMonth:
			past = append(past, newsEvent{e, true})
		}
	}
	for _, e := range events {
		if e.Kind == calendar.Retirement && e.Day > today {
			n.Retiring = append(n.Retiring, newsEvent{e, false})
		}
	}
	n.Retiring = append(n.Retiring, past...)
	n.Retiring = n.Retiring[:min(homeNews, len(n.Retiring))]
}

// addLatestChanges adds the latest changes, and those of prices.
func (s *Site) addLatestChanges(n *homeNewsLists) error {
	a := s.Build.History()
	set := a.SelectChanges(history.ChangeFilter{To: a.Changes()})
	set.AndNot(s.News.Figures())
	newest := set.ReverseIterator()
	for range min(homeSearched, int(set.GetCardinality())) {
		if len(n.Changes) == homeChanges && len(n.Prices) == homeNews {
			return nil
		}
		c, err := a.Change(int(newest.Next()))
		if err != nil {
			return err
		}
		if len(n.Changes) < homeChanges {
			if shown := without(c, func(f record.FieldChange) bool { return !news.IsNews(f.Field) }); shown != nil {
				n.Changes = append(n.Changes, s.changeSummary(shown))
			}
		}
		if len(n.Prices) < homeNews && c.Event == record.Updated {
			if shown := without(c, func(f record.FieldChange) bool { return !news.IsPrice(f) }); shown != nil {
				n.Prices = append(n.Prices, s.changeSummary(shown))
			}
		}
	}
	return nil
}

// without returns an update without some of its fields, or nil if nothing is left of it. Other changes stay as they are.
func without(c *record.Change, drop func(record.FieldChange) bool) *record.Change {
	if c.Event != record.Updated {
		return c
	}
	left := *c
	left.Fields = slices.DeleteFunc(slices.Clone(c.Fields), drop)
	if len(left.Fields) == 0 {
		return nil
	}
	return &left
}

// changeSummary describes a change.
func (s *Site) changeSummary(c *record.Change) changeSummary {
	_, _, here := s.Build.Find(c.Type, c.Slug)
	if !here { // deleted entities have a tombstone
		_, here = s.Build.History().Last(c.Type, c.Slug)
	}
	return changeSummary{c, feed.Summarize(c, s.words()), here}
}
