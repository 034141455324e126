package webhook_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
)

// failing is a store that can be made unreachable.
type failing struct {
	webhook.CursorStore
	down  atomic.Bool
	tried chan struct{}
}

func (f *failing) EventCursor(ctx context.Context) (webhook.Cursor, error) {
	if f.down.Load() {
		f.tried <- struct{}{}
		return webhook.Cursor{}, errors.New("connection refused")
	}
	return f.CursorStore.EventCursor(ctx)
}

// running is a running Announcer with its log and the builds that it has released.
type running struct {
	*webhook.Announcer
	log      lines
	told     atomic.Int64
	released sync.Map // *atomic.Int64 by build id: how often it was released
	stop     func()
}

func run(t *testing.T, store webhook.CursorStore) *running {
	r := &running{}
	r.Announcer = webhook.NewAnnouncer(store, slog.New(slog.NewTextHandler(&r.log, nil)), func() { r.told.Add(1) }, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { r.Run(ctx) })
	r.stop = func() { cancel(); ended.Wait() }
	t.Cleanup(r.stop)
	return r
}

// announce announces a build and returns a channel that is closed when the build is released.
func (r *running) announce(id string, p *madeHistory) <-chan struct{} {
	done, n := make(chan struct{}), &atomic.Int64{}
	r.released.Store(id, n)
	r.Announce(webhook.Build{ID: id, Archive: p, Release: func() {
		if n.Add(1) == 1 {
			close(done)
		}
	}})
	return done
}

func soon(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(hanging):
		t.Fatal("never: " + what)
	}
}

// TestAnnounceWhileStateIsDown checks that no event is lost if the database is unreachable:
// builds wait, some are superseded, and each is released once.
func TestAnnounceWhileStateIsDown(t *testing.T) {
	suite.InTest(t)
	s := storagetest.SQLite(t)
	store := &failing{CursorStore: s, tried: make(chan struct{}, 100)}
	r := run(t, store)
	a, p := newAuthor(3), newMadeHistory()
	for len(p.changes) < 90 {
		a.commit(p)
	}
	soon(t, "the first build", r.announce("first", p.until(30)))
	store.down.Store(true)
	second := r.announce("second", p.until(50))
	soon(t, "a first try", store.tried)
	third := r.announce("third", p.until(70))
	soon(t, "the second build makes way", second)
	soon(t, "a second try", store.tried)
	soon(t, "a third try", store.tried)
	store.down.Store(false)
	soon(t, "the third build is told", third)
	events, err := s.Events(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	got := newReceiver(t, p.worlds[30])
	for _, e := range events {
		got.apply(e, true)
	}
	got.compare(p.worlds[70])
	if n := r.told.Load(); n != 1 || !strings.Contains(r.log.String(), "connection refused") {
		t.Errorf("logged %d times; log: %s", n, r.log.String())
	}
	damaged := p.until(90)
	damaged.broken = true
	bad := r.announce("damaged", damaged)
	for !strings.Contains(r.log.String(), "is unreadable") {
		time.Sleep(time.Millisecond)
	}
	soon(t, "a damaged build makes way", func() <-chan struct{} { r.announce("fourth", p); return bad }())
	for n := len(events); n == len(events); time.Sleep(time.Millisecond) {
		if events, err = s.Events(t.Context(), 0, 1000); err != nil {
			t.Fatal(err)
		}
	}
	store.down.Store(true)
	waiting := r.announce("fifth", p.until(80))
	soon(t, "a try", store.tried)
	r.stop()
	soon(t, "what waits is given back in the end", waiting)
	soon(t, "what comes behind the end", r.announce("sixth", p))
	r.released.Range(func(id, n any) bool {
		if n.(*atomic.Int64).Load() != 1 {
			t.Errorf("%s was released %d times", id, n.(*atomic.Int64).Load())
		}
		return true
	})
}

// TestMoveIsOneTransaction tries to move a cursor that has moved meanwhile, and to move a
// cursor with a context that ends. Neither stores anything.
func TestMoveIsOneTransaction(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		a, p := newAuthor(8), newMadeHistory()
		for len(p.changes) < 40 {
			a.commit(p)
		}
		plan := func(from webhook.Cursor, build string, n int) webhook.Move {
			m, err := webhook.Plan(from, build, p.until(n))
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		first := plan(webhook.Cursor{}, "1", 10)
		if moved, err := s.MoveCursor(t.Context(), first.To, first.Events); err != nil || !moved {
			t.Fatal(moved, err)
		}
		at, err := s.EventCursor(t.Context())
		if err != nil || at.Build != "1" || at.Version != 1 || at.ChangeID != p.changes[9].ID || !at.ChangeAt.Equal(p.changes[9].Timestamp) || len(at.Log) != 10 {
			t.Fatalf("%+v, %v", at, err)
		}
		m := plan(at, "2", 40)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if moved, err := s.MoveCursor(ended, m.To, m.Events); err == nil || moved {
			t.Error("moved without a context")
		}
		var movers sync.WaitGroup
		var won atomic.Int64
		for range 8 {
			other := s
			if s.Engine() == storage.PostgreSQL {
				other = open()
			}
			movers.Go(func() {
				if moved, err := other.MoveCursor(t.Context(), m.To, m.Events); err != nil {
					t.Error(err)
				} else if moved {
					won.Add(1)
				}
			})
		}
		movers.Wait()
		events, err := s.Events(t.Context(), 0, 1000)
		if err != nil || won.Load() != 1 || len(events) != len(m.Events) || len(events) < 5 {
			t.Errorf("%d moved, %d events of %d, %v", won.Load(), len(events), len(m.Events), err)
		}
		// If the same events are stored again, for example after the cursor was lost, they
		// stay unchanged.
		m.To.Version = 2
		if moved, err := s.MoveCursor(t.Context(), m.To, m.Events); err != nil || !moved {
			t.Error(moved, err)
		}
		if again, err := s.Events(t.Context(), 0, 1000); err != nil || jsonOf(again) != jsonOf(events) {
			t.Errorf("%d events became %d, %v", len(events), len(again), err)
		}
	})
}
