package diff

import (
	"cmp"
	"encoding/json"
	"slices"

	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// Touched is the event for an entity whose file differs only in ways that do not count as a
// change: in dates or sources of signals, or in earlier slugs. All other events are the same
// as in the changelog.
const Touched = "entity.touched"

// events lists the events in the order in which entities are listed.
var events = []string{record.Created, record.Updated, record.Deleted, Touched}

// Entity is one entity whose file differs between the two states.
type Entity struct {
	Event string `json:"event"`
	Type  string `json:"type"`
	Slug  string `json:"slug"` // after the change or, for a deleted entity, before it
	Name  string `json:"name"`
	// FormerSlug is the slug before a rename or a move to another kind, or null.
	FormerSlug jsonenc.OptionalString `json:"formerSlug"`
	former     string                 // the key before that, or ""
	Category   string                 `json:"category"`
	// LeadsTo is the entity that the address of a deleted entity redirects to, as type/slug,
	// or null.
	LeadsTo jsonenc.OptionalString `json:"leadsTo"`
	// Fields lists the differences that count as a change, as in the changelog: content first,
	// scores last.
	Fields []record.FieldChange `json:"fields"`
	// Touched lists all other differences: in the dates or sources of signals, and in
	// formerly.
	Touched   []string `json:"touched"`
	Composite Score    `json:"composite"`
	Ranks     Ranks    `json:"ranks"`
}

// Key returns the key of the entity: type/slug.
func (e *Entity) Key() string { return e.Type + "/" + e.Slug }

// Score contains a score before and after a change; either is null if there is no score.
type Score struct {
	Old record.Score `json:"old"`
	New record.Score `json:"new"`
}

// Ranks contains the ranks of an entity on its two leaderboards.
type Ranks struct {
	All      Rank `json:"all"`
	Category Rank `json:"category"`
}

// Rank contains a rank before and after a change, counted from 1; either is nil if there is no
// rank.
type Rank struct {
	Old *int `json:"old"`
	New *int `json:"new"`
}

func added(pairs []record.Pair) (list []*record.Entity) {
	for _, p := range pairs {
		if p.After != nil && (p.Before == nil || p.Before.Key() != p.After.Key()) {
			list = append(list, p.After)
		}
	}
	return list
}

func (c *Comparison) addEntities(pairs []record.Pair, a, b *state) {
	former := map[string]string{} // the key that each earlier key redirects to after the change
	for _, e := range b.content.Entities {
		for _, old := range e.FormerKeys() {
			former[old] = e.Key()
		}
	}
	for _, p := range pairs {
		event := record.Updated
		switch {
		case p.Before == nil:
			event = record.Created
			c.Counts.Created++
		case p.After == nil:
			event = record.Deleted
			c.Counts.Deleted++
		case p.Before.Key() != p.After.Key():
			c.Counts.Updated++
			c.Counts.Renamed++
		case len(record.Diff(p.Before, p.After)) > 0:
			c.Counts.Updated++
		case len(touched(p.Before, p.After)) > 0:
			event = Touched
			c.Counts.Touched++
		default:
			continue
		}
		e := describe(event, p.Before, p.After, a, b)
		if event == record.Deleted {
			e.LeadsTo = jsonenc.OptionalString(former[e.Key()])
		}
		c.Entities = append(c.Entities, e)
	}
	slices.SortStableFunc(c.Entities, func(x, y Entity) int {
		return cmp.Or(cmp.Compare(slices.Index(events, x.Event), slices.Index(events, y.Event)),
			cmp.Compare(x.Type, y.Type), cmp.Compare(x.Slug, y.Slug))
	})
}

// describe describes the change to one entity. One of before and after may be nil.
func describe(event string, before, after *record.Entity, a, b *state) Entity {
	now := cmp.Or(after, before)
	d := Entity{Event: event, Type: now.Type, Slug: now.Slug, Name: now.Name, Category: now.Category,
		Fields: []record.FieldChange{}, Touched: []string{}}
	var old, new record.Scores
	if before != nil {
		old = before.Scores
		d.Ranks.All.Old, d.Ranks.Category.Old = place(a.all, before), place(a.within, before)
	}
	if after != nil {
		new = after.Scores
		d.Ranks.All.New, d.Ranks.Category.New = place(b.all, after), place(b.within, after)
	}
	if before != nil && after != nil {
		if before.Key() != after.Key() {
			d.FormerSlug, d.former = jsonenc.OptionalString(before.Slug), before.Key()
		}
		d.Touched = touched(before, after)
	}
	d.Composite = Score{old.Composite, new.Composite}
	d.Fields = append(append(d.Fields, record.Diff(before, after)...), record.DiffScores(&old, &new)...)
	return d
}

func place(in map[*record.Entity]int, e *record.Entity) *int {
	if n, ok := in[e]; ok {
		return &n
	}
	return nil
}

// touched lists the differences between two states of an entity that do not count as a
// change, in the order of the record's fields.
func touched(before, after *record.Entity) []string {
	list := []string{}
	for _, f := range after.Signals.Facts {
		old, ok := before.Signals.Fact(f.Name)
		if ok && (old.Date != f.Date || old.Source != f.Source) && old.Number == f.Number && old.Day == f.Day {
			list = append(list, "signals."+f.Name)
		}
	}
	same := func(x, y record.Benchmark) bool { return x.Name == y.Name && x.Value == y.Value }
	x, y := before.Signals.Benchmarks, after.Signals.Benchmarks
	if slices.EqualFunc(x, y, same) && !slices.Equal(x, y) {
		list = append(list, "signals.benchmarks")
	}
	if before.Key() == after.Key() && !slices.Equal(before.Formerly, after.Formerly) {
		list = append(list, "formerly")
	}
	return list
}

// null represents a missing value.
var null = json.RawMessage("null")
