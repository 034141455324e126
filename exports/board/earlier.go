package board

import (
	"cmp"
	"slices"
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
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

// RankAt is the rank and score of an entity at the end of a day.
type RankAt struct {
	Day    string       // YYYY-MM-DD, UTC
	Score  record.Score // the composite
	Rank   int          // among all ranked entities; 0 if the entity was not ranked
	Ranked int          // number of ranked entities
}

// RankHistory returns the rank of a record's entity on each day that has a snapshot
// and on which the entity existed, oldest first. Edits do not change it. The first
// call reads every snapshot.
func (l *List) RankHistory(ordinal uint32) (ranks []RankAt, err error) {
	archive := l.build.History()
	v, ok := archive.NewestOf(ordinal)
	for _, name := range slices.Backward(archive.Snapshots()) {
		if !ok {
			break
		}
		s, err := archive.Snapshot(name)
		if err != nil {
			return nil, err
		}
		var lifecycle history.Lifecycle
		if v, lifecycle = archive.VersionBefore(v, history.EndOf(name)); lifecycle == history.NotYet {
			break
		}
		// Between a deletion and a new creation, the entity is not in the snapshot.
		if rank, composite, found := s.Find(v); found {
			ranks = append(ranks, RankAt{Day: name, Score: composite, Rank: rank, Ranked: s.Ranked})
		}
	}
	slices.Reverse(ranks)
	return ranks, nil
}

// Movement is how an entity moved on a board.
type Movement struct {
	Known bool // it was on the board before
	By    int  // places climbed among the entities that were on the board at both ends; negative if it fell
}

// Movements returns how the entities on a board moved, given their previous ranks in the order of the
// board, 0 for those that were not on it. Entities that came or went move nobody, other than in the
// delta of the API, which is the difference of the ranks.
func Movements(previous []int) []Movement {
	var both []int // places on the board
	for i, rank := range previous {
		if rank > 0 {
			both = append(both, i)
		}
	}
	moved := make([]Movement, len(previous))
	for now, i := range both {
		moved[i] = Movement{true, -now}
	}
	slices.SortFunc(both, func(a, b int) int { return cmp.Compare(previous[a], previous[b]) })
	for then, i := range both {
		moved[i].By += then
	}
	return moved
}
