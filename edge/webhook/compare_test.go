package webhook_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
	"kindex/exports/record"
)

// edges are Announcers that share a database and a folder of builds.
type edges struct {
	t    *testing.T
	all  []*webhook.Announcer
	read *storage.State
	log  suite.Log
	seq  int64 // the seq of the last event read

	mu      sync.Mutex
	served  *webhook.Build
	asked   map[*webhook.Announcer]int // how often each has asked for the served build
	handled int
	done    chan struct{}           // closed when all have handled it
	builds  map[string]*madeHistory // the builds that are on disk
}

func newEdges(t *testing.T, open func() *storage.State, n int) *edges {
	e := &edges{t: t, read: open(), builds: map[string]*madeHistory{}}
	for range n {
		s := e.read
		if s.Engine() == storage.PostgreSQL {
			s = open() // only one edge can use a SQLite file
		}
		var a *webhook.Announcer
		a = webhook.NewAnnouncer(webhook.AnnouncerOptions{Store: s, Log: slog.New(slog.NewTextHandler(&e.log, nil)), Now: time.Now,
			Poll: time.Hour, OnEvents: func() {}, Open: e.open, Served: func() *webhook.Build { return e.acquire(a) }})
		e.all = append(e.all, a)
		var ended sync.WaitGroup
		ended.Go(func() { a.Run(t.Context()) })
		t.Cleanup(ended.Wait)
	}
	return e
}

func (e *edges) open(id string) (webhook.Earlier, func(), error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.builds[id]; p != nil {
		return p, func() {}, nil
	}
	return nil, nil, fmt.Errorf("no build %s", id)
}

// acquire returns the served build to an edge.
func (e *edges) acquire(a *webhook.Announcer) *webhook.Build {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.served == nil {
		return nil
	}
	switch e.asked[a]++; e.asked[a] {
	case 1:
		a.Wake() // it asks again when it has handled the build
	case 2:
		if e.handled++; e.handled == len(e.all) {
			close(e.done)
		}
	}
	return e.served
}

// announce moves all edges to a build at once and returns the resulting events. The build is as of
// a number of days.
func (e *edges) announce(id string, asOf int, p *madeHistory) []storagetest.Event {
	e.t.Helper()
	e.mu.Lock()
	e.served = &webhook.Build{ID: id, AsOf: day(e.t, "2026-01-01").AddDate(0, 0, asOf), Source: p}
	e.asked, e.handled, e.done = map[*webhook.Announcer]int{}, 0, make(chan struct{})
	done := e.done
	e.builds[id] = p
	e.mu.Unlock()
	for _, a := range e.all {
		a.Wake()
	}
	soon(e.t, "all edges have announced "+id, done)
	events := storagetest.Events(e.t, e.read, e.seq)
	for _, event := range events {
		if e.seq++; event.Seq != e.seq {
			e.t.Fatalf("event %d has the seq %d", e.seq, event.Seq)
		}
	}
	return events
}

// lose removes a build from the folder.
func (e *edges) lose(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.builds, id)
}

// TestEdgesOverRandomBuilds moves edges through random builds of random histories, and sometimes
// back; sometimes the build before is gone. A receiver that applies the events ends up with the
// state of each build, no event or change is sent twice, and every event names changes.
func TestEdgesOverRandomBuilds(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		a, p := newAuthor(4711), newMadeHistory()
		for len(p.changes) < suite.Pick(900, 3000) {
			a.commit(p)
		}
		e := newEdges(t, open, 3)
		at, last := 20, "build20"
		if events := e.announce(last, at, p.until(at)); len(events) > 0 {
			t.Fatalf("the first build created %d events", len(events))
		}
		r := newReceiver(t, p.worlds[at])
		builds, sent, gone := []int{at}, 0, 0
		for at < len(p.changes) {
			if a.IntN(3) == 0 {
				back := builds[a.IntN(len(builds))]
				if events := e.announce(fmt.Sprint("build", back), back, p.until(back)); len(events) > 0 {
					t.Fatalf("back at %d from %d: %d events", back, at, len(events))
				}
				continue
			}
			if at = min(len(p.changes), at+a.IntN(40)); a.IntN(20) == 0 {
				at = min(len(p.changes), at+300)
			}
			if a.IntN(4) == 0 {
				e.lose(last)
				gone++
			}
			last = fmt.Sprint("build", at)
			builds = append(builds, at)
			events := e.announce(last, at, p.until(at))
			addresses := map[string]bool{}
			for _, event := range events {
				m := r.apply(event)
				if key := m.Entity.Type + "/" + m.Entity.Slug; addresses[key] {
					t.Fatalf("two events for %s", key)
				} else {
					addresses[key] = true
				}
			}
			r.compare(p.worlds[at])
			sent += len(events)
		}
		suite.Holds(t, sent >= 200 && len(builds) >= 20 &&
			gone >= 5, sent, "events", len(builds), "builds", gone, "of them gone")
		t.Logf("%d events of %d builds, %d of them gone", sent, len(builds), gone)
	})
}

// TestRewrittenHistories moves an edge through histories that were rewritten, as by a force push.
func TestRewrittenHistories(t *testing.T) {
	suite.InTest(t)
	a := newAuthor(5)
	grow := func(p *madeHistory, slugs string, n int) *madeHistory {
		p = p.until(len(p.changes))
		a.slugs = slugs
		for end := len(p.changes) + n; len(p.changes) < end; {
			a.commit(p)
		}
		return p
	}
	// pick puts the changes of q, except its first n, on top of p, like a rebase.
	pick := func(p, q *madeHistory, n int) *madeHistory {
		p = p.until(len(p.changes))
		for i := n; i < len(q.changes); i++ {
			p.replay(q, i)
		}
		return p
	}
	base := grow(newMadeHistory(), "abcdef", 60)
	mine, theirs := grow(base, "ghi", 30), grow(base, "jkl", 30)
	rebased := pick(theirs, mine, 60)
	amended := newMadeHistory()
	amended.add(nil, &entityNamedOther)
	amended = pick(amended, base, 0)
	type step struct {
		build  string
		asOf   int
		past   *madeHistory
		events bool
		said   string
	}
	const announced = "announced a build"
	first := step{"1", 1, base, false, "start with this build"}
	for name, way := range map[string][]step{
		"rebased onto others": {first, {"2", 2, mine, true, announced}, {"3", 3, rebased, true, announced}, {"4", 4, grow(rebased, "abc", 9), true, announced}},
		"dropped and back":    {first, {"2", 2, mine, true, announced}, {"3", 3, base, true, announced}, {"4", 4, mine, true, announced}},
		"dropped, of the day": {first, {"2", 2, mine, true, announced}, {"3", 2, base, false, "older"}, {"4", 2, theirs, true, announced}},
		"an older build":      {first, {"2", 3, mine, true, announced}, {"3", 2, rebased, false, "older"}, {"4", 3, rebased, true, announced}},
		"started over":        {first, {"2", 2, amended, true, announced}},
		"nothing in common":   {first, {"2", 2, grow(newMadeHistory(), "xyz", 70), true, announced}, {"3", 3, base, true, announced}},
		"empty":               {{"1", 1, newMadeHistory(), false, "start"}, {"2", 2, base, true, announced}, {"3", 3, newMadeHistory(), true, announced}},
		"gone":                {first, {"lose 1", 2, mine, true, "gone"}, {"lose 2", 3, grow(mine, "abc", 20), true, announced}},
		"gone and rebased":    {first, {"2", 2, mine, true, announced}, {"lose 2", 3, rebased, false, "lacks its commit"}},
		"gone and dropped":    {first, {"2", 2, mine, true, announced}, {"lose 2", 3, theirs, false, "lacks its commit"}},
		"gone, was empty":     {{"1", 1, newMadeHistory(), false, "start"}, {"lose 1", 2, base, false, "lacks its commit"}},
		"gone, older":         {first, {"2", 2, mine, true, announced}, {"lose 2", 1, base, false, "older"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdges(t, func() *storage.State { return storagetest.SQLite(t) }, 1)
			var r *replica
			for i, s := range way {
				before := len(e.log.String())
				if id, ok := strings.CutPrefix(s.build, "lose "); ok {
					e.lose(id)
				}
				events := e.announce(fmt.Sprint(i+1), s.asOf, s.past)
				suite.Contains(t, e.log.String()[before:], s.said, "step", i, "says")
				suite.Require(t, s.events == (len(events) > 0), "step", i, len(events), "events")
				if r == nil {
					r = newReceiver(t, s.past.now())
				}
				clear(r.changes) // what was dropped may come back
				for _, event := range events {
					r.apply(event)
				}
				if s.events {
					r.compare(s.past.now())
				}
			}
		})
	}
}

// TestNetChanges checks hand-written cases.
func TestNetChanges(t *testing.T) {
	suite.InTest(t)
	tool := func(slug, name, version string, formerly ...string) *record.Entity {
		return &record.Entity{Type: "tool", Slug: slug, Name: name, Version: version, Formerly: formerly}
	}
	scored := func(e *record.Entity, composite float64) *record.Entity {
		e.Scores.Composite = record.ScoreOf(composite)
		return e
	}
	a1, a2, b1 := tool("a", "A", "1"), tool("a", "A", "2"), tool("b", "A", "1", "a")
	x, xa := tool("b", "X", "9"), tool("a", "X", "9", "b")
	for _, c := range []struct {
		name   string
		before []*record.Entity
		way    [][2]*record.Entity
		want   string
	}{
		{"there and back", []*record.Entity{a1}, [][2]*record.Entity{{a1, a2}, {a2, a1}}, ""},
		{"created and deleted", nil, [][2]*record.Entity{{nil, a1}, {a1, a2}, {a2, nil}}, ""},
		{"renamed and back", []*record.Entity{a1}, [][2]*record.Entity{{a1, b1}, {b1, a1}}, ""},
		{"deleted and back, another", []*record.Entity{a1}, [][2]*record.Entity{{a1, nil}, {nil, a2}}, `entity.updated tool/a A: version "1"→"2" of 2`},
		{"created and updated", nil, [][2]*record.Entity{{nil, a1}, {a1, a2}}, `entity.created tool/a A: name null→"A", version null→"2" of 01`},
		{"renamed and deleted: known by its old address", []*record.Entity{a1}, [][2]*record.Entity{{a1, b1}, {b1, nil}},
			`entity.deleted tool/a A: name "A"→null, version "1"→null of 12`},
		{"renamed, and another in its place", []*record.Entity{a1}, [][2]*record.Entity{{a1, b1}, {nil, xa}},
			`entity.updated tool/b A: slug "a"→"b" of 1; entity.created tool/a X: name null→"X", version null→"9" of 2`},
		{"moved on", []*record.Entity{a1, x}, [][2]*record.Entity{{x, tool("c", "X", "9", "b")}, {a1, b1}},
			`entity.updated tool/c X: slug "b"→"c" of 2; entity.updated tool/b A: slug "a"→"b" of 3`},
		{"scores alone", []*record.Entity{scored(tool("a", "A", "1"), 5)}, [][2]*record.Entity{
			{scored(tool("a", "A", "1"), 5), scored(tool("a", "A", "2"), 6)}, {scored(tool("a", "A", "2"), 7), scored(tool("a", "A", "1"), 8)}}, ""},
		{"scores beside", []*record.Entity{scored(tool("a", "A", "1"), 5)}, [][2]*record.Entity{
			{scored(tool("a", "A", "1"), 5), scored(tool("a", "A", "2"), 6)}, {scored(tool("a", "A", "2"), 7), scored(tool("a", "A", "3"), 8)}},
			`entity.updated tool/a A: version "1"→"3", scores.composite 5.0→8.0 of 12`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEdges(t, func() *storage.State { return storagetest.SQLite(t) }, 1)
			p := newMadeHistory()
			for _, entity := range c.before {
				p.add(nil, entity)
			}
			e.announce("before", 1, p.until(len(p.changes)))
			for _, step := range c.way {
				p.add(step[0], step[1])
			}
			var got []string
			for _, event := range e.announce("after", 2, p) {
				m := read(t, event)
				line := fmt.Sprintf("%s %s/%s %s: ", m.Event, m.Entity.Type, m.Entity.Slug, m.Entity.Name)
				for i, f := range m.Changes {
					if i > 0 {
						line += ", "
					}
					line += fmt.Sprintf("%s %s→%s", f.Field, f.Old, f.New)
				}
				line += " of "
				for _, id := range m.ChangeIDs {
					line += fmt.Sprint(p.places[id])
				}
				got = append(got, line)
			}
			suite.Equal(t, strings.Join(got, "; "), c.want)
		})
	}
}

// TestUncommittedChanges checks that a build with uncommitted changes is not announced, and that
// the next one is compared with the build before.
func TestUncommittedChanges(t *testing.T) {
	a, p := newAuthor(9), newMadeHistory()
	for len(p.changes) < 40 {
		a.commit(p)
	}
	s := storagetest.SQLite(t)
	served := &webhook.Build{ID: "1", AsOf: day(t, "2026-01-01"), Source: p.until(20)}
	first := *served
	announcer := webhook.NewAnnouncer(webhook.AnnouncerOptions{Store: s, Log: slog.New(slog.DiscardHandler), OnEvents: func() {},
		Served: func() *webhook.Build { return served }, Open: func(id string) (webhook.Earlier, func(), error) {
			suite.Equal(t, id, first.ID, "compared with")
			return first, func() {}, nil
		}})
	for i, want := range []string{"1", "1", "3"} {
		next := *served
		next.ID, next.Uncommitted, next.Source = fmt.Sprint(i+1), i == 1, p.until(20+10*i)
		served = &next
		suite.Check(t, announcer.Check(t.Context(), time.Now()))
		suite.Equal(t, suite.Must(s.Announced(t.Context()))(t).Build, want, "step", i, "announced")
	}
	suite.Holds(t, len(storagetest.Events(t, s, 0)) != 0, "no events")
}

// TestReceives checks which events a webhook with a choice of fields receives.
func TestReceives(t *testing.T) {
	of := func(name string, fields ...string) *webhook.Event {
		e := &webhook.Event{Name: name}
		for _, f := range fields {
			e.Changes = append(e.Changes, record.FieldChange{Field: f})
		}
		return e
	}
	updated := func(fields ...string) *webhook.Event { return of(record.Updated, fields...) }
	_, notices, err := webhook.PlanNotices([]webhook.Retirement{{Type: "tool", Slug: "a", Retires: "2026-12-31"}}, nil, day(t, "2026-12-24"), false)
	suite.Require(t, err == nil && len(notices) == 1, notices, err)
	for _, c := range []struct {
		fields        []string
		ignoreFigures bool
		event         *webhook.Event
		want          bool
	}{
		{nil, false, updated("signals.stars"), true},
		{nil, true, updated("signals.stars", "signals.forks", "scores.composite"), false},
		{nil, true, updated("version", "signals.stars"), true},
		{nil, true, of(record.Created, "name", "signals.stars"), true},
		{[]string{"version"}, false, updated("version", "name"), true},
		{[]string{"version"}, false, updated("name"), false},
		{[]string{"version"}, false, of(record.Deleted, "name", "version"), true},
		{[]string{"signals"}, false, updated("signals.stars"), true},
		{[]string{"signals"}, true, updated("signals.stars"), false},
		{[]string{"signals.forks"}, false, updated("signals.stars"), false},
		{[]string{"offers", "license"}, false, updated("offers.api.input"), true},
		{[]string{"lifecycle.retires"}, false, updated("lifecycle"), true},
		{[]string{"links"}, false, updated("linksomething"), false},
		{[]string{"version"}, true, &notices[0], true},
	} {
		w := webhook.Webhook{Events: record.WebhookEvents, Fields: c.fields, IgnoreFigures: c.ignoreFigures}
		if got := w.Receives(c.event); got != c.want {
			fields, _ := json.Marshal(c.event.Changes)
			t.Errorf("fields %v, ignoring figures: %v: %s %s: %v", c.fields, c.ignoreFigures, c.event.Name, fields, got)
		}
		w.Events = slices.DeleteFunc(slices.Clone(w.Events), func(name string) bool { return name == c.event.Name })
		suite.Holds(t, !w.Receives(c.event), "it receives", c.event.Name, "which it does not name")
	}
}
