package edge

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"kindex/exports"
)

// live follows the published build of an output folder.
type live struct {
	root    string
	log     *slog.Logger
	metrics *metrics
	current atomic.Pointer[view]

	mu      sync.Mutex
	refused string // the id that was last refused, so that it is reported once
}

// recheck is how often the pointer is read even if the system reports nothing:
// some file systems never do.
const recheck = 2 * time.Second

// acquire returns the current view, nil before there is one. The caller
// releases it.
func (l *live) acquire() *view {
	for {
		v := l.current.Load()
		if v == nil || v.retain() {
			return v
		}
	}
}

// load makes the published build the current view. A build that cannot be used
// is refused, and the one before goes on being served.
func (l *live) load() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, err := exports.Current(l.root)
	if err != nil {
		return err
	}
	old := l.current.Load()
	if old != nil && old.id() == id {
		l.refused = ""
		return nil
	}
	start := time.Now()
	next, err := openView(l.root, id)
	if err != nil {
		if l.refused != id {
			l.metrics.refused.Inc()
		}
		return l.refuse(id, err)
	}
	next.close = func() {
		if err := errors.Join(next.index.Close(), next.build.Close()); err != nil {
			l.log.Error("close a build", "build", id, "error", err)
		}
	}
	l.current.Store(next)
	l.refused = ""
	l.metrics.switched(next, time.Since(start))
	l.log.Info("serving build", "build", id, "entities", next.build.Listed(), "asOf", next.build.Manifest.AsOf,
		"took", time.Since(start).Round(time.Millisecond))
	if old != nil {
		old.release()
	}
	return nil
}

// errRepeated marks a refusal that was reported before.
var errRepeated = errors.New("refused before")

func (l *live) refuse(id string, err error) error {
	if l.refused == id {
		return errRepeated
	}
	l.refused = id
	return err
}

// follow moves to every newly published build until ctx ends.
func (l *live) follow(ctx context.Context) {
	var events <-chan fsnotify.Event
	if w, err := fsnotify.NewWatcher(); err != nil {
		l.log.Warn("no file events; new builds are found by looking", "error", err)
	} else {
		defer w.Close()
		if err := w.Add(filepath.Join(l.root, "exports")); err != nil {
			l.log.Warn("no file events; new builds are found by looking", "error", err)
		}
		events = w.Events
		go drainErrors(w.Errors)
	}
	tick := time.NewTicker(recheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if filepath.Base(e.Name) != "current" {
				continue
			}
		case <-tick.C:
		}
		if err := l.load(); err != nil && !errors.Is(err, errRepeated) {
			l.log.Error("the new build is refused; the old one goes on being served", "error", err)
		}
	}
}

// drainErrors keeps a full error channel from stopping the events; what was
// missed is found by looking.
func drainErrors(errs <-chan error) {
	for range errs {
	}
}

// stop gives up the current view.
func (l *live) stop() {
	if v := l.current.Swap(nil); v != nil {
		v.release()
	}
}
