package pages

import (
	"slices"
	"strings"
	"time"

	"kindex/exports/calendar"
	"kindex/exports/feed"
	"kindex/exports/record"
	"kindex/exports/view"
)

// homeNewsLists is what is new: by release, price and retirement, and the latest changes. It is found
// once for each build.
type homeNewsLists struct {
	Released  []calendar.Event // newest first
	Retiring  []retirement     // the next first; those of the last month after them
	Prices    []priceNews      // of the last two months, the largest differences of each first
	Ranked    []*record.Change // got their first score in the present month
	Questions []link
}

// retirement is a retirement on some day.
type retirement struct {
	calendar.Event
	Past bool // the day has passed
}

// priceNews is a changed price of an offer.
type priceNews struct {
	changeSummary
	Text string // such as input $2 → $1 at OpenAI
}

// priceNews returns a change of prices in short.
func (s *Site) priceNews(c *record.Change) priceNews {
	n := priceNews{changeSummary: s.changeSummary(c)}
	offer, name, _ := strings.Cut(strings.TrimPrefix(c.Fields[0].Field, "offers."), ".")
	provider, _, _ := strings.Cut(offer, "/")
	if i := slices.Index(record.PriceNames[:], name); i >= 0 && i < len(priceWords) && len(n.Lines) > 0 && n.Lines[0].Old != nil && n.Lines[0].New != nil {
		n.Text = priceWords[i] + " " + strings.TrimSuffix(n.Lines[0].Old.Text, " per million tokens") + " → " + strings.TrimSuffix(n.Lines[0].New.Text, " per million tokens") + " at " + s.providerName(provider)
	}
	return n
}

// findNews finds what is new.
func (s *Site) findNews() (*homeNewsLists, error) {
	n := &homeNewsLists{}
	set := s.Build.Select(&view.Filter{})
	events, err := calendar.Events(s.Build, s.AsOf, set)
	if err != nil {
		return nil, err
	}
	n.addEvents(events, s.AsOf)
	for i, name := range s.News.Months()[:min(2, len(s.News.Months()))] { // few prices change in the first days of a month
		m, err := s.News.Month(name)
		if err != nil {
			return nil, err
		}
		for _, c := range m.Prices.Data[:min(homeNews-len(n.Prices), len(m.Prices.Data))] {
			n.Prices = append(n.Prices, s.priceNews(c))
		}
		if i == 0 {
			n.Ranked = m.Ranked.Data[:min(homeNews, len(m.Ranked.Data))]
		}
	}
	n.Questions = s.findQuestions(n)
	return n, nil
}

// addEvents adds the releases and retirements closest to a time; events are sorted by day.
func (n *homeNewsLists) addEvents(events []calendar.Event, asOf time.Time) {
	today := asOf.UTC().Format(time.DateOnly)
	lastMonth := asOf.UTC().AddDate(0, 0, -30).Format(time.DateOnly)
	shown := map[string]bool{} // entities whose newest release is shown
	for _, e := range slices.Backward(events) {
		key := e.Type + "/" + e.Slug
		if e.Kind == calendar.Release && !e.Recorded && e.Day <= today && !shown[key] && len(n.Released) < homeNews {
			shown[key] = true
			n.Released = append(n.Released, e)
		}
	}
	for _, e := range events {
		if e.Kind == calendar.Retirement && e.Day >= lastMonth {
			n.Retiring = append(n.Retiring, retirement{e, e.Day <= today})
		}
	}
	slices.SortStableFunc(n.Retiring, func(a, b retirement) int { return boolOrder(a.Past) - boolOrder(b.Past) })
	n.Retiring = n.Retiring[:min(homeNews, len(n.Retiring))]
}

// changeSummary describes a change.
func (s *Site) changeSummary(c *record.Change) changeSummary {
	_, _, here := s.Build.Find(c.Type, c.Slug)
	if !here { // deleted entities have a tombstone
		_, here = s.Build.History().Last(c.Type, c.Slug)
	}
	return changeSummary{Change: c, Summary: feed.Summarize(c, s.words()), Here: here}
}
