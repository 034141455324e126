package history

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"kindex/exports/record"
	"kindex/exports/view"
)

// MovementDays is the number of days between a leaderboard and the earlier one that it is compared with.
const MovementDays = 7

const maxDays = 3

// Day is the catalogue at the end of a day.
type Day struct {
	*view.View
	ordinals map[int]uint32 // by version
}

// FindVersion returns the ordinal of the record that shows a version.
func (d *Day) FindVersion(v int) (ordinal uint32, ok bool) {
	ordinal, ok = d.ordinals[v]
	return ordinal, ok
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

// Day returns the catalogue at the end of any day, YYYY-MM-DD. Its scores are calculated as of that day by the
// formula of the build. Only a few days stay in memory.
func (a *Archive) Day(day string) (*Day, error) {
	d := &a.days
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
	s, err := a.calculate(day)
	if err == nil {
		d.keep(s)
	}
	return s, err
}

// find returns a day in memory, which is then the most recently used one.
func (d *pastDays) find(day string) *Day {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.list, func(s *Day) bool { return s.Day == day })
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
	if d.list = append(d.list, s); len(d.list) > maxDays {
		i := slices.IndexFunc(d.list, func(s *Day) bool { return s.Day != d.compared })
		d.list = slices.Delete(d.list, i, i+1)
	}
}

func (a *Archive) calculate(day string) (*Day, error) {
	midnight, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, fmt.Errorf("past day: %w", err)
	}
	formula, err := a.formula()
	if err != nil {
		return nil, err
	}
	d := &Day{ordinals: map[int]uint32{}}
	var entities []*record.Entity
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
		d.ordinals[v] = uint32(len(entities))
		entities = append(entities, e)
	}
	d.View = view.New(entities, nil, a.base.Terms, day)
	return d, nil
}
