package exports

import (
	"slices"
	"sync"
	"time"

	"kindex/exports/record"
	"kindex/exports/view"
)

// MovementDays is the number of days between a leaderboard and the earlier one that it is compared with.
const MovementDays = 7

// maxDays is the number of past days that stay in memory.
const maxDays = 3

// pastDays makes the catalogues of past days and holds those that were used last. They are made one at a
// time, because each takes as much work and memory as opening the build.
type pastDays struct {
	// enter waits until a day may be made, see GuardPast. If it is nil, callers wait for their turn.
	enter func() (leave func(), err error)
	// compared is the day that today's leaderboards are compared with. It is made without waiting for
	// admission, and never forgotten, so that requests for past days do not get in the way of those for
	// the present.
	compared string

	making sync.Mutex
	mu     sync.Mutex  // guards list; not held while a day is made
	list   []*Snapshot // with their views; the last one is the most recently used
}

// GuardPast makes every caller that needs a past day that is not in memory call enter first, and leave
// when the day is made. If enter returns an error, the caller gets it instead of the day.
func (b *Build) GuardPast(enter func() (leave func(), err error)) { b.archive.days.enter = enter }

// View returns the catalogue of the day, with the ordinals of the snapshot. Only a few days stay in memory.
func (s *Snapshot) View() (*view.View, error) {
	if s.view != nil {
		return s.view, nil
	}
	made, err := s.archive.days.get(s.Day, s.decoded)
	if err != nil {
		return nil, err
	}
	return made.view, nil
}

// decoded returns the snapshot with its view.
func (s *Snapshot) decoded() (*Snapshot, error) {
	entities := make([]*record.Entity, s.Len())
	for o := range uint32(s.Len()) {
		var err error
		if entities[o], err = s.archive.EntityAt(s.Version(o), s.Day, s.Scores(o)); err != nil {
			return nil, err
		}
	}
	made := *s
	made.view = view.New(entities, nil, s.archive.build.Terms, s.Day)
	return &made, nil
}

// Day returns the catalogue at the end of any day, YYYY-MM-DD. If the build has no snapshot of it, its
// scores are calculated as of that day by the formula of the build; only a few of these days stay in
// memory.
func (r *ArchiveReader) Day(day string) (*Snapshot, error) {
	if s, ok := r.Snapshot(day); ok && s.Day == day {
		return s, nil
	}
	return r.days.get(day, func() (*Snapshot, error) { return r.calculate(day) })
}

// get returns a day that is in memory, or makes it.
func (d *pastDays) get(day string, make func() (*Snapshot, error)) (*Snapshot, error) {
	if s := d.find(day); s != nil {
		return s, nil
	}
	if d.enter != nil && day != d.compared {
		leave, err := d.enter()
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	d.making.Lock()
	defer d.making.Unlock()
	if s := d.find(day); s != nil { // another caller has just made it
		return s, nil
	}
	s, err := make()
	if err == nil {
		d.keep(s)
	}
	return s, err
}

func (d *pastDays) find(day string) *Snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.list, func(s *Snapshot) bool { return s.Day == day })
	if i < 0 {
		return nil
	}
	s := d.list[i]
	d.list = append(slices.Delete(d.list, i, i+1), s)
	return s
}

// keep holds a day, and forgets the one that was used least recently.
func (d *pastDays) keep(s *Snapshot) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, s)
	if len(d.list) > maxDays {
		i := slices.IndexFunc(d.list, func(s *Snapshot) bool { return s.Day != d.compared })
		d.list = slices.Delete(d.list, i, i+1)
	}
}

// comparedDay returns the day that the leaderboards of another day are compared with.
func comparedDay(day time.Time) string {
	return day.UTC().AddDate(0, 0, -MovementDays).Format(time.DateOnly)
}
