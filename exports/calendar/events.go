package calendar

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/view"
)

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
func Events(b *exports.Build, asOf time.Time, set *roaring.Bitmap) ([]Event, error) {
	s := newSelection(b, asOf, asOf.UTC().AddDate(0, 0, -ReleaseDays))
	since := asOf.UTC().AddDate(0, 0, -PastDays).Format(time.DateOnly)
	for _, kind := range []Kind{Deprecation, Retirement} {
		days := b.InDays(endings[kind], since, "")
		days = slices.DeleteFunc(days, func(d view.DayEntry) bool { return !set.Contains(d.Ordinal) })
		for _, d := range s.nearest(days, MaxEndings) {
			s.addEnding(kind, d.Ordinal)
		}
	}
	released := s.recentlyReleased(set)
	for _, o := range released {
		if err := s.addReleases(o); err != nil {
			return nil, err
		}
	}
	return s.sorted(MaxReleases), nil
}

// AllEvents returns all events of a few entities, however old. They are sorted by day.
func AllEvents(b *exports.Build, asOf time.Time, ordinals []uint32) ([]Event, error) {
	s := newSelection(b, asOf, time.Time{})
	for _, o := range ordinals {
		for _, kind := range []Kind{Deprecation, Retirement} {
			s.addEnding(kind, o)
		}
		if err := s.addReleases(o); err != nil {
			return nil, err
		}
	}
	return s.sorted(maxAllReleases), nil
}

// endings are the day fields of the kinds other than releases.
var endings = map[Kind]string{Deprecation: "lifecycle.deprecated", Retirement: "lifecycle.retires"}

// selection collects events.
type selection struct {
	build    *exports.Build
	today    string          // the as-of day
	releases string          // the first day of releases, or "" for no limit
	changes  *roaring.Bitmap // the changes since that day that may be releases
	events   []Event
}

func newSelection(b *exports.Build, asOf, releases time.Time) *selection {
	s := &selection{build: b, today: asOf.UTC().Format(time.DateOnly)}
	if !releases.IsZero() {
		s.releases = releases.Format(time.DateOnly)
		releases = releases.Truncate(24 * time.Hour)
	}
	a := b.History()
	s.changes = a.SelectChanges(history.ChangeFilter{From: a.ChangesSince(releases), To: a.Changes(), Field: []string{"version", "signals.lastRelease"}})
	return s
}

// nearest returns the entries that are closest to today: future ones first, then past ones.
func (s *selection) nearest(days []view.DayEntry, limit int) []view.DayEntry {
	future, _ := slices.BinarySearchFunc(days, s.today, func(d view.DayEntry, day string) int { return cmp.Compare(d.Day, day) })
	end := min(len(days), future+limit)
	return days[max(0, min(future, end-limit)):end]
}

// addEnding adds the deprecation or retirement of an entity, if it is known.
func (s *selection) addEnding(kind Kind, ordinal uint32) {
	e := s.build.Entity(ordinal)
	if e.Lifecycle == nil {
		return
	}
	l := e.Lifecycle
	v := Event{Kind: kind, Type: e.Type, Slug: e.Slug, Name: e.Name, Day: l.Deprecated, Source: l.Source}
	if kind == Retirement {
		v.Day = l.Retires
	}
	if v.Day == "" {
		return
	}
	if typ, slug, ok := strings.Cut(l.ReplacedBy, "/"); ok {
		if o, _, ok := s.build.Find(typ, slug); ok {
			successor := s.build.Entity(o)
			v.Successor, v.SuccessorKey = successor.Name, successor.Key()
		}
	}
	s.events = append(s.events, v)
}

// sorted returns the events in a deterministic order, with at most limit releases, the latest
// ones.
func (s *selection) sorted(limit int) []Event {
	slices.SortFunc(s.events, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.UID(), b.UID()))
	})
	surplus := -limit
	for i := range s.events {
		if s.events[i].Kind == Release {
			surplus++
		}
	}
	return slices.DeleteFunc(s.events, func(e Event) bool {
		if e.Kind != Release {
			return false
		}
		surplus--
		return surplus >= 0
	})
}

// dayOf returns a fact that is a full date, or "".
func dayOf(e *record.Entity, signal string) (day, source string) {
	f, ok := e.Signals.Fact(signal)
	if !ok || len(f.Day) != len(time.DateOnly) {
		return "", ""
	}
	return f.Day, f.Source
}
