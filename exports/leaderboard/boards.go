// Package leaderboard computes current and past ranks on a build's leaderboards.
package leaderboard

import (
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/history"
	"kindex/exports/view"
)

// Boards computes ranks on a build's leaderboards. It caches data that all
// leaderboards share. Its methods may be called concurrently until the build is
// closed.
type Boards struct {
	build   *exports.Build
	archive *history.Archive
	asOf    time.Time

	ranked   func() *roaring.Bitmap // computed once
	days     func() ([]*day, error) // days with a snapshot; computed once
	previous sync.Map               // *PreviousBoard by board/type/score, for the as-of day
}

// New returns the boards of a build, with or without edits. asOf is the time for
// which its scores were calculated.
func New(b *exports.Build, asOf time.Time) *Boards {
	a := &Boards{build: b, archive: b.History(), asOf: asOf}
	a.ranked = sync.OnceValue(func() *roaring.Bitmap { return b.Board(view.AllBoard, "", "composite") })
	a.days = sync.OnceValues(func() ([]*day, error) { return daysOf(a.archive) })
	return a
}

// Ranked returns the records on the overall leaderboard. The set is shared and must
// not be modified.
func (b *Boards) Ranked() *roaring.Bitmap { return b.ranked() }

// Rank returns a record's rank among all ranked records, or 0 if it is not ranked.
func (b *Boards) Rank(ordinal uint32) int {
	if at := int(b.build.SortPosition(ordinal)); at < b.build.Ranked() { // ranked records come first
		return at + 1
	}
	return 0
}

// day is a day with a snapshot.
type day struct {
	snapshot *history.Snapshot
	end      int64 // the first second after the day
}

// daysOf returns the build's days that have a snapshot, oldest first.
func daysOf(a *history.Archive) ([]*day, error) {
	var days []*day
	for _, name := range a.Snapshots() {
		at, err := time.Parse(time.DateOnly, name)
		if err != nil {
			return nil, err
		}
		s, err := a.Snapshot(name)
		if err != nil {
			return nil, err
		}
		days = append(days, &day{snapshot: s, end: endOfDay(at)})
	}
	return days, nil
}

// endOfDay returns the first second after the day that starts at the given
// midnight.
func endOfDay(midnight time.Time) int64 { return midnight.AddDate(0, 0, 1).Unix() }
