package history

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/jsonenc"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// changelog holds the lines of the changelog, and where to find them.
type changelog struct {
	lines  [][]byte
	ids    []idOf                                // sorted
	values map[string]map[string]*roaring.Bitmap // the changes by field and value, see ChangeFilter
}

// idOf is the ID of a change.
type idOf struct {
	id     [12]byte
	change uint32
}

func compareIDs(a, b idOf) int { return bytes.Compare(a.id[:], b.id[:]) }

// The fields by which changes are selected.
const (
	byType     = "type"
	byCategory = "category"
	byEvent    = "event"
	byField    = "field"
)

// readChanges reads the changelog.
func (a *Archive) readChanges(file []byte) error {
	data, err := inflate(file)
	if err != nil {
		return err
	}
	c := changelog{values: map[string]map[string]*roaring.Bitmap{byType: {}, byCategory: {}, byEvent: {}, byField: {}}}
	if c.lines, err = splitLines(data); err != nil {
		return err
	}
	if len(c.lines) != len(a.changed) {
		return fmt.Errorf("has %d changes, but the versions have %d", len(c.lines), len(a.changed))
	}
	found := make([]indexed, len(c.lines))
	err = parallel.Each(len(c.lines), func(i int) (err error) {
		found[i], err = indexedOf(c.lines[i])
		return err
	})
	if err != nil {
		return err
	}
	for i := range found {
		f, at := &found[i], uint32(i)
		c.ids = append(c.ids, idOf{f.id, at})
		c.add(byEvent, f.event, at)
		c.add(byType, a.versions[a.changed[i]].Type, at)
		if category := a.categories[i]; category != "" {
			c.add(byCategory, category, at)
		}
		for _, field := range f.fields {
			c.add(byField, field, at)
			if group := record.FieldGroup(field); group != "" {
				c.add(byField, group, at)
			}
		}
	}
	slices.SortFunc(c.ids, compareIDs)
	a.log = c
	return nil
}

func (c *changelog) add(field, value string, change uint32) {
	set := c.values[field][value]
	if set == nil {
		set = roaring.New()
		c.values[field][value] = set
	}
	set.Add(change)
}

// indexed is what a change is found by, apart from its version.
type indexed struct {
	id     [12]byte
	event  string
	fields []string
}

// indexedOf reads it from a line of the changelog.
func indexedOf(line []byte) (x indexed, err error) {
	if !isObject(line) {
		return x, fmt.Errorf("a change is not an object: %.40s", line)
	}
	for name, value := range jsonenc.Members(line) {
		switch string(name) {
		case "id":
			var ok bool
			if x.id, ok = parseChangeID(jsonenc.Text(value)); !ok {
				return x, fmt.Errorf("%.40s is not the ID of a change", value)
			}
		case "event":
			x.event = jsonenc.Text(value)
		case "changes":
			for change := range jsonenc.Elements(value) {
				for name, value := range jsonenc.Members(change) {
					if string(name) == "field" {
						x.fields = append(x.fields, jsonenc.Text(value))
						break
					}
				}
			}
		}
	}
	return x, nil
}

// Changes returns the number of changes.
func (a *Archive) Changes() int { return len(a.log.lines) }

// ChangeLine returns a change's JSON object in the changelog, without the line ending.
func (a *Archive) ChangeLine(i int) []byte { return a.log.lines[i] }

// Change decodes a change.
func (a *Archive) Change(i int) (*record.Change, error) {
	c := new(record.Change)
	if err := c.UnmarshalJSON(a.ChangeLine(i)); err != nil {
		return nil, fmt.Errorf("change %d of the changelog: %w", i, err)
	}
	return c, nil
}

// ChangeTime returns the time of a change, in UTC.
func (a *Archive) ChangeTime(i int) time.Time {
	return time.Unix(a.versions[a.changed[i]].Time, 0).UTC()
}

// ChangeVersion returns the version created by a change.
func (a *Archive) ChangeVersion(i int) int { return int(a.changed[i]) }

// ChangeID returns the ID of a change.
func (a *Archive) ChangeID(i int) string {
	for _, value := range jsonenc.Members(a.log.lines[i]) { // the first one
		return jsonenc.Text(value)
	}
	return ""
}

// Category returns the category under which a change is found.
func (a *Archive) Category(i int) string { return a.categories[i] }

// FindChange looks up a change by ID.
func (a *Archive) FindChange(id string) (i int, ok bool) {
	raw, ok := parseChangeID(id)
	if !ok {
		return 0, false
	}
	at, ok := slices.BinarySearchFunc(a.log.ids, idOf{id: raw}, compareIDs)
	if !ok {
		return 0, false
	}
	return int(a.log.ids[at].change), true
}

// parseChangeID decodes an ID of 24 lower-case hexadecimal digits.
func parseChangeID(id string) (raw [12]byte, ok bool) {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != len(raw) || hex.EncodeToString(b) != id {
		return raw, false
	}
	return [12]byte(b), true
}

// ChangesSince returns the first change at or after a time, or the number of
// changes if there is none.
func (a *Archive) ChangesSince(t time.Time) int {
	return sort.Search(len(a.log.lines), func(i int) bool { return !a.ChangeTime(i).Before(t) })
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
	if from, to := max(f.From, 0), min(f.To, len(a.log.lines)); from < to {
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
