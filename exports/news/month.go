package news

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kindex/exports/jsonenc"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// maxListed is the number of entries that each list of a month has at most.
const maxListed = 20

// Month sums up the changes of a calendar month in UTC.
type Month struct {
	Month    string                 `json:"month"` // YYYY-MM
	Since    string                 `json:"since"` // the first and the last day; the as-of day ends the present month
	Until    string                 `json:"until"`
	Complete bool                   `json:"complete"`
	Previous jsonenc.OptionalString `json:"previous"` // the months before and after
	Next     jsonenc.OptionalString `json:"next"`
	Counts   Counts                 `json:"counts"`

	Added     List[Entity]       `json:"added"`
	Releases  List[Release]      `json:"releases"`
	Prices    List[PriceChange]  `json:"prices"`
	Announced List[Announcement] `json:"announced"` // deprecations and retirements of which the dates are new
	Ranked    List[Ranked]       `json:"ranked"`    // got their first score
	Movers    List[Mover]        `json:"movers"`    // the largest gains in score in a week
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

// List is the first entries of a list, and the number of all.
type List[T any] struct {
	Count int `json:"count"`
	Data  []T `json:"data"`
}

// Entity is an entity, and the day on which something happened to it.
type Entity struct {
	Type string `json:"type"`
	Slug string `json:"slug"`
	Name string `json:"name"`
	Day  string `json:"day"`
}

// Release is an entity's latest release in a month. Without a new version, its version is unknown.
type Release struct {
	Entity
	Version  jsonenc.OptionalString `json:"version"`
	Previous jsonenc.OptionalString `json:"previousVersion"`
}

// PriceChange is the difference between a price before and after a month, in USD.
type PriceChange struct {
	Entity
	Offer   string   `json:"offer"`
	Term    string   `json:"term"`
	Old     float64  `json:"old"`
	New     float64  `json:"new"`
	Percent *float64 `json:"percent"` // null if the old price was 0
}

// Announcement is a deprecation or retirement, or that a repository was archived. Day is when it was
// recorded, and Effective when it takes effect.
type Announcement struct {
	Entity
	Event     string                 `json:"event"`
	Effective jsonenc.OptionalString `json:"effective"`
}

// Ranked is an entity with its first score.
type Ranked struct {
	Entity
	Score float64 `json:"score"`
}

// Mover is the largest gain of an entity in a week. Day is the last day of that week.
type Mover struct {
	Entity
	Previous record.Score `json:"previousScore"`
	Score    record.Score `json:"score"`
}

// Months returns the months from the first change to the as-of day, newest first.
func (l *Log) Months() (names []string) {
	a := l.build.Archive()
	if a.Changes() == 0 {
		return nil
	}
	first := monthOf(a.ChangeTime(0))
	for m := monthOf(l.asOf); !m.Before(first); m = m.AddDate(0, -1, 0) {
		names = append(names, m.Format(monthFormat))
	}
	return names
}

const monthFormat = "2006-01"

func monthOf(t time.Time) time.Time {
	return time.Date(t.UTC().Year(), t.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
}

// Month sums up one of the Months, or returns nil for any other name. A month is summed up once.
func (l *Log) Month(name string) (*Month, error) {
	if !slices.Contains(l.Months(), name) {
		return nil, nil //nolint:nilnil // the month is unknown
	}
	sum, _ := l.months.LoadOrStore(name, sync.OnceValues(func() (*Month, error) { return l.sumUp(name) }))
	return sum.(func() (*Month, error))()
}

func (l *Log) sumUp(name string) (*Month, error) {
	start, err := time.Parse(monthFormat, name)
	if err != nil {
		return nil, err
	}
	end := start.AddDate(0, 1, 0)
	s := &summer{Month: &Month{Month: name, Since: start.Format(time.DateOnly), Complete: !l.asOf.Before(end)}, log: l,
		added: map[string]Entity{}, releases: map[string]Release{}, prices: map[string]PriceChange{}, ranked: map[string]Ranked{}}
	s.Until = minTime(end.AddDate(0, 0, -1), l.asOf).Format(time.DateOnly)
	months := l.Months()
	if i := slices.Index(months, name); i >= 0 {
		if i > 0 {
			s.Next = jsonenc.OptionalString(months[i-1])
		}
		if i+1 < len(months) {
			s.Previous = jsonenc.OptionalString(months[i+1])
		}
	}
	a := l.build.Archive()
	from, to := a.ChangesSince(start), a.ChangesSince(end)
	for i := from; i < to; i++ {
		c, err := a.Change(i)
		if err != nil {
			return nil, err
		}
		s.add(c)
	}
	for _, r := range l.refreshes() {
		if at := int(r.members.Minimum()); r.kind == &kinds[0] && from <= at && at < to {
			s.Counts.Refreshes++
		}
	}
	s.finish()
	s.addWeeks(start, end)
	return s.Month, nil
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// summer sums up a month. The maps have the latest state by entity, or by price.
type summer struct {
	*Month
	log      *Log
	added    map[string]Entity
	releases map[string]Release
	prices   map[string]PriceChange
	ranked   map[string]Ranked
}

func (s *summer) add(c *record.Change) {
	e := Entity{c.Type, c.Slug, c.Name, c.Timestamp.UTC().Format(time.DateOnly)}
	s.Counts.Changes++
	switch c.Event {
	case record.Created:
		s.Counts.Created++
		s.added[c.Key()] = e
		return
	case record.Deleted:
		s.Counts.Deleted++
		delete(s.added, c.Key())
		delete(s.releases, c.Key())
		delete(s.ranked, c.Key())
		return
	}
	s.Counts.Updated++
	if kindOf(c) == &kinds[0] {
		s.Counts.Figures++
	}
	s.addRelease(c, e)
	s.addAnnouncement(c, e)
	for _, f := range c.Fields {
		s.addPrice(f, e)
		if f.Field != "scores.composite" {
			continue
		}
		score, err := strconv.ParseFloat(string(f.New), 64)
		if old := string(f.Old); old == "null" && err == nil {
			s.ranked[c.Key()] = Ranked{e, score}
		} else if _, first := s.ranked[c.Key()]; first && err != nil {
			delete(s.ranked, c.Key())
		} else if first {
			s.ranked[c.Key()] = Ranked{e, score}
		}
	}
}

// addRelease adds a release: another version, or a later day of the latest release. The first version
// and day that are recorded say nothing about when it was.
func (s *summer) addRelease(c *record.Change, e Entity) {
	version, hasVersion := replaced(c, "version")
	day, hasDay := replaced(c, "signals.lastRelease")
	if !hasVersion && (!hasDay || day[1] <= day[0]) {
		return
	}
	r := Release{Entity: e, Version: jsonenc.OptionalString(version[1]), Previous: jsonenc.OptionalString(version[0])}
	if hasDay {
		r.Day = day[1]
	}
	if before, ok := s.releases[c.Key()]; ok && before.Previous != "" {
		r.Previous, r.Version = before.Previous, cmp.Or(r.Version, before.Version)
	}
	s.releases[c.Key()] = r
}

// replaced returns a text before and after a change that replaced it.
func replaced(c *record.Change, field string) (values [2]string, ok bool) {
	f, ok := c.Field(field)
	if !ok || string(f.Old) == "null" || string(f.New) == "null" {
		return values, false
	}
	return [2]string{jsonenc.Text(f.Old), jsonenc.Text(f.New)}, true
}

// endings are the events that fields announce.
var endings = []struct{ field, event string }{
	{"lifecycle.retires", "retirement"}, {"lifecycle.deprecated", "deprecation"}, {"status", "deprecation"}, {"signals.archived", "archived"},
}

// addAnnouncement adds the first ending that a change announces.
func (s *summer) addAnnouncement(c *record.Change, e Entity) {
	for _, ending := range endings {
		f, ok := c.Field(ending.field)
		value := jsonenc.Text(f.New)
		switch {
		case !ok || string(f.New) == "null",
			ending.field == "status" && value != record.Deprecated,
			ending.field == "signals.archived" && string(f.New) != "1":
			continue
		case ending.field == "status" || ending.field == "signals.archived":
			value = ""
		}
		s.Announced.Data = append(s.Announced.Data, Announcement{e, ending.event, jsonenc.OptionalString(value)})
		return
	}
}

func (s *summer) addPrice(f record.FieldChange, e Entity) {
	c, ok := pricing.DescribeChange(f)
	if !ok || !strings.HasSuffix(c.Term, " price") {
		return
	}
	var before, after record.Price
	if json.Unmarshal(f.Old, &before) != nil || json.Unmarshal(f.New, &after) != nil || !before.Known() || !after.Known() {
		return
	}
	key := e.Type + "/" + e.Slug + " " + f.Field
	p := PriceChange{Entity: e, Offer: c.Offer, Term: c.Term, Old: before.Float(), New: after.Float()}
	if first, again := s.prices[key]; again {
		p.Old = first.Old
	}
	s.prices[key] = p
}

// finish sorts the lists. Of equals, the better entity comes first.
func (s *summer) finish() {
	s.Added = listOf(slices.Collect(maps.Values(s.added)), s.better)
	s.Releases = listOf(slices.Collect(maps.Values(s.releases)), func(a, b Release) int { return s.better(a.Entity, b.Entity) })
	s.Announced = listOf(s.Announced.Data, func(a, b Announcement) int {
		return cmp.Or(cmp.Compare(b.Event, a.Event), s.better(a.Entity, b.Entity))
	})
	s.Ranked = listOf(slices.Collect(maps.Values(s.ranked)), func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), s.better(a.Entity, b.Entity))
	})
	var prices []PriceChange
	for _, p := range s.prices {
		switch {
		case p.New > p.Old:
			s.Counts.PricesUp++
		case p.New < p.Old:
			s.Counts.PricesDown++
		default:
			continue // changed and changed back
		}
		if p.Old > 0 {
			percent := math.Round(1000*(p.New-p.Old)/p.Old) / 10
			p.Percent = &percent
		}
		prices = append(prices, p)
	}
	s.Prices = listOf(prices, func(a, b PriceChange) int {
		return cmp.Or(cmp.Compare(b.size(), a.size()), s.better(a.Entity, b.Entity), cmp.Compare(a.Offer+a.Term, b.Offer+b.Term))
	})
}

// size is how much a price changed, in relation to what it was.
func (p *PriceChange) size() float64 {
	if p.Percent == nil {
		return math.Inf(1)
	}
	return math.Abs(math.Log((p.New + 1e-9) / p.Old))
}

// better orders entities by their present score.
func (s *summer) better(a, b Entity) int {
	score := func(e Entity) float64 {
		if o, _, ok := s.log.build.Find(e.Type, e.Slug); ok {
			if x := s.log.build.Entity(o).Scores.Composite; x.Known() {
				return x.Float()
			}
		}
		return -1
	}
	return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a.Type+"/"+a.Slug, b.Type+"/"+b.Slug))
}

func listOf[T any](all []T, order func(a, b T) int) List[T] {
	slices.SortStableFunc(all, order)
	return List[T]{len(all), append([]T{}, all[:min(maxListed, len(all))]...)}
}

// addWeeks adds the movers of the weeks that ended in the month. Their gains have two readings each.
func (s *summer) addWeeks(start, end time.Time) {
	movers := map[record.Mover]Mover{}
	gain := func(m Mover) int16 { return m.Score.Tenths() - m.Previous.Tenths() }
	for _, w := range s.log.build.Archive().Weeks() {
		day := w.End.AddDate(0, 0, -1)
		if day.Before(start) || !day.Before(end) {
			continue
		}
		for _, m := range w.Scores {
			now := Mover{Entity{m.Type, m.Slug, m.Name, day.Format(time.DateOnly)}, m.Previous, m.Score}
			if gain(now) > gain(movers[m.Mover]) {
				movers[m.Mover] = now
			}
		}
	}
	s.Movers = listOf(slices.Collect(maps.Values(movers)), func(a, b Mover) int {
		return cmp.Or(cmp.Compare(gain(b), gain(a)), s.better(a.Entity, b.Entity))
	})
}
