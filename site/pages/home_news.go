package pages

import (
	"slices"
	"strings"
	"time"

	"kindex/exports/calendar"
	"kindex/exports/feed"
	"kindex/exports/pricing"
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
	Changes  []changeSummary // without those of descriptions alone
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
	for i := a.Changes() - 1; i >= max(0, a.Changes()-homeSearched); i-- {
		if len(n.Changes) == homeChanges && len(n.Prices) == homeNews {
			return nil
		}
		c, err := a.Change(i)
		if err != nil {
			return err
		}
		if len(n.Changes) < homeChanges {
			if shown := without(c, isMinorChange); shown != nil {
				n.Changes = append(n.Changes, s.changeSummary(shown))
			}
		}
		if len(n.Prices) < homeNews && c.Event == record.Updated {
			if shown := without(c, func(f record.FieldChange) bool { return !isPriceChange(f) }); shown != nil {
				n.Prices = append(n.Prices, s.changeSummary(shown))
			}
		}
	}
	return nil
}

// without returns an update without some of its fields, or nil if nothing is left of it but what was
// calculated from them. Other changes stay as they are.
func without(c *record.Change, drop func(record.FieldChange) bool) *record.Change {
	if c.Event != record.Updated {
		return c
	}
	left := *c
	left.Fields = slices.DeleteFunc(slices.Clone(c.Fields), drop)
	if !slices.ContainsFunc(left.Fields, func(f record.FieldChange) bool { return !strings.HasPrefix(f.Field, "scores.") }) {
		return nil
	}
	return &left
}

// isMinorChange reports whether a change of a field is about how an entity is described and found, so
// that the home page leaves it out.
func isMinorChange(f record.FieldChange) bool {
	name, _, _ := strings.Cut(f.Field, ".")
	return slices.Contains([]string{"description", "tags", "capabilities", "ids"}, name)
}

// isPriceChange reports whether a price of an offer was replaced by another one.
func isPriceChange(f record.FieldChange) bool {
	c, ok := pricing.DescribeChange(f)
	return ok && strings.HasSuffix(c.Term, " price") && c.Old != "" && c.New != ""
}

// changeSummary describes a change.
func (s *Site) changeSummary(c *record.Change) changeSummary {
	_, _, here := s.Build.Find(c.Type, c.Slug)
	if !here { // deleted entities have a tombstone
		_, here = s.Build.History().Last(c.Type, c.Slug)
	}
	return changeSummary{c, feed.Summarize(c, s.titles), here}
}
