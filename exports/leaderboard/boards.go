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
	previous sync.Map               // *PreviousBoard by board/type/score, for the as-of day
}

// New returns the boards of a build, with or without edits. asOf is the time for
// which its scores were calculated.
func New(b *exports.Build, asOf time.Time) *Boards {
	a := &Boards{build: b, archive: b.History(), asOf: asOf}
	a.ranked = sync.OnceValue(func() *roaring.Bitmap { return b.Board(view.AllBoard, "", "composite") })
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
