package exports

import (
	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
)

// Catalogue is what lists and leaderboards are read from: the present, which is
// a *Build, or a day of the past, which is a *Snapshot. Records are named by
// ordinals, which mean nothing to another catalogue.
type Catalogue interface {
	// Select returns the ordinals that a filter chooses. The set is the caller's.
	Select(f *Filter) (*roaring.Bitmap, error)
	// Board returns the records of a leaderboard: those of a category, or of
	// AllBoard, and of a type unless it is "", that have the score.
	Board(category, typ, score string) (*roaring.Bitmap, error)
	// Page returns up to limit ordinals of a set in an order, after skipping skip
	// of them, and whether more follow. With a non-nil after it begins after that
	// place; ok is false where the place does not fit the order.
	Page(set *roaring.Bitmap, s Sort, after *Position, skip, limit int) (page []uint32, more, ok bool)
	// PositionOf returns the place of a record in an order.
	PositionOf(s Sort, ordinal uint32) Position
	// CountUntil is how many records of a set stand at a place or before it.
	CountUntil(set *roaring.Bitmap, s Sort, p Position) int
	// InRankOrder lists a set by composite, the best first.
	InRankOrder(set *roaring.Bitmap) []uint32
	// Key returns the type and slug of a record.
	Key(ordinal uint32) (typ, slug string)
	// Record returns the JSON form of a record.
	Record(ordinal uint32) []byte
	// Entity decodes a record. It must not be changed.
	Entity(ordinal uint32) (*record.Entity, error)
}

var (
	_ Catalogue = (*Build)(nil)
	_ Catalogue = (*Snapshot)(nil)
)
