// Package leaderboard computes current and past ranks on a build's leaderboards.
package leaderboard

import (
	"sync"
	"time"

	"kindex/exports"
	"kindex/exports/history"
)

// Boards computes ranks on a build's leaderboards. Its methods may be called concurrently until the
// build is closed.
type Boards struct {
	build   *exports.Build
	archive *history.Archive
	asOf    time.Time

	previous sync.Map // *PreviousBoard by key, for the as-of day
}

// New returns the boards of a build, with or without edits. asOf is the time for
// which its scores were calculated.
func New(b *exports.Build, asOf time.Time) *Boards {
	return &Boards{build: b, archive: b.History(), asOf: asOf}
}

// Rank returns a record's rank among all ranked records, or 0 if it is not ranked.
func (b *Boards) Rank(ordinal uint32) int {
	if at := int(b.build.SortPosition(ordinal)); at < b.build.Ranked() { // ranked records come first
		return at + 1
	}
	return 0
}
