package webhook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// Step is a change between two builds.
type Step struct {
	Change      *record.Change
	AlreadySent bool // an event from an earlier move includes it
}

// Coalesce returns events with the net changes of all steps, which must be in changelog order.
// There is no event for an entity if nothing about it has changed, or nothing but its scores.
// Applying the events in order changes the state before the steps to the state after them, and
// never puts two entities at one address.
//
// There is one event per entity, except for entities that exchange their addresses: the first
// to move has an additional event.
func Coalesce(steps []Step) ([]Event, error) {
	var all []Event
	for _, group := range groupByAddress(steps) {
		all = append(all, coalesceGroup(group)...)
	}
	for i := range all {
		if err := all[i].finalize(all[i].ChangeIDs...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// coalesceGroup coalesces steps that share addresses. If the events cannot be ordered without
// a conflict, it coalesces each half of the steps separately. A single step never conflicts.
func coalesceGroup(steps []Step) []Event {
	nets := netChanges(steps)
	if !orderChanges(nets) {
		half := len(steps) / 2
		return append(coalesceGroup(steps[:half]), coalesceGroup(steps[half:])...)
	}
	events := make([]Event, len(nets))
	for i, n := range nets {
		events[i] = n.event
	}
	return events
}

// entityHistory is the sequence of steps that change one entity, under all its slugs.
type entityHistory struct {
	typ           string
	existedBefore bool   // it existed before the steps
	oldSlug       string // its slug before the steps
	exists        bool   // it exists after the steps so far
	slug          string
	name          string // its latest name
	fields        map[string]record.FieldChange
	steps         []Step
	indexes       []int // the indexes of the steps
}

var null = []byte("null")

// netChanges coalesces steps into net changes.
func netChanges(steps []Step) []netChange {
	var all []*entityHistory
	at := map[string]*entityHistory{} // the current or latest entity at each address
	for i, s := range steps {
		c := s.Change
		slug := c.Slug
		if f, ok := c.Field("slug"); ok {
			slug = decodeString(f.Old)
		}
		x := at[c.Type+"/"+slug]
		if x == nil || !x.exists && c.Event != record.Created {
			if s.AlreadySent {
				continue // an event that was already sent includes it
			}
			x = &entityHistory{typ: c.Type, existedBefore: c.Event != record.Created, oldSlug: slug, fields: map[string]record.FieldChange{}}
			all = append(all, x)
		}
		delete(at, c.Type+"/"+slug)
		at[c.Key()] = x
		x.add(i, s)
	}
	var nets []netChange
	for _, x := range mergeRecreated(all) {
		if n, ok := x.netChange(); ok {
			nets = append(nets, n)
		}
	}
	return nets
}

func decodeString(value []byte) string {
	var s string
	_ = json.Unmarshal(value, &s) // slugs and names are strings
	return s
}

// add appends a step.
func (x *entityHistory) add(index int, s Step) {
	c := s.Change
	x.steps, x.indexes = append(x.steps, s), append(x.indexes, index)
	x.exists, x.slug, x.name = c.Event != record.Deleted, c.Slug, c.Name
	for _, f := range c.Fields {
		if earlier, ok := x.fields[f.Field]; ok {
			f.Old = earlier.Old
		}
		x.fields[f.Field] = f
	}
}

// mergeRecreated merges a deleted entity with a new entity that permanently took its address.
// A receiver that knows only the states before and after the steps cannot tell them apart.
func mergeRecreated(all []*entityHistory) []*entityHistory {
	removed := map[string]*entityHistory{}
	for _, x := range all {
		if x.existedBefore && !x.exists {
			removed[x.typ+"/"+x.oldSlug] = x
		}
	}
	return slices.DeleteFunc(all, func(x *entityHistory) bool {
		old := removed[x.typ+"/"+x.slug]
		if old == nil || x.existedBefore || !x.exists {
			return false
		}
		old.merge(x)
		return true
	})
}

func (x *entityHistory) merge(y *entityHistory) {
	x.exists, x.slug, x.name = y.exists, y.slug, y.name
	for name, f := range y.fields {
		old, ok := x.fields[name]
		if f.Old = null; ok {
			f.Old = old.Old
		}
		x.fields[name] = f
	}
	steps, indexes := append(x.steps, y.steps...), append(x.indexes, y.indexes...)
	by := make([]int, len(indexes))
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(i, j int) int { return cmp.Compare(indexes[i], indexes[j]) })
	x.steps, x.indexes = make([]Step, len(by)), make([]int, len(by))
	for i, j := range by {
		x.steps[i], x.indexes[i] = steps[j], indexes[j]
	}
}

// netChange is an event and the addresses that it gives up and takes, if any.
type netChange struct {
	event            Event
	releases, claims string
	lastStep         int // the index of its last step
}

// netChange returns the net change of an entity. ok is false if there is nothing to send.
func (x *entityHistory) netChange() (n netChange, ok bool) {
	last := x.steps[len(x.steps)-1]
	if !x.existedBefore && !x.exists || last.AlreadySent {
		return n, false
	}
	n.event = Event{Name: record.Updated, At: last.Change.Timestamp, Type: x.typ, Slug: x.slug, Entity: x.name}
	n.lastStep = x.indexes[len(x.indexes)-1]
	switch {
	case !x.existedBefore:
		n.event.Name, n.claims = record.Created, x.typ+"/"+x.slug
	case !x.exists:
		n.event.Name, n.event.Slug, n.releases = record.Deleted, x.oldSlug, x.typ+"/"+x.oldSlug
		if f, ok := x.fields["name"]; ok {
			n.event.Entity = decodeString(f.Old)
		}
	case x.oldSlug != x.slug:
		n.releases, n.claims = x.typ+"/"+x.oldSlug, x.typ+"/"+x.slug
	}
	if n.event.Changes, ok = x.changes(); !ok {
		return n, false
	}
	for _, s := range x.steps {
		if !s.AlreadySent {
			n.event.ChangeIDs = append(n.event.ChangeIDs, s.Change.ID)
		}
	}
	return n, true
}

// changes lists the fields that differ, in record order. counts reports whether any of them is
// not a score.
func (x *entityHistory) changes() (list []record.FieldChange, counts bool) {
	list = []record.FieldChange{}
	delete(x.fields, "slug")
	if x.existedBefore && x.exists && x.oldSlug != x.slug {
		x.fields["slug"] = record.FieldChange{Field: "slug", Old: jsonenc.AppendString(nil, x.oldSlug), New: jsonenc.AppendString(nil, x.slug)}
	}
	for _, f := range x.fields {
		if !sameValue(f) {
			list = append(list, f)
			counts = counts || record.FieldGroup(f.Field) != "scores"
		}
	}
	slices.SortFunc(list, func(a, b record.FieldChange) int {
		return cmp.Or(cmp.Compare(fieldOrder(a.Field), fieldOrder(b.Field)), strings.Compare(a.Field, b.Field))
	})
	return list, counts
}

// sameValue reports whether a field has returned to its old value. For benchmarks, only names
// and values are compared, as in exports.Diff.
func sameValue(f record.FieldChange) bool {
	if bytes.Equal(f.Old, f.New) {
		return true
	}
	if f.Field != "signals.benchmarks" {
		return false
	}
	type result struct {
		Name  string
		Value float64
	}
	var old, now []result
	if json.Unmarshal(f.Old, &old) != nil || json.Unmarshal(f.New, &now) != nil {
		return false
	}
	return slices.Equal(old, now)
}

// fieldOrderList lists the fields that are not nested and the groups of nested fields, in the
// order of exports.Diff. Scores come last.
var fieldOrderList = append(slices.DeleteFunc(slices.Clone(record.ChangeFields), func(f string) bool {
	return record.FieldGroup(f) != "" || f == "scores"
}), "scores")

// fieldOrder returns a field's position in the order of the record. Fields in a group have
// the same position, except for scores, which have their own order.
func fieldOrder(field string) int {
	if name, ok := strings.CutPrefix(field, "scores."); ok {
		return len(fieldOrderList) + slices.Index(record.ScoreNames, name)
	}
	if group := record.FieldGroup(field); group != "" {
		field = group
	}
	return slices.Index(fieldOrderList, field)
}
