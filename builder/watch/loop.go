package watch

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"kindex/builder"
	"kindex/builder/gitlog"
	"kindex/exports/record"
)

// loop is the state of Run: what is waiting to be read, and to be built.
type loop struct {
	*Watcher
	events *fsnotify.Watcher // nil where the system has none to give

	names  map[string]bool // told by events and not yet read
	first  time.Time       // when the first of them was told
	settle *time.Timer     // until they are read

	build    *time.Timer // until a build begins
	building bool
	done     chan *job

	scanTimer *time.Timer // until the next look at the folder
	scanning  bool
	scanned   chan scanResult
	lost      bool   // the last look was not possible
	commit    string // that was checked out then
	known     bool   // whether there was a look yet
}

// scanResult is what a look at the folder found.
type scanResult struct {
	names  []string
	commit string // that is checked out
	err    error
	took   time.Duration
}

// Run follows the folder until ctx ends, and then waits for a build under way,
// which ends too. Nobody else may use the watcher meanwhile.
func (w *Watcher) Run(ctx context.Context) error {
	l := &loop{Watcher: w, names: map[string]bool{}, done: make(chan *job, 1), scanned: make(chan scanResult, 1),
		settle: stopped(), build: stopped(), scanTimer: time.NewTimer(0)}
	var told <-chan fsnotify.Event
	var missed <-chan error
	if events, err := fsnotify.NewWatcher(); err != nil {
		w.fail(err) // looking goes on
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

// subscribe asks for the events of the folder and its type folders; asking twice
// does no harm.
func (l *loop) subscribe() {
	if l.events == nil {
		return
	}
	for _, dir := range append([]string{"."}, record.Types...) {
		if err := l.events.Add(filepath.Join(l.o.Build.Content, dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.fail(err)
		}
	}
}

// handleEvent notes the file of an event and reads it a little later.
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
		l.scanTimer.Reset(settle) // perhaps a type folder that came or went
	}
	if len(l.names) == 0 {
		l.first = time.Now()
	}
	l.names[name] = true
	l.settle.Reset(min(settle, max(0, maxWait-time.Since(l.first))))
}

func (l *loop) readChanged() {
	var names []string
	for name := range l.names {
		names = append(names, name)
	}
	clear(l.names)
	l.changed(names)
}

// changed reads files and sees to it that a build follows.
func (l *loop) changed(names []string) {
	before := l.count
	l.fail(l.read(names))
	if l.count != before {
		l.build.Reset(l.quietPeriod())
	}
}

// scan compares the folder with what was read, beside the loop: at many
// files it takes a while. It finds what no event told, and on file systems
// without events everything.
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

func (l *loop) handleScan(handleScan scanResult) {
	l.scanning = false
	l.scanTimer.Reset(max(minScanInterval, scanIntervalFactor*handleScan.took))
	if handleScan.err != nil {
		l.lost = true
		l.fail(handleScan.err)
		return
	}
	if l.lost {
		l.lost, l.failure = false, "" // losing it again is told again
		if l.o.Found != nil {
			l.o.Found()
		}
	}
	l.changed(handleScan.names)
	if handleScan.commit != l.commit && l.known { // files may be as they were: the history is not
		l.count++
		l.stale = true
		l.build.Reset(l.quietPeriod())
	}
	l.commit, l.known = handleScan.commit, true
	if l.stale && l.formula == nil && !l.building {
		l.build.Reset(0) // nothing was built yet
	}
}

// startBuild starts a build, unless there is nothing to build or something to mend
// first.
func (l *loop) startBuild(ctx context.Context) {
	if l.building || !l.stale || ctx.Err() != nil {
		return
	}
	j, problems, err := l.prepare()
	if err != nil {
		l.fail(err)
		return
	}
	if l.formula == nil {
		l.formula, l.asOf = j.formula, j.options.AsOf // from now on there are edits
	}
	l.reportProblems(problems)
	if n, _ := problems.Count(); n > 0 {
		return // an edit that mends it comes back here
	}
	l.building = true
	go func() {
		j.report, j.err = builder.Build(ctx, j.options)
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
	l.built(j, j.report)
	if l.stale {
		l.build.Reset(l.quietPeriod())
	}
}
