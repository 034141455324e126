package board

import (
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/view"
)

// Ranking is a board at one time, with ordinals in a catalogue. Its methods may be called concurrently.
type Ranking struct {
	Catalogue *view.View
	Entries   []exports.BoardEntry // best first; must not be modified

	set   *roaring.Bitmap
	order *view.Order
	place map[uint32]int // by ordinal, the index in Entries
}

// Rank returns the ranking of the board in a catalogue. Scores and Computed of the entities must be set, as of the
// same time.
func (b *Board) Rank(c *view.View, asOf time.Time) *Ranking {
	var entries []exports.BoardEntry
	for o := range roaring.Values(c.Select(b.filter)) {
		if entry, ok := b.entry(c.Entity(o), asOf); ok {
			entry.Ordinal = o
			entries = append(entries, entry)
		}
	}
	return newRanking(c, entries)
}

func newRanking(c *view.View, entries []exports.BoardEntry) *Ranking {
	r := &Ranking{Catalogue: c, Entries: entries, set: roaring.New(), place: map[uint32]int{}}
	scores := map[uint32]record.Score{}
	for _, e := range entries {
		r.set.Add(e.Ordinal)
		scores[e.Ordinal] = e.Score
	}
	r.order = c.OrderByScores(scores)
	for i, o := range r.Order(ScoreName) {
		r.place[o] = i
	}
	slices.SortFunc(r.Entries, func(x, y exports.BoardEntry) int { return r.place[x.Ordinal] - r.place[y.Ordinal] })
	return r
}

// By returns the records on the board that have a score, one of a record's or ScoreName, and the order by it, best
// first. The set must not be modified.
func (r *Ranking) By(score string) (*roaring.Bitmap, *view.Order) {
	if score == ScoreName {
		return r.set, r.order
	}
	all := r.Catalogue.Board(view.AllBoard, "", score)
	all.And(r.set)
	return all, r.Catalogue.Order(view.Sort{Key: score, Desc: true})
}

// Order returns the ordinals of the records on the board that have a score, best first.
func (r *Ranking) Order(score string) []uint32 {
	set, order := r.By(score)
	all, _, _ := order.Page(set, nil, 0, r.Catalogue.Len())
	return all
}

// Published reports whether the board has enough entries to be published.
func (r *Ranking) Published() bool { return len(r.Entries) >= MinEntries }

// Find returns the rank and the score of a record on the board. ok is false if it is not on it.
func (r *Ranking) Find(ordinal uint32) (rank int, s record.Score, ok bool) {
	i, ok := r.place[ordinal]
	if !ok {
		return 0, s, false
	}
	return i + 1, r.Entries[i].Score, true
}

// Span is the range of dates of the figures on a board.
type Span struct {
	// Oldest and Newest are YYYY-MM-DD, or "" if no figure has a date.
	Oldest jsonenc.OptionalString `json:"oldest"`
	Newest jsonenc.OptionalString `json:"newest"`
}

// FiguresOf returns the dates of the oldest and the newest figure that counts on the board.
func (r *Ranking) FiguresOf() Span {
	oldest, newest := int32(record.NoDate), int32(record.NoDate)
	for _, e := range r.Entries {
		oldest, newest = extended(oldest, newest, e.Oldest, e.Newest)
	}
	return Span{jsonenc.OptionalString(record.FormatDay(oldest)), jsonenc.OptionalString(record.FormatDay(newest))}
}
