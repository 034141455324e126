package webhook

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// CursorStore stores the cursor and the events.
type CursorStore interface {
	// EventCursor returns the cursor, or the zero Cursor if there is none.
	EventCursor(ctx context.Context) (Cursor, error)
	// MoveCursor atomically stores events and the new cursor. moved is false if the cursor's
	// version has changed. In that case nothing is stored.
	MoveCursor(ctx context.Context, to Cursor, events []Event) (moved bool, err error)
}

// Build is a build that the edge has switched to.
type Build struct {
	ID      string
	Archive Archive
	Release func() // called once when the archive is no longer needed
}

// Announcer creates events for the builds that an edge switches to. If several edges share a
// database, each has an Announcer, but only one of them writes the events of a build.
type Announcer struct {
	store    CursorStore
	log      *slog.Logger
	onEvents func() // called when there are new events
	onDone   func() // called when the events of a build have been written

	mu      sync.Mutex
	pending *Build
	closed  bool
	wake    chan struct{}
}

// NewAnnouncer returns an Announcer, which must be started with Run. If onEvents is not nil,
// it is called when events have been written. If onDone is not nil, it is called when an
// announced build has been handled, with or without events.
func NewAnnouncer(store CursorStore, log *slog.Logger, onEvents, onDone func()) *Announcer {
	if onEvents == nil {
		onEvents = func() {}
	}
	if onDone == nil {
		onDone = func() {}
	}
	return &Announcer{store: store, log: log, onEvents: onEvents, onDone: onDone, wake: make(chan struct{}, 1)}
}

// Announce reports that the edge has switched to a build. It does not block. If an earlier
// build is still waiting, it is dropped, because the changelog of the new build includes its
// changes.
func (a *Announcer) Announce(b Build) {
	a.mu.Lock()
	old := a.pending
	if a.pending = &b; a.closed {
		old, a.pending = &b, nil
	}
	a.mu.Unlock()
	if old != nil {
		old.Release()
	}
	a.signal()
}

func (a *Announcer) signal() {
	select {
	case a.wake <- struct{}{}:
	default: // Run has already been woken
	}
}

// The shortest and the longest wait before writing the events of a build is retried.
const (
	minBackoff = 500 * time.Millisecond
	maxBackoff = 30 * time.Second
)

// Run creates events until ctx ends. It must be called only once. While the database is
// unavailable, it retries.
func (a *Announcer) Run(ctx context.Context) {
	defer a.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
		}
		if b := a.takePending(); b != nil {
			a.announce(ctx, b)
		}
	}
}

// Close releases the waiting build. Later builds are released immediately.
func (a *Announcer) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	if b := a.takePending(); b != nil {
		b.Release()
	}
}

func (a *Announcer) takePending() *Build {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.pending
	a.pending = nil
	return b
}

// announce writes the events of a build, and retries until it succeeds or a newer build is
// waiting.
func (a *Announcer) announce(ctx context.Context, b *Build) {
	defer b.Release()
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		m, err := a.try(ctx, b)
		if err == nil {
			a.report(b, m)
			a.onDone()
			return
		}
		if ctx.Err() != nil {
			return
		}
		a.log.Error("writing the events of a build failed; retrying", "build", b.ID, "error", err, "in", backoff)
		select {
		case <-ctx.Done():
			return
		case <-a.wake: // the waiting build includes these changes
			a.signal()
			return
		case <-time.After(backoff):
		}
	}
}

// try moves the cursor to a build, unless another edge has already done so.
func (a *Announcer) try(ctx context.Context, b *Build) (Move, error) {
	for {
		c, err := a.store.EventCursor(ctx)
		if err != nil {
			return Move{}, err
		}
		m, err := Plan(c, b.ID, b.Archive)
		if err != nil || !m.Advances() {
			return m, err
		}
		moved, err := a.store.MoveCursor(ctx, m.To, m.Events)
		if err != nil || moved {
			return m, err
		}
	}
}

func (a *Announcer) report(b *Build, m Move) {
	switch m.Relation {
	case First:
		a.log.Info("webhooks start with this build", "build", b.ID)
	case Older:
		a.log.Info("no events: this build is older than the last one announced to webhooks", "build", b.ID, "told", m.To.Build)
	case Foreign:
		a.log.Warn("no events: the changelog has nothing in common with the last build announced to webhooks; continuing from this build", "build", b.ID)
	case Newer, Rewritten:
		a.log.Info("events for webhooks", "build", b.ID, "events", len(m.Events), "history", string(m.Relation))
	}
	if len(m.Events) > 0 {
		a.onEvents()
	}
}
