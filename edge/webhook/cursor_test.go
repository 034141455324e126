package webhook_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
)

// edges are Announcers that share a database.
type edges struct {
	t    *testing.T
	all  []*webhook.Announcer
	read *storage.State
	log  lines
	seq  int64 // the seq of the last event read
}

// lines collects a log that tests can search.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newEdges(t *testing.T, open func() *storage.State, n int) *edges {
	e := &edges{t: t, read: open()}
	for range n {
		s := e.read
		if s.Engine() == storage.PostgreSQL {
			s = open() // only one edge can use a SQLite file
		}
		a := webhook.NewAnnouncer(s, slog.New(slog.NewTextHandler(&e.log, nil)), nil, nil)
		e.all = append(e.all, a)
		var ended sync.WaitGroup
		ended.Go(func() { a.Run(t.Context()) })
		t.Cleanup(ended.Wait)
	}
	return e
}

// announce moves all edges to a build concurrently and returns the resulting events.
func (e *edges) announce(id string, p *madeHistory) []webhook.Event {
	e.t.Helper()
	var done sync.WaitGroup
	for _, a := range e.all {
		done.Add(1)
		a.Announce(webhook.Build{ID: id, Archive: p, Release: done.Done})
	}
	done.Wait()
	events, err := e.read.Events(e.t.Context(), e.seq, 1<<20)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, event := range events {
		if e.seq++; event.Seq != e.seq {
			e.t.Fatalf("event %d has the seq %d", e.seq, event.Seq)
		}
	}
	return events
}

// TestEdgesOverRandomBuilds moves edges through random builds of random histories, and
// sometimes back. A receiver that applies the events ends up with the state of each build,
// and no event or change is sent twice.
func TestEdgesOverRandomBuilds(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		a, p := newAuthor(4711), newMadeHistory()
		for len(p.changes) < suite.Pick(1100, 3000) { // more changes than a cursor remembers
			a.commit(p)
		}
		e := newEdges(t, open, 3)
		at := 20
		if events := e.announce("build20", p.until(at)); len(events) > 0 {
			t.Fatalf("the first build created %d events", len(events))
		}
		r := newReceiver(t, p.worlds[at])
		builds, told := []int{at}, 0
		for at < len(p.changes) {
			if a.IntN(3) == 0 {
				back := builds[a.IntN(len(builds))]
				if events := e.announce(fmt.Sprint("build", back), p.until(back)); len(events) > 0 {
					t.Fatalf("back at %d from %d: %d events", back, at, len(events))
				}
				continue
			}
			if at = min(len(p.changes), at+a.IntN(40)); a.IntN(20) == 0 {
				at = min(len(p.changes), at+300)
			}
			builds = append(builds, at)
			events := e.announce(fmt.Sprint("build", at), p.until(at))
			for _, event := range events {
				r.apply(event, true)
			}
			r.compare(p.worlds[at])
			told += len(events)
		}
		if told < 200 || len(builds) < 20 {
			t.Errorf("%d events of %d builds", told, len(builds))
		}
	})
}

// TestRewrittenHistories moves a cursor through histories that were rewritten.
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
			key, before := q.changes[i].Key(), q.worlds[i]
			if f, ok := q.changes[i].Field("slug"); ok {
				key = q.changes[i].Type + "/" + strings.Trim(string(f.Old), `"`)
			}
			p.add(before[key], q.worlds[i+1][q.changes[i].Key()])
		}
		return p
	}
	base := grow(newMadeHistory(), "abcdef", 60)
	mine, theirs := grow(base, "ghi", 30), grow(base, "jkl", 30)
	rebased := pick(theirs, mine, 60)
	long := grow(grow(newMadeHistory(), "abcdef", 1300), "ghi", 100)
	amended := newMadeHistory()
	amended.add(nil, &entityNamedOther)
	amended = pick(amended, base, 0)
	type step struct {
		build  string
		past   *madeHistory
		events string // "none", "some" or "all"; after "all", the receiver is up to date
		said   string
	}
	for name, way := range map[string][]step{
		"rebased onto others":  {{"1", base, "none", "start"}, {"2", mine, "all", "newer"}, {"3", rebased, "all", "rewritten"}, {"4", grow(rebased, "abc", 9), "all", "newer"}},
		"dropped and gone on":  {{"1", base, "none", "start"}, {"2", mine, "all", "newer"}, {"3", base.until(60), "none", "older"}, {"4", theirs, "some", "rewritten"}, {"5", rebased, "none", "newer"}, {"6", grow(rebased, "abcghijkl", 20), "all", "newer"}},
		"dropped and back":     {{"1", mine, "none", "start"}, {"2", theirs, "some", "rewritten"}, {"3", mine, "none", "older"}, {"4", theirs, "none", "newer"}, {"5", pick(theirs, mine, 60), "none", "newer"}},
		"started over":         {{"1", base, "none", "start"}, {"2", amended, "all", "rewritten"}},
		"nothing in common":    {{"1", base, "none", "start"}, {"2", grow(newMadeHistory(), "xyz", 70), "none", "nothing in common"}, {"3", base, "none", "older"}},
		"long ago":             {{"1", long, "none", "start"}, {"2", long.until(200), "none", "older"}, {"3", long.until(1380), "none", "older"}, {"4", grow(long, "abc", 20), "all", "newer"}},
		"rewritten at the end": {{"1", long, "none", "start"}, {"2", pick(grow(long.until(1300), "xyz", 10), long, 1300), "all", "rewritten"}},
		"empty":                {{"1", newMadeHistory(), "none", "start"}, {"2", base, "all", "newer"}, {"3", newMadeHistory(), "none", "older"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdges(t, func() *storage.State { return storagetest.SQLite(t) }, 1)
			var r *replica
			for i, s := range way {
				before := len(e.log.String())
				events := e.announce(s.build, s.past)
				if said := e.log.String()[before:]; !strings.Contains(said, s.said) {
					t.Errorf("step %d says %q, want %q", i, said, s.said)
				}
				if r == nil {
					r = newReceiver(t, s.past.now())
				}
				for _, event := range events {
					r.apply(event, s.events == "all")
				}
				if (s.events == "none") != (len(events) == 0) {
					t.Fatalf("step %d has %d events", i, len(events))
				}
				if s.events == "all" {
					r.compare(s.past.now())
				}
			}
		})
	}
}
