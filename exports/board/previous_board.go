package board

import (
	"time"

	"kindex/exports/history"
	"kindex/exports/view"
)

// PreviousBoard is a leaderboard as it was history.MovementDays before another day. Its
// methods may be called concurrently.
type PreviousBoard struct {
	archive *history.Archive
	date    string
	past    *history.Day   // nil if the history begins later
	ranks   map[uint32]int // by ordinal on that day
}

// PreviousBoard returns a leaderboard as it was history.MovementDays before the given day. board, typ
// and by identify the leaderboard as in view.View.Board. The day is YYYY-MM-DD, or "" for
// the as-of day, for which boards are cached. It returns an error for an invalid day.
func (l *List) PreviousBoard(day, board, typ, by string) (*PreviousBoard, error) {
	return l.previousRanking(day, board+"/"+typ+"/"+by, func(past *view.View) []uint32 {
		order, _, _ := past.Page(past.Board(board, typ, by), view.Sort{Key: by, Desc: true}, nil, 0, past.Len())
		return order
	})
}

// Previous is PreviousBoard for a board of the list. by is a score of the records, or ScoreName.
func (l *List) Previous(b *Board, day, by string) (*PreviousBoard, error) {
	return l.previousRanking(day, "board "+b.Slug+"/"+by, func(past *view.View) []uint32 { return l.At(b, past).Order(by) })
}

// previousRanking is PreviousBoard for any leaderboard, which key identifies: order returns the
// ordinals of the records on it, best first.
func (l *List) previousRanking(day, key string, order func(*view.View) []uint32) (*PreviousBoard, error) {
	if f, ok := l.previous.Load(key); ok && day == "" {
		return f.(*PreviousBoard), nil
	}
	from := l.asOf
	if day != "" {
		var err error
		if from, err = time.Parse(time.DateOnly, day); err != nil {
			return nil, err
		}
	}
	date := from.UTC().Truncate(24*time.Hour).AddDate(0, 0, -history.MovementDays)
	f := &PreviousBoard{archive: l.build.History(), date: date.Format(time.DateOnly), ranks: map[uint32]int{}}
	if first := f.archive.FirstDay(); first != "" && f.date >= first {
		var err error
		if f.past, err = f.archive.Day(f.date); err != nil {
			return nil, err
		}
		for i, o := range order(f.past.View) {
			f.ranks[o] = i + 1
		}
	}
	if day == "" {
		l.previous.Store(key, f)
	}
	return f, nil
}

// Day returns the day of the board, YYYY-MM-DD.
func (f *PreviousBoard) Day() string { return f.date }

// Known reports whether the history of the build had begun by that day. If not, nothing was
// ranked.
func (f *PreviousBoard) Known() bool { return f.past != nil }

// Ranks returns the ranks that the given records of a view had on the board. The rank of an unranked
// record is 0. The view must be that of the build or of one of its past days.
func (f *PreviousBoard) Ranks(from *view.View, records []uint32) []int {
	ranks := make([]int, len(records))
	if f.past == nil {
		return ranks
	}
	for i, o := range records {
		if v, ok := f.versionAt(from, o); ok {
			if earlier, ok := f.past.FindVersion(v); ok {
				ranks[i] = f.ranks[earlier]
			}
		}
	}
	return ranks
}

// versionAt returns the version that a record's entity had at the end of the day.
// ok is false if the entity did not exist then.
func (f *PreviousBoard) versionAt(from *view.View, ordinal uint32) (v int, ok bool) {
	a := f.archive
	if from.Day == "" {
		v, ok = a.NewestOf(ordinal)
	} else {
		typ, slug := from.Key(ordinal)
		v, _ = a.At(typ, slug, from.Day)
		ok = v >= 0
	}
	if !ok {
		return v, false
	}
	v, lifecycle := a.VersionBefore(v, history.EndOf(f.date))
	return v, lifecycle == history.Exists
}
