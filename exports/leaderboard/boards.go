// Package leaderboard tells how the entities of a build stand on its leaderboards,
// today and on earlier days.
package leaderboard

import (
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
)

// Boards are the leaderboards of a build. What is asked for with every leaderboard
// is kept. Its methods may be called from many goroutines, until the build is closed.
type Boards struct {
	build   *exports.Build
	archive *exports.ArchiveReader
	asOf    time.Time

	ranked   func() (*roaring.Bitmap, error) // made once
	days     func() ([]*day, error)          // those of the snapshots, made once
	previous sync.Map                        // the boards that those of today are compared to, *PreviousBoard by name
}

// New returns the boards of a build, with edits or without, that is scored as of a
// time.
func New(b *exports.Build, asOf time.Time) *Boards {
	a := &Boards{build: b, archive: b.Archive(), asOf: asOf}
	a.ranked = sync.OnceValues(func() (*roaring.Bitmap, error) {
		return b.Board(exports.AllBoard, "", "composite")
	})
	a.days = sync.OnceValues(func() ([]*day, error) { return daysOf(a.archive) })
	return a
}

// Ranked are the records on the leaderboard of all. Nobody may change the set: it is
// made once, because it is asked for without limit.
func (b *Boards) Ranked() (*roaring.Bitmap, error) { return b.ranked() }

// Rank is the rank of a record among all ranked ones, 0 for none.
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

// day is a day of which the build has a snapshot.
type day struct {
	snapshot *exports.Snapshot
	end      int64           // the first second after the day
	ordinals func() []uint32 // what ordinalsByVersion gives, made once
}

// daysOf are the days of the snapshots, oldest first.
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

// endOfDay is the first second after a day that begins at a time.
func endOfDay(midnight time.Time) int64 { return midnight.AddDate(0, 0, 1).Unix() }

// ordinalsByVersion lists the ordinals of a snapshot by version: each plus one, 0 for none.
// Snapshot.Find looks at one version after the other, which over all snapshots of
// a large build takes a hundred times as long.
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
