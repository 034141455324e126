// Package leaderboard computes ranks on the leaderboards of a build, now and in
// the past.
package leaderboard

import (
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
)

// Boards computes ranks on the leaderboards of a build. It caches what every
// leaderboard needs. Its methods may be called concurrently, until the build is
// closed.
type Boards struct {
	build   *exports.Build
	archive *exports.ArchiveReader
	asOf    time.Time

	ranked   func() (*roaring.Bitmap, error) // computed once
	days     func() ([]*day, error)          // of the snapshots; computed once
	previous sync.Map                        // *PreviousBoard by name, for the as-of day
}

// New returns the boards of a build, with or without edits, whose scores are as
// of asOf.
func New(b *exports.Build, asOf time.Time) *Boards {
	a := &Boards{build: b, archive: b.Archive(), asOf: asOf}
	a.ranked = sync.OnceValues(func() (*roaring.Bitmap, error) {
		return b.Board(exports.AllBoard, "", "composite")
	})
	a.days = sync.OnceValues(func() ([]*day, error) { return daysOf(a.archive) })
	return a
}

// Ranked returns the records on the leaderboard of all. The set is shared and
// must not be modified.
func (b *Boards) Ranked() (*roaring.Bitmap, error) { return b.ranked() }

// Rank returns the rank of a record among all ranked ones, 0 for none.
func (b *Boards) Rank(ordinal uint32) (int, error) {
	ranked, err := b.ranked()
	switch {
	case err != nil:
		return 0, err
	case !ranked.Contains(ordinal):
		return 0, nil
	case b.build.OverlayID() == "": // ordinals are in that order
		return int(ranked.Rank(ordinal)), nil
	}
	return b.build.CountUntil(ranked, exports.DefaultSort, b.build.PositionOf(exports.DefaultSort, ordinal)), nil
}

// day is a day with a snapshot.
type day struct {
	snapshot *exports.Snapshot
	end      int64           // the first second after the day
	ordinals func() []uint32 // the result of ordinalsByVersion, computed once
}

// daysOf returns the days of the snapshots, oldest first.
func daysOf(a *exports.ArchiveReader) ([]*day, error) {
	var days []*day
	for _, name := range a.Snapshots() {
		at, err := time.Parse(time.DateOnly, name)
		if err != nil {
			return nil, err
		}
		s, _ := a.Snapshot(name)
		days = append(days, &day{snapshot: s, end: endOfDay(at), ordinals: sync.OnceValue(func() []uint32 { return ordinalsByVersion(s) })})
	}
	return days, nil
}

// endOfDay returns the first second after the day that starts at midnight.
func endOfDay(midnight time.Time) int64 { return midnight.AddDate(0, 0, 1).Unix() }

// ordinalsByVersion returns the ordinals of a snapshot by version, each plus one,
// 0 for none. Snapshot.Find is a linear search, which over all snapshots of a
// large build takes a hundred times as long.
func ordinalsByVersion(s *exports.Snapshot) []uint32 {
	n := 0
	for o := range uint32(s.Len()) {
		n = max(n, s.Version(o)+1)
	}
	index := make([]uint32, n)
	for o := range uint32(s.Len()) {
		index[s.Version(o)] = o + 1
	}
	return index
}

// find returns the record of the day that shows a version.
func (d *day) find(v int) (ordinal uint32, ok bool) {
	index := d.ordinals()
	if v >= len(index) || index[v] == 0 {
		return 0, false
	}
	return index[v] - 1, true
}
