package exports

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// idSize is the length of a change ID in bytes.
const idSize = 12

// The fields by which changes are selected.
const (
	byType     = "type"
	byCategory = "category"
	byEvent    = "event"
	byField    = "field"
)

// changeSections is the number of sections of changes.bin before the postings.
const changeSections = 5

// Changes returns the number of changes.
func (r *ArchiveReader) Changes() int { return r.log.n }

// ChangeLine returns a change's JSON object in the changelog, without the line ending.
func (r *ArchiveReader) ChangeLine(i int) []byte {
	from, to := packed.Uint64At(r.log.offsets, i), packed.Uint64At(r.log.offsets, i+1)-1
	return r.log.lines[from:to:to]
}

// Change decodes a change.
func (r *ArchiveReader) Change(i int) (*record.Change, error) {
	c := new(record.Change)
	if err := c.UnmarshalJSON(r.ChangeLine(i)); err != nil {
		return nil, fmt.Errorf("change %d of the changelog: %w", i, err)
	}
	return c, nil
}

// ChangeTime returns the time of a change, in UTC.
func (r *ArchiveReader) ChangeTime(i int) time.Time {
	return time.Unix(int64(packed.Uint64At(r.log.times, i)), 0).UTC()
}

// ChangeVersion returns the version created by a change.
func (r *ArchiveReader) ChangeVersion(i int) int { return int(r.log.versions.At(i)) }

// FindChange looks up a change by ID.
func (r *ArchiveReader) FindChange(id string) (i int, ok bool) {
	raw, ok := parseChangeID(id)
	if !ok {
		return 0, false
	}
	at := func(i int) []byte { return r.log.ids[idSize*i : idSize*(i+1)] }
	i = sort.Search(r.log.n, func(i int) bool { return bytes.Compare(at(i), raw) >= 0 })
	if i == r.log.n || !bytes.Equal(at(i), raw) {
		return 0, false
	}
	return int(r.log.idIndexes.At(i)), true
}

// parseChangeID decodes an ID of 24 lower-case hexadecimal digits.
func parseChangeID(id string) ([]byte, bool) {
	raw, err := hex.DecodeString(id)
	return raw, err == nil && len(raw) == idSize && hex.EncodeToString(raw) == id
}

// ChangesSince returns the first change at or after a time, or the number of
// changes if there is none.
func (r *ArchiveReader) ChangesSince(t time.Time) int {
	return sort.Search(r.log.n, func(i int) bool { return !r.ChangeTime(i).Before(t) })
}

// ChangeFilter selects changes.
type ChangeFilter struct {
	From, To int // range of change indexes, excluding To
	// Each of these is a list of alternatives; an empty list matches everything. A
	// group such as signals matches all of its fields. A category includes the changes
	// under its former slugs.
	Event, Type, Category, Field []string
}

// SelectChanges returns the changes that match a filter. The caller owns the set.
func (r *ArchiveReader) SelectChanges(f ChangeFilter) *roaring.Bitmap {
	set := roaring.New()
	if from, to := max(f.From, 0), min(f.To, r.log.n); from < to {
		set.AddRange(uint64(from), uint64(to))
	}
	for _, c := range []struct {
		field  string
		values []string
	}{{byEvent, f.Event}, {byType, f.Type}, {byCategory, f.Category}, {byField, f.Field}} {
		if len(c.values) > 0 {
			set = packed.And(set, r.log.postings.Any(c.field, r.renamed(c.field, c.values)))
		}
	}
	return set
}

// renamed adds to the values of a field those that they replaced or that replaced them.
func (r *ArchiveReader) renamed(field string, values []string) (all []string) {
	if r.build == nil {
		return values
	}
	for _, v := range values {
		all = append(all, r.build.Same(field, v)...)
	}
	return all
}

// ChangeValues returns the sorted values of type, category, event or field.
func (r *ArchiveReader) ChangeValues(field string) []string { return r.log.postings.Values(field) }

// EntityChanges returns all changes of the entity that a version belongs to,
// under any slug, oldest first. Its cost is linear in the number of the entity's
// versions.
func (r *ArchiveReader) EntityChanges(v int) []uint32 {
	var list []uint32
	for v = r.Newest(v); v >= 0; {
		if c := r.changeOf(v); c >= 0 {
			list = append(list, uint32(c))
		}
		before := r.previous(v)
		if before >= v {
			break // never happens in a valid build
		}
		v = before
	}
	slices.Reverse(list)
	return list
}
