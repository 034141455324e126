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
	// FormerSlug is the slug before a rename, or null.
	FormerSlug jsonenc.OptionalString `json:"formerSlug"`
	Category   string                 `json:"category"`
	// LeadsTo is the entity that the address of a deleted entity redirects to, as type/slug,
	// or null.
	LeadsTo jsonenc.OptionalString `json:"leadsTo"`
	// Fields lists the differences that count as a change, as in the changelog: content first,
	// scores last.
	Fields []Field `json:"fields"`
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

// pairs contains the entities of two states, matched to each other.
type pairs struct {
	same    []pair // entities with the same key in both states
	renamed []pair
	created []*record.Entity
	deleted []*record.Entity
	former  map[string]string // for each earlier key, the key that it redirects to after the change
}

type pair struct{ before, after *record.Entity }

// added lists the entities whose address is new.
func (p *pairs) added() []*record.Entity {
	list := slices.Clone(p.created)
	for _, r := range p.renamed {
		list = append(list, r.after)
	}
	return list
}

// match pairs each entity in the first state with an entity in the second: one that has the
// same address, or a new one that lists the old address in formerly.
func match(a, b *state) *pairs {
	p := &pairs{former: map[string]string{}}
	taken := map[string]bool{}
	for _, e := range b.content.Entities {
		for _, old := range e.Formerly {
			p.former[e.Type+"/"+old] = e.Key()
		}
		if before := a.byKey[e.Key()]; before != nil {
			p.same = append(p.same, pair{before, e})
			continue
		}
		before := renamedFrom(e, a, b, taken)
		if before == nil {
			p.created = append(p.created, e)
			continue
		}
		taken[before.Key()] = true
		p.renamed = append(p.renamed, pair{before, e})
	}
	for _, e := range a.content.Entities {
		if b.byKey[e.Key()] == nil && !taken[e.Key()] {
			p.deleted = append(p.deleted, e)
		}
	}
	return p
}

// renamedFrom finds the entity that was renamed to e. If the formerly field of e lists several
// removed entities, it is the one listed last.
func renamedFrom(e *record.Entity, a, b *state, taken map[string]bool) *record.Entity {
	for _, old := range slices.Backward(e.Formerly) {
		key := e.Type + "/" + old
		if before := a.byKey[key]; before != nil && b.byKey[key] == nil && !taken[key] {
			return before
		}
	}
	return nil
}

// addEntities lists the changed entities, and counts the unchanged entities that have a new
// rank.
func (c *Comparison) addEntities(p *pairs, a, b *state) {
	add := func(event string, before, after *record.Entity) {
		c.Entities = append(c.Entities, describe(event, before, after, a, b))
	}
	for _, e := range p.created {
		add(record.Created, nil, e)
	}
	for _, e := range p.deleted {
		add(record.Deleted, e, nil)
		c.Entities[len(c.Entities)-1].LeadsTo = jsonenc.OptionalString(p.former[e.Key()])
	}
	for _, r := range p.renamed {
		add(record.Updated, r.before, r.after)
	}
	for _, s := range p.same {
		switch {
		case len(record.Diff(s.before, s.after)) > 0:
			add(record.Updated, s.before, s.after)
		case len(touched(s.before, s.after)) > 0:
			add(Touched, s.before, s.after)
		case s.before.Scores.Composite == s.after.Scores.Composite:
			if a.all[s.before] != b.all[s.after] {
				c.MovedByOthers.All++
			}
			if a.within[s.before] != b.within[s.after] {
				c.MovedByOthers.Categories++
			}
		}
	}
	slices.SortStableFunc(c.Entities, func(x, y Entity) int {
		return cmp.Or(cmp.Compare(slices.Index(events, x.Event), slices.Index(events, y.Event)),
			cmp.Compare(x.Type, y.Type), cmp.Compare(x.Slug, y.Slug))
	})
	c.Counts = Counts{Created: len(p.created), Renamed: len(p.renamed), Deleted: len(p.deleted)}
	for _, e := range c.Entities {
		switch e.Event {
		case record.Updated:
			c.Counts.Updated++
		case Touched:
			c.Counts.Touched++
		}
	}
}

// describe describes the change to one entity. One of before and after may be nil.
func describe(event string, before, after *record.Entity, a, b *state) Entity {
	now := cmp.Or(after, before)
	d := Entity{Event: event, Type: now.Type, Slug: now.Slug, Name: now.Name, Category: now.Category,
		Fields: []Field{}, Touched: []string{}}
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
		if before.Slug != after.Slug {
			d.FormerSlug = jsonenc.OptionalString(before.Slug)
		}
		d.Touched = touched(before, after)
	}
	d.Composite = Score{old.Composite, new.Composite}
	for _, f := range append(record.Diff(before, after), record.DiffScores(&old, &new)...) {
		d.Fields = append(d.Fields, Field{f.Field, f.Old, f.New})
	}
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
	if before.Slug == after.Slug && !slices.Equal(before.Formerly, after.Formerly) {
		list = append(list, "formerly")
	}
	return list
}

// null represents a missing value in a Field.
var null = json.RawMessage("null")
