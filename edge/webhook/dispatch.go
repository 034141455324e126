package webhook

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kindex/edge/safedial"
)

// Outcome is what an attempt has come to, as it is recorded.
type Outcome struct {
	Delivery // with what the attempt has brought; its ID is "" for an event in its turn
	// Done tells that the event needs no further attempt.
	Done bool
	// DisableReason is why the webhook is switched off, "" where it is not.
	DisableReason  string
	NextAttempt    time.Time // when the webhook is tried again
	FailedAttempts int
	FailingSince   time.Time // failing since, zero after a success
	// KeepLease keeps the lease, for the next attempt.
	KeepLease bool
}

// Store is what the dispatcher needs of the state. Each method is one transaction.
// A lease is that of one owner until it ends; methods that need it return ErrLeaseLost
// where it is not the owner's.
type Store interface {
	// Lease takes up to n webhooks that have something to do, those that have waited
	// longest first. Nobody else gets them before the lease ends.
	Lease(ctx context.Context, owner string, n int, lasts time.Duration) ([]Webhook, error)
	// Renew lets the lease last from now on.
	Renew(ctx context.Context, owner, webhook string, lasts time.Duration) error
	// Release gives the lease back.
	Release(ctx context.Context, owner, webhook string) error
	// WaitForEvents gives the lease back and lets the webhook wait for events after position.
	// more tells that there are some already: then the lease is kept.
	WaitForEvents(ctx context.Context, owner, webhook string, position int64) (more bool, err error)
	// EventsAfter returns up to n events of the given names after a position, in
	// order, and up to where that is all there is.
	EventsAfter(ctx context.Context, position int64, names []string, n int) (events []Event, upTo int64, err error)
	// Webhook returns a webhook as it is now; ErrUnknown where it is gone.
	Webhook(ctx context.Context, account, webhook string) (Webhook, error)
	// RequestedDeliveries returns the tests and replays that wait for their only attempt, in order,
	// with their payloads; ErrUnknown where the webhook is gone, or its account
	// suspended.
	RequestedDeliveries(ctx context.Context, webhook string) ([]Delivery, error)
	// RecordAttempt notes an attempt, and lets a lease that is kept last from now on.
	RecordAttempt(ctx context.Context, owner string, lasts time.Duration, o Outcome) error
	// OldestWaiting is when the oldest event came into being that some webhook has
	// not heard of yet; zero where there is none.
	OldestWaiting(ctx context.Context) (time.Time, error)
	// Expire removes events and deliveries of before a moment that nobody needs.
	Expire(ctx context.Context, before time.Time) error
	// ReleaseStaleLeases ends leases that cannot be anybody's any more.
	ReleaseStaleLeases(ctx context.Context) error
}

// Options say how a dispatcher works. The zero value of a field stands for what
// its comment says.
type Options struct {
	Store  Store        // needed
	Client *http.Client // needed: that of a safedial.Guard
	// Secrets opens the secrets of a webhook: the one that it has, and the previous one
	// where there is one.
	Secrets func(w *Webhook) ([]Secret, error) // needed
	// Reserve takes a place for an attempt at an address, which end gives back, or says how
	// long to wait: safedial.Guard.Reserve. nil: no bound.
	Reserve  func(url string) (end func(), wait time.Duration)
	Owner    string                // needed: tells this edge from all others that share the state
	Log      *slog.Logger          // none
	Metrics  prometheus.Registerer // none
	Agent    string                // the User-Agent: kindex
	Now      func() time.Time      // time.Now
	Random   func() float64        // rand.Float64
	Schedule Schedule              // DefaultSchedule
	Workers  int                   // webhooks worked at a time: 1024
	Poll     time.Duration         // how often others' events are looked for: 1 s
	Timeout  time.Duration         // how long an attempt may take: safedial.Timeout
	Lease    time.Duration         // how long a webhook is kept from other edges: 60 s
	Drain    time.Duration         // how long attempts under way may take at the end: safedial.Timeout
}

const (
	eventBatchSize      = 100 // events that are read at a time
	maintenanceInterval = 15 * time.Second
	retention           = 30 * 24 * time.Hour
)

// Dispatcher brings events to webhooks: each webhook one attempt at a time, in the
// order of the events, whatever becomes of other webhooks. Several dispatchers on
// one state share the work.
type Dispatcher struct {
	Options
	sender     sender
	metrics    *metrics
	wake       chan struct{}
	slots      chan struct{}
	workers    sync.WaitGroup
	stop       chan time.Duration // of one value: how long attempts under way may take
	leaseCount int64              // taken so far
}

// New returns a dispatcher; Run starts it.
func New(o Options) *Dispatcher {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Reserve == nil {
		o.Reserve = func(string) (func(), time.Duration) { return func() {}, 0 }
	}
	if o.Schedule == nil {
		o.Schedule = DefaultSchedule
	}
	setDefault(&o.Agent, "kindex")
	setDefault(&o.Workers, 1024)
	setDefault(&o.Poll, time.Second)
	setDefault(&o.Timeout, safedial.Timeout)
	setDefault(&o.Lease, time.Minute)
	setDefault(&o.Drain, safedial.Timeout)
	return &Dispatcher{Options: o, sender: sender{o.Client, o.Agent, o.Timeout, o.Now}, metrics: newMetrics(o.Metrics),
		wake: make(chan struct{}, 1), slots: make(chan struct{}, o.Workers), stop: make(chan time.Duration, 1)}
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Wake lets the dispatcher look for work at once.
func (d *Dispatcher) Wake() {
	select {
	case d.wake <- struct{}{}:
	default: // it is about to look
	}
}

// Stop ends Run, as the end of its context does, and says how long attempts under
// way may take. Only the first call counts.
func (d *Dispatcher) Stop(drain time.Duration) {
	select {
	case d.stop <- drain:
	default:
	}
}

// Run delivers until ctx ends or Stop is called. Then attempts under way may end
// within Drain; what is cut off is tried again, by whoever has the state next.
func (d *Dispatcher) Run(ctx context.Context) {
	attempts, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer cutOff()
	ctx, end := context.WithCancel(ctx)
	defer end()
	drain := d.Drain
	stopped := make(chan struct{}) // drain may be read after it
	go func() {
		defer close(stopped)
		select {
		case drain = <-d.stop:
			end()
		case <-ctx.Done():
		}
	}()
	report := &errorReporter{log: d.Log}
	report.report("leasing webhooks", d.Store.ReleaseStaleLeases(ctx))
	var maintenance sync.WaitGroup
	maintenance.Go(func() { d.maintain(ctx) })
	tick := time.NewTicker(d.Poll)
	defer tick.Stop()
	for ctx.Err() == nil {
		full, err := d.start(ctx, attempts)
		report.report("finding due webhooks", err)
		if full && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-d.wake:
		case <-tick.C:
		}
	}
	maintenance.Wait()
	<-stopped
	ended := make(chan struct{})
	go func() { d.workers.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(drain):
		cutOff()
		<-ended
	}
}

// start gives a worker to each webhook that has something to do. full tells that
// there may be more.
func (d *Dispatcher) start(ctx, attempts context.Context) (full bool, err error) {
	select {
	case d.slots <- struct{}{}: // wait for a free worker
		<-d.slots
	case <-ctx.Done():
		return false, nil
	}
	room := min(cap(d.slots)-len(d.slots), eventBatchSize)
	until := time.Now().Add(d.Lease)
	// Each lease has an owner of its own: a worker that was too slow is a stranger to
	// the next one, of this edge or another.
	d.leaseCount++
	owner := d.Owner + "-" + strconv.FormatInt(d.leaseCount, 10)
	leased, err := d.Store.Lease(ctx, owner, room, d.Lease)
	if ctx.Err() != nil {
		err = nil // it is the end that kept the answer away
	}
	for i := range leased {
		w := &worker{d: d, owner: owner, ctx: ctx, attemptCtx: attempts, webhook: leased[i], leaseUntil: until}
		d.slots <- struct{}{}
		d.workers.Go(func() {
			defer func() { <-d.slots }()
			w.run()
		})
	}
	return len(leased) == room, err
}

// maintain looks after the age of the queue, and removes what is old.
func (d *Dispatcher) maintain(ctx context.Context) {
	var expired time.Time
	report := &errorReporter{log: d.Log}
	tick := time.NewTicker(maintenanceInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		oldest, err := d.Store.OldestWaiting(ctx)
		if err == nil {
			d.metrics.setOldestWaiting(oldest, d.Now())
			if now := d.Now(); now.Sub(expired) >= time.Hour {
				expired = now
				err = d.Store.Expire(ctx, now.Add(-retention))
			}
		}
		if ctx.Err() == nil {
			report.report("maintaining the webhook queue", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// errorReporter logs a failure that goes on once.
type errorReporter struct {
	log    *slog.Logger
	failed bool
}

func (r *errorReporter) report(doing string, err error) {
	if err != nil && !r.failed && !errors.Is(err, context.Canceled) {
		r.log.Error(doing, "error", err)
	}
	r.failed = err != nil
}
