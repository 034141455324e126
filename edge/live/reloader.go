// Package live keeps the published build open for requests: it moves to new builds, shows
// edits on top of one, and keeps each build open until its last request has ended.
package live

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
	"kindex/exports/store"
	"kindex/site/pages"
)

// Options say what a live follows.
type Options struct {
	Root  string // the output folder
	Pages pages.Options
	Log   *slog.Logger
	// Switched is called with every build that is moved to, not with edits, and how long
	// opening it took. It must take no time.
	Switched func(v *ServedBuild, took time.Duration)
	Refused  func() // called once for each published build that cannot be used
}

// Reloader follows the published build of an output folder. It may be used by several
// goroutines.
type Reloader struct {
	options Options
	current atomic.Pointer[ServedBuild] // what requests see: base, or base with edits

	mu        sync.Mutex
	base      *ServedBuild // the published build
	edits     []exports.Edit
	served    map[string]string // id of the build that had a Last-Modified time, see datedBy
	refused   string            // the id that was last refused
	refusedAt time.Time
	refusal   error
}

// New returns a live that has loaded nothing yet. Stop ends it.
func New(o Options) *Reloader { return &Reloader{options: o} }

// recheck is how often the pointer is read even if the system reports nothing:
// some file systems never do. A refused build is read again more seldom, in
// case somebody mends it: verifying it reads every byte.
const (
	recheck        = 2 * time.Second
	recheckRefused = 30 * time.Second
)

// Acquire returns the current view, nil before there is one. The caller
// releases it.
func (l *Reloader) Acquire() *ServedBuild {
	for {
		v := l.current.Load()
		if v == nil || v.Retain() {
			return v
		}
	}
}

// Load makes the published build the current view. A build that cannot be used
// is refused, and the previous one stays.
func (l *Reloader) Load() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, err := store.Current(l.options.Root)
	if err != nil {
		return err
	}
	if l.base != nil && l.base.ID() == id {
		l.refused = ""
		return nil
	}
	if l.refused == id && time.Since(l.refusedAt) < recheckRefused {
		return l.refusal
	}
	start := time.Now()
	next, err := openBuild(l.options.Root, id)
	if err != nil {
		if l.refused != id {
			l.options.Refused()
		}
		l.refused, l.refusedAt, l.refusal = id, time.Now(), err
		return err
	}
	next.close = func() {
		if err := errors.Join(next.Index.Close(), next.Build.Close()); err != nil {
			l.options.Log.Error("close a build", "build", id, "error", err)
		}
	}
	next.Dated, next.options = l.datedBy(next), l.options.Pages
	old := l.base
	l.base, l.refused = next, ""
	l.show()
	took := time.Since(start)
	l.options.Log.Info("serving build", "build", id, "entities", next.Build.Listed(), "asOf", next.Build.Manifest.AsOf,
		"took", took.Round(time.Millisecond))
	l.options.Switched(next, took)
	if old != nil {
		old.Release()
	}
	return nil
}

// Retry has a refused build verified again the next time, instead of after a while.
func (l *Reloader) Retry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = ""
}

// ID names the published build, "" before there is one.
func (l *Reloader) ID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil {
		return ""
	}
	return l.base.ID()
}

// Published returns the published build without edits, nil before there is one.
// The caller releases it.
func (l *Reloader) Published() *ServedBuild {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil || !l.base.Retain() {
		return nil
	}
	return l.base
}

// Preview shows the published build, and those that follow, with edits.
func (l *Reloader) Preview(edits []exports.Edit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.edits = edits
	if l.base != nil {
		l.show()
	}
}

// show makes the base, with the edits if there are any, what requests see.
func (l *Reloader) show() {
	next := l.base
	if len(l.edits) > 0 {
		with, err := l.base.with(l.edits)
		if err != nil {
			l.options.Log.Error("edits cannot be shown; the build is, without them", "error", err)
		} else {
			next = with
		}
	}
	next.Retain()
	now := time.Now()
	next.Shown.Store(&now)
	if old := l.current.Swap(next); old != nil {
		old.Release()
	}
	if next != l.base {
		next.Release() // it was made with one user; now current is it
	}
}

// Follow moves to every newly published build until ctx ends.
func (l *Reloader) Follow(ctx context.Context) {
	var events <-chan fsnotify.Event
	if w, err := fsnotify.NewWatcher(); err != nil {
		l.options.Log.Warn("no file events; new builds are found by looking", "error", err)
	} else {
		defer w.Close()
		if err := w.Add(filepath.Join(l.options.Root, "exports")); err != nil {
			l.options.Log.Warn("no file events; new builds are found by looking", "error", err)
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
		err := l.Load()
		if err == nil {
			reported = ""
		} else if err.Error() != reported {
			reported = err.Error()
			l.options.Log.Error("the new build is refused; the old one goes on being served", "error", err)
		}
	}
}

// drainErrors keeps a full error channel from stopping the events; what was
// missed is found by looking.
func drainErrors(errs <-chan error) {
	for range errs {
	}
}

// Stop gives up the current view. It waits for a load under way, which gives
// up the same view.
func (l *Reloader) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.current.Swap(nil); v != nil {
		v.Release()
	}
	if l.base != nil {
		l.base.Release()
		l.base = nil
	}
}

// severalBuilds stands for the ids of builds that share a Last-Modified time.
const severalBuilds = "several"

// datedBy reports whether a view's Last-Modified time stands for its build alone, among
// those that this edge has served and those that are kept. Two builds of one day share a
// time if their commits are older than the day, or if there are no commits.
func (l *Reloader) datedBy(v *ServedBuild) bool {
	at, id := v.Modified[0], v.Build.Manifest.ID
	if l.served == nil {
		l.served = map[string]string{}
	}
	if first, ok := l.served[at]; ok && first != id {
		l.served[at] = severalBuilds
		return false
	}
	l.served[at] = id
	kept, err := store.Builds(l.options.Root)
	if err != nil {
		return false
	}
	for _, other := range kept {
		if other == id {
			continue
		}
		m, err := store.ReadManifest(filepath.Join(store.BuildsDir(l.options.Root), other))
		if err != nil || m.LastModified().Equal(v.Build.Manifest.LastModified()) {
			return false
		}
	}
	return true
}
