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
	webhook.AnnouncerStore
	down  atomic.Bool
	tried chan struct{}
}

func (f *failing) Announced(ctx context.Context) (webhook.Announced, error) {
	if f.down.Load() {
		f.tried <- struct{}{}
		return webhook.Announced{}, errors.New("connection refused")
	}
	return f.AnnouncerStore.Announced(ctx)
}

func soon(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(hanging):
		t.Fatal("never: " + what)
	}
}

// TestAnnounceWhileStateIsDown checks that no event is lost if the database is unreachable, a
// build is damaged, or builds are skipped meanwhile, and that every build is released.
func TestAnnounceWhileStateIsDown(t *testing.T) {
	suite.InTest(t)
	s := storagetest.SQLite(t)
	store := &failing{AnnouncerStore: s, tried: make(chan struct{}, 100)}
	a, p := newAuthor(3), newMadeHistory()
	for len(p.changes) < 90 {
		a.commit(p)
	}
	var log suite.Log
	var served atomic.Pointer[webhook.Build]
	var told atomic.Int64
	announcer := webhook.NewAnnouncer(webhook.AnnouncerOptions{Store: store, Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now,
		Poll: time.Millisecond, OnEvents: func() { told.Add(1) },
		Open:   func(string) (webhook.Earlier, func(), error) { return p.until(30), func() {}, nil },
		Served: served.Load})
	ctx, stop := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	serve := func(id string, p *madeHistory) {
		served.Store(&webhook.Build{ID: id, AsOf: day(t, "2026-01-01"), Source: p})
		announcer.Wake()
	}
	announced := func(id string) {
		t.Helper()
		suite.Eventually(t, id+" is announced", func() bool {
			at, err := s.Announced(t.Context())
			return err == nil && at.Build == id
		})
	}
	serve("first", p.until(30))
	ended.Go(func() { announcer.Run(ctx) })
	announced("first")
	store.down.Store(true)
	serve("second", p.until(50))
	soon(t, "a first try", store.tried)
	soon(t, "a second try", store.tried)
	damaged := p.until(60)
	damaged.broken = true
	serve("damaged", damaged)
	soon(t, "a try", store.tried)
	store.down.Store(false)
	serve("damaged", damaged)
	suite.Eventually(t, "the damage is reported", func() bool { return strings.Contains(log.String(), "level=ERROR") })
	serve("third", p.until(70))
	announced("third")
	got := newReceiver(t, p.worlds[30])
	for _, e := range storagetest.Events(t, s, 0) {
		got.apply(e)
	}
	got.compare(p.worlds[70])
	suite.Eventually(t, "the dispatcher is told", func() bool { return told.Load() == 1 })
	suite.Contains(t, log.String(), "connection refused", "the log lacks the reason")
	stop()
	ended.Wait()
}

// TestMoveIsOneTransaction tries to announce a build while another edge has announced one, and
// with a context that ends. Neither stores anything.
func TestMoveIsOneTransaction(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		first := webhook.Announced{Build: "1", Change: "c1", AsOf: day(t, "2026-01-01"), CommitTime: day(t, "2025-12-31")}
		suite.Done(s.Announce(t.Context(), first, nil, nil))(t)
		at, err := s.Announced(t.Context())
		if first.Version = 1; err != nil || at != first {
			t.Fatalf("%+v, want %+v, %v", at, first, err)
		}
		events := make([]webhook.Event, 300) // more than one statement stores
		for i := range events {
			events[i] = webhook.Event{ID: storage.NewID("evt_"), Name: "entity.updated", Payload: []byte("{}")}
		}
		at.Build = "2"
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if moved, err := s.Announce(ended, at, nil, events); err == nil || moved {
			t.Error("announced without a context")
		}
		var movers sync.WaitGroup
		var won atomic.Int64
		for range 8 {
			other := s
			if s.Engine() == storage.PostgreSQL {
				other = open()
			}
			movers.Go(func() {
				if moved, err := other.Announce(t.Context(), at, nil, events); err != nil {
					t.Error(err)
				} else if moved {
					won.Add(1)
				}
			})
		}
		movers.Wait()
		if stored := storagetest.Events(t, s, 0); won.Load() != 1 || len(stored) != len(events) || stored[299].ID != events[299].ID {
			t.Errorf("%d announced, %d events of %d", won.Load(), len(stored), len(events))
		}
	})
}
