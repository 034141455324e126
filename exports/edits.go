package exports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
	"kindex/exports/view"
)

// Edit is an entity that was changed, added or removed on top of a build.
type Edit struct {
	Type, Slug string
	Entity     *record.Entity // the entity with its scores; nil if it was removed
}

// WithEdits returns the build with edits applied on top. Every lookup, selection, order and count gives
// the same result as in a build of the edited content. Files, neighbours and the manifest remain those of
// b, and so do the ordinals of entities without an edit; those of edited entities follow.
//
// The result is valid until b is closed and need not be closed itself. Each entity may occur only once in
// edits. No further edits can be applied to a build with edits.
func (b *Build) WithEdits(list []Edit) (*Build, error) {
	if b.edits != nil {
		return nil, fmt.Errorf("exports: the build already has edits")
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(x, y Edit) int { return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.Slug, y.Slug)) })
	d := &edits{base: b.View, replaced: roaring.New(), current: map[uint32]uint32{}}
	entities := make([]*record.Entity, b.Len())
	for o, e := range b.All {
		entities[o] = e
	}
	sum := sha256.New()
	for _, e := range list {
		if base, isAlias, known := b.Find(e.Type, e.Slug); known && !isAlias {
			d.replaced.Add(base)
			entities[base] = nil
			if e.Entity != nil {
				d.current[base] = uint32(len(entities))
			}
		}
		fmt.Fprintf(sum, "%s\x00%s\x00", e.Type, e.Slug)
		if e.Entity != nil {
			entities = append(entities, e.Entity)
			sum.Write(e.Entity.AppendJSON(nil))
		}
	}
	d.id = hex.EncodeToString(sum.Sum(nil)[:4])
	with := *b
	with.View, with.edits = view.New(entities, b.storedRecord, b.Terms, ""), d
	return &with, nil
}

// OverlayID identifies the edits among all possible edits of the same build. It is "" if
// there are no edits.
func (b *Build) OverlayID() string {
	if b.edits == nil {
		return ""
	}
	return b.edits.id
}

// Edited returns the edited entities. Their ordinals follow those of the build.
func (b *Build) Edited() (list []*record.Entity) {
	if b.edits == nil {
		return nil
	}
	for o := b.edits.base.Len(); o < b.Len(); o++ {
		list = append(list, b.Entity(uint32(o)))
	}
	return list
}

// Replaced returns the build's own ordinals that edits replaced or removed, or nil
// if there are no edits. The set must not be modified.
func (b *Build) Replaced() *roaring.Bitmap {
	if b.edits == nil {
		return nil
	}
	return b.edits.replaced
}

// currentOrdinal returns the ordinal that a listed record of the build has after
// the edits; ok is false if it was removed or withdrawn.
func (b *Build) currentOrdinal(ordinal uint32) (at uint32, ok bool) {
	if b.edits == nil || !b.edits.replaced.Contains(ordinal) {
		return ordinal, true
	}
	at, ok = b.edits.current[ordinal]
	return at, ok && b.Entity(at).Status != record.Withdrawn
}
