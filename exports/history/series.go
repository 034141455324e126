package history

import (
	"slices"

	"kindex/exports/record"
)

// Moment is the content of an entity from a commit on.
type Moment struct {
	// Entity is nil if the entity was deleted.
	Entity *record.Entity
	Time   int64  // Unix seconds, 0 if the content is not committed
	Commit string // "" outside git, and if the content is not committed
}

// Moments returns the contents of the entity that a version belongs to, oldest first, up to
// and including that version, but at most the last few that limit allows.
func (a *Archive) Moments(v, limit int) ([]Moment, error) {
	var list []Moment
	var json []byte
	for after := none; v != none && len(list) < limit; after, v = v, int(a.versions[v].Previous) {
		at := &a.versions[v]
		m := Moment{Time: at.Time}
		if at.Commit != none {
			m.Commit = a.commits[at.Commit].Hash
		}
		if c := a.contents[v]; c.patch && after != none { // from the content of the next version, which is known already
			json = patched(json, c.json)
		} else if !at.Deleted {
			json = a.json(v)
		}
		if !at.Deleted {
			var err error
			if m.Entity, err = a.decode(json); err != nil {
				return nil, err
			}
		}
		list = append(list, m)
	}
	slices.Reverse(list)
	return list, nil
}

// Point is a value that a figure had from a commit on.
type Point[T comparable] struct {
	Value  T      // the zero value if the figure was removed
	Time   int64  // as in Moment
	Commit string // as in Moment
}

// Series returns the values of a figure over time, with one point for each change. value
// returns the figure, or the zero value if it is unknown. A series never begins with the zero
// value.
func Series[T comparable](list []Moment, value func(*record.Entity) T) []Point[T] {
	var points []Point[T]
	var last, zero T
	for _, m := range list {
		now := zero
		if m.Entity != nil {
			now = value(m.Entity)
		}
		if now != last {
			points, last = append(points, Point[T]{now, m.Time, m.Commit}), now
		}
	}
	return points
}

// SignalSeries returns the values of a signal over time, with the day and source of each
// reading. A value that was read again is a point of its own.
func SignalSeries(list []Moment, name string) []Point[record.Fact] {
	return Series(list, func(e *record.Entity) record.Fact {
		f, _ := e.Signals.Fact(name)
		return f
	})
}
