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

// Outcome is the recorded outcome of an attempt.
type Outcome struct {
	Delivery // with the result of the attempt; its ID is "" for an event in its turn
	// Done means that the event needs no more attempts.
	Done bool
	// DisableReason is why the webhook is disabled, "" if it is not.
	DisableReason  string
	NextAttempt    time.Time // when the webhook is tried again
	FailedAttempts int
	FailingSince   time.Time // failing since, zero after a success
	// KeepLease keeps the lease, for the next attempt.
	KeepLease bool
}

// Store is the storage that the dispatcher needs. Each method is one transaction. A lease
// belongs to one owner until it ends; methods that need it return ErrLeaseLost for any
// other owner.
type Store interface {
	// Lease leases up to n webhooks that have something to do, those that have waited
	// longest first. No other dispatcher gets them before the lease ends.
	Lease(ctx context.Context, owner string, n int, lasts time.Duration) ([]Webhook, error)
	// Renew lets the lease last from now on.
	Renew(ctx context.Context, owner, webhook string, lasts time.Duration) error
	// Release releases the lease.
	Release(ctx context.Context, owner, webhook string) error
	// WaitForEvents releases the lease and lets the webhook wait for events after position.
	// more means that there already are some: then the lease is kept.
	WaitForEvents(ctx context.Context, owner, webhook string, position int64) (more bool, err error)
	// EventsAfter returns up to n events with the given names after a position, in order,
	// and the position up to which these are all.
	EventsAfter(ctx context.Context, position int64, names []string, n int) (events []Event, upTo int64, err error)
	// Webhook returns the current state of a webhook; ErrUnknown if it was deleted.
	Webhook(ctx context.Context, account, webhook string) (Webhook, error)
	// RequestedDeliveries returns the pending tests and replays, in order, with their
	// payloads; ErrUnknown if the webhook was deleted or its account suspended.
	RequestedDeliveries(ctx context.Context, webhook string) ([]Delivery, error)
	// RecordAttempt records an attempt, and renews a lease that is kept.
	RecordAttempt(ctx context.Context, owner string, lasts time.Duration, o Outcome) error
	// OldestWaiting returns the time of the oldest event that is still undelivered for some
	// webhook; zero if there is none.
	OldestWaiting(ctx context.Context) (time.Time, error)
	// Expire deletes events and deliveries before a time that are no longer needed.
	Expire(ctx context.Context, before time.Time) error
	// ReleaseStaleLeases ends leases whose owners no longer exist.
	ReleaseStaleLeases(ctx context.Context) error
}

// Options configure a dispatcher. The comments state the defaults for zero values.
type Options struct {
	Store  Store        // needed
	Client *http.Client // required; from safedial.Guard
	// Secrets opens the secrets of a webhook: the current one, and the previous one, if
	// any.
	Secrets func(w *Webhook) ([]Secret, error) // needed
	// Reserve takes a slot for an attempt at an address, which end returns, or returns
	// how long to wait, like safedial.Guard.Reserve. If nil, attempts are not limited.
	Reserve  func(url string) (end func(), wait time.Duration)
	Owner    string                // required: distinguishes this edge from others that share the database
	Log      *slog.Logger          // none
	Metrics  prometheus.Registerer // none
	Agent    string                // the User-Agent: kindex
	Now      func() time.Time      // time.Now
	Random   func() float64        // rand.Float64
	Schedule Schedule              // DefaultSchedule
	Workers  int                   // webhooks worked at a time: 1024
	Poll     time.Duration         // how often others' events are looked for: 1 s
	Timeout  time.Duration         // timeout of an attempt: safedial.Timeout
	Lease    time.Duration         // how long a webhook is kept from other edges: 60 s
	Drain    time.Duration         // how long attempts in progress can take at shutdown: safedial.Timeout
}

const (
	eventBatchSize      = 100 // events that are read at a time
	maintenanceInterval = 15 * time.Second
	retention           = 30 * 24 * time.Hour
)

// Dispatcher delivers events to webhooks: to each webhook one attempt at a time, in the
// order of the events, independently of other webhooks. Several dispatchers with one
// database share the work.
type Dispatcher struct {
	Options
	sender     sender
	metrics    *metrics
	wake       chan struct{}
	slots      chan struct{}
	workers    sync.WaitGroup
	stop       chan time.Duration // of one value: how long attempts in progress can take
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

// Wake makes the dispatcher look for work immediately.
func (d *Dispatcher) Wake() {
	select {
	case d.wake <- struct{}{}:
	default: // it is about to look
	}
}

// Stop ends Run, like the end of its context, and sets how long attempts in progress
// can take. Only the first call has an effect.
func (d *Dispatcher) Stop(drain time.Duration) {
	select {
	case d.stop <- drain:
	default:
	}
}

// Run delivers until ctx ends or Stop is called. Then attempts in progress can finish
// within Drain; interrupted ones are retried by whichever edge uses the database next.
func (d *Dispatcher) Run(ctx context.Context) {
	attempts, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer cutOff()
	ctx, end := context.WithCancel(ctx)
	defer end()
	drain := d.Drain
	stopped := make(chan struct{}) // drain can be read after it
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

// start starts a worker for each due webhook. full means that there may be more.
func (d *Dispatcher) start(ctx, attempts context.Context) (full bool, err error) {
	select {
	case d.slots <- struct{}{}: // wait for a free worker
		<-d.slots
	case <-ctx.Done():
		return false, nil
	}
	room := min(cap(d.slots)-len(d.slots), eventBatchSize)
	until := time.Now().Add(d.Lease)
	// Each lease has a unique owner: a worker that was too slow cannot interfere with the
	// next one, on this edge or another.
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

// maintain measures the age of the queue, and deletes old entries.
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

// errorReporter logs a persistent failure once.
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
