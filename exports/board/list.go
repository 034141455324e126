package board

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"kindex/exports"
	"kindex/exports/leaderboard"
	"kindex/exports/score"
	"kindex/exports/view"
)

// maxPastRankings is the number of rankings of earlier days that are kept. Computing one
// decodes every record that meets the conditions of the board.
const maxPastRankings = 64

// List holds the boards of a build, with or without edits. Its methods may be called
// concurrently until the build is closed. The zero value has no boards.
type List struct {
	Boards []*Board // in the order of boards.yaml, including those that are not published

	build   *exports.Build
	formula *score.Formula // of the build's scores
	asOf    time.Time
	ranks   *leaderboard.Boards
	now     []func() (*Ranking, error) // by board, computed once

	mu   sync.Mutex // serializes the computation of rankings of earlier days
	past map[pastKey]*Ranking
	kept []pastKey // the keys of past, oldest first
}

type pastKey struct{ board, day string }

// Open reads the boards of a build, with or without edits. ranks are the build's other
// leaderboards; formula and asOf are those of the build's scores.
func Open(b *exports.Build, ranks *leaderboard.Boards, formula *score.Formula, asOf time.Time) (*List, error) {
	l := &List{build: b, formula: formula, asOf: asOf, ranks: ranks, past: map[pastKey]*Ranking{}}
	data, _, ok := b.File(exports.BoardsFile)
	if !ok {
		return l, nil
	}
	var err error
	if l.Boards, err = Parse(data, formula); err != nil {
		return nil, err
	}
	if len(l.Boards) != b.Boards() {
		return nil, fmt.Errorf("%s: has %d boards, but the build has the entries of %d", exports.BoardsFile, len(l.Boards), b.Boards())
	}
	for i, board := range l.Boards {
		l.now = append(l.now, sync.OnceValues(func() (*Ranking, error) { return l.current(i, board) }))
	}
	return l, nil
}

// current returns the ranking of board i: that of the build, with the edited entities in the
// places that their own scores give them.
func (l *List) current(i int, board *Board) (*Ranking, error) {
	entries, err := l.build.BoardEntries(i)
	if err != nil || l.build.OverlayID() == "" {
		return newRanking(l.build.View, entries), err
	}
	replaced := l.build.Replaced()
	entries = slices.DeleteFunc(entries, func(e exports.BoardEntry) bool { return replaced.Contains(e.Ordinal) })
	first := uint32(l.build.Len() - len(l.build.Edited()))
	for j, e := range l.build.Edited() {
		if entry, ok := board.Entry(e, l.asOf); ok {
			entry.Ordinal = first + uint32(j)
			entries = append(entries, entry)
		}
	}
	Sort(entries, l.build.Key)
	return newRanking(l.build.View, entries), nil
}

// Find returns a board by its slug, published or not, or nil.
func (l *List) Find(slug string) *Board {
	i := l.index(slug)
	if i < 0 {
		return nil
	}
	return l.Boards[i]
}

func (l *List) index(slug string) int {
	return slices.IndexFunc(l.Boards, func(b *Board) bool { return b.Slug == slug })
}

// Published returns the boards that have enough entries, in the order of boards.yaml.
func (l *List) Published() ([]*Board, error) {
	var list []*Board
	for i, b := range l.Boards {
		r, err := l.now[i]()
		if err != nil {
			return nil, err
		}
		if r.Published() {
			list = append(list, b)
		}
	}
	return list, nil
}

// Now returns the current ranking of a board of the list.
func (l *List) Now(b *Board) (*Ranking, error) { return l.now[l.index(b.Slug)]() }

// At returns the ranking that a board of the list, as it is defined now, had at the end of a day.
func (l *List) At(b *Board, s *exports.Snapshot) (*Ranking, error) {
	day, entries, err := l.build.PreviousBoardEntries(l.index(b.Slug))
	if err != nil {
		return nil, err
	}
	key := pastKey{b.Slug, s.Day}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.past[key]; r != nil {
		return r, nil
	}
	past, err := s.View()
	if err != nil {
		return nil, err
	}
	if day != s.Day {
		if entries, err = b.rankPast(past); err != nil {
			return nil, err
		}
	}
	if len(l.kept) == maxPastRankings {
		delete(l.past, l.kept[0])
		l.kept = l.kept[1:]
	}
	r := newRanking(past, entries)
	l.past[key], l.kept = r, append(l.kept, key)
	return r, nil
}

// rankPast ranks the records of a past day.
func (b *Board) rankPast(v *view.View) ([]exports.BoardEntry, error) {
	asOf, err := time.Parse(time.DateOnly, v.Day)
	if err != nil {
		return nil, err
	}
	var entries []exports.BoardEntry
	for it := v.Select(b.filter).Iterator(); it.HasNext(); {
		o := it.Next()
		if entry, ok := b.scored(v.Entity(o), asOf); ok {
			entry.Ordinal = o
			entries = append(entries, entry)
		}
	}
	Sort(entries, v.Key)
	return entries, nil
}

// Previous returns a board of the list as it was leaderboard.MovementDays before a day, or
// before the as-of day if day is "". by is a score of the records, or ScoreName.
func (l *List) Previous(b *Board, day, by string) (*leaderboard.PreviousBoard, error) {
	return l.ranks.PreviousRanking(day, func(s *exports.Snapshot) ([]uint32, error) {
		r, err := l.At(b, s)
		if err != nil {
			return nil, err
		}
		return r.Order(by), nil
	})
}
