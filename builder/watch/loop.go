package watch

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Delays.
const (
	settle      = 30 * time.Millisecond  // editors write a file in several steps
	maxWait     = 300 * time.Millisecond // maximum delay after the first event
	quietMin    = 500 * time.Millisecond // minimum time without edits before a build starts
	quietMax    = 10 * time.Second
	retry       = 5 * time.Second // delay after a failed build
	minInterval = 2 * time.Second // minimum time between looks for changes without events
	intervals   = 25              // that time as a multiple of the time that a look takes
)

// Run follows the folder until ctx is cancelled. It then waits for the running build, if any,
// which is cancelled as well. Do not call other methods of the watcher while Run is running.
func (w *Watcher) Run(ctx context.Context) error {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		w.fail(err) // without events, changes are still found, later
		events = &fsnotify.Watcher{}
	} else {
		defer events.Close()
		w.subscribe(events)
	}
	var first time.Time // when the first of the events arrived that look waits for
	look, build := time.NewTimer(0), time.NewTimer(0)
	build.Stop()
	var running chan *job // nil if no build is running
	for {
		select {
		case <-ctx.Done():
			if running != nil {
				<-running
			}
			return nil
		case e := <-events.Events:
			if e.Op == fsnotify.Chmod {
				continue
			}
			if first.IsZero() {
				first = time.Now()
			}
			look.Reset(min(settle, max(0, maxWait-time.Since(first))))
		case err := <-events.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.fail(err)
			}
			look.Reset(0)
		case <-look.C: // also finds changes that cause no events; on some file systems, no change causes one
			w.folder.Trust = !first.IsZero() // a look without events reads every file
			first = time.Time{}
			begin, fresh := time.Now(), w.now == nil
			if w.update(ctx) {
				w.subscribe(events)
				if fresh && !w.built {
					build.Reset(0)
				} else if w.stale() {
					build.Reset(w.quietPeriod())
				}
			}
			look.Reset(max(minInterval, intervals*time.Since(begin)))
		case <-build.C:
			if running == nil && w.now != nil && w.stale() && !w.problems.HasErrors() { // the edit that fixes the content will start a build
				running = w.start(ctx)
			}
		case j := <-running:
			running = nil
			if j.err != nil {
				w.fail(j.err)
				build.Reset(retry)
			} else if w.finish(j); w.stale() {
				build.Reset(w.quietPeriod())
			}
		}
	}
}

// subscribe subscribes to the events of the folder and its type folders. It is idempotent.
func (w *Watcher) subscribe(events *fsnotify.Watcher) {
	if events.Events == nil {
		return
	}
	folders := []string{"."}
	if w.now != nil {
		folders = append(folders, w.now.Kinds.Names()...)
	}
	for _, dir := range folders {
		if err := events.Add(filepath.Join(w.o.Build.Content, dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.fail(err)
		}
	}
}

// start starts a build. The channel receives it when it has ended.
func (w *Watcher) start(ctx context.Context) chan *job {
	j, done := w.prepare(), make(chan *job, 1)
	go func() {
		j.run(ctx)
		done <- j
	}()
	return done
}

// quietPeriod returns how long the folder must stay unchanged before a build starts. The period
// is longer if builds are slow.
func (w *Watcher) quietPeriod() time.Duration { return min(max(w.took/4, quietMin), quietMax) }
