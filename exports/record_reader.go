package exports

import (
	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
)

// Catalogue is the source of lists and leaderboards: a *Build for the present, or a
// *Snapshot for a day in the past. Ordinals identify records within one catalogue
// only.
type Catalogue interface {
	// Select returns the ordinals of the records that match a filter. The caller
	// owns the set.
	Select(f *Filter) (*roaring.Bitmap, error)
	// Board returns the records on a leaderboard: those in a category (AllBoard for
	// any) and of a type ("" for any) that have the score.
	Board(category, typ, score string) (*roaring.Bitmap, error)
	// Page returns up to limit ordinals of a set in a given order, after skipping
	// the first skip, and reports whether more follow. If after is not nil, the
	// page starts after that position; ok is false if the position does not belong
	// to that order.
	Page(set *roaring.Bitmap, s Sort, after *Position, skip, limit int) (page []uint32, more, ok bool)
	// PositionOf returns the position of a record in an order.
	PositionOf(s Sort, ordinal uint32) Position
	// CountUntil returns the number of records in a set that are at or before a
	// position.
	CountUntil(set *roaring.Bitmap, s Sort, p Position) int
	// InRankOrder returns a set sorted by composite score, best first.
	InRankOrder(set *roaring.Bitmap) []uint32
	// Key returns the type and slug of a record.
	Key(ordinal uint32) (typ, slug string)
	// Record returns the JSON form of a record.
	Record(ordinal uint32) []byte
	// Entity decodes a record. The result must not be modified.
	Entity(ordinal uint32) (*record.Entity, error)
}

var (
	_ Catalogue = (*Build)(nil)
	_ Catalogue = (*Snapshot)(nil)
)
