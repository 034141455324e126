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
	"kindex/site/pages"
)

// live follows the published build of an output folder.
type live struct {
	root    string
	options pages.Options // of the website
	log     *slog.Logger
	metrics *metrics
	moved   func(*view)          // called with every build that is moved to, not with edits
	current atomic.Pointer[view] // what requests see: base, or base with edits

	mu        sync.Mutex
	base      *view // the published build
	edits     []exports.Edit
	served    map[string]string // id of the build that had a Last-Modified time, see datedBy
	refused   string            // the id that was last refused
	refusedAt time.Time
	refusal   error
}

// recheck is how often the pointer is read even if the system reports nothing:
// some file systems never do. A refused build is read again more seldom, in
// case somebody mends it: verifying it reads every byte.
const (
	recheck        = 2 * time.Second
	recheckRefused = 30 * time.Second
)

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
	if l.base != nil && l.base.id() == id {
		l.refused = ""
		return nil
	}
	if l.refused == id && time.Since(l.refusedAt) < recheckRefused {
		return l.refusal
	}
	start := time.Now()
	next, err := openView(l.root, id)
	if err != nil {
		if l.refused != id {
			l.metrics.refused.Inc()
		}
		l.refused, l.refusedAt, l.refusal = id, time.Now(), err
		return err
	}
	next.close = func() {
		if err := errors.Join(next.index.Close(), next.build.Close()); err != nil {
			l.log.Error("close a build", "build", id, "error", err)
		}
	}
	next.dated, next.options = l.datedBy(next), l.options
	old := l.base
	l.base, l.refused = next, ""
	l.show()
	l.metrics.switched(next, time.Since(start))
	l.log.Info("serving build", "build", id, "entities", next.build.Listed(), "asOf", next.build.Manifest.AsOf,
		"took", time.Since(start).Round(time.Millisecond))
	l.moved(next)
	if old != nil {
		old.release()
	}
	return nil
}

// id names the published build, "" before there is one.
func (l *live) id() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil {
		return ""
	}
	return l.base.id()
}

// published returns the published build without edits, nil before there is one.
// The caller releases it.
func (l *live) published() *view {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil || !l.base.retain() {
		return nil
	}
	return l.base
}

// preview shows the published build, and those that follow, with edits.
func (l *live) preview(edits []exports.Edit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.edits = edits
	if l.base != nil {
		l.show()
	}
}

// show makes the base, with the edits if there are any, what requests see.
func (l *live) show() {
	next := l.base
	if len(l.edits) > 0 {
		with, err := l.base.with(l.edits)
		if err != nil {
			l.log.Error("edits cannot be shown; the build is, without them", "error", err)
		} else {
			next = with
		}
	}
	next.retain()
	now := time.Now()
	next.shown.Store(&now)
	if old := l.current.Swap(next); old != nil {
		old.release()
	}
	if next != l.base {
		next.release() // it was made with one user; now current is it
	}
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
	reported := "" // an error that goes on is reported once
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
		err := l.load()
		if err == nil {
			reported = ""
		} else if err.Error() != reported {
			reported = err.Error()
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

// stop gives up the current view. It waits for a load under way, which gives
// up the same view.
func (l *live) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.current.Swap(nil); v != nil {
		v.release()
	}
	if l.base != nil {
		l.base.release()
		l.base = nil
	}
}

// severalBuilds stands for the ids of builds that share a Last-Modified time.
const severalBuilds = "several"

// datedBy reports whether a view's Last-Modified time stands for its build alone, among
// those that this edge has served and those that are kept. Two builds of one day share a
// time if their commits are older than the day, or if there are no commits.
func (l *live) datedBy(v *view) bool {
	at, id := v.modified[0], v.build.Manifest.ID
	if l.served == nil {
		l.served = map[string]string{}
	}
	if first, ok := l.served[at]; ok && first != id {
		l.served[at] = severalBuilds
		return false
	}
	l.served[at] = id
	kept, err := exports.Builds(l.root)
	if err != nil {
		return false
	}
	for _, other := range kept {
		if other == id {
			continue
		}
		m, err := exports.ReadManifest(filepath.Join(exports.BuildsDir(l.root), other))
		if err != nil || m.LastModified().Equal(v.build.Manifest.LastModified()) {
			return false
		}
	}
	return true
}
