package leaderboard

import (
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
)

// MovementDays is the number of days between a board and the earlier board that it
// is compared with.
const MovementDays = 7

// PreviousBoard is a leaderboard as it was MovementDays before another day. Its
// methods may be called concurrently.
type PreviousBoard struct {
	boards *Boards
	by     string
	date   string
	day    *day // nil if there is no snapshot for exactly that day
	set    *roaring.Bitmap
	// ranks returns the rank of each record in the set, in the order of the set. It is
	// computed once. For a board that is not cached, ranks is nil, and countRanks computes
	// the few ranks that are needed.
	ranks func() []uint32
}

// PreviousBoard returns a leaderboard as it was MovementDays before the given day. board, typ
// and by identify the leaderboard as in exports.Catalogue. The day is YYYY-MM-DD, or "" for
// the as-of day, for which boards are cached. It returns an error for an invalid day.
func (b *Boards) PreviousBoard(day, board, typ, by string) (*PreviousBoard, error) {
	if day != "" {
		from, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return nil, err
		}
		return b.previousBoard(from, board, typ, by)
	}
	key := board + "/" + typ + "/" + by
	if f, ok := b.previous.Load(key); ok {
		return f.(*PreviousBoard), nil
	}
	f, err := b.previousBoard(b.asOf, board, typ, by)
	if err != nil {
		return nil, err
	}
	f.ranks = sync.OnceValue(f.sortedRanks)
	kept, _ := b.previous.LoadOrStore(key, f)
	return kept.(*PreviousBoard), nil
}

// PreviousRanking is like PreviousBoard for a leaderboard that is not in exports.Catalogue and
// not cached: order returns the ordinals of a snapshot's records on it, best first.
func (b *Boards) PreviousRanking(day string, order func(*exports.Snapshot) ([]uint32, error)) (*PreviousBoard, error) {
	from := b.asOf
	if day != "" {
		var err error
		if from, err = time.Parse(time.DateOnly, day); err != nil {
			return nil, err
		}
	}
	f, err := b.newPreviousBoard(from)
	if err != nil || f.day == nil {
		return f, err
	}
	ordinals, err := order(f.day.snapshot)
	if err != nil {
		return nil, err
	}
	f.set = roaring.BitmapOf(ordinals...)
	f.ranks = sync.OnceValue(func() []uint32 {
		ranks := make([]uint32, len(ordinals))
		for i, o := range ordinals {
			ranks[f.set.Rank(o)-1] = uint32(i + 1)
		}
		return ranks
	})
	return f, nil
}

// sortedRanks returns the rank of every record on the board.
func (f *PreviousBoard) sortedRanks() []uint32 {
	ranks := make([]uint32, f.set.GetCardinality())
	order, _, _ := f.day.snapshot.Page(f.set, exports.Sort{Key: f.by, Desc: true}, nil, 0, len(ranks))
	for i, o := range order {
		ranks[f.set.Rank(o)-1] = uint32(i + 1)
	}
	return ranks
}

func (b *Boards) previousBoard(from time.Time, board, typ, by string) (*PreviousBoard, error) {
	f, err := b.newPreviousBoard(from)
	if err != nil || f.day == nil {
		return f, err
	}
	f.by = by
	f.set, err = f.day.snapshot.Board(board, typ, by)
	return f, err
}

// newPreviousBoard returns a board without records for the day that is MovementDays before
// another one.
func (b *Boards) newPreviousBoard(from time.Time) (*PreviousBoard, error) {
	date := from.UTC().Truncate(24*time.Hour).AddDate(0, 0, -MovementDays)
	f := &PreviousBoard{boards: b, date: date.Format(time.DateOnly)}
	days, err := b.days()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(days, func(d *day) bool { return d.snapshot.Day == f.date }); i >= 0 {
		f.day = days[i]
	}
	return f, nil
}

// Day returns the day of the board, YYYY-MM-DD.
func (f *PreviousBoard) Day() string { return f.date }

// Known reports whether the build has a snapshot for that day. If not, nothing was
// ranked.
func (f *PreviousBoard) Known() bool { return f.day != nil }

// Ranks returns the ranks that the given records of a catalogue had on the board.
// The rank of an unranked record is 0. The catalogue must be the build of the
// boards or one of its snapshots.
func (f *PreviousBoard) Ranks(from exports.Catalogue, records []uint32) []int {
	ranks := make([]int, len(records))
	if f.day == nil {
		return ranks
	}
	found := map[uint32]int{} // ordinal on the board → index in records
	for i, o := range records {
		v, ok := f.versionAt(from, o)
		if !ok {
			continue
		}
		switch earlierOrdinal, ok := f.day.snapshot.Find(v); {
		case !ok || !f.set.Contains(earlierOrdinal):
		case f.by == "composite": // the ordinals are already in the order of the composite score
			ranks[i] = int(f.set.Rank(earlierOrdinal))
		case f.ranks != nil:
			ranks[i] = int(f.ranks()[f.set.Rank(earlierOrdinal)-1])
		default:
			found[earlierOrdinal] = i
		}
	}
	if len(found) > 0 {
		f.countRanks(found, ranks)
	}
	return ranks
}

// countRanks computes the ranks of a few records without sorting the board. Scores
// have one decimal, so it is enough to count the records with each of the 1001
// possible values.
func (f *PreviousBoard) countRanks(found map[uint32]int, ranks []int) {
	snapshot := f.day.snapshot
	var wanted [1001]bool // by score
	for o := range found {
		wanted[snapshot.Score(f.by, o).Tenths()] = true
	}
	var counts [1001]int
	tied := map[int16][]uint32{}
	it := f.set.Iterator()
	for it.HasNext() {
		o := it.Next()
		s := snapshot.Score(f.by, o).Tenths()
		counts[s]++
		if wanted[s] {
			tied[s] = append(tied[s], o)
		}
	}
	for o, i := range found {
		s := snapshot.Score(f.by, o).Tenths()
		ranks[i] = 1
		for _, n := range counts[s+1:] {
			ranks[i] += n
		}
		own := snapshot.KeyRank(o)
		for _, other := range tied[s] {
			if snapshot.KeyRank(other) < own {
				ranks[i]++
			}
		}
	}
}

// versionAt returns the version that a record's entity had at the end of the day.
// ok is false if the entity did not exist then.
func (f *PreviousBoard) versionAt(from exports.Catalogue, ordinal uint32) (v int, ok bool) {
	a := f.boards.archive
	if s, past := from.(*exports.Snapshot); past {
		v = s.Version(ordinal)
	} else if v, ok = a.NewestOf(ordinal); !ok {
		return -1, false
	}
	return versionBefore(a, v, f.day.end)
}

// versionBefore starts at one version of an entity and goes back, under any slug,
// to the last version before end. ok is false if the entity did not exist at that
// time. In that case v is its deletion, or -1 if it had not been created.
func versionBefore(a *exports.ArchiveReader, from int, end int64) (v int, ok bool) {
	for v = from; v >= 0; {
		at := a.Version(v)
		if at.Time < end {
			return v, !at.Deleted
		}
		v = int(at.Previous)
	}
	return -1, false
}
