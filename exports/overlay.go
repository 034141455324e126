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

// Edit is one entity as it stands beside a build: changed, new, or gone.
type Edit struct {
	Type, Slug string
	Entity     *record.Entity // with its scores; nil where the file is gone
}

// overlay is what edits change in a build that is not built anew: records after
// its own ordinals, and ordinals of its own that count no more.
type overlay struct {
	id            string
	entities      []*record.Entity // the record of ordinal n+i is entities[i]
	records       [][]byte
	rows          [][]byte
	replaced      *roaring.Bitmap   // ordinals of the build that were replaced or are gone
	newOrdinals   map[uint32]uint32 // of those, the ones that were replaced: their new ordinal
	keys          map[string]uint32 // as Build.targets
	names         []string          // folded, sorted, each once
	slugs         []string          // type, NUL, slug; sorted
	values        [][]int64         // by sort key, then entity
	rank          []int64           // in the order by type and slug
	sortPositions []float64         // among ordinals
}

// WithEdits returns the build as it would answer with some edits made: every lookup,
// selection, order and count is that of a build of the edited content. Files,
// neighbours and the manifest stay those of the build.
//
// It costs as much as the edits do, whatever the size of the build. The result
// lives as long as b: only b is closed. Each entity may occur once.
func (b *Build) WithEdits(edits []Edit) (*Build, error) {
	if b.overlay != nil {
		return nil, fmt.Errorf("exports: a build with edits takes no further ones")
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

// OverlayID tells edits from other edits of the same build; it is "" for a build
// without any.
func (b *Build) OverlayID() string {
	if b.overlay == nil {
		return ""
	}
	return b.overlay.id
}

// indexEdits gives the edited entities their places in every order.
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

// editedValue is what Build.sortValue returns for an edited entity.
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

// positionEdits finds where the edited entities would stand among the ordinals.
// Several between the same two are spread evenly.
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

// stride is by how much places in tables are drawn apart, so that there is
// room between two for every name that the edits bring, and for a cursor.
func (b *Build) stride() int64 {
	if b.overlay == nil {
		return 4
	}
	return int64(2 * (max(len(b.overlay.names), len(b.overlay.slugs)) + 2))
}

// spacedIndex is the place of a text in the order of a table and of the texts
// that edits add to it. Places of different texts differ where the texts are in
// the table or among the added; any other text has a place between its
// neighbours.
func (b *Build) spacedIndex(t packed.StringTable, added []string, s string) int64 {
	i, found := t.Search(s)
	if found {
		return int64(i) * b.stride()
	}
	j, found := slices.BinarySearch(added, s)
	return (int64(i)-1)*b.stride() + int64(2*j+1) + int64(boolInt(found))
}

// nameValue is the place of a folded name.
func (b *Build) nameValue(folded string) int64 {
	if b.overlay == nil {
		return b.spacedIndex(b.names, nil, folded)
	}
	return b.spacedIndex(b.names, b.overlay.names, folded)
}

// rankOf is the place of a key in the order by type and slug.
func (b *Build) rankOf(typ, slug string) int64 {
	if b.overlay == nil {
		return b.spacedIndex(b.keys, nil, typ+"\x00"+slug)
	}
	return b.spacedIndex(b.keys, b.overlay.slugs, typ+"\x00"+slug)
}

// edited returns the edited entity of an ordinal, nil where it is the build's own.
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

// applyEdits makes a set of the build's own ordinals one of the edited build:
// without what was replaced or is gone, and with the edited entities that fit.
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

// Replaced are the build's own ordinals that edits replaced or took away; nil where
// there are none. It must not be changed.
func (b *Build) Replaced() *roaring.Bitmap {
	if b.overlay == nil {
		return nil
	}
	return b.overlay.replaced
}

// Edited are the edited entities, in the order of their ordinals, which follow
// those of the build.
func (b *Build) Edited() []*record.Entity {
	if b.overlay == nil {
		return nil
	}
	return b.overlay.entities
}

// SortPosition is where a record stands in the default order: its ordinal, or, for
// an edited one, a number between two.
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

// addFacets counts the values of the edited entities of a set, by folded form.
// It returns those that no record of the build has.
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
