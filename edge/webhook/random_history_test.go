package webhook_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// world holds all entities by address.
type world map[string]*record.Entity

// madeHistory is a made-up changelog with the world after each of its changes.
type madeHistory struct {
	changes  []*record.Change
	worlds   []world        // one more than there are changes: the first world is empty
	entities []int          // the entity of each change
	last     map[string]int // the entity that has an address, or had it last
	seen     map[string]int // number of occurrences, by transition
	places   map[string]int // positions of the changes, by ID
	broken   bool           // the changelog is unreadable
}

func newMadeHistory() *madeHistory {
	return &madeHistory{worlds: []world{{}}, last: map[string]int{}, seen: map[string]int{}, places: map[string]int{}}
}

// until returns the history as it was when it had n changes.
func (p *madeHistory) until(n int) *madeHistory {
	q := newMadeHistory()
	for i := range n {
		q.replay(p, i)
	}
	return q
}

// replay puts a change of another history on top.
func (p *madeHistory) replay(q *madeHistory, i int) {
	c := q.changes[i]
	from := c.Key()
	if f, ok := c.Field("slug"); ok {
		from = c.Type + "/" + strings.Trim(string(f.Old), `"`)
	}
	p.add(q.worlds[i][from], q.worlds[i+1][c.Key()])
}

func (p *madeHistory) now() world { return p.worlds[len(p.worlds)-1] }

// Entities implements webhook.Source.
func (p *madeHistory) Entities() iter.Seq[*record.Entity] { return p.now().all() }

func (w world) all() iter.Seq[*record.Entity] {
	return func(yield func(*record.Entity) bool) {
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if !yield(w[key]) {
				return
			}
		}
	}
}

// HasChange implements webhook.Source.
func (p *madeHistory) HasChange(id string) bool {
	_, ok := p.places[id]
	return ok
}

// LastChange implements webhook.Source.
func (p *madeHistory) LastChange() (id, commit string) {
	if len(p.changes) == 0 {
		return "", ""
	}
	c := p.changes[len(p.changes)-1]
	return c.ID, c.Commit
}

// Changes implements webhook.Source.
func (p *madeHistory) Changes(typ, slug string) (list []*record.Change, err error) {
	if p.broken {
		return nil, errors.New("the changelog is unreadable")
	}
	for i, c := range p.changes {
		if p.entities[i] == p.last[typ+"/"+slug] {
			list = append(list, c)
		}
	}
	return list, nil
}

// At implements webhook.Source.
func (p *madeHistory) At(id, commit string) (webhook.Earlier, bool, error) {
	i, ok := p.places[id]
	if !ok || p.changes[i].Commit != commit {
		return nil, false, nil
	}
	return p.until(i + 1), true, nil
}

// Retirements implements webhook.Source.
func (p *madeHistory) Retirements(string, string) []webhook.Retirement { return nil }

// add appends the change that a commit makes to one entity, if any. As in a real changelog,
// the ID is a hash of the transition and its number of occurrences.
func (p *madeHistory) add(before, after *record.Entity) {
	fields := record.Diff(before, after)
	next := maps.Clone(p.now())
	if before != nil {
		delete(next, before.Key())
	}
	if after != nil {
		next[after.Key()] = after
	}
	if len(fields) == 0 {
		p.worlds[len(p.worlds)-1] = next // no visible change
		return
	}
	p.worlds = append(p.worlds, next)
	shown, event := after, record.Updated
	var old, now record.Scores
	if before == nil {
		event = record.Created
	} else {
		old = before.Scores
	}
	if after == nil {
		shown, event = before, record.Deleted
	} else {
		now = after.Scores
	}
	transition := fmt.Sprintf("%x", sha256.Sum256(append(content(before), content(after)...)))
	sum := sha256.Sum256(fmt.Append(nil, transition, p.seen[transition]))
	p.seen[transition]++
	number := len(p.changes) + 1
	if before != nil {
		number = p.last[before.Key()]
	}
	p.last[shown.Key()] = number
	p.entities = append(p.entities, number)
	id := hex.EncodeToString(sum[:12])
	_, parent := p.LastChange()
	commit := fmt.Sprintf("%x", sha256.Sum256([]byte(parent+transition)))
	p.places[id] = len(p.changes)
	p.changes = append(p.changes, &record.Change{
		ID: id, Event: event, Timestamp: time.Unix(1700000000+int64(len(p.changes)), 0).UTC(),
		Type: shown.Type, Slug: shown.Slug, Name: shown.Name, Fields: append(fields, record.DiffScores(&old, &now)...), Commit: commit})
}

// content returns the address and all significant values of an entity.
func content(e *record.Entity) []byte {
	if e == nil {
		return []byte("none")
	}
	return append([]byte(e.Key()), jsonOf(values(e))...)
}

// values returns the significant values of an entity's fields, as JSON.
func values(e *record.Entity) map[string]string {
	m := map[string]string{}
	for _, f := range record.Diff(nil, e) {
		m[f.Field] = comparable(f.Field, f.New)
	}
	return m
}

// comparable returns the part of a value that matters in a comparison.
func comparable(field string, value []byte) string {
	if field != "signals.benchmarks" {
		return string(value)
	}
	var list []struct {
		Name  string
		Value float64
	}
	if err := json.Unmarshal(value, &list); err != nil {
		panic(err)
	}
	return jsonOf(list)
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// author creates random commits with only a few different slugs and values, so that everything
// recurs from time to time.
type author struct {
	*rand.Rand
	slugs    string
	restless bool // most changes are renames
}

func newAuthor(seed uint64) *author {
	return &author{Rand: rand.New(rand.NewPCG(seed, 7)), slugs: "abcdef"}
}

// commit appends the changes of a random commit, at most one for each address.
func (a *author) commit(p *madeHistory) {
	touched := map[string]bool{}
	start := p.now()
	for range 1 + a.IntN(4) {
		typ := kinds.Default().Names()[a.IntN(2)]
		slug := string(a.slugs[a.IntN(len(a.slugs))])
		to := string(a.slugs[a.IntN(len(a.slugs))])
		key, toKey := typ+"/"+slug, typ+"/"+to
		e := start[key]
		if touched[key] {
			continue
		}
		touched[key] = true
		switch kind := a.IntN(10); {
		case e == nil:
			p.add(nil, a.entity(typ, slug))
		case kind < 2:
			p.add(e, nil)
		case kind < 5 || a.restless && kind < 9: // a rename to a free address
			if start[toKey] == nil && !touched[toKey] {
				touched[toKey] = true
				next := *e
				next.Slug, next.Formerly = to, append(slices.Clone(e.Formerly), slug)
				a.edit(&next)
				p.add(e, &next)
			}
		default:
			next := *e
			a.edit(&next)
			p.add(e, &next)
		}
	}
}

func (a *author) entity(typ, slug string) *record.Entity {
	e := &record.Entity{Type: typ, Slug: slug, Name: "Name of " + slug, Category: "c", Description: "x", Status: record.Active}
	a.edit(e)
	return e
}

// edit changes some fields of an entity, or none.
func (a *author) edit(e *record.Entity) {
	pick := func(list ...string) string { return list[a.IntN(len(list))] }
	e.Scores.Composite = record.ScoreOf(float64(a.IntN(5)))
	for range a.IntN(4) {
		switch a.IntN(7) {
		case 0:
			e.Name = pick("One", "Two <&> \u2028", "Three")
		case 1:
			e.Version = pick("", "1", "2")
		case 2:
			e.Tags = [][]string{nil, {"x"}, {"x", "y"}}[a.IntN(3)]
		case 3:
			e.Links = [][]record.Link{nil, {{Name: "docs", URL: "https://example.org/" + pick("1", "2")}}}[a.IntN(2)]
		case 4:
			e.Signals.Facts = [][]record.Fact{nil, {{Name: "stars", Number: float64(a.IntN(3)), Date: pick("2026-01-01", "2026-01-02"), Source: "https://example.org/"}}}[a.IntN(2)]
		case 5: // changed dates and sources alone are not a difference
			e.Signals.Benchmarks = [][]record.Benchmark{nil, {{Name: "b", Value: float64(a.IntN(2)), Date: pick("2026-01-01", "2026-01-02"), Source: "https://example.org/"}}}[a.IntN(2)]
		case 6:
			e.License = pick("", "MIT", "Apache-2.0")
		}
	}
}

// replica is a receiver that knows only the events.
type replica struct {
	t       *testing.T
	known   map[string]map[string]string // fields by address
	ids     map[string]bool              // IDs of events
	changes map[string]bool
}

func newReceiver(t *testing.T, w world) *replica {
	r := &replica{t, map[string]map[string]string{}, map[string]bool{}, map[string]bool{}}
	for key, e := range w {
		r.known[key] = values(e)
	}
	return r
}

// message is the body of a delivery.
type message struct {
	ID, Event, Timestamp string
	Entity               struct{ Type, Slug, Name string }
	Changes              []struct {
		Field    string
		Old, New json.RawMessage
	}
	ChangeIDs []string `json:"changeIds"`
}

func read(t *testing.T, e storagetest.Event) (m message) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(e.Payload))
	dec.DisallowUnknownFields()
	suite.Check(t, dec.Decode(&m))
	suite.Require(t, m.ID == e.ID && m.Event == e.Name &&
		len(m.Changes) != 0, e.Payload, "does not belong to", e)
	return m
}

// apply applies an event. An event that contradicts the known state fails the test.
func (r *replica) apply(e storagetest.Event) message {
	r.t.Helper()
	m := read(r.t, e)
	key := m.Entity.Type + "/" + m.Entity.Slug
	from := key
	for _, c := range m.Changes {
		if c.Field == "slug" {
			var old string
			if err := json.Unmarshal(c.Old, &old); err != nil || m.Event != record.Updated || jsonOf(m.Entity.Slug) != string(c.New) {
				r.t.Fatalf("%s: %v", e.Payload, err)
			}
			from = m.Entity.Type + "/" + old
		}
	}
	fields := r.known[from]
	suite.Require(r.t, (m.Event == record.Created) == (fields == nil) &&
		(from == key || r.known[key] == nil), e.Payload, "does not match", from, fields, key, r.known[key])
	suite.Require(r.t, !r.ids[m.ID], "duplicate event", m.ID)
	r.ids[m.ID] = true
	for _, id := range m.ChangeIDs {
		suite.Require(r.t, !r.changes[id], e.Payload, "duplicate change", id)
		r.changes[id] = true
	}
	if fields == nil {
		fields = map[string]string{}
	}
	delete(r.known, from)
	for _, c := range m.Changes {
		if c.Field == "slug" || strings.HasPrefix(c.Field, "scores.") {
			continue
		}
		was, ok := fields[c.Field]
		if !ok {
			was = "null"
		}
		if old := comparable(c.Field, c.Old); old != was {
			r.t.Fatalf("%s: %s was %s", e.Payload, c.Field, was)
		}
		if fields[c.Field] = comparable(c.Field, c.New); string(c.New) == "null" {
			delete(fields, c.Field)
		}
	}
	if m.Event != record.Deleted {
		r.known[key] = fields
	} else if len(fields) > 0 {
		r.t.Fatalf("%s leaves %v", e.Payload, fields)
	}
	return m
}

// compare compares the state of a replica with the world.
func (r *replica) compare(w world) {
	r.t.Helper()
	want := map[string]map[string]string{}
	for key, e := range w {
		want[key] = values(e)
	}
	if got, want := jsonOf(r.known), jsonOf(want); got != want {
		r.t.Fatalf("the replica knows\n%s\nthe world is\n%s", got, want)
	}
}

// entityNamedOther is at an address that no author uses.
var entityNamedOther = record.Entity{Type: "tool", Slug: "other", Name: "Other", Category: "c", Status: record.Active}
