package board

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"kindex/exports"
	"kindex/exports/score"
	"kindex/exports/view"
)

// List holds the boards of a build, with or without edits, and computes earlier ranks on all leaderboards. Its methods may be called
// concurrently until the build is closed. The zero value has no boards.
type List struct {
	Boards []*Board // in the order of boards.yaml, including those that are not published

	build   *exports.Build
	formula *score.Formula // of the build's scores
	asOf    time.Time
	now     []func() *Ranking // by board, computed once

	previous sync.Map // *PreviousBoard by key, for the as-of day
}

// Open reads the boards of a build, with or without edits. formula and asOf are those of the build's scores.
func Open(b *exports.Build, formula *score.Formula, asOf time.Time) (*List, error) {
	l := &List{build: b, formula: formula, asOf: asOf}
	data, err := b.ReadFile(exports.BoardsFile)
	if data == nil || err != nil {
		return l, err
	}
	if l.Boards, err = Parse(b.Kinds(), data, formula); err != nil {
		return nil, err
	}
	if len(l.Boards) != b.Boards() {
		return nil, fmt.Errorf("%s: has %d boards, but the build has the entries of %d", exports.BoardsFile, len(l.Boards), b.Boards())
	}
	for i, board := range l.Boards {
		l.now = append(l.now, sync.OnceValue(func() *Ranking { return l.current(i, board) }))
	}
	return l, nil
}

// current returns the ranking of board i: that of the build, or with edits, the one that all scores now give.
func (l *List) current(i int, board *Board) *Ranking {
	if l.build.OverlayID() != "" {
		return board.Rank(l.build.View, l.asOf)
	}
	return newRanking(l.build.View, l.build.BoardEntries(i))
}

// Find returns a board by its slug, published or not, or nil.
func (l *List) Find(slug string) *Board {
	if i := l.index(slug); i >= 0 {
		return l.Boards[i]
	}
	return nil
}

func (l *List) index(slug string) int {
	return slices.IndexFunc(l.Boards, func(b *Board) bool { return b.Slug == slug })
}

// Published returns the boards that have enough entries, in the order of boards.yaml.
func (l *List) Published() (list []*Board) {
	for i, b := range l.Boards {
		if l.now[i]().Published() {
			list = append(list, b)
		}
	}
	return list
}

// Now returns the current ranking of a board of the list.
func (l *List) Now(b *Board) *Ranking { return l.now[l.index(b.Slug)]() }

// At returns the ranking that a board of the list, as it is defined now, had at the end of a past day.
func (l *List) At(b *Board, past *view.View) *Ranking {
	asOf, _ := time.Parse(time.DateOnly, past.Day) // a day of the history
	return b.Rank(past, asOf)
}
