package board

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"kindex/exports"
	"kindex/exports/record"
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

// Standing is the place of an entity on its own board: the first published board that it is on or, if
// there is none and the scores of its type compare the same figures, the board of its category.
type Standing struct {
	Slug     string // of the board
	Title    string // "" for the board of a category
	Rank, Of int
	Moved    Movement
	Since    string // the day with which the rank is compared, or "" if the board is not known for it
}

// Standing returns the place of a record on its own board, or nil if it has none.
func (l *List) Standing(o uint32, e *record.Entity) (*Standing, error) {
	if l == nil || l.build == nil {
		return nil, nil
	}
	boards := l.Published()
	for _, b := range boards {
		r := l.Now(b)
		if rank, _, ok := r.Find(o); ok {
			former, err := l.Previous(b, "", ScoreName)
			if err != nil {
				return nil, err
			}
			return (&Standing{Slug: b.Slug, Title: b.Title}).at(rank, r.Order(ScoreName), former, l.build), nil
		}
	}
	return l.inCategory(o, e)
}

// inCategory returns the place of a record on the board of its category. Entities without a score have
// none, nor have those of types with benchmarks: their scores come from different tests.
func (l *List) inCategory(o uint32, e *record.Entity) (*Standing, error) {
	if l.formula == nil || !e.Scores.Composite.Known() || e.Status == record.Withdrawn || !l.Comparable(e.Type) {
		return nil, nil
	}
	set := l.build.Board(e.Category, e.Type, view.DefaultSort.Key)
	if int(set.GetCardinality()) < MinEntries {
		return nil, nil
	}
	ordinals, _, _ := l.build.Page(set, view.DefaultSort, nil, 0, int(set.GetCardinality()))
	rank := slices.Index(ordinals, o) + 1
	if rank == 0 {
		return nil, nil
	}
	former, err := l.PreviousBoard("", e.Category, e.Type, view.DefaultSort.Key)
	if err != nil {
		return nil, err
	}
	return (&Standing{Slug: e.Category}).at(rank, ordinals, former, l.build), nil
}

// Comparable reports whether the composite scores of a type compare the same figures: whether its
// formula does without benchmarks, of which each entity has others.
func (l *List) Comparable(typ string) bool {
	return Comparable(l.formula, typ, view.DefaultSort.Key)
}

// Comparable reports whether a score of a type, the composite or a dimension, compares the same figures.
func Comparable(formula *score.Formula, typ, name string) bool {
	f := formula.Types[typ]
	if f == nil {
		return false
	}
	for dimension, d := range f.Dimensions {
		if name != view.DefaultSort.Key && name != dimension {
			continue
		}
		if slices.ContainsFunc(d.Measures, func(m score.Measure) bool { return m.Benchmark != "" }) {
			return false
		}
	}
	return true
}

// at fills in a rank on a board, whose records are in order.
func (s *Standing) at(rank int, ordinals []uint32, former *PreviousBoard, b *exports.Build) *Standing {
	s.Rank, s.Of = rank, len(ordinals)
	if former.Known() {
		s.Since, s.Moved = former.Day(), Movements(former.Ranks(b.View, ordinals))[rank-1]
	}
	return s
}
