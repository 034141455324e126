package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/record"
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
	waker
	handled string    // the ID of the build that was handled last
	checked time.Time // when retirements were last checked
}

// NewAnnouncer returns an Announcer, which must be started with Run.
func NewAnnouncer(o AnnouncerOptions) *Announcer {
	return &Announcer{AnnouncerOptions: o, waker: make(waker, 1)}
}

// waker wakes a loop.
type waker chan struct{}

// Wake makes Run look for work immediately: a build that the edge has switched to, or due webhooks. It
// does not block.
func (w waker) Wake() {
	select {
	case w <- struct{}{}:
	default: // Run is about to look
	}
}

// checkInterval is the time between checks for due notices, by the edge's clock.
const checkInterval = time.Hour

// Run creates events until ctx ends. It must be called only once. While the database is
// unavailable, it retries.
func (a *Announcer) Run(ctx context.Context) {
	report := &errorReporter{log: a.Log}
	for {
		report.report("creating the events for webhooks; retrying", a.check(ctx, a.Now()))
		select {
		case <-ctx.Done():
			return
		case <-a.waker:
		case <-time.After(a.Poll):
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
	before := ""
	stored, events, err := a.store(ctx, func(at Announced) (*Announced, []Notice, []Event, error) {
		if before = at.Build; before == b.ID {
			return nil, nil, nil, nil
		}
		events, advances, err := a.plan(at, b)
		if err != nil || !advances {
			return nil, nil, nil, err
		}
		to := &Announced{Version: at.Version, Build: b.ID, AsOf: b.AsOf, CommitTime: b.CommitTime}
		to.Change, to.Commit = b.LastChange()
		return to, nil, events, nil
	})
	if stored {
		a.Log.Info("announced a build to webhooks", "build", b.ID, "before", before, "events", events)
	}
	return err
}

// store stores what is to be announced after what was, or nothing if that is nil, and returns how many
// events that are. If another edge was faster, it asks again.
func (a *Announcer) store(ctx context.Context, next func(Announced) (*Announced, []Notice, []Event, error)) (stored bool, n int, err error) {
	for {
		at, err := a.Store.Announced(ctx)
		if err != nil {
			return false, 0, err
		}
		to, notices, events, err := next(at)
		if err != nil || to == nil {
			return false, 0, err
		}
		moved, err := a.Store.Announce(ctx, *to, notices, events)
		if moved && len(events) > 0 {
			a.OnEvents()
		}
		if moved || err != nil {
			return moved, len(events), err
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
	stored, events, err := a.store(ctx, func(at Announced) (*Announced, []Notice, []Event, error) {
		if at.Build != b.ID {
			return nil, nil, nil, nil
		}
		sent, err := a.Store.Notices(ctx, today.Format(time.DateOnly))
		if err != nil {
			return nil, nil, nil, err
		}
		notices, events, err := PlanNotices(list, sent, now, !at.Noticed)
		if err != nil || at.Noticed && len(notices) == 0 {
			return nil, nil, nil, err
		}
		at.Noticed = true
		return &at, notices, events, nil
	})
	if stored {
		a.Log.Info("checked for retirements", "build", b.ID, "events", events)
	}
	return err
}

// NoticeDays are the numbers of days before a retirement at which entity.retiring is sent,
// earliest notice first.
var NoticeDays = []int{30, 7}

// Retirement is the announced end of an entity that has not been withdrawn.
type Retirement struct {
	Type, Slug, Name string
	Formerly         []string // its earlier addresses, type/slug
	Retires          string   // YYYY-MM-DD
	ReplacedBy       string   // type/slug of its successor, "" if unknown
}

// Notice identifies the notice of a retirement. No notice is sent twice.
type Notice struct {
	Type, Slug string // the entity at the time of the notice
	Retires    string // YYYY-MM-DD
	Days       int    // one of NoticeDays
}

type retiring struct {
	Retires    string  `json:"retires"`
	DaysLeft   int     `json:"daysLeft"`
	ReplacedBy *string `json:"replacedBy"`
}

// PlanNotices returns the events for the notices that are due at a time, and all notices to
// record, also those that no longer need to be sent. sent contains the notices recorded before. A
// notice is due from the start of the UTC day that is Notice.Days before the retirement, until
// the day before it. Of several due notices for one retirement, only the last one is sent; on the
// first check of a database, those for past days are not.
func PlanNotices(list []Retirement, sent map[Notice]bool, now time.Time, first bool) (due []Notice, events []Event, err error) {
	const day = 24 * time.Hour
	for _, r := range list {
		end, err := time.Parse(time.DateOnly, r.Retires)
		if err != nil {
			return nil, nil, err
		}
		left := int(end.Sub(now.UTC().Truncate(day)) / day)
		last := len(NoticeDays) - 1 // the last notice that is due
		for last >= 0 && left > NoticeDays[last] {
			last--
		}
		if last < 0 || left <= 0 || r.wasSent(NoticeDays[last:], sent) {
			continue
		}
		for _, days := range NoticeDays[:last+1] {
			due = append(due, Notice{r.Type, r.Slug, r.Retires, days})
		}
		if first && left < NoticeDays[last] {
			continue
		}
		e := Event{Name: record.Retiring, At: now.UTC().Truncate(time.Second), Type: r.Type, Slug: r.Slug, Entity: r.Name,
			ChangeIDs: []string{}, retiring: &retiring{Retires: r.Retires, DaysLeft: left}}
		if r.ReplacedBy != "" {
			e.retiring.ReplacedBy = &r.ReplacedBy
		}
		if err := e.finalize(record.Retiring, r.Retires, strconv.Itoa(NoticeDays[last])); err != nil {
			return nil, nil, err
		}
		events = append(events, e)
	}
	return due, events, nil
}

// wasSent reports whether one of the notices was recorded, under any address of the entity.
func (r *Retirement) wasSent(days []int, sent map[Notice]bool) bool {
	return slices.ContainsFunc(append([]string{r.Type + "/" + r.Slug}, r.Formerly...), func(key string) bool {
		typ, slug, _ := strings.Cut(key, "/")
		return slices.ContainsFunc(days, func(n int) bool { return sent[Notice{typ, slug, r.Retires, n}] })
	})
}
