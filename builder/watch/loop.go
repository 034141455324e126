package watch

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// loop is the state of Run: what is running, and when to read or build next.
type loop struct {
	*Watcher
	events *fsnotify.Watcher // nil if the system cannot provide one

	look    *time.Timer // fires when the folder is to be read
	first   time.Time   // when the first of the events arrived that look waits for; zero if there was none
	reading bool
	read    chan reading

	build    *time.Timer // fires when a build is to start
	building bool
	done     chan *job
}

// Run follows the folder until ctx is cancelled. It then waits for the running build, if any,
// which is cancelled as well. Do not call other methods of the watcher while Run is running.
func (w *Watcher) Run(ctx context.Context) error {
	l := &loop{Watcher: w, look: time.NewTimer(0), read: make(chan reading, 1), build: time.NewTimer(time.Hour), done: make(chan *job, 1)}
	l.build.Stop()
	var told <-chan fsnotify.Event
	var missed <-chan error
	if events, err := fsnotify.NewWatcher(); err != nil {
		w.fail(err) // without events, changes are still found, later
	} else {
		defer events.Close()
		l.events, told, missed = events, events.Events, events.Errors
		l.subscribe()
	}
	for {
		select {
		case <-ctx.Done():
			if l.building {
				<-l.done
			}
			if l.reading {
				<-l.read
			}
			return nil
		case e := <-told:
			l.handleEvent(e)
		case err := <-missed:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.fail(err)
			}
			l.look.Reset(0)
		case <-l.look.C:
			l.startReading(ctx)
		case r := <-l.read:
			l.handleReading(r)
		case <-l.build.C:
			l.startBuild(ctx)
		case j := <-l.done:
			l.handleBuild(j)
		}
	}
}

// subscribe subscribes to the events of the folder and its type folders. It is idempotent.
func (l *loop) subscribe() {
	if l.events == nil {
		return
	}
	folders := []string{"."}
	if l.now != nil {
		folders = append(folders, l.now.Kinds.Names()...)
	}
	for _, dir := range folders {
		if err := l.events.Add(filepath.Join(l.o.Build.Content, dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.fail(err)
		}
	}
}

// handleEvent lets the folder be read a little later.
func (l *loop) handleEvent(e fsnotify.Event) {
	if e.Op == fsnotify.Chmod {
		return
	}
	if l.first.IsZero() {
		l.first = time.Now()
	}
	l.look.Reset(min(settle, max(0, maxWait-time.Since(l.first))))
}

// startReading reads the folder in another goroutine, since that takes a while if there are many files. It also
// finds changes that cause no events; on some file systems, no change causes an event.
func (l *loop) startReading(ctx context.Context) {
	if l.reading {
		return // it is read again after that
	}
	l.reading, l.first = true, time.Time{}
	go func() { l.read <- l.Watcher.read(ctx, nil) }()
}

func (l *loop) handleReading(r reading) {
	l.reading = false
	if l.first.IsZero() {
		l.look.Reset(max(minInterval, intervals*r.took))
	} else {
		l.look.Reset(settle)
	}
	first := l.now == nil
	changed := l.update(r)
	if changed {
		l.subscribe()
	}
	switch {
	case !changed || !l.stale():
	case first && !l.built:
		l.build.Reset(0)
	default:
		l.build.Reset(l.quietPeriod())
	}
}

// startBuild starts a build, unless nothing has changed or the content has errors.
func (l *loop) startBuild(ctx context.Context) {
	if l.building || l.now == nil || !l.stale() || l.problems.HasErrors() || ctx.Err() != nil {
		return // the edit that fixes the content will start a build
	}
	l.building = true
	j := l.prepare()
	go func() {
		j.run(ctx)
		l.done <- j
	}()
}

func (l *loop) handleBuild(j *job) {
	l.building = false
	if j.err != nil {
		l.fail(j.err)
		l.build.Reset(retry)
		return
	}
	l.finish(j)
	if l.stale() {
		l.build.Reset(l.quietPeriod())
	}
}
