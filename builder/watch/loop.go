package watch

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"kindex/builder/content"
	"kindex/builder/gitlog"
)

// loop holds the state of Run, including the files that are waiting to be read and the build
// that is waiting to start.
type loop struct {
	*Watcher
	events *fsnotify.Watcher // nil if the system cannot provide one

	names  map[string]bool // files that events have named and that have not been read yet
	first  time.Time       // when the first of these events arrived
	settle *time.Timer     // fires when it is time to read these files

	build    *time.Timer // fires when it is time to start a build
	building bool
	done     chan *job

	scanTimer *time.Timer // fires when the next scan is due
	scanning  bool
	scanned   chan scanResult
	lost      bool   // whether the last scan failed
	commit    string // the commit that was checked out at the last scan
	known     bool   // whether there has been a scan yet
}

// scanResult is the result of a scan of the folder.
type scanResult struct {
	names  []string
	commit string // checked-out commit
	err    error
	took   time.Duration
}

func newLoop(w *Watcher) *loop {
	return &loop{Watcher: w, names: map[string]bool{}, done: make(chan *job, 1), scanned: make(chan scanResult, 1),
		settle: stopped(), build: stopped(), scanTimer: time.NewTimer(0)}
}

// Run follows the folder until ctx is cancelled. It then waits for the running build, if any,
// which is cancelled as well. Do not call other methods of the watcher while Run is running.
func (w *Watcher) Run(ctx context.Context) error {
	l := newLoop(w)
	var told <-chan fsnotify.Event
	var missed <-chan error
	if events, err := fsnotify.NewWatcher(); err != nil {
		w.fail(err) // without events, scans still find changes
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
			return nil
		case e := <-told:
			l.handleEvent(e)
		case err := <-missed:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.fail(err)
			}
			l.scanTimer.Reset(0)
		case <-l.settle.C:
			l.readChanged()
		case <-l.scanTimer.C:
			l.scan(ctx)
		case found := <-l.scanned:
			l.handleScan(found)
		case <-l.build.C:
			l.startBuild(ctx)
		case j := <-l.done:
			l.finish(j)
		}
	}
}

func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// subscribe subscribes to the events of the folder and its type folders. It is idempotent.
func (l *loop) subscribe() {
	if l.events == nil {
		return
	}
	for _, dir := range append([]string{"."}, l.folder.Kinds().Names()...) {
		if err := l.events.Add(filepath.Join(l.o.Build.Content, dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.fail(err)
		}
	}
}

// handleEvent records the file that an event names. The loop reads the file a little later.
func (l *loop) handleEvent(e fsnotify.Event) {
	if e.Op == fsnotify.Chmod {
		return
	}
	name, err := filepath.Rel(l.o.Build.Content, e.Name)
	if err != nil || name == "." {
		l.scanTimer.Reset(0)
		return
	}
	name = filepath.ToSlash(name)
	if !strings.Contains(name, "/") && filepath.Ext(name) == "" {
		l.scanTimer.Reset(settle) // a type folder may have been created or removed
	}
	if len(l.names) == 0 {
		l.first = time.Now()
	}
	l.names[name] = true
	l.settle.Reset(min(settle, max(0, maxWait-time.Since(l.first))))
}

// unread reports whether the folder has yet to be read. Until then, a build would contain only the
// files that events have named.
func (l *loop) unread() bool { return !l.known && l.formula == nil }

// readChanged reads the files that events have named, once the folder has been read.
func (l *loop) readChanged() {
	if l.unread() {
		return
	}
	var names []string
	for name := range l.names {
		names = append(names, name)
	}
	clear(l.names)
	l.changed(names)
}

// changed reads files and schedules a build. It reports whether all of them could be read.
func (l *loop) changed(names []string) bool {
	before := l.count
	err := l.read(names)
	l.fail(err)
	if l.count != before {
		l.build.Reset(l.quietPeriod())
	}
	return err == nil
}

// scan compares the folder with what was read. It runs in another goroutine, since it takes a
// while if there are many files. It finds changes that cause no events; on some file systems, no
// change causes an event.
func (l *loop) scan(ctx context.Context) {
	if l.scanning {
		return
	}
	l.scanning = true
	l.subscribe()
	go func() {
		start := time.Now()
		names, err := l.folder.Changed()
		l.scanned <- scanResult{names, gitlog.CurrentCommit(ctx, l.o.Build.Content), err, time.Since(start)}
	}()
}

func (l *loop) handleScan(found scanResult) {
	l.scanning = false
	l.scanTimer.Reset(max(minScanInterval, scanIntervalFactor*found.took))
	if found.err != nil {
		l.lost = true
		l.fail(found.err)
		return
	}
	if l.lost {
		l.lost, l.failure = false, "" // report the next failure, even if it is the same
		if l.o.Found != nil {
			l.o.Found()
		}
	}
	complete := l.changed(found.names)
	if !complete && l.unread() { // a build without the unreadable files would drop their entities
		l.folder = content.Open(l.o.Build.Content)
		clear(l.bad)
		l.scanTimer.Reset(max(retry, found.took))
		return
	}
	if found.commit != l.commit && l.known { // the history has changed, even if the files have not
		l.count++
		l.stale = true
		l.build.Reset(l.quietPeriod())
	}
	if l.commit, l.known = found.commit, true; len(l.names) > 0 {
		l.settle.Reset(0)
	}
	if l.stale && l.formula == nil && !l.building {
		l.build.Reset(0) // there is no build yet
	}
}

// startBuild starts a build, unless nothing has changed, the content has errors, or the folder has not
// been read yet.
func (l *loop) startBuild(ctx context.Context) {
	if l.building || !l.stale || l.unread() || ctx.Err() != nil {
		return
	}
	j, problems, err := l.prepare()
	if err != nil {
		l.fail(err)
		return
	}
	if l.formula == nil {
		l.formula, l.asOf = j.formula, j.options.AsOf // without a published build, changes are edits from now on
	}
	l.reportProblems(problems)
	if n, _ := problems.Count(); n > 0 {
		return // the edit that fixes the content will start a build
	}
	l.building = true
	go func() {
		j.run(ctx)
		l.done <- j
	}()
}

func (l *loop) finish(j *job) {
	l.building = false
	if j.err != nil {
		l.fail(j.err)
		l.build.Reset(retry)
		return
	}
	l.built(j)
	if l.stale {
		l.build.Reset(l.quietPeriod())
	}
}
