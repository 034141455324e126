package news

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"kindex/exports/jsonenc"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

const maxListed = 20

const monthFormat = "2006-01"

// Month sums up the changes of a calendar month in UTC. Changes in its lists have only the field that the
// list is about, with its values before and after the month.
type Month struct {
	Month     string                 `json:"month"` // YYYY-MM
	Since     string                 `json:"since"`
	Until     string                 `json:"until"` // the as-of day in the present month
	Complete  bool                   `json:"complete"`
	Previous  jsonenc.OptionalString `json:"previous"` // the months before and after
	Next      jsonenc.OptionalString `json:"next"`
	Counts    Counts                 `json:"counts"`
	Added     List[*record.Change]   `json:"added"`
	Releases  List[*record.Change]   `json:"releases"`
	Prices    List[*record.Change]   `json:"prices"`    // the largest differences first
	Announced List[*record.Change]   `json:"announced"` // deprecations, retirements and archived repositories
	Ranked    List[*record.Change]   `json:"ranked"`    // got their first score
	Movers    List[record.ScoreMove] `json:"movers"`    // in a week that ended in the month
}

// Counts counts the changes of a month.
type Counts struct {
	Changes    int `json:"changes"`
	Created    int `json:"created"`
	Updated    int `json:"updated"`
	Deleted    int `json:"deleted"`
	Figures    int `json:"figures"`   // updates of figures alone
	Refreshes  int `json:"refreshes"` // commits with several of these
	PricesUp   int `json:"pricesUp"`
	PricesDown int `json:"pricesDown"`
}

// List is the start of a list, and the number of all.
type List[T any] struct {
	Count int `json:"count"`
	Data  []T `json:"data"`
}

func listOf[T any](all []T, order func(a, b T) int) List[T] {
	slices.SortStableFunc(all, order)
	return List[T]{len(all), append([]T{}, all[:min(maxListed, len(all))]...)}
}

// Months returns the months from the first change to the as-of day, newest first.
func (l *Log) Months() (names []string) {
	a := l.build.History()
	if a.Changes() == 0 {
		return nil
	}
	first := a.ChangeTime(0).Format(monthFormat)
	for m := l.asOf.AddDate(0, 0, 1-l.asOf.Day()); m.Format(monthFormat) >= first; m = m.AddDate(0, -1, 0) {
		names = append(names, m.Format(monthFormat))
	}
	return names
}

// Month sums up one of the Months, or returns nil for any other name. A month is summed up once.
func (l *Log) Month(name string) *Month {
	months := l.Months()
	i := slices.Index(months, name)
	if i < 0 {
		return nil
	}
	sum, _ := l.months.LoadOrStore(name, sync.OnceValue(func() *Month {
		m := &Month{Month: name}
		if i > 0 {
			m.Next = jsonenc.OptionalString(months[i-1])
		}
		if i+1 < len(months) {
			m.Previous = jsonenc.OptionalString(months[i+1])
		}
		l.sumUp(m)
		return m
	}))
	return sum.(func() *Month)()
}

func (l *Log) sumUp(m *Month) {
	start, _ := time.Parse(monthFormat, m.Month) // one of Months
	end := start.AddDate(0, 1, 0)
	m.Since, m.Complete = start.Format(time.DateOnly), !l.asOf.Before(end)
	m.Until = min(end.AddDate(0, 0, -1).Format(time.DateOnly), l.asOf.Format(time.DateOnly))
	a := l.build.History()
	from, to := a.ChangesSince(start), a.ChangesSince(end)
	s := summary{Month: m, added: changes{}, releases: changes{}, prices: changes{}, announced: changes{}, ranked: changes{}}
	for i := from; i < to; i++ {
		s.add(a.Change(i))
	}
	for _, r := range l.found().refreshes {
		if at := int(r.members.Minimum()); r.kind == &kinds[0] && from <= at && at < to {
			m.Counts.Refreshes++
		}
	}
	m.Added, m.Releases = s.added.list(l.better), s.releases.list(l.better)
	m.Announced, m.Ranked = s.announced.list(l.better), s.ranked.list(l.better)
	s.addPrices(l.better)
	for _, w := range a.Weeks() { // the newest first
		if day := w.End.AddDate(0, 0, -1); !day.Before(start) && day.Before(end) {
			m.Movers.Data = append(m.Movers.Data, w.Scores...)
		}
	}
	gain := func(m record.ScoreMove) int16 { return m.Score.Tenths() - m.Previous.Tenths() }
	m.Movers = listOf(m.Movers.Data, func(a, b record.ScoreMove) int { return cmp.Compare(gain(b), gain(a)) })
}

func (l *Log) better(a, b *record.Change) int {
	score := func(c *record.Change) record.Score {
		o, _, ok := l.build.Find(c.Type, c.Slug)
		if !ok {
			return record.Score{}
		}
		return l.build.Entity(o).Scores.Composite
	}
	return cmp.Or(score(b).Compare(score(a)), strings.Compare(a.Key(), b.Key()))
}

// changes holds changes of one field by the entity, or by entity and field.
type changes map[string]*record.Change

// set adds a change of one field. Its first value before is kept.
func (m changes) set(key string, c *record.Change, f record.FieldChange) {
	one := *c
	if first := m[key]; first != nil && first.Fields[0].Field == f.Field {
		f.Old = first.Fields[0].Old
	}
	one.Fields = []record.FieldChange{f}
	m[key] = &one
}

func (m changes) list(order func(a, b *record.Change) int) List[*record.Change] {
	return listOf(slices.Collect(maps.Values(m)), order)
}

type summary struct {
	*Month
	added, releases, prices, announced, ranked changes
}

func (s *summary) add(c *record.Change) {
	s.Counts.Changes++
	switch c.Event {
	case record.Created:
		s.Counts.Created++
		name, _ := c.Field("name")
		s.added.set(c.Key(), c, name)
		return
	case record.Deleted:
		s.Counts.Deleted++
		for _, m := range []changes{s.added, s.releases, s.ranked} {
			delete(m, c.Key())
		}
		return
	}
	s.Counts.Updated++
	if kindOf(c) == &kinds[0] {
		s.Counts.Figures++
	}
	for _, f := range c.Fields {
		before, after := string(f.Old) != "null", string(f.New) != "null"
		switch {
		case before && after && s.isRelease(c.Key(), f):
			s.releases.set(c.Key(), c, f)
		case f.Field == "scores.composite" && !before && after:
			s.ranked.set(c.Key(), c, f)
		case f.Field == "scores.composite" && !after:
			delete(s.ranked, c.Key())
		case ends(f):
			s.announced.set(c.Key()+" "+f.Field, c, f)
		case isPrice(f):
			s.prices.set(c.Key()+" "+f.Field, c, f)
		}
	}
}

// isRelease reports whether a fact that replaced another one is a release: a version, or a later day unless
// a version is known. A first version, and a first day, say nothing about when it was.
func (s *summary) isRelease(key string, f record.FieldChange) bool {
	known := s.releases[key]
	return f.Field == "version" || f.Field == "signals.lastRelease" && string(f.New) > string(f.Old) && (known == nil || known.Fields[0].Field != "version")
}

func ends(f record.FieldChange) bool {
	switch f.Field {
	case "lifecycle.retires", "lifecycle.deprecated":
		return string(f.New) != "null"
	case "status":
		return string(f.New) == `"`+record.Deprecated+`"`
	case "signals.archived":
		return string(f.New) == "1"
	}
	return false
}

func isPrice(f record.FieldChange) bool {
	c, ok := pricing.DescribeChange(f)
	return ok && strings.HasSuffix(c.Term, " price") && c.Old != "" && c.New != ""
}

func (s *summary) addPrices(better func(a, b *record.Change) int) {
	ratio := func(c *record.Change) float64 {
		var before, after record.Price
		if json.Unmarshal(c.Fields[0].Old, &before) != nil || json.Unmarshal(c.Fields[0].New, &after) != nil {
			return 0
		}
		return math.Log((after.Float() + 1e-6) / (before.Float() + 1e-6)) // prices have six decimals
	}
	for key, c := range s.prices {
		switch r := ratio(c); {
		case r > 0:
			s.Counts.PricesUp++
		case r < 0:
			s.Counts.PricesDown++
		default:
			delete(s.prices, key)
		}
	}
	s.Prices = s.prices.list(func(a, b *record.Change) int {
		return cmp.Or(cmp.Compare(math.Abs(ratio(b)), math.Abs(ratio(a))), better(a, b), strings.Compare(a.Fields[0].Field, b.Fields[0].Field))
	})
}
