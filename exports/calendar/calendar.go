// Package calendar writes releases, deprecations and retirements of entities as an iCalendar
// document (RFC 5545, with the properties of RFC 7986 for subscribed calendars).
//
// Every event lasts all day. Its UID depends only on the entity's address and the kind of event,
// and for a release on its version or day, so that clients recognize it in every build.
//
// Names are untrusted. Each run of white space and hidden characters in them becomes a space.
package calendar

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	ics "github.com/arran4/golang-ical"

	"kindex/exports"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// MediaType is the media type of the document.
const MediaType = "text/calendar; charset=utf-8"

const refreshInterval = "PT12H"

// Kind is what happens to an entity on a day.
type Kind string

// The kinds of events.
const (
	Release     Kind = "release"
	Deprecation Kind = "deprecation"
	Retirement  Kind = "retirement"
)

// Event is an event in the life of an entity.
type Event struct {
	Kind             Kind
	Type, Slug, Name string
	Day              string // YYYY-MM-DD
	// Version is the released version, or "" if it is unknown.
	Version string
	// First is set if this is the entity's first release.
	First bool
	// Recorded is set if the release date is unknown, and Day is the day when the
	// version was recorded.
	Recorded bool
	// Successor is the name of the entity that replaces this one, or "" if there is none, and
	// SuccessorKey its type/slug.
	Successor, SuccessorKey string
	Source                  string // URL of the page that says so, or "" if unknown
}

// UID returns an identifier of the event that does not depend on the build.
func (e *Event) UID() string {
	uid := "urn:kindex:" + string(e.Kind) + ":" + url.PathEscape(e.Type) + "/" + url.PathEscape(e.Slug)
	switch {
	case e.Kind != Release || e.First:
		return uid
	case e.Version != "":
		return uid + "/version/" + url.PathEscape(e.Version)
	}
	return uid + "/day/" + e.Day
}

// Calendar is an iCalendar document.
type Calendar struct {
	Title, Description string
	// Base is the public URL of the index, such as https://index.example.org, and Self the URL
	// of the document. If Base is "", nothing has a URL.
	Base, Self string
	AsOf       time.Time // the time for which the events were read; the same for a whole build
	Events     []Event
}

// Write writes the document. The output is deterministic.
func (c *Calendar) Write(w io.Writer) error {
	doc := &ics.Calendar{}
	doc.SetVersion("2.0")
	doc.SetProductId("-//kindex//kindex//EN")
	doc.SetName(safetext.OneLine(c.Title)) // both NAME and X-WR-CALNAME
	description := safetext.OneLine(c.Description)
	doc.SetDescription(description)
	doc.SetXWRCalDesc(description)
	if c.Base != "" {
		doc.SetUrl(c.Base)
		setProperty(doc, "SOURCE", c.Self, ics.WithValue("URI"))
	}
	doc.SetRefreshInterval(refreshInterval) // with the parameter VALUE=DURATION
	doc.SetXPublishedTTL(refreshInterval)
	for i := range c.Events {
		if err := c.add(doc, &c.Events[i]); err != nil {
			return err
		}
	}
	return doc.SerializeTo(w, ics.WithNewLine("\r\n"))
}

func setProperty(doc *ics.Calendar, name, value string, parameter ics.PropertyParameter) {
	key, values := parameter.KeyValue()
	doc.CalendarProperties = append(doc.CalendarProperties, ics.CalendarProperty{BaseProperty: ics.BaseProperty{
		IANAToken: name, Value: value, ICalParameters: map[string][]string{key: values}}})
}

func (c *Calendar) add(doc *ics.Calendar, e *Event) error {
	day, err := time.Parse(time.DateOnly, e.Day)
	if err != nil {
		return fmt.Errorf("calendar: the %s of %s/%s: %w", e.Kind, e.Type, e.Slug, err)
	}
	v := doc.AddEvent(e.UID())
	v.SetDtStampTime(c.AsOf)
	v.SetAllDayStartAt(day)
	v.SetSummary(e.summary())
	v.SetDescription(e.description())
	if c.Base != "" {
		v.SetURL(strings.TrimRight(c.Base, "/") + "/" + url.PathEscape(e.Type) + "/" + url.PathEscape(e.Slug) + "/")
	}
	v.AddCategory(strings.ToUpper(string(e.Kind[:1])) + string(e.Kind[1:]))
	v.SetTimeTransparency(ics.TransparencyTransparent) // the day stays free
	return nil
}

func (e *Event) summary() string {
	name := safetext.OneLine(e.Name)
	switch {
	case e.Kind == Retirement:
		return name + " retires"
	case e.Kind == Deprecation:
		return name + " is deprecated"
	case e.First:
		return name + " is released"
	case e.Version != "":
		return name + " " + safetext.OneLine(e.Version) + " is released"
	}
	return "New release of " + name
}

// description says what the summary leaves out, one line for each fact.
func (e *Event) description() string {
	lines := []string{e.Type + "/" + e.Slug}
	if e.Recorded {
		lines = append(lines, "The release date is unknown; the version was recorded on this day.")
	}
	if e.Successor != "" {
		lines = append(lines, "Successor: "+safetext.OneLine(e.Successor)+" ("+e.SuccessorKey+")")
	}
	if e.Source != "" {
		lines = append(lines, "Source: "+safetext.OneLine(e.Source))
	}
	return strings.Join(lines, "\n")
}

// The limits of the events of a set of entities. Of too many events, those closest to the as-of
// time are returned.
const (
	PastDays       = 365  // deprecations and retirements are returned for this long
	ReleaseDays    = 90   // and releases for this long
	MaxEndings     = 1000 // of each kind: deprecations, retirements
	MaxReleases    = 500
	maxAllReleases = 2000 // of the entities that AllEvents gets
)

// Events returns the events of a set of entities, which may be large: all deprecations and
// retirements since a year before the as-of time, including future ones, and the releases of
// the last 90 days. They are sorted by day.
func Events(b *exports.Build, asOf time.Time, set *roaring.Bitmap) []Event {
	s := &selection{build: b, today: dayBefore(asOf, 0), endings: dayBefore(asOf, PastDays), releases: dayBefore(asOf, ReleaseDays)}
	s.changes = releaseChanges(b, asOf.UTC().Truncate(24*time.Hour).AddDate(0, 0, -ReleaseDays))
	for it := set.Iterator(); it.HasNext(); {
		s.add(it.Next())
	}
	return s.sorted(MaxReleases)
}

// AllEvents returns all events of a few entities, however old. They are sorted by day.
func AllEvents(b *exports.Build, asOf time.Time, ordinals []uint32) []Event {
	s := &selection{build: b, today: dayBefore(asOf, 0), changes: releaseChanges(b, time.Time{})}
	for _, o := range ordinals {
		s.add(o)
	}
	return s.sorted(maxAllReleases)
}

func releaseChanges(b *exports.Build, since time.Time) *roaring.Bitmap {
	a := b.History()
	return a.SelectChanges(history.ChangeFilter{From: a.ChangesSince(since), To: a.Changes(), Field: []string{"version", "signals.lastRelease"}})
}

func dayBefore(asOf time.Time, days int) string {
	return asOf.UTC().AddDate(0, 0, -days).Format(time.DateOnly)
}

type selection struct {
	build             *exports.Build
	today             string          // the as-of day
	endings, releases string          // the first days of deprecations and retirements, and of releases; "" for no limit
	changes           *roaring.Bitmap // since the first day of releases, those that may be some
	events            []Event
}

func (s *selection) add(ordinal uint32) {
	e := s.build.Entity(ordinal)
	if l := e.Lifecycle; l != nil {
		s.addEnding(e, Deprecation, l.Deprecated)
		s.addEnding(e, Retirement, l.Retires)
	}
	if e.Status != record.Withdrawn || s.releases == "" {
		s.addReleases(e, ordinal)
	}
}

func (s *selection) addEnding(e *record.Entity, kind Kind, day string) {
	if day == "" || day < s.endings {
		return
	}
	v := Event{Kind: kind, Type: e.Type, Slug: e.Slug, Name: e.Name, Day: day, Source: e.Lifecycle.Source}
	if typ, slug, ok := strings.Cut(e.Lifecycle.ReplacedBy, "/"); ok {
		if o, _, ok := s.build.Find(typ, slug); ok {
			successor := s.build.Entity(o)
			v.Successor, v.SuccessorKey = successor.Name, successor.Key()
		}
	}
	s.events = append(s.events, v)
}

// sorted returns the events in a deterministic order: at most maxReleases releases, the latest ones, and of
// each other kind those closest to today, future ones first.
func (s *selection) sorted(maxReleases int) []Event {
	slices.SortFunc(s.events, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.UID(), b.UID()))
	})
	all, past, at := map[Kind]int{}, map[Kind]int{}, map[Kind]int{}
	for i := range s.events {
		e := &s.events[i]
		if all[e.Kind]++; e.Day < s.today {
			past[e.Kind]++
		}
	}
	return slices.DeleteFunc(s.events, func(e Event) bool {
		i := at[e.Kind] // among those of its kind
		at[e.Kind]++
		if e.Kind == Release {
			return i < all[Release]-maxReleases
		}
		end := min(all[e.Kind], past[e.Kind]+MaxEndings)
		return i >= end || i < min(past[e.Kind], end-MaxEndings)
	})
}

// An entity's releases come from two facts: its version, and the day of its latest release
// (signals.lastRelease). A change of both at once is a release of that version on that day. A
// change of the day alone is a release whose version is unknown, and a change of the version
// alone is a release whose day is unknown, so the day of the change stands in for it. When an
// entity is added to the index, its version was not released on that day.

func (s *selection) addReleases(e *record.Entity, ordinal uint32) {
	l := s.changedReleases(ordinal)
	day, source := dayOf(e, "lastRelease")
	if day != "" && !slices.ContainsFunc(l, func(v Event) bool { return v.Day == day }) {
		// It is in a change before the period, or in a change that has not been committed. It is the release of the
		// current version unless a change shows when that version was recorded.
		current := Event{Version: e.Version, Day: day}
		if slices.ContainsFunc(l, func(v Event) bool { return v.Version == e.Version }) {
			current.Version = ""
		}
		l.add(current)
	}
	first, firstSource := dayOf(e, "released")
	for _, v := range l {
		if v.Day != first && v.Day >= s.releases {
			v.Kind, v.Type, v.Slug, v.Name = Release, e.Type, e.Slug, e.Name
			if v.Day == day {
				v.Source = source
			}
			s.events = append(s.events, v)
		}
	}
	if first != "" && first >= s.releases {
		s.events = append(s.events, Event{Kind: Release, Type: e.Type, Slug: e.Slug, Name: e.Name, Day: first, First: true, Source: firstSource})
	}
}

// dayOf returns a fact that is a full date, or "".
func dayOf(e *record.Entity, signal string) (day, source string) {
	f, ok := e.Signals.Fact(signal)
	if !ok || len(f.Day) != len(time.DateOnly) {
		return "", ""
	}
	return f.Day, f.Source
}

// releases are the releases of one entity, without the members that all have in common.
type releases []Event

// add adds a release. A later fact about the same version, or about the same day if the version is unknown, replaces an
// earlier one.
func (l *releases) add(v Event) {
	i := slices.IndexFunc(*l, func(x Event) bool { return x.Version == v.Version && (v.Version != "" || x.Day == v.Day) })
	if i < 0 {
		*l = append(*l, v)
	} else if !v.Recorded {
		(*l)[i] = v
	}
}

func (s *selection) changedReleases(ordinal uint32) (l releases) {
	a := s.build.History()
	v, ok := a.NewestOf(ordinal)
	if !ok {
		return nil
	}
	for _, i := range a.EntityChanges(v) {
		if !s.changes.Contains(i) {
			continue
		}
		c := a.Change(int(i))
		version, day := newText(c, "version"), newText(c, "signals.lastRelease")
		switch {
		case len(day) == len(time.DateOnly):
			l.add(Event{Version: version, Day: day})
		case version != "" && c.Event == record.Updated:
			l.add(Event{Version: version, Day: c.Timestamp.Format(time.DateOnly), Recorded: true})
		}
	}
	return l
}

// newText returns the new value of a field that is a string, or "" if it did not change or was
// removed.
func newText(c *record.Change, field string) string {
	f, _ := c.Field(field)
	var s string
	_ = json.Unmarshal(f.New, &s) // no change, and null, leave it empty
	return s
}
