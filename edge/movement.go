package edge

import (
	"strconv"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
)

// movementDays is how far back a board is compared.
const movementDays = 7

// formerBoard is a leaderboard as it stood some days before another one.
type formerBoard struct {
	by       string
	day      string
	end      int64             // the first second behind the day
	past     *exports.Snapshot // nil where there is none of just that day
	ordinals []uint32          // of the snapshot, by version, plus one
	set      *roaring.Bitmap
}

// formerBoard is the board seven days before a day, "" for the as-of day. That of
// the as-of day is kept: it is asked for with every leaderboard.
func (c *call) formerBoard(day, board, typ, by string) (*formerBoard, error) {
	v, key := c.view, board+"/"+typ+"/"+by
	if day == "" {
		if f, ok := v.former.Load(key); ok {
			return f.(*formerBoard), nil
		}
	}
	f, err := v.boardBefore(day, board, typ, by)
	if day == "" && err == nil {
		v.former.Store(key, f)
	}
	return f, err
}

func (v *view) boardBefore(day, board, typ, by string) (*formerBoard, error) {
	from := v.asOf
	if day != "" {
		var err error
		if from, err = time.Parse(time.DateOnly, day); err != nil {
			return nil, err
		}
	}
	then := from.UTC().Truncate(24*time.Hour).AddDate(0, 0, -movementDays)
	f := &formerBoard{by: by, day: then.Format(time.DateOnly), end: then.AddDate(0, 0, 1).Unix()}
	s, ok := v.build.Archive().Snapshot(f.day)
	if !ok || s.Day != f.day {
		return f, nil
	}
	f.past = s
	if day == "" {
		v.indexing.Do(func() { v.ordinals = v.ordinalsOf(s) })
		f.ordinals = v.ordinals
	} else {
		f.ordinals = v.ordinalsOf(s)
	}
	var err error
	f.set, err = s.Board(board, typ, by)
	return f, err
}

// ordinalsOf finds records of a snapshot by their versions: their ordinals plus
// one, 0 for none.
func (v *view) ordinalsOf(s *exports.Snapshot) []uint32 {
	list := make([]uint32, v.build.Archive().Versions())
	for o := range uint32(s.Len()) {
		list[s.Version(o)] = o + 1
	}
	return list
}

// member names the day that a board is compared with, in JSON: null where the
// build does not know that day.
func (f *formerBoard) member() string {
	if f.past == nil {
		return `"comparedTo":null`
	}
	return `"comparedTo":"` + f.day + `"`
}

// formerRanks are where records of a catalogue stood, 0 for nowhere.
func (c *call) formerRanks(f *formerBoard, from exports.Catalogue, records []uint32) []int {
	ranks := make([]int, len(records))
	if f.past == nil {
		return ranks
	}
	found := map[uint32]int{} // by ordinal, the record
	for i, o := range records {
		v, ok := c.versionThen(from, o, f.end)
		if !ok || f.ordinals[v] == 0 {
			continue
		}
		switch then := f.ordinals[v] - 1; {
		case !f.set.Contains(then):
		case f.by == "composite": // ordinals are in that order
			ranks[i] = int(f.set.Rank(then))
		default:
			found[then] = i
		}
	}
	if len(found) > 0 {
		f.count(found, ranks)
	}
	return ranks
}

// count finds the ranks of a few records without sorting the board: a score has
// one decimal, so a thousand numbers say how many are above it.
func (f *formerBoard) count(found map[uint32]int, ranks []int) {
	tied := map[exports.Score][]uint32{}
	for o := range found {
		tied[f.past.Score(f.by, o)] = nil
	}
	var having [1001]int // by score
	it := f.set.Iterator()
	for it.HasNext() {
		o := it.Next()
		s := f.past.Score(f.by, o)
		having[s.Tenths()]++
		if list, ok := tied[s]; ok {
			tied[s] = append(list, o)
		}
	}
	for o, i := range found {
		s := f.past.Score(f.by, o)
		ranks[i] = 1
		for _, n := range having[s.Tenths()+1:] {
			ranks[i] += n
		}
		typ, slug := f.past.Key(o)
		for _, other := range tied[s] {
			if t, x := f.past.Key(other); t < typ || t == typ && x < slug {
				ranks[i]++
			}
		}
	}
}

// versionThen is the version that the entity of a record was at before a time,
// whatever it was called. ok is false where it was not there.
func (c *call) versionThen(from exports.Catalogue, ordinal uint32, end int64) (v int, ok bool) {
	a := c.view.build.Archive()
	if s, past := from.(*exports.Snapshot); past {
		v = s.Version(ordinal)
	} else if v, ok = c.view.newest(ordinal); !ok {
		return -1, false
	}
	for v >= 0 {
		at := a.Version(v)
		if at.Time < end {
			return v, !at.Deleted
		}
		v = int(at.Before)
	}
	return -1, false
}

// newest is the newest version of the entity of a record. What is not committed
// has none, unless it is another name for what is.
func (v *view) newest(ordinal uint32) (version int, ok bool) {
	return v.build.Archive().NewestOf(ordinal)
}

// appendMovement adds rank, previousRank and delta to a record: by how many
// places it has climbed.
func appendMovement(dst []byte, rank, previous int) []byte {
	dst = append(dst, `,"rank":`...)
	dst = strconv.AppendInt(dst, int64(rank), 10)
	if previous == 0 {
		return append(dst, `,"previousRank":null,"delta":null`...)
	}
	dst = append(dst, `,"previousRank":`...)
	dst = strconv.AppendInt(dst, int64(previous), 10)
	dst = append(dst, `,"delta":`...)
	return strconv.AppendInt(dst, int64(previous-rank), 10)
}
