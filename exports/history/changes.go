package history

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"
	"unique"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/klauspost/compress/s2"

	"kindex/exports/parallel"
	"kindex/exports/record"
)

// changelog holds the lines of the changelog, and where to find them.
type changelog struct {
	lines  *lines
	ids    map[string]uint32                     // the changes by ID
	values map[string]map[string]*roaring.Bitmap // the changes by field and value, see ChangeFilter
}

var changeID = regexp.MustCompile(`^[0-9a-f]{24}$`)

// The fields by which changes are selected.
const (
	byType     = "type"
	byCategory = "category"
	byEvent    = "event"
	byField    = "field"
)

// readChanges reads the changelog.
func (a *Archive) readChanges(file []byte) error {
	c := &a.log
	list, err := inflatedLines(file)
	if err != nil {
		return err
	}
	if len(list) != len(a.changed) {
		return fmt.Errorf("has %d changes, but the versions have %d", len(list), len(a.changed))
	}
	c.lines = packLines(list)
	c.ids, c.values = map[string]uint32{}, map[string]map[string]*roaring.Bitmap{byType: {}, byCategory: {}, byEvent: {}, byField: {}}
	found := make([]struct {
		id, event string
		fields    []string
	}, len(list)) // whole changes would take more memory than anything else
	if err := parallel.Each(len(list), func(i int) error {
		var change record.Change
		err := change.Borrow(list[i])
		found[i].id, found[i].event = strings.Clone(change.ID), strings.Clone(change.Event) // the file does not stay
		for _, f := range change.Fields {
			found[i].fields = append(found[i].fields, unique.Make(f.Field).Value())
		}
		return err
	}); err != nil {
		return err
	}
	for i, f := range found {
		if !changeID.MatchString(f.id) {
			return fmt.Errorf("%.40q is not the ID of a change", f.id)
		}
		at := uint32(i)
		c.ids[f.id] = at
		c.add(byEvent, f.event, at)
		c.add(byType, a.versions[a.changed[i]].Type, at)
		c.add(byCategory, a.categories[i], at)
		for _, field := range f.fields {
			c.add(byField, field, at)
			c.add(byField, record.FieldGroup(field), at)
		}
	}
	return nil
}

// add adds a change to those with a value, unless that is unknown.
func (c *changelog) add(field, value string, change uint32) {
	if value == "" {
		return
	}
	if c.values[field][value] == nil {
		c.values[field][value] = roaring.New()
	}
	c.values[field][value].Add(change)
}

// Changes returns the number of changes.
func (a *Archive) Changes() int { return len(a.changed) }

// ChangeLine returns a change's JSON object in the changelog, without the line ending.
func (a *Archive) ChangeLine(i int) []byte { return a.log.lines.line(i) }

// Change decodes a change.
func (a *Archive) Change(i int) *record.Change {
	c := new(record.Change)
	if err := c.UnmarshalJSON(a.ChangeLine(i)); err != nil {
		panic(err) // cannot happen: readChanges has decoded it
	}
	return c
}

// ChangeTime returns the time of a change, in UTC.
func (a *Archive) ChangeTime(i int) time.Time {
	return time.Unix(a.versions[a.changed[i]].Time, 0).UTC()
}

// ChangeVersion returns the version created by a change.
func (a *Archive) ChangeVersion(i int) int { return int(a.changed[i]) }

// Category returns the category under which a change is found.
func (a *Archive) Category(i int) string { return a.categories[i] }

// FindChange looks up a change by ID.
func (a *Archive) FindChange(id string) (i int, ok bool) {
	at, ok := a.log.ids[id]
	return int(at), ok
}

// ChangesSince returns the first change at or after a time, or the number of
// changes if there is none.
func (a *Archive) ChangesSince(t time.Time) int {
	return sort.Search(len(a.changed), func(i int) bool { return !a.ChangeTime(i).Before(t) })
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
func (a *Archive) SelectChanges(f ChangeFilter) *roaring.Bitmap {
	set := roaring.New()
	if from, to := max(f.From, 0), min(f.To, len(a.changed)); from < to {
		set.AddRange(uint64(from), uint64(to))
	}
	for _, c := range []struct {
		field  string
		values []string
	}{{byEvent, f.Event}, {byType, f.Type}, {byCategory, f.Category}, {byField, f.Field}} {
		if len(c.values) > 0 {
			set.And(a.withAny(c.field, c.values))
		}
	}
	return set
}

// withAny returns the changes with one of several values of a field, or with one that such a value replaced
// or was replaced by.
func (a *Archive) withAny(field string, values []string) *roaring.Bitmap {
	any := roaring.New()
	for _, v := range values {
		for _, same := range a.base.Same(field, v) {
			if set := a.log.values[field][same]; set != nil {
				any.Or(set)
			}
		}
	}
	return any
}

// ChangeValues returns the sorted values of type, category, event or field.
func (a *Archive) ChangeValues(field string) []string {
	return slices.Sorted(maps.Keys(a.log.values[field]))
}

// EntityChanges returns all changes of the entity that a version belongs to, under any slug, oldest first.
// Its cost is linear in the number of the entity's versions.
func (a *Archive) EntityChanges(v int) []uint32 {
	var list []uint32
	for v = a.Newest(v); v != none; v = int(a.versions[v].Previous) {
		if c := a.versions[v].Change; c != none {
			list = append(list, uint32(c))
		}
	}
	slices.Reverse(list)
	return list
}

// lines are the lines of a changelog. It repeats the texts of the records, so that it would take as much memory
// as they do: blocks of lines are compressed. Its methods may be called concurrently.
type lines struct {
	blocks [][]byte
	last   atomic.Pointer[block] // the one that was read last, because changes are mostly read in order
}

// block is a block of lines, as it is compressed.
type block struct {
	number int
	lines  [][]byte
}

// blockLines is the number of lines in a block: few, because those of an entity are far apart.
const blockLines = 32

func packLines(list [][]byte) *lines {
	l := new(lines)
	for part := range slices.Chunk(list, blockLines) {
		l.blocks = append(l.blocks, bytes.Clone(s2.Encode(nil, bytes.Join(part, []byte{'\n'}))))
	}
	return l
}

// line returns line i. It must not be changed.
func (l *lines) line(i int) []byte {
	number := i / blockLines
	b := l.last.Load()
	if b == nil || b.number != number {
		data, err := s2.Decode(nil, l.blocks[number])
		if err != nil {
			panic(err) // cannot happen: packLines wrote it
		}
		b = &block{number, bytes.Split(data, []byte{'\n'})}
		l.last.Store(b)
	}
	return b.lines[i%blockLines]
}
