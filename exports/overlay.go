package exports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
)

// Edit is an entity that was changed, added or removed on top of a build.
type Edit struct {
	Type, Slug string
	Entity     *record.Entity // the entity with its scores; nil if it was removed
}

// WithEdits returns the build with edits applied on top. Every lookup, selection,
// order and count gives the same result as in a build of the edited content. Files,
// neighbours and the manifest remain those of b.
//
// The cost depends on the number of edits, not on the size of the build. The result is valid
// until b is closed and need not be closed itself. Each entity may occur only once in edits.
// No further edits can be applied to a build with edits.
func (b *Build) WithEdits(edits []Edit) (*Build, error) {
	if b.overlay != nil {
		return nil, fmt.Errorf("exports: the build already has edits")
	}
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(x, y Edit) int { return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.Slug, y.Slug)) })
	d := &overlay{replaced: roaring.New(), newOrdinals: map[uint32]uint32{}, keys: map[string]uint32{}}
	with := *b
	with.overlay = d
	sum := sha256.New()
	for _, e := range edits {
		key := e.Type + "\x00" + e.Slug
		base, isAlias, known := b.Find(e.Type, e.Slug)
		if known = known && !isAlias; known {
			d.replaced.Add(base)
		}
		fmt.Fprintf(sum, "%s\x00", key)
		if e.Entity == nil {
			continue
		}
		ordinal := uint32(b.n + len(d.entities))
		if known {
			d.newOrdinals[base] = ordinal
		}
		d.keys[key] = ordinal << 1
		d.entities = append(d.entities, e.Entity)
		d.records = append(d.records, e.Entity.AppendJSON(nil))
		d.names = append(d.names, record.Fold(e.Entity.Name))
		d.slugs = append(d.slugs, key)
		sum.Write(d.records[len(d.records)-1])
	}
	d.id = hex.EncodeToString(sum.Sum(nil)[:4])
	slices.Sort(d.names)
	d.names = slices.Compact(d.names)
	return &with, with.indexEdits()
}

// OverlayID identifies the edits among all possible edits of the same build. It is "" if
// there are no edits.
func (b *Build) OverlayID() string {
	if b.overlay == nil {
		return ""
	}
	return b.overlay.id
}

// indexEdits computes the positions of the edited entities in every order.
func (b *Build) indexEdits() error {
	d := b.overlay
	d.values = make([][]int64, len(SortKeys))
	for key := range SortKeys {
		d.values[key] = make([]int64, len(d.entities))
	}
	d.rank = make([]int64, len(d.entities))
	for i, e := range d.entities {
		o := uint32(b.n + i)
		d.rank[i] = b.rankOf(e.Type, e.Slug)
		for key := range SortKeys {
			v, err := b.editedValue(key, e)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Key(), err)
			}
			d.values[key][i] = v
		}
		for _, old := range e.Formerly {
			key := e.Type + "\x00" + old
			if at, isAlias, ok := b.Find(e.Type, old); !ok || isAlias && at != o {
				d.keys[key] = o<<1 | 1
			}
		}
	}
	d.indexIDs(b.n)
	b.positionEdits()
	return nil
}

// editedValue is Build.sortValue for an edited entity.
func (b *Build) editedValue(key int, e *record.Entity) (int64, error) {
	if key >= len(columnKeys) {
		return measureOf(e, sortMeasures[key-len(columnKeys)]), nil
	}
	var day string
	switch name := SortKeys[key]; name {
	case "name":
		return b.nameValue(record.Fold(e.Name)), nil
	case "addedDate":
		day = e.AddedDate
	case "lastUpdated":
		day = e.LastUpdated
	default:
		if s := e.Scores.Get(name); s.Known() {
			return int64(s.Code()), nil
		}
		return nullValue, nil
	}
	d, err := record.DayNumber(day)
	return dateValue(d), err
}

// positionEdits computes the positions of the edited entities in the order of the
// ordinals. An entity between two ordinals gets a number between them.
func (b *Build) positionEdits() {
	d := b.overlay
	order := make([]int, len(d.entities))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return record.CompareRank(d.entities[x], d.entities[y]) })
	d.sortPositions = make([]float64, len(order))
	for j, i := range order {
		from, to := 0, b.listed
		if d.entities[i].Status == record.Withdrawn {
			from, to = b.listed, b.n
		}
		d.sortPositions[i] = float64(b.before(d.values[0][i], d.rank[i], from, to)) - 1 + float64(j+1)/float64(len(order)+1)
	}
}

// Replaced returns the build's own ordinals that edits replaced or removed, or nil
// if there are no edits. The set must not be modified.
func (b *Build) Replaced() *roaring.Bitmap {
	if b.overlay == nil {
		return nil
	}
	return b.overlay.replaced
}
