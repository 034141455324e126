package exports

import (
	"slices"
	"sort"
	"strconv"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// Sort is an order of records.
type Sort struct {
	Key  string // one of the SortKeys
	Desc bool
}

// DefaultSort is by composite score, best first.
var DefaultSort = Sort{Key: "composite", Desc: true}

// Position is the place of a record in an order, as cursors store it. It contains
// no ordinal, so it stays valid across builds.
type Position struct {
	Value string // the sort value as a string, or "" for null
	Type  string
	Slug  string
}

// PositionOf returns the position of a record in an order.
func (b *Build) PositionOf(s Sort, ordinal uint32) Position {
	typ, slug := b.Key(ordinal)
	p := Position{Type: typ, Slug: slug}
	key := slices.Index(SortKeys, s.Key)
	if s.Key != "name" {
		p.Value = formatSortValue(key, b.sortValue(key, ordinal))
	} else if e := b.edited(ordinal); e != nil {
		p.Value = record.Fold(e.Name)
	} else {
		p.Value = string(b.names.At(int(b.nameRank.At(int(ordinal)))))
	}
	return p
}

// sortKeyOf converts a position to numbers that can be compared with those of this
// build's records. Values that the build does not have are placed between their
// neighbours.
func (b *Build) sortKeyOf(key int, p Position) (value, rank int64, ok bool) {
	rank = b.rankOf(p.Type, p.Slug)
	if SortKeys[key] == "name" { // a name is never null, but a name that consists only of marks folds to ""
		return b.nameValue(p.Value), rank, true
	}
	value, ok = parseSortValue(key, p.Value)
	return value, rank, ok
}

// parseSortValue parses the value of a position: a score, a date or a measure. ok is false
// if it is none of them.
func parseSortValue(key int, text string) (value int64, ok bool) {
	switch {
	case text == "":
		return nullValue, true
	case key >= len(columnKeys):
		v, err := strconv.ParseInt(text, 10, 64)
		return v, err == nil && v != nullValue
	case key > len(record.ScoreNames):
		d, err := record.DayNumber(text)
		return dateValue(d), err == nil
	default:
		v, err := strconv.ParseInt(text, 10, 16)
		return v, err == nil && v >= 0 && v <= 1000
	}
}

// formatSortValue formats a score, date or measure as the value of a position.
func formatSortValue(key int, value int64) string {
	switch {
	case value == nullValue:
		return ""
	case key >= len(columnKeys):
		return strconv.FormatInt(value, 10)
	case key > len(record.ScoreNames):
		return record.FormatDay(int32(value))
	default:
		return strconv.FormatInt(value, 10)
	}
}

// compareTo compares a record with a position.
func (b *Build) compareTo(key int, o uint32, value, rank int64, desc bool) int {
	return compareSortKeys(b.sortValue(key, o), b.rank(o), value, rank, desc)
}

// before returns the ordinal at which a position would be inserted. It looks only
// at the ordinals in [from, to), which are in the default order.
func (b *Build) before(value, rank int64, from, to int) int {
	return from + sort.Search(to-from, func(i int) bool { return b.compareTo(0, uint32(from+i), value, rank, true) > 0 })
}

// SortPositionOf converts a position in the default order to a sort position. If
// this build has no such record, the result lies between two records. ok is false
// if the position belongs to a different order.
func (b *Build) SortPositionOf(p Position) (position float64, ok bool) {
	if o, isAlias, found := b.Find(p.Type, p.Slug); found && !isAlias && b.PositionOf(DefaultSort, o) == p {
		return b.SortPosition(o), true
	}
	value, rank, ok := b.sortKeyOf(0, p)
	if !ok {
		return 0, false
	}
	edited := 0
	for o := range b.edits {
		if b.compareTo(0, o, value, rank, true) <= 0 {
			edited++
		}
	}
	return float64(b.before(value, rank, 0, b.listed)) - 1 + (float64(edited)+0.5)/float64(len(b.Edited())+1), true
}

// spacedIndex returns the position of s in the combined order of a table and the
// strings added by edits. Strings in the table or in added have distinct positions.
// Any other string gets a position between its neighbours.
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

// SortPosition returns the position of a record in the default order: its ordinal
// or, for an edited record, a number between two ordinals.
func (b *Build) SortPosition(ordinal uint32) float64 {
	if int(ordinal) < b.n {
		return float64(ordinal)
	}
	return b.overlay.sortPositions[int(ordinal)-b.n]
}
