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

// Step is a change on the way from one build to another.
type Step struct {
	Change *record.Change
	Told   bool // an event of an earlier move has it already
}

// Fold returns the net changes of all steps, which are in the order of the
// changelog. What is as it was before makes no event, and scores that moved make
// none alone. To apply the events one after the other leads from the state before
// the steps to that behind them, and never two entities to one address.
//
// There is one event per entity, but for entities that exchange their addresses:
// there the first that goes out of the way has one more.
func Fold(steps []Step) ([]Event, error) {
	var all []Event
	for _, group := range apart(steps) {
		all = append(all, foldGroup(group)...)
	}
	for i := range all {
		if err := all[i].seal(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// foldGroup folds steps that may get in each other's way. Where no order of the
// events will do, the halves are folded one after the other: a step alone always
// can be applied.
func foldGroup(steps []Step) []Event {
	nets := net(steps)
	if !order(nets) {
		half := len(steps) / 2
		return append(foldGroup(steps[:half]), foldGroup(steps[half:])...)
	}
	events := make([]Event, len(nets))
	for i, n := range nets {
		events[i] = n.event
	}
	return events
}

// chain is what happens to one entity, under whatever slugs.
type chain struct {
	typ     string
	existed bool   // before the steps
	from    string // the slug that it had then
	alive   bool   // behind the steps so far
	slug    string
	name    string // the last that it had
	fields  map[string]record.FieldChange
	steps   []Step
	places  []int // of the steps
}

var null = []byte("null")

// net folds steps into what is left of them.
func net(steps []Step) []netChange {
	var all []*chain
	at := map[string]*chain{} // by address: who is there, or was there last
	for i, s := range steps {
		c := s.Change
		slug := c.Slug
		if f, ok := c.Field("slug"); ok {
			slug = text(f.Old)
		}
		x := at[c.Type+"/"+slug]
		if x == nil || !x.alive && c.Event != record.Created {
			if s.Told {
				continue // what it belongs to is no news
			}
			x = &chain{typ: c.Type, existed: c.Event != record.Created, from: slug, fields: map[string]record.FieldChange{}}
			all = append(all, x)
		}
		delete(at, c.Type+"/"+slug)
		at[c.Key()] = x
		x.add(i, s)
	}
	var nets []netChange
	for _, x := range reunite(all) {
		if n, ok := x.net(); ok {
			nets = append(nets, n)
		}
	}
	return nets
}

func text(value []byte) string {
	var s string
	_ = json.Unmarshal(value, &s) // a slug is a text
	return s
}

// add appends a step.
func (x *chain) add(place int, s Step) {
	c := s.Change
	x.steps, x.places = append(x.steps, s), append(x.places, place)
	x.alive, x.slug, x.name = c.Event != record.Deleted, c.Slug, c.Name
	for _, f := range c.Fields {
		if first, ok := x.fields[f.Field]; ok {
			f.Old = first.Old
		}
		x.fields[f.Field] = f
	}
}

// reunite makes one chain of an entity that has gone and of another that came to
// stay at the address which that had: both are the same to whoever knows the two
// ends only.
func reunite(all []*chain) []*chain {
	gone := map[string]*chain{}
	for _, x := range all {
		if x.existed && !x.alive {
			gone[x.typ+"/"+x.from] = x
		}
	}
	return slices.DeleteFunc(all, func(x *chain) bool {
		old := gone[x.typ+"/"+x.slug]
		if old == nil || x.existed || !x.alive {
			return false
		}
		old.join(x)
		return true
	})
}

func (x *chain) join(y *chain) {
	x.alive, x.slug, x.name = y.alive, y.slug, y.name
	for name, f := range y.fields {
		old, ok := x.fields[name]
		if f.Old = null; ok {
			f.Old = old.Old
		}
		x.fields[name] = f
	}
	steps, places := append(x.steps, y.steps...), append(x.places, y.places...)
	by := make([]int, len(places))
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(i, j int) int { return cmp.Compare(places[i], places[j]) })
	x.steps, x.places = make([]Step, len(by)), make([]int, len(by))
	for i, j := range by {
		x.steps[i], x.places[i] = steps[j], places[j]
	}
}

// netChange is an event and the addresses that it gives up and takes, "" for none.
type netChange struct {
	event        Event
	frees, takes string
	last         int // the place of its last step
}

// net is what is left of a chain, if anything is that was not told.
func (x *chain) net() (n netChange, ok bool) {
	last := x.steps[len(x.steps)-1]
	if !x.existed && !x.alive || last.Told {
		return n, false
	}
	n.event = Event{Name: record.Updated, At: last.Change.Timestamp, Type: x.typ, Slug: x.slug, Entity: x.name}
	n.last = x.places[len(x.places)-1]
	switch {
	case !x.existed:
		n.event.Name, n.takes = record.Created, x.typ+"/"+x.slug
	case !x.alive:
		n.event.Name, n.event.Slug, n.frees = record.Deleted, x.from, x.typ+"/"+x.from
		if f, ok := x.fields["name"]; ok {
			n.event.Entity = text(f.Old)
		}
	case x.from != x.slug:
		n.frees, n.takes = x.typ+"/"+x.from, x.typ+"/"+x.slug
	}
	if n.event.Changes, ok = x.changes(); !ok {
		return n, false
	}
	for _, s := range x.steps {
		if !s.Told {
			n.event.ChangeIDs = append(n.event.ChangeIDs, s.Change.ID)
		}
	}
	return n, true
}

// changes lists the fields that differ, in the order of the record. counts tells
// whether one does that counts as a difference.
func (x *chain) changes() (list []record.FieldChange, counts bool) {
	list = []record.FieldChange{}
	delete(x.fields, "slug")
	if x.existed && x.alive && x.from != x.slug {
		x.fields["slug"] = record.FieldChange{Field: "slug", Old: jsonenc.AppendString(nil, x.from), New: jsonenc.AppendString(nil, x.slug)}
	}
	for _, f := range x.fields {
		if !same(f) {
			list = append(list, f)
			counts = counts || record.FieldGroup(f.Field) != "scores"
		}
	}
	slices.SortFunc(list, func(a, b record.FieldChange) int {
		return cmp.Or(cmp.Compare(section(a.Field), section(b.Field)), strings.Compare(a.Field, b.Field))
	})
	return list, counts
}

// same tells whether a field has the value back that it had. Of benchmarks names
// and values count, as in exports.Diff.
func same(f record.FieldChange) bool {
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

// sections are the fields that are not nested, and the groups of those that are,
// in the order of exports.Diff; scores come last.
var sections = append(slices.DeleteFunc(slices.Clone(record.ChangeFields), func(f string) bool {
	return record.FieldGroup(f) != "" || f == "scores"
}), "scores")

// section is a field's place in the order of the record: among those of one group
// the name decides, but for scores, which have an order of their own.
func section(field string) int {
	if name, ok := strings.CutPrefix(field, "scores."); ok {
		return len(sections) + slices.Index(record.ScoreNames, name)
	}
	if group := record.FieldGroup(field); group != "" {
		field = group
	}
	return slices.Index(sections, field)
}
