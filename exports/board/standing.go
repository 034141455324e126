package board

import (
	"slices"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/view"
)

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
