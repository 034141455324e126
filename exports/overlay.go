package exports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/record"
	"kindex/exports/table"
)

// Edit is an entity that was changed, added or removed on top of a build.
type Edit struct {
	Type, Slug string
	Entity     *record.Entity // with its scores; nil if it was removed
}

// overlay holds the effect of edits on a build: additional records after the
// build's own ordinals, and the set of own ordinals that no longer count.
type overlay struct {
	id            string
	entities      []*record.Entity // the record of ordinal n+i is entities[i]
	records       [][]byte
	rows          [][]byte
	replaced      *roaring.Bitmap   // ordinals of the build that were replaced or removed
	newOrdinals   map[uint32]uint32 // replaced ordinal → new ordinal
	keys          map[string]uint32 // as Build.targets
	names         []string          // folded, sorted, unique
	slugs         []string          // type, NUL, slug; sorted
	values        [][]int64         // by sort key, then by entity
	rank          []int64           // in the order by type and slug
	sortPositions []float64         // among ordinals
}

// WithEdits returns the build with edits applied on top: every lookup, selection, order
// and count is the same as in a build of the edited content. Files, neighbours and the
// manifest remain those of b.
//
// Its cost depends on the number of edits, not on the size of the build. The
// result is valid until b is closed; only b needs closing. Each entity may occur
// once. A build with edits accepts no more edits.
func (b *Build) WithEdits(edits []Edit) (*Build, error) {
	if b.overlay != nil {
		return nil, fmt.Errorf("exports: build already has edits")
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
		d.rows = append(d.rows, table.AppendRow(nil, table.EntityColumns, table.EntityRow(e.Entity)))
		d.names = append(d.names, record.Fold(e.Entity.Name))
		d.slugs = append(d.slugs, key)
		sum.Write(d.records[len(d.records)-1])
	}
	d.id = hex.EncodeToString(sum.Sum(nil)[:4])
	slices.Sort(d.names)
	d.names = slices.Compact(d.names)
	return &with, with.indexEdits()
}

// OverlayID identifies the edits among all edits of the same build; it is ""
// without edits.
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
		for key, name := range SortKeys {
			v, err := b.editedValue(name, e)
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
	b.positionEdits()
	return nil
}

// editedValue returns what Build.sortValue returns for an edited entity.
func (b *Build) editedValue(key string, e *record.Entity) (int64, error) {
	var day string
	switch key {
	case "name":
		return b.nameValue(record.Fold(e.Name)), nil
	case "addedDate":
		day = e.AddedDate
	case "lastUpdated":
		day = e.LastUpdated
	default:
		if s := e.Scores.Get(key); s.Known() {
			return int64(s.Code()), nil
		}
		return nullValue, nil
	}
	d, err := record.DayNumber(day)
	return dateValue(d), err
}

// positionEdits computes the positions of the edited entities among the ordinals.
// Entities between the same two ordinals are spread evenly.
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

// stride returns the distance between consecutive table indexes, so that every name
// added by edits, and a cursor, fits between two of them.
func (b *Build) stride() int64 {
	if b.overlay == nil {
		return 4
	}
	return int64(2 * (max(len(b.overlay.names), len(b.overlay.slugs)) + 2))
}

// spacedIndex returns the position of a text among the texts of a table and the
// texts added by edits. Texts in the table or among the added ones have distinct
// positions; any other text gets a position between its neighbours.
func (b *Build) spacedIndex(t packed.StringTable, added []string, s string) int64 {
	i, found := t.Search(s)
	if found {
		return int64(i) * b.stride()
	}
	j, found := slices.BinarySearch(added, s)
	return (int64(i)-1)*b.stride() + int64(2*j+1) + int64(boolInt(found))
}

// nameValue returns the position of a folded name.
func (b *Build) nameValue(folded string) int64 {
	if b.overlay == nil {
		return b.spacedIndex(b.names, nil, folded)
	}
	return b.spacedIndex(b.names, b.overlay.names, folded)
}

// rankOf returns the position of a key in the order by type and slug.
func (b *Build) rankOf(typ, slug string) int64 {
	if b.overlay == nil {
		return b.spacedIndex(b.keys, nil, typ+"\x00"+slug)
	}
	return b.spacedIndex(b.keys, b.overlay.slugs, typ+"\x00"+slug)
}

// edited returns the edited entity of an ordinal, nil if it is not edited.
func (b *Build) edited(ordinal uint32) *record.Entity {
	if int(ordinal) < b.n {
		return nil
	}
	return b.overlay.entities[int(ordinal)-b.n]
}

// edits calls yield with the edited entities and their ordinals.
func (b *Build) edits(yield func(ordinal uint32, e *record.Entity) bool) {
	if b.overlay == nil {
		return
	}
	for i, e := range b.overlay.entities {
		if !yield(uint32(b.n+i), e) {
			return
		}
	}
}

// applyEdits turns a set of the build's own ordinals into one of the edited
// build: it removes replaced records and adds the edited entities that fit.
func (b *Build) applyEdits(set *roaring.Bitmap, fits func(*record.Entity) bool) *roaring.Bitmap {
	if b.overlay == nil {
		return set
	}
	set = roaring.AndNot(set, b.overlay.replaced)
	for o, e := range b.edits {
		if fits(e) {
			set.Add(o)
		}
	}
	return set
}

// Replaced returns the build's own ordinals that edits replaced or removed, nil
// without edits. The set must not be modified.
func (b *Build) Replaced() *roaring.Bitmap {
	if b.overlay == nil {
		return nil
	}
	return b.overlay.replaced
}

// Edited returns the edited entities. Their ordinals follow those of the build.
func (b *Build) Edited() []*record.Entity {
	if b.overlay == nil {
		return nil
	}
	return b.overlay.entities
}

// SortPosition returns the position of a record in the default order: its ordinal
// or, for an edited record, a number between two ordinals.
func (b *Build) SortPosition(ordinal uint32) float64 {
	if int(ordinal) < b.n {
		return float64(ordinal)
	}
	return b.overlay.sortPositions[int(ordinal)-b.n]
}

// hasValue reports whether an entity has a folded value in a filter field.
func hasValue(e *record.Entity, field, folded string) bool {
	return slices.ContainsFunc(e.FieldValues(field), func(v string) bool { return record.Fold(v) == folded })
}

// addFacets adds the values of the edited entities of a set to counts. It returns
// the counts of values that no record of the build has, by folded form.
func (b *Build) addFacets(set *roaring.Bitmap, field string, counts []int, first int) map[string]FacetCount {
	added := map[string]FacetCount{}
	for o, e := range b.edits {
		if !set.Contains(o) {
			continue
		}
		seen := map[string]bool{}
		for _, v := range e.FieldValues(field) {
			key := record.Fold(v)
			if seen[key] {
				continue
			}
			seen[key] = true
			if i, ok := b.values.Search(field + "\x00" + key); ok {
				counts[i-first]++
			} else {
				added[key] = FacetCount{Value: cmp.Or(added[key].Value, v), Count: added[key].Count + 1}
			}
		}
	}
	return added
}
