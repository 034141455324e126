package history

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kindex/exports/record"
	"kindex/exports/view"
)

// MovementDays is the number of days between a leaderboard and the earlier one that it is compared with.
const MovementDays = 7

// maxDays is the number of past days that stay in memory.
const maxDays = 3

// Day is the catalogue at the end of a day. The ordinals of its View are those of its Snapshot.
type Day struct {
	*Snapshot
	View *view.View
}

// pastDays makes the catalogues of past days and holds those that were used last. They are made one at a
// time, because each takes as much work and memory as opening the build.
type pastDays struct {
	// enter waits until a day may be made, see Guard. If it is nil, callers wait for their turn.
	enter func() (leave func(), err error)
	// compared is the day that today's leaderboards are compared with. It is made without waiting for
	// admission, and never forgotten, so that requests for past days do not get in the way of those for
	// the present.
	compared string

	making sync.Mutex
	mu     sync.Mutex // guards list; not held while a day is made
	list   []*Day     // the last one is the most recently used
}

// Guard makes every caller that needs a past day that is not in memory call enter first, and leave when the
// day is made. If enter returns an error, the caller gets it instead of the day.
func (a *Archive) Guard(enter func() (leave func(), err error)) { a.days.enter = enter }

// Snapshots returns the days that have a stored snapshot, oldest first.
func (a *Archive) Snapshots() []string {
	days := make([]string, len(a.snapshots))
	for i, s := range a.snapshots {
		days[i] = s.day
	}
	return days
}

// stashedOn returns the latest stored snapshot taken on or before a day.
func (a *Archive) stashedOn(day string) (*stashed, bool) {
	i, ok := slices.BinarySearchFunc(a.snapshots, day, func(s *stashed, day string) int { return strings.Compare(s.day, day) })
	if !ok {
		i--
	}
	if i < 0 {
		return nil, false
	}
	return a.snapshots[i], true
}

// SnapshotDay returns the latest day with a stored snapshot that is not later than a day.
func (a *Archive) SnapshotDay(day string) (snapshot string, ok bool) {
	s, ok := a.stashedOn(day)
	if !ok {
		return "", false
	}
	return s.day, true
}

// Snapshot returns the stored snapshot of a day, or nil if there is none.
func (a *Archive) Snapshot(day string) (*Snapshot, error) {
	if s, ok := a.stashedOn(day); ok && s.day == day {
		return s.read()
	}
	return nil, nil
}

// Day returns the catalogue at the end of any day, YYYY-MM-DD. If the build has no snapshot of it, its
// scores are calculated as of that day by the formula of the build. Only a few days stay in memory.
func (a *Archive) Day(day string) (*Day, error) {
	return a.days.get(day, func() (*Day, error) {
		s, err := a.Snapshot(day)
		if err != nil {
			return nil, err
		}
		if s != nil {
			return s.decoded()
		}
		return a.calculate(day)
	})
}

// get returns a day that is in memory, or makes it.
func (d *pastDays) get(day string, make func() (*Day, error)) (*Day, error) {
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

func (d *pastDays) find(day string) *Day {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.list, func(s *Day) bool { return s.Snapshot.Day == day })
	if i < 0 {
		return nil
	}
	s := d.list[i]
	d.list = append(slices.Delete(d.list, i, i+1), s)
	return s
}

// keep holds a day, and forgets the one that was used least recently.
func (d *pastDays) keep(s *Day) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, s)
	if len(d.list) > maxDays {
		i := slices.IndexFunc(d.list, func(s *Day) bool { return s.Snapshot.Day != d.compared })
		d.list = slices.Delete(d.list, i, i+1)
	}
}

// decoded returns the catalogue of a stored snapshot.
func (s *Snapshot) decoded() (*Day, error) {
	entities := make([]*record.Entity, s.Len())
	for o := range uint32(s.Len()) {
		var err error
		if entities[o], err = s.archive.EntityAt(s.Version(o), s.Day, s.Scores(o)); err != nil {
			return nil, err
		}
	}
	return &Day{s, view.New(entities, nil, s.archive.base.Terms, s.Day)}, nil
}

// calculate returns a day of which there is no stored snapshot.
func (a *Archive) calculate(day string) (*Day, error) {
	midnight, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, fmt.Errorf("past day: %w", err)
	}
	formula, err := a.formula()
	if err != nil {
		return nil, err
	}
	type row struct {
		version uint32
		entity  *record.Entity
	}
	var rows []row
	end := EndOf(day)
	for v := 0; v < len(a.versions) && a.versions[v].Time < end; v++ {
		if !a.alive(v, end) {
			continue
		}
		e, err := a.EntityAt(v, day, record.Scores{})
		if err != nil {
			return nil, err
		}
		e.Scores = formula.Scores(e, midnight)
		rows = append(rows, row{uint32(v), e})
	}
	slices.SortFunc(rows, func(x, y row) int { return record.CompareRank(x.entity, y.entity) })
	s := &Snapshot{Day: day, archive: a, ordinals: make([]uint32, len(a.versions))}
	entities := make([]*record.Entity, len(rows))
	for i, r := range rows {
		entities[i] = r.entity
		s.versions, s.scores = append(s.versions, r.version), append(s.scores, r.entity.Scores)
		s.ordinals[r.version] = uint32(i) + 1
	}
	v := view.New(entities, nil, a.base.Terms, day)
	s.ranked = v.Ranked()
	return &Day{s, v}, nil
}
