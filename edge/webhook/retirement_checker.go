package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// NoticeStore stores retirement notices.
type NoticeStore interface {
	// EventCursor returns the cursor, or the zero Cursor if there is none.
	EventCursor(ctx context.Context) (Cursor, error)
	// Notices returns the recorded notices for retirements after a day.
	Notices(ctx context.Context, after string) (map[Notice]bool, error)
	// RecordNotices atomically records notices and stores their events. recorded is false if
	// the cursor's version is no longer that of at. In that case nothing is stored.
	RecordNotices(ctx context.Context, at Cursor, notices []Notice, events []Event) (recorded bool, err error)
}

// Retirements are the retirements in the build that the edge is serving.
type Retirements struct {
	Build string // the id of the build
	// Between returns the retirements from one day to another, both included, without
	// withdrawn entities.
	Between func(from, to string) ([]Retirement, error)
	Release func() // called once when Between is no longer needed
}

// checkInterval is the time between checks for due notices, by the edge's clock.
const checkInterval = time.Hour

// RetirementChecker creates the events for entities that are about to retire. If several edges
// share a database, each has a RetirementChecker, but each notice is sent only once.
type RetirementChecker struct {
	store    NoticeStore
	served   func() *Retirements // returns nil if no build is being served
	now      func() time.Time
	log      *slog.Logger
	onEvents func()
	poll     time.Duration
	wake     chan struct{}
}

// NewRetirementChecker returns a RetirementChecker, which must be started with Run. It calls
// onEvents when events have been written, and reads the clock once per poll.
func NewRetirementChecker(store NoticeStore, served func() *Retirements, now func() time.Time, poll time.Duration, log *slog.Logger, onEvents func()) *RetirementChecker {
	return &RetirementChecker{store, served, now, log, onEvents, poll, make(chan struct{}, 1)}
}

// Wake requests a check, for example because the events of a new build have been written. It
// does not block.
func (c *RetirementChecker) Wake() {
	select {
	case c.wake <- struct{}{}:
	default: // Run has already been woken
	}
}

// Run checks for due notices when it starts, when it is woken, and every hour, until ctx ends.
// While the database is unavailable, it retries. It must be called only once.
func (c *RetirementChecker) Run(ctx context.Context) {
	report := &errorReporter{log: c.log}
	tick := time.NewTicker(c.poll)
	defer tick.Stop()
	var checked time.Time
	for woken := true; ; {
		// A clock that was set back also needs a check.
		if now := c.now(); woken || now.Before(checked) || now.Sub(checked) >= checkInterval {
			err := c.check(ctx, now)
			report.report("checking for retirements", err)
			if err == nil {
				checked = now
			} else {
				checked = time.Time{}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
			woken = true
		case <-tick.C:
			woken = false
		}
	}
}

// check sends the notices that are due. It does nothing if the events of the served build have
// not been written yet, or if another edge is serving a newer build.
func (c *RetirementChecker) check(ctx context.Context, now time.Time) error {
	served := c.served()
	if served == nil {
		return nil
	}
	defer served.Release()
	today := now.UTC()
	list, err := served.Between(today.AddDate(0, 0, 1).Format(time.DateOnly), today.AddDate(0, 0, NoticeDays[0]).Format(time.DateOnly))
	if err != nil {
		return fmt.Errorf("retirements in build %s: %w", served.Build, err)
	}
	for {
		at, err := c.store.EventCursor(ctx)
		if err != nil || at.Build != served.Build {
			return err
		}
		sent, err := c.store.Notices(ctx, today.Format(time.DateOnly))
		if err != nil {
			return err
		}
		notices, events, err := PlanNotices(list, sent, now, !at.Noticed)
		if err != nil || at.Noticed && len(notices) == 0 {
			return err
		}
		recorded, err := c.store.RecordNotices(ctx, at, notices, events)
		if err != nil {
			return err
		}
		if recorded {
			c.log.Info("checked for retirements", "build", served.Build, "events", len(events))
			if len(events) > 0 {
				c.onEvents()
			}
			return nil
		}
	}
}
