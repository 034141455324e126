package calendar

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/history"
	"kindex/exports/record"
)

// An entity's releases come from two facts: its version, and the day of its latest release
// (signals.lastRelease). A change of both at once is a release of that version on that day. A
// change of the day alone is a release whose version is unknown, and a change of the version
// alone is a release whose day is unknown, so the day of the change stands in for it. When an
// entity is added to the index, its version was not released on that day.

// recentlyReleased returns the entities in a set that may have been released in the period,
// latest first: those whose release days are in it, and those whose version changed in it.
func (s *selection) recentlyReleased(set *roaring.Bitmap) []uint32 {
	var list []uint32
	seen := roaring.New()
	add := func(o uint32) bool { // reports whether o is another entity of the set
		if !set.Contains(o) || !seen.CheckedAdd(o) {
			return false
		}
		list = append(list, o)
		return true
	}
	for _, field := range []string{"signals.released", "signals.lastRelease"} {
		days := s.build.InDays(field, s.releases, "")
		n := 0
		for _, d := range slices.Backward(days) {
			if add(d.Ordinal) {
				n++
			}
			if n == MaxReleases {
				break
			}
		}
	}
	a := s.build.History()
	changes := a.SelectChanges(history.ChangeFilter{To: a.Changes(), Event: []string{record.Updated}, Field: []string{"version"}})
	changes.And(s.changes)
	n := 0
	for it := changes.ReverseIterator(); it.HasNext() && n < MaxReleases; {
		v := a.Version(a.ChangeVersion(int(it.Next())))
		if o, _, ok := s.build.Find(v.Type, v.Slug); ok && add(o) {
			n++
		}
	}
	return list
}

// addReleases adds the releases of an entity in the period.
func (s *selection) addReleases(ordinal uint32) error {
	e := s.build.Entity(ordinal)
	if e.Status == record.Withdrawn && s.releases != "" {
		return nil
	}
	l, err := s.changedReleases(ordinal)
	if err != nil {
		return err
	}
	day, source := dayOf(e, "lastRelease")
	if day != "" && !slices.ContainsFunc(l.list, func(v Event) bool { return v.Day == day }) {
		// It is in a change before the period, or in a change that has not been committed.
		l.addCurrent(e.Version, day)
	}
	first, firstSource := dayOf(e, "released")
	for _, v := range l.list {
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
	return nil
}

// releases are the releases of one entity, without the members that all have in common.
type releases struct {
	list  []Event
	byKey map[string]int // index by version, or by day if the version is unknown
}

// add adds a release. A later fact about the same version replaces an earlier one.
func (l *releases) add(v Event) {
	key := v.Version
	if key == "" {
		key = "\x00" + v.Day
	}
	i, ok := l.byKey[key]
	if !ok {
		l.byKey[key] = len(l.list)
		l.list = append(l.list, v)
	} else if !v.Recorded {
		l.list[i] = v
	}
}

// addCurrent adds the latest release, which none of the changes shows. It is the release of the
// current version unless a change shows when that version was recorded.
func (l *releases) addCurrent(version, day string) {
	if _, ok := l.byKey[version]; ok {
		version = ""
	}
	l.add(Event{Version: version, Day: day})
}

// changedReleases returns the releases that an entity's changes show.
func (s *selection) changedReleases(ordinal uint32) (*releases, error) {
	l := &releases{byKey: map[string]int{}}
	a := s.build.History()
	v, ok := a.NewestOf(ordinal)
	if !ok {
		return l, nil
	}
	for _, i := range a.EntityChanges(v) {
		if !s.changes.Contains(i) {
			continue
		}
		c, err := a.Change(int(i))
		if err != nil {
			return nil, err
		}
		version, day := newText(c, "version"), newText(c, "signals.lastRelease")
		switch {
		case len(day) == len(time.DateOnly):
			l.add(Event{Version: version, Day: day})
		case version != "" && c.Event == record.Updated:
			l.add(Event{Version: version, Day: c.Timestamp.Format(time.DateOnly), Recorded: true})
		}
	}
	return l, nil
}

// newText returns the new value of a field that is a string, or "" if it did not change or was
// removed.
func newText(c *record.Change, field string) string {
	f, _ := c.Field(field)
	var s string
	_ = json.Unmarshal(f.New, &s) // no change, and null, leave it empty
	return s
}
