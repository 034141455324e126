package board

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/view"
)

// Ranking is a board at one time: its entries, best first, with ordinals in a catalogue. Its
// methods may be called concurrently.
type Ranking struct {
	Catalogue *view.View
	Entries   []exports.BoardEntry // best first; must not be modified

	set   *roaring.Bitmap
	place map[uint32]int // by ordinal, the index in Entries
}

// newRanking returns a ranking of entries that are already in order.
func newRanking(c *view.View, entries []exports.BoardEntry) *Ranking {
	r := &Ranking{Catalogue: c, Entries: entries, set: roaring.New(), place: map[uint32]int{}}
	for i := range entries {
		r.set.Add(entries[i].Ordinal)
		r.place[entries[i].Ordinal] = i
	}
	return r
}

// Sort sorts entries by score, best first, with ties by type and slug. key returns the type and
// the slug of a record.
func Sort(entries []exports.BoardEntry, key func(ordinal uint32) (typ, slug string)) {
	slices.SortFunc(entries, func(x, y exports.BoardEntry) int {
		if x.Score != y.Score {
			return y.Score.Compare(x.Score)
		}
		xt, xs := key(x.Ordinal)
		yt, ys := key(y.Ordinal)
		return cmp.Or(strings.Compare(xt, yt), strings.Compare(xs, ys))
	})
}

// Set returns the records on the board. It must not be modified.
func (r *Ranking) Set() *roaring.Bitmap { return r.set }

// With returns the records on the board that have a score: one of a record's, or ScoreName. It
// must not be modified.
func (r *Ranking) With(by string) *roaring.Bitmap {
	if by == ScoreName {
		return r.set
	}
	all := r.Catalogue.Board(view.AllBoard, "", by)
	all.And(r.set)
	return all
}

// Order returns the ordinals of the records that With returns, sorted by that score, best
// first.
func (r *Ranking) Order(by string) []uint32 {
	if by == ScoreName {
		order := make([]uint32, len(r.Entries))
		for i := range r.Entries {
			order[i] = r.Entries[i].Ordinal
		}
		return order
	}
	set := r.With(by)
	order, _, _ := r.Catalogue.Page(set, view.Sort{Key: by, Desc: true}, nil, 0, int(set.GetCardinality()))
	return order
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
func (r *Ranking) FiguresOf() Span { return FiguresOf(r.Entries) }

// FiguresOf returns the dates of the oldest and the newest figure that counts in some entries.
func FiguresOf(entries []exports.BoardEntry) Span {
	oldest, newest := int32(record.NoDate), int32(record.NoDate)
	for i := range entries {
		oldest, newest = extended(oldest, newest, entries[i].Oldest, entries[i].Newest)
	}
	return Span{jsonenc.OptionalString(record.FormatDay(oldest)), jsonenc.OptionalString(record.FormatDay(newest))}
}

// PositionOf returns the position of an entry, as cursors store it.
func (r *Ranking) PositionOf(i int) view.Position {
	typ, slug := r.Catalogue.Key(r.Entries[i].Ordinal)
	return view.Position{Value: strconv.Itoa(int(r.Entries[i].Score.Code())), Type: typ, Slug: slug}
}

// After returns the index of the first entry after a position. ok is false if the position does
// not belong to the order of a board.
func (r *Ranking) After(p view.Position) (i int, ok bool) {
	code, err := strconv.ParseInt(p.Value, 10, 16)
	if err != nil || code < 0 || code > 1000 {
		return 0, false
	}
	return sort.Search(len(r.Entries), func(i int) bool {
		e := &r.Entries[i]
		if c := int64(e.Score.Code()); c != code {
			return c < code
		}
		typ, slug := r.Catalogue.Key(e.Ordinal)
		return cmp.Or(strings.Compare(typ, p.Type), strings.Compare(slug, p.Slug)) > 0
	}), true
}
