package exports

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
func (r *ArchiveReader) Moments(v, limit int) ([]Moment, error) {
	var list []Moment
	for v >= 0 && len(list) < limit {
		m := Moment{Time: r.time(v)}
		if c := int(r.number(sectionCommit, v)); c >= 0 {
			m.Commit = string(r.hashes.At(c))
		}
		if !r.deleted(v) {
			var err error
			if m.Entity, err = r.Entity(v); err != nil {
				return nil, err
			}
		}
		list = append(list, m)
		before := r.previous(v)
		if before >= v {
			break // never happens in a valid build
		}
		v = before
	}
	slices.Reverse(list)
	return list, nil
}

// Moments returns the contents of a record's entity, oldest first. The last one is the
// record itself, which may differ from the newest version: in an edited build, and in a
// build of files that were not committed. limit is as in ArchiveReader.Moments.
func (b *Build) Moments(ordinal uint32, limit int) ([]Moment, error) {
	var list []Moment
	if v, ok := b.Archive().NewestOf(ordinal); ok {
		var err error
		if list, err = b.Archive().Moments(v, limit); err != nil {
			return nil, err
		}
	}
	return append(list, Moment{Entity: b.Entity(ordinal)}), nil
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
