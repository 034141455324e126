// Package live keeps the published build open for requests: it switches to new builds, and
// applies edits on top of them.
package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports"
	"kindex/exports/store"
	"kindex/site/pages"
)

// Options configure a Reloader.
type Options struct {
	Root  string // the output folder
	Pages pages.Options
	// Verifiers are the keys that are accepted: each build must be signed with one of them. If there
	// are none, builds need no signature.
	Verifiers []note.Verifier
	Log       *slog.Logger
	// Switched is called with every new build and the time it took to open it, but not when
	// edits are applied. It must not block.
	Switched  func(v *ServedBuild, took time.Duration)
	Refused   func()                           // called once for each published build that cannot be used
	EnterPast func() (leave func(), err error) // called before a past day is calculated, see history.Archive.Guard
}

// Reloader keeps the published build of an output folder open. It is safe for concurrent use.
type Reloader struct {
	options Options
	current atomic.Pointer[ServedBuild] // the published build, with edits if any

	loading       sync.Mutex        // held while a build is opened, and for the fields below; locked before mu
	modifiedTimes map[string]string // build id by Last-Modified time, see modifiedIsUnique
	refused       refusal           // the last one
	reported      string            // the error that reload logged last

	mu        sync.Mutex   // not held while a build is opened, so that edits need not wait
	published *ServedBuild // without edits
	edits     []exports.Edit
}

// refusal is why a build cannot be used, and when that was found.
type refusal struct {
	id  string
	at  time.Time
	err error
}

// New returns a Reloader that has not loaded a build yet.
func New(o Options) *Reloader { return &Reloader{options: o, modifiedTimes: map[string]string{}} }

// The published build is checked at pollInterval, which costs one small file. A refused build is
// retried, in case it has been repaired, but less often, because verification reads every byte.
const (
	pollInterval         = 500 * time.Millisecond
	refusedRetryInterval = 30 * time.Second
)

// Current returns the current build, or nil if there is none yet.
func (l *Reloader) Current() *ServedBuild { return l.current.Load() }

// Load makes the published build the current one. If it is invalid, the previous build
// remains current.
func (l *Reloader) Load() error {
	l.loading.Lock()
	defer l.loading.Unlock()
	return l.load()
}

func (l *Reloader) load() error {
	id, err := store.Current(l.options.Root)
	switch {
	case err != nil:
		return err
	case id == l.ID():
		l.refused = refusal{}
		return nil
	case id == l.refused.id && time.Since(l.refused.at) < refusedRetryInterval:
		return l.refused.err
	}
	start := time.Now()
	next, err := openBuild(&l.options, id)
	if err != nil {
		if l.refused.id != id {
			l.options.Refused()
		}
		l.refused = refusal{id, time.Now(), err}
		return err
	}
	l.refused = refusal{}
	next.UniqueModified = l.modifiedIsUnique(next)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.published = next
	l.publishCurrent()
	elapsed := time.Since(start)
	l.options.Log.Info("serving build", "build", next.ID(), "entities", next.Build.Listed(), "asOf", next.Build.Manifest.AsOf,
		"took", elapsed.Round(time.Millisecond))
	l.options.Switched(next, elapsed)
	return nil
}

// ForgetRefusal makes the next Load verify a refused build again without waiting for the
// retry interval.
func (l *Reloader) ForgetRefusal() {
	l.loading.Lock()
	defer l.loading.Unlock()
	l.refused = refusal{}
}

// ID returns the id of the published build, or "" if there is none yet.
func (l *Reloader) ID() string {
	if v := l.Published(); v != nil {
		return v.ID()
	}
	return ""
}

// Published returns the published build without edits, or nil if there is none yet.
func (l *Reloader) Published() *ServedBuild {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.published
}

// ApplyEdits applies edits on top of the published build and every later build.
func (l *Reloader) ApplyEdits(edits []exports.Edit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.edits = edits
	if l.published != nil {
		l.publishCurrent()
	}
}

// publishCurrent makes the published build, with the edits if there are any, visible to
// requests.
func (l *Reloader) publishCurrent() {
	next := l.published
	if len(l.edits) > 0 {
		if with, err := next.withEdits(l.edits); err == nil {
			next = with
		} else {
			l.options.Log.Error("edits cannot be served; serving the build without them", "error", err)
		}
	}
	now := time.Now()
	next.ShownSince.Store(&now)
	l.current.Store(next)
}

// Follow switches to every newly published build until ctx ends.
func (l *Reloader) Follow(ctx context.Context) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		l.reload()
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// reload loads the published build and logs an error. A persistent error is logged once.
func (l *Reloader) reload() {
	l.loading.Lock()
	defer l.loading.Unlock()
	err := l.load()
	before := l.reported
	if l.reported = fmt.Sprint(err); err == nil || l.reported == before {
		return
	}
	if l.ID() != "" {
		l.options.Log.Error("new build refused; still serving the previous build", "error", err)
	} else if !errors.Is(err, store.ErrNoBuild) {
		l.options.Log.Error("build refused; no build can be served yet", "error", err)
	}
}

// sharedModified is stored instead of a build id if several builds share a Last-Modified time.
const sharedModified = "several"

// modifiedIsUnique reports whether a build's Last-Modified time identifies it among the builds
// that this edge has served and those in the output folder. Two builds with the same as-of day
// share a time if their commits are older than that day, or if there are no commits.
func (l *Reloader) modifiedIsUnique(v *ServedBuild) bool {
	at, id := v.Modified[0], v.Build.Manifest.ID
	if first, ok := l.modifiedTimes[at]; ok && first != id {
		l.modifiedTimes[at] = sharedModified
		return false
	}
	l.modifiedTimes[at] = id
	kept, err := store.Builds(l.options.Root)
	if err != nil {
		return false
	}
	for _, other := range kept {
		if other == id {
			continue
		}
		if m, err := store.ReadManifest(filepath.Join(store.BuildsDir(l.options.Root), other)); err != nil || m.LastModified().Equal(v.Build.Manifest.LastModified()) {
			return false
		}
	}
	return true
}
