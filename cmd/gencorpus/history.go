package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/record"
)

// The proportions of a history.
const (
	otherTypeShare = 0.10 // share of edits whose entity has a different type than the first one in the commit
	bulkShare      = 0.01 // share of commits that update many figures
	bulkEdits      = 200
	minEntities    = 10 // number of entities per type to keep
	figures        = 3  // maximum number of signals updated by an edit
)

// edit is a kind of edit.
type edit struct {
	percent int    // share of edits
	message string // start of the commit message, followed by a name
	apply   func(p *history, c *change, i int) bool
}

// edits lists the kinds of edits and their frequencies, which add up to 100. Most edits update
// figures.
var edits = []edit{
	{53, "Update the figures of", (*history).refresh},
	{8, "Confirm the figures of", (*history).redate},
	{10, "Rewrite the description of", (*history).describe},
	{10, "Record the new version of", (*history).release},
	{6, "Tag", (*history).tag},
	{2, "Retire", (*history).retire},
	{2, "Rename", (*history).rename},
	{4, "Delete", (*history).delete},
	{3, "Add", (*history).add},
	{2, "Restore", (*history).restore},
}

// history generates the changes to the entities of a corpus. It tracks the state
// of each entity at the current commit.
type history struct {
	g        *generator
	rng      *rand.Rand
	edited   map[int]*record.Entity // entities changed since the first day, by index of their subject
	existing map[string][]int       // indexes of the existing subjects, by type
	deleted  []int                  // indexes of the deleted subjects
	first    time.Time
}

// newHistory starts a history with the generator's entities as of the given day.
func newHistory(g *generator, first time.Time) *history {
	p := &history{g: g, rng: rand.New(rand.NewPCG(g.seed, math.MaxUint64)), edited: map[int]*record.Entity{}, existing: map[string][]int{}, first: first}
	for i, s := range g.subjects {
		p.existing[s.base.Type] = append(p.existing[s.base.Type], i)
	}
	return p
}

// change is the content of a commit.
type change struct {
	day     string
	edited  map[int]bool
	subject string // the first line of the message
	name    string // the name of the last edited entity
	files   []file
}

// file is a file as a commit leaves it.
type file struct {
	path string // relative to the content folder
	data []byte // nil if deleted
}

// current returns an entity's current state.
func (p *history) current(i int) *record.Entity {
	if e := p.edited[i]; e != nil {
		return e
	}
	return shiftBefore(p.g.entity(i), p.first)
}

// shiftBefore shifts all dates of an entity back by the same amount, so that none is later
// than the given day.
func shiftBefore(e *record.Entity, day time.Time) *record.Entity {
	latest := day
	later := func(text string) {
		for _, layout := range []string{time.DateOnly, "2006-01"} {
			if t, err := time.Parse(layout, text); err == nil && t.After(latest) {
				latest = t
			}
		}
	}
	for _, f := range e.Signals.Facts {
		later(f.Date)
		later(f.Day)
	}
	for _, b := range e.Signals.Benchmarks {
		later(b.Date)
	}
	back := int(math.Ceil(latest.Sub(day).Hours() / 24))
	for i := range e.Signals.Facts {
		f := &e.Signals.Facts[i]
		f.Date, f.Day = shift(f.Date, back), shift(f.Day, back)
	}
	for i := range e.Signals.Benchmarks {
		b := &e.Signals.Benchmarks[i]
		b.Date = shift(b.Date, back)
	}
	return e
}

// commit generates the changes that one commit makes to a few entities, most of them of the
// same type.
func (p *history) commit(day time.Time) *change {
	c := &change{day: day.Format(time.DateOnly), edited: map[int]bool{}}
	typ := p.anyType()
	k, n := p.anyEdit(), 1+min(p.rng.IntN(4), p.rng.IntN(4))
	isBulk := p.rng.Float64() < bulkShare
	if isBulk {
		k, n = edits[0], min(bulkEdits, len(p.existing[typ])/2)
	}
	for len(c.edited) == 0 || len(c.edited) < n {
		of := typ
		if !isBulk && len(c.edited) > 0 && p.rng.Float64() < otherTypeShare {
			of = p.anyType()
		}
		i := pick(p.rng, p.existing[of])
		if c.edited[i] {
			n-- // small corpora run out of entities
			continue
		}
		if !k.apply(p, c, i) {
			k = edits[0] // the first kind works for all entities
			continue
		}
		c.edited[i] = true
		if c.subject == "" {
			c.subject = k.message + " " + c.name
		}
		if !isBulk {
			k = p.anyEdit()
		}
	}
	if len(c.files) > 1 {
		c.subject += " and others"
	}
	return c
}

// anyType draws a type with a probability proportional to the number of its
// entities.
func (p *history) anyType() string {
	return p.g.subjects[p.rng.IntN(len(p.g.subjects))].base.Type
}

func (p *history) anyEdit() edit {
	roll := p.rng.IntN(100)
	for _, k := range edits {
		if roll -= k.percent; roll < 0 {
			return k
		}
	}
	return edits[0]
}

// write writes an entity's new state to its file, and records it as the current state.
func (p *history) write(c *change, i int, e *record.Entity) bool {
	p.edited[i], c.name = e, e.Name
	c.files = append(c.files, file{pathOf(e), appendYAML(nil, e)})
	return true
}

func pathOf(e *record.Entity) string { return e.Type + "/" + e.Slug + ".yaml" }

// copyOf returns a copy of an entity that may be modified.
func (p *history) copyOf(i int) *record.Entity {
	e := *p.current(i)
	e.Tags, e.Formerly = slices.Clone(e.Tags), slices.Clone(e.Formerly)
	e.Signals.Facts, e.Signals.Benchmarks = slices.Clone(e.Signals.Facts), slices.Clone(e.Signals.Benchmarks)
	return &e
}

// refresh updates some of an entity's figures or, if it has none, its description.
func (p *history) refresh(c *change, i int) bool {
	e := p.copyOf(i)
	facts, benchmarks := e.Signals.Facts, e.Signals.Benchmarks
	if len(facts)+len(benchmarks) == 0 {
		return p.describe(c, i)
	}
	for range 1 + p.rng.IntN(figures) {
		if k := p.rng.IntN(len(facts) + min(1, len(benchmarks))); k < len(facts) {
			p.updateFact(&facts[k], c.day)
		} else {
			b := &benchmarks[p.rng.IntN(len(benchmarks))]
			b.Value = math.Round(100*min(max(b.Value+p.rng.NormFloat64(), 0), 100)) / 100
			b.Date = c.day
		}
	}
	return p.write(c, i, e)
}

// updateFact simulates a new observation: counts grow by a few percent, and dates are
// within the last month.
func (p *history) updateFact(f *record.Fact, day string) {
	switch {
	case f.Name == "lastRelease":
		f.Day = shift(day, p.rng.IntN(30))
	case f.Day != "" || f.Name == "contextTokens" || f.Name == "outputTokens" || f.Name == "parameters":
		// These never change.
	default:
		f.Number = min(f.Number+math.Ceil(f.Number*0.05*p.rng.ExpFloat64())+1, maxCount)
	}
	f.Date = day
}

// redate updates the dates of an entity's figures without changing their values.
func (p *history) redate(c *change, i int) bool {
	e := p.copyOf(i)
	for k := range e.Signals.Facts {
		e.Signals.Facts[k].Date = c.day
	}
	return len(e.Signals.Facts) > 0 && p.write(c, i, e)
}

func (p *history) describe(c *change, i int) bool {
	e, base := p.copyOf(i), p.g.subjects[i].base
	of := p.g.pools[e.Type]
	e.Description = describe(p.rng, base, of.peers(e.Category), of.records)
	return p.write(c, i, e)
}

// release increments the last number of a version.
func (p *history) release(c *change, i int) bool {
	e := p.copyOf(i)
	at := strings.LastIndexFunc(e.Version, func(r rune) bool { return r < '0' || r > '9' }) + 1
	if n, err := strconv.Atoi(e.Version[at:]); err == nil && n < math.MaxInt32 {
		e.Version = e.Version[:at] + strconv.Itoa(n+1)
	} else {
		e.Version = "1.0.0"
	}
	return p.write(c, i, e)
}

func (p *history) tag(c *change, i int) bool {
	e := p.copyOf(i)
	e.Tags = swapTags(p.rng, e.Tags, p.g.pools[e.Type].peers(e.Category))
	return len(e.Tags) > 0 && p.write(c, i, e)
}

// retire deprecates a tool. Deprecating a model would require a notice from its
// provider.
func (p *history) retire(c *change, i int) bool {
	e := p.copyOf(i)
	if e.Type != "tool" || e.Status != record.Active {
		return false
	}
	e.Status = record.Deprecated
	return p.write(c, i, e)
}

// rename moves the file and records the old slug in it.
func (p *history) rename(c *change, i int) bool {
	e := p.copyOf(i)
	c.files = append(c.files, file{path: pathOf(e)})
	e.Formerly = append(e.Formerly, e.Slug)
	e.Name, e.Slug = p.g.newName(e.Type)
	return p.write(c, i, e)
}

func (p *history) delete(c *change, i int) bool {
	e := p.current(i)
	list := p.existing[e.Type]
	if len(list) <= minEntities {
		return false
	}
	at := slices.Index(list, i)
	list[at] = list[len(list)-1]
	p.existing[e.Type] = list[:len(list)-1]
	p.edited[i], c.name = e, e.Name
	p.deleted = append(p.deleted, i)
	c.files = append(c.files, file{path: pathOf(e)})
	return true
}

// add creates a new entity.
func (p *history) add(c *change, _ int) bool {
	p.g.addSubject()
	i := len(p.g.subjects) - 1
	day, _ := time.Parse(time.DateOnly, c.day)
	e := shiftBefore(p.g.entity(i), day)
	p.existing[e.Type] = append(p.existing[e.Type], i)
	c.edited[i] = true
	return p.write(c, i, e)
}

// restore restores the entity that has been deleted for the longest time.
func (p *history) restore(c *change, _ int) bool {
	if len(p.deleted) == 0 || c.edited[p.deleted[0]] {
		return false
	}
	i := p.deleted[0]
	p.deleted = p.deleted[1:]
	e := p.edited[i]
	p.existing[e.Type] = append(p.existing[e.Type], i)
	c.edited[i] = true
	return p.write(c, i, e)
}
