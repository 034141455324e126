package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Announced is the build whose events were created last.
type Announced struct {
	Version          int64  // how often events have been stored
	Build            string // its ID; "" if no build has been announced
	Change, Commit   string // the newest change in its changelog and the commit of it, or "" if there is none
	AsOf, CommitTime time.Time
	Noticed          bool // retirements have been checked
}

// AnnouncerStore stores what was announced, and the events.
type AnnouncerStore interface {
	// Announced returns the build that was announced last.
	Announced(ctx context.Context) (Announced, error)
	// Announce atomically replaces it, but for Noticed, which stays set, records notices and stores events.
	// moved is false if to does not have the version that is stored. In that case nothing is stored.
	Announce(ctx context.Context, to Announced, notices []Notice, events []Event) (moved bool, err error)
	// Notices returns the recorded notices for retirements after a day.
	Notices(ctx context.Context, after string) (map[Notice]bool, error)
}

// Build is the build that the edge is serving.
type Build struct {
	ID               string
	AsOf, CommitTime time.Time // CommitTime is zero outside git
	Uncommitted      bool      // it contains changes that are not in the history: webhooks never receive them
	Source
}

// AnnouncerOptions configure an Announcer. All are required.
type AnnouncerOptions struct {
	Store AnnouncerStore
	// Served returns the build that the edge is serving, or nil if there is none.
	Served func() *Build
	// Open opens a build that is not served any more. An error means that it is gone.
	Open     func(id string) (e Earlier, release func(), err error)
	Now      func() time.Time
	Poll     time.Duration // how often the clock is read
	Log      *slog.Logger
	OnEvents func() // called when there are new events
}

// Announcer creates the events for the builds that an edge switches to, and for entities that
// are about to retire. If several edges share a database, each has an Announcer, but only one of
// them writes the events of a build, and each notice is sent only once.
type Announcer struct {
	AnnouncerOptions
	wake    chan struct{}
	handled string    // the ID of the build that was handled last
	checked time.Time // when retirements were last checked
}

// NewAnnouncer returns an Announcer, which must be started with Run.
func NewAnnouncer(o AnnouncerOptions) *Announcer {
	return &Announcer{AnnouncerOptions: o, wake: make(chan struct{}, 1)}
}

// Wake reports that the edge has switched to a build. It does not block.
func (a *Announcer) Wake() {
	select {
	case a.wake <- struct{}{}:
	default: // Run has already been woken
	}
}

// checkInterval is the time between checks for due notices, by the edge's clock.
const checkInterval = time.Hour

// maxPause is the longest pause before events are created again after a failure.
const maxPause = 30 * time.Second

// Run creates events until ctx ends. It must be called only once. While the database is
// unavailable, it retries.
func (a *Announcer) Run(ctx context.Context) {
	report := &errorReporter{log: a.Log}
	for pause := a.Poll; ; {
		err := a.check(ctx, a.Now())
		report.report("creating the events for webhooks; retrying", err)
		if err == nil {
			pause = a.Poll
		} else {
			pause = min(2*pause, maxPause)
		}
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
		case <-time.After(pause):
		}
	}
}

// check announces the served build if it is new. Retirements are checked for each build, every
// hour, and when the clock was set back.
func (a *Announcer) check(ctx context.Context, now time.Time) error {
	b := a.Served()
	if b == nil {
		return nil
	}
	isNew := b.ID != a.handled
	if isNew {
		if err := a.announce(ctx, b); err != nil {
			return fmt.Errorf("build %s: %w", b.ID, err)
		}
	}
	a.handled = b.ID
	if !isNew && !now.Before(a.checked) && now.Sub(a.checked) < checkInterval || b.Uncommitted {
		return nil
	}
	if err := a.notify(ctx, b, now); err != nil {
		a.checked = time.Time{}
		return fmt.Errorf("retirements in build %s: %w", b.ID, err)
	}
	a.checked = now
	return nil
}

// announce stores the events of a build, unless another edge has already done so.
func (a *Announcer) announce(ctx context.Context, b *Build) error {
	for {
		at, err := a.Store.Announced(ctx)
		if err != nil || at.Build == b.ID {
			return err
		}
		events, advances, err := a.plan(at, b)
		if err != nil || !advances {
			return err
		}
		to := Announced{Version: at.Version, Build: b.ID, AsOf: b.AsOf, CommitTime: b.CommitTime}
		to.Change, to.Commit = b.LastChange()
		moved, err := a.Store.Announce(ctx, to, nil, events)
		if err != nil {
			return err
		}
		if moved {
			a.Log.Info("announced a build to webhooks", "build", b.ID, "before", at.Build, "events", len(events))
			if len(events) > 0 {
				a.OnEvents()
			}
			return nil
		}
	}
}

// plan returns the events of a build. advances is false if the build is not announced.
func (a *Announcer) plan(at Announced, b *Build) (events []Event, advances bool, err error) {
	switch {
	case b.Uncommitted:
		a.Log.Info("no events: this build has uncommitted changes", "build", b.ID)
		return nil, false, nil
	case at.Build == "":
		a.Log.Info("webhooks start with this build", "build", b.ID)
		return nil, true, nil
	}
	before, release, known, err := a.earlier(at, b)
	defer release()
	switch {
	case err != nil:
		return nil, false, err
	case b.isOlder(&at, before):
		a.Log.Info("no events: this build is older than the last one announced to webhooks", "build", b.ID, "announced", at.Build)
		return nil, false, nil
	case !known:
		a.Log.Warn("no events: the last build announced to webhooks is gone, and the changelog lacks its commit; continuing from this build",
			"build", b.ID, "announced", at.Build, "commit", at.Commit)
		return nil, true, nil
	}
	events, err = compare(&at, before, b)
	return events, err == nil, err
}

// earlier returns the content of the build that was announced last: from its files or, if they
// are gone, from the changelog of the new build.
func (a *Announcer) earlier(at Announced, b *Build) (e Earlier, release func(), known bool, err error) {
	e, release, err = a.Open(at.Build)
	if err == nil {
		return e, release, true, nil
	}
	a.Log.Info("the last build announced to webhooks is gone; its successor's changelog takes its place", "build", b.ID, "announced", at.Build, "reason", err)
	e, known, err = b.At(at.Change, at.Commit)
	return e, func() {}, known, err
}

// isOlder reports whether a build is older than the one that was announced last: as of an
// earlier time or, at the same time, of an earlier commit or, if they are of the same time too,
// with a changelog that the earlier build continues.
func (b *Build) isOlder(at *Announced, before Earlier) bool {
	if order := b.AsOf.Compare(at.AsOf); order != 0 {
		return order < 0
	}
	if order := b.CommitTime.Compare(at.CommitTime); order != 0 {
		return order < 0
	}
	last, _ := b.LastChange()
	return before != nil && at.Change != "" && !b.HasChange(at.Change) && (last == "" || before.HasChange(last))
}

// notify sends the notices that are due. It does nothing if another edge is serving a newer
// build.
func (a *Announcer) notify(ctx context.Context, b *Build, now time.Time) error {
	today := now.UTC()
	list := b.Retirements(today.AddDate(0, 0, 1).Format(time.DateOnly), today.AddDate(0, 0, NoticeDays[0]).Format(time.DateOnly))
	for {
		at, err := a.Store.Announced(ctx)
		if err != nil || at.Build != b.ID {
			return err
		}
		sent, err := a.Store.Notices(ctx, today.Format(time.DateOnly))
		if err != nil {
			return err
		}
		notices, events, err := PlanNotices(list, sent, now, !at.Noticed)
		if err != nil || at.Noticed && len(notices) == 0 {
			return err
		}
		at.Noticed = true
		moved, err := a.Store.Announce(ctx, at, notices, events)
		if err != nil {
			return err
		}
		if moved {
			a.Log.Info("checked for retirements", "build", b.ID, "events", len(events))
			if len(events) > 0 {
				a.OnEvents()
			}
			return nil
		}
	}
}
