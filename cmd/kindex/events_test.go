package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/store"
)

// replayBuilds holds builds of some of the snapshots, all in one folder.
type replayBuilds struct {
	out   string
	stops []int // indexes of snapshots in the list
	ids   []string
}

func (r *replay) builds(stops []int) *replayBuilds {
	r.t.Helper()
	b := &replayBuilds{out: r.t.TempDir(), stops: stops}
	for _, i := range stops {
		b.add(r.t, r.checkout(i), r.list[i].date)
	}
	return b
}

// add creates another build.
func (b *replayBuilds) add(t *testing.T, content, asOf string) (id string) {
	t.Helper()
	id = buildHere(t, builder.Options{Content: content, Out: b.out, AsOf: day(t, asOf), Keep: 100, AllowShrink: true})
	b.ids = append(b.ids, id)
	return id
}

// day parses a day.
func day(t *testing.T, text string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// eventBody is the body of a webhook request.
type eventBody struct {
	change
	ChangeIDs []string `json:"changeIds"`
}

// movedEdge is an edge that a test moves from one build to another.
type movedEdge struct {
	t      *testing.T
	server *edge.Server
	state  *storage.State
	log    logged
	out    string
	seq    int64
}

// logged is a log that tests can read while it is being written.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// newMovedEdge serves the first build. If set is not nil, it changes the edge's options.
func newMovedEdge(t *testing.T, b *replayBuilds, s *storage.State, set func(*edge.Options)) *movedEdge {
	t.Helper()
	if err := store.Publish(b.out, b.ids[0]); err != nil {
		t.Fatal(err)
	}
	e := anotherEdge(t, b, s, set)
	e.until("webhooks start with this build", b.ids[0])
	return e
}

// anotherEdge serves the published build until the test ends.
func anotherEdge(t *testing.T, b *replayBuilds, s *storage.State, set func(*edge.Options)) *movedEdge {
	t.Helper()
	e := &movedEdge{t: t, state: s, out: b.out}
	o := edge.Options{Dir: b.out, State: s, Log: slog.New(slog.NewTextHandler(&e.log, nil))}
	if set != nil {
		set(&o)
	}
	server, err := edge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	e.server = server
	ctx, cancel := context.WithCancel(context.Background())
	wait := server.RunJobs(ctx)
	t.Cleanup(func() {
		cancel()
		wait()
	})
	return e
}

// until waits for a log line that contains a string and mentions a build.
func (e *movedEdge) until(said, build string) {
	e.t.Helper()
	for end := time.Now().Add(hanging); ; time.Sleep(time.Millisecond) {
		for line := range strings.Lines(e.log.String()) {
			if strings.Contains(line, said) && strings.Contains(line, "build="+build) {
				return
			}
		}
		if time.Now().After(end) {
			e.t.Fatalf("the log lacks %q for %s:\n%s", said, build, e.log.String())
		}
	}
}

// move publishes a build and returns the resulting new events.
func (e *movedEdge) move(build string) []eventBody {
	e.t.Helper()
	e.publish(build)
	for end := time.Now().Add(hanging); ; time.Sleep(time.Millisecond) {
		at, err := e.state.Announced(e.t.Context())
		if err != nil {
			e.t.Fatal(err)
		}
		if at.Build == build {
			return e.news()
		}
		if time.Now().After(end) {
			e.t.Fatalf("%s is never announced:\n%s", build, e.log.String())
		}
	}
}

// back publishes an older build and returns the resulting new events.
func (e *movedEdge) back(build string) []eventBody {
	e.t.Helper()
	e.publish(build)
	e.until("older than the last one announced to webhooks", build)
	return e.news()
}

func (e *movedEdge) publish(build string) {
	e.t.Helper()
	if err := store.Publish(e.out, build); err != nil {
		e.t.Fatal(err)
	}
	if err := e.server.Reload(); err != nil {
		e.t.Fatal(err)
	}
}

// news returns the events since the last read.
func (e *movedEdge) news() []eventBody {
	e.t.Helper()
	stored := storagetest.Events(e.t, e.state, e.seq)
	bodies := make([]eventBody, len(stored))
	for i, event := range stored {
		if err := json.Unmarshal(event.Payload, &bodies[i]); err != nil {
			e.t.Fatal(err)
		}
		e.seq = event.Seq
	}
	return bodies
}

// compareEvents moves an edge through builds and compares the events with the snapshots.
// After each build, it also moves the edge back to the previous one, which must not create
// any events.
func (r *replay) compareEvents(b *replayBuilds, e *movedEdge) {
	t := e.t
	t.Helper()
	ids := r.changeIDs(t, b)
	known := r.list[b.stops[0]].states(r.clash)
	seen, values := map[string]bool{}, 0
	for i := 1; i < len(b.stops); i++ {
		events := e.move(b.ids[i])
		want := map[string]expected{}
		for _, x := range expectedChanges([]snapshot{r.list[b.stops[i-1]], r.list[b.stops[i]]}, r.clash) {
			if x.date == r.list[b.stops[i]].date {
				want[x.slug] = x
			}
		}
		if len(events) != len(want) {
			t.Errorf("build %d: %d events, the snapshots differ in %d entities", i, len(events), len(want))
		}
		for _, event := range events {
			if seen[event.ID] {
				t.Fatalf("%s appears twice", event.ID)
			}
			seen[event.ID] = true
			x, ok := want[event.Entity.Slug]
			if !ok {
				t.Fatalf("build %d: no difference, or two events, for %s", i, event.Entity.Slug)
			}
			delete(want, event.Entity.Slug)
			if difference := r.compareEvent(&event, &x, ids, b.stops[i-1], b.stops[i], &values); difference != "" {
				t.Errorf("build %d: %s: %s", i, x.slug, difference)
			}
			event.apply(t, known)
		}
		if missing := slices.Sorted(maps.Keys(want)); len(missing) > 0 {
			t.Errorf("build %d: no event for %v", i, missing)
		}
		if got, want := jsonOf(known), jsonOf(r.list[b.stops[i]].states(r.clash)); got != want {
			t.Fatalf("build %d: applying the events does not give the snapshot", i)
		}
		if back := e.back(b.ids[i-1]); len(back) > 0 {
			t.Errorf("going back from build %d created %d events", i, len(back))
		}
	}
	t.Logf("%d builds, %d events with %d values compared", len(b.stops), len(seen), values)
}

// changeIDs returns the IDs of the changes in the changelog, keyed by slug and date.
func (r *replay) changeIDs(t *testing.T, b *replayBuilds) map[string]string {
	build, err := exports.Open(filepath.Join(store.BuildsDir(b.out), b.ids[len(b.ids)-1]))
	if err != nil {
		t.Fatal(err)
	}
	defer build.Close()
	ids := map[string]string{}
	for i := range build.History().Changes() {
		c, err := build.History().Change(i)
		if err != nil {
			t.Fatal(err)
		}
		ids[c.Slug+" "+c.Timestamp.Format(time.DateOnly)] = c.ID
	}
	return ids
}

// compareEvent describes the first error in an event, or returns "". from and to are the
// snapshots of the two builds.
func (r *replay) compareEvent(got *eventBody, want *expected, ids map[string]string, from, to int, values *int) string {
	var folded []string
	last := ""
	for i := range r.changes {
		if c := &r.changes[i]; c.slug == want.slug && c.date > r.list[from].date && c.date <= r.list[to].date {
			last = c.date
			folded = append(folded, ids[c.slug+" "+c.date])
		}
	}
	switch {
	case got.Event != want.event || got.Entity.Type != "tool" || jsonOf(got.Entity.Name) != want.name:
		return fmt.Sprintf("got %s of %s/%s (%s), want %s (%s)", got.Event, got.Entity.Type, got.Entity.Slug, got.Entity.Name, want.event, want.name)
	case got.Timestamp != last+"T12:00:00Z":
		return "its time is " + got.Timestamp + ", the last change is of " + last
	case !slices.Equal(got.ChangeIDs, folded):
		return fmt.Sprintf("it names the changes %v, the changelog has %v", got.ChangeIDs, folded)
	case !strings.HasPrefix(got.ID, "evt_") || got.Commit != nil || got.Author != nil || got.PullRequest != nil:
		return "its body is not that of an event"
	}
	return fieldsDiffer(&got.change, want, values)
}

// apply applies an event to the known entities, by slug.
func (e *eventBody) apply(t *testing.T, known map[string]told) {
	t.Helper()
	if (e.Event == record.Created) != (known[e.Entity.Slug] == nil) {
		t.Fatalf("%s of %s, which is %v", e.Event, e.Entity.Slug, known[e.Entity.Slug])
	}
	now := maps.Clone(known[e.Entity.Slug])
	if now == nil {
		now = told{}
	}
	for _, f := range e.Changes {
		if strings.HasPrefix(f.Field, "scores.") {
			continue
		}
		if now[f.Field] = string(f.New); string(f.New) == "null" {
			delete(now, f.Field)
		}
	}
	if known[e.Entity.Slug] = now; e.Event == record.Deleted {
		delete(known, e.Entity.Slug)
	}
}

// TestEventsAreOfCommits moves an edge to builds whose edits are uncommitted, committed or
// committed again, and to builds of a plain folder.
func TestEventsAreOfCommits(t *testing.T) {
	suite.InTest(t)
	r := extractReplay(t)
	b := &replayBuilds{out: t.TempDir()}
	content := r.checkout(2)
	b.add(t, content, "2026-01-01")
	e := newMovedEdge(t, b, storagetest.SQLite(t), nil)
	edit := func(version string) {
		for slug, text := range map[string]string{"pytorch": "name: Edited\ncategory: other\ndescription: x\nversion: " + version + "\n",
			"brand-new": "name: New\ncategory: other\ndescription: x\n"} {
			if err := os.WriteFile(filepath.Join(content, "tool", slug+".yaml"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	describe := func(events []eventBody) (list []string) {
		for _, event := range events {
			line := event.Event + " " + event.Entity.Slug
			for _, f := range event.Changes {
				if f.Field == "version" {
					line += " version " + string(f.New)
				}
			}
			list = append(list, line)
		}
		slices.Sort(list)
		return list
	}
	git := func(args ...string) { r.git("2026-01-01", append([]string{"-C", content}, args...)...) }
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"edited", func() { edit("one") }, nil},
		{"committed", func() { git("add", "-A"); git("commit", "-q", "-m", "edit") },
			[]string{"entity.created brand-new", `entity.updated pytorch version "one"`}},
		{"amended commit", func() { edit("two"); git("commit", "-q", "-a", "--amend", "-m", "edit") },
			[]string{`entity.updated pytorch version "two"`}},
	}
	for _, s := range steps {
		s.do()
		id := b.add(t, content, "2026-01-01")
		if s.want == nil {
			e.publish(id)
			e.until("uncommitted changes", id)
			continue
		}
		events := e.move(id)
		if got := describe(events); !slices.Equal(got, s.want) {
			t.Errorf("%s: events %v, want %v", s.name, got, s.want)
		}
	}
	plain := &replayBuilds{out: t.TempDir()}
	content = filepath.Join(t.TempDir(), "plain")
	if err := os.MkdirAll(filepath.Join(content, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	edit("one")
	plain.add(t, content, "2026-01-01")
	e = newMovedEdge(t, plain, storagetest.SQLite(t), nil)
	edit("two")
	events := e.move(plain.add(t, content, "2026-01-02"))
	if got := describe(events); !slices.Equal(got, []string{`entity.updated pytorch version "two"`}) {
		t.Errorf("a plain folder: events %v", got)
	}
}
