package webhook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kindex/builder/safedial"
)

// Store is the storage that the dispatcher needs. Each method is one transaction. A lease
// belongs to one owner until it ends. RecordAttempt returns ErrLeaseLost if the caller is not its
// owner.
type Store interface {
	// Lease leases up to n webhooks with deliveries that are due, and returns their IDs, starting
	// with those that have waited longest. No other dispatcher gets them before the lease ends.
	Lease(ctx context.Context, owner string, n int, lasts time.Duration) (ids []string, err error)
	// Release ends the lease after a wait. Until then, no dispatcher gets the webhook.
	Release(ctx context.Context, owner, webhook string, wait time.Duration) error
	// Next returns the webhook and the delivery that is due next: tests and replays first, then
	// events in order. The ID of the delivery is "" if none is due, the webhook was deleted or
	// its account is suspended.
	Next(ctx context.Context, owner, webhook string) (Webhook, Delivery, error)
	// RecordAttempt stores the webhook and the delivery as they are after an attempt, and renews
	// the lease.
	RecordAttempt(ctx context.Context, owner string, lasts time.Duration, w *Webhook, d *Delivery) error
	// OldestWaiting returns the time of the oldest event that has not been delivered to every
	// webhook, or the zero time if there is none.
	OldestWaiting(ctx context.Context) (time.Time, error)
	// ReleaseStaleLeases releases leases of edges that no longer exist.
	ReleaseStaleLeases(ctx context.Context) error
}

// Options configure a dispatcher. Zero values mean the defaults stated in the comments.
type Options struct {
	Store  Store        // required
	Client *http.Client // required; from safedial.Guard
	// Secrets opens a webhook's secrets: the current secret and, if there is one, the
	// previous secret.
	Secrets func(w *Webhook) ([]Secret, error) // required
	// Reserve takes a slot for a request to an address, like safedial.Guard.Reserve: end
	// returns the slot; if wait is not 0, no slot is available yet. Required.
	Reserve  func(url string) (end func(), wait time.Duration)
	Owner    string                // required: distinguishes this edge from others that share the database
	Log      *slog.Logger          // required
	Metrics  prometheus.Registerer // default: no metrics
	Agent    string                // the User-Agent
	Now      func() time.Time      // required
	Random   func() float64        // default: rand.Float64
	Schedule Schedule              // default: DefaultSchedule
	Workers  int                   // maximum number of webhooks processed concurrently; default: 1024
	Poll     time.Duration         // how often to look for events from other edges; default: 1 s
	Timeout  time.Duration         // timeout of an attempt; default: safedial.Timeout
	Lease    time.Duration         // how long a webhook is leased; default: 30 s
	Drain    time.Duration         // how long attempts in progress can take at shutdown; default: safedial.Timeout
}

const leaseBatchSize = 100

// Dispatcher delivers events to webhooks: it makes one attempt at a time for each webhook, in
// the order of the events and independently of other webhooks. Several dispatchers that use
// the same database share the work.
type Dispatcher struct {
	Options
	waker
	metrics    *metrics
	slots      chan struct{}
	workers    sync.WaitGroup
	stopping   context.Context // has ended once Stop was called
	stop       func()
	drain      atomic.Int64 // how long attempts in progress can take after that
	leaseCount int64        // number of leases so far
}

// New returns a dispatcher, which must be started with Run.
func New(o Options) *Dispatcher {
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Schedule == nil {
		o.Schedule = DefaultSchedule
	}
	o.Workers = cmp.Or(o.Workers, 1024)
	o.Poll = cmp.Or(o.Poll, time.Second)
	o.Timeout = cmp.Or(o.Timeout, safedial.Timeout)
	o.Lease = cmp.Or(o.Lease, 30*time.Second)
	o.Drain = cmp.Or(o.Drain, safedial.Timeout)
	d := &Dispatcher{Options: o, metrics: newMetrics(o.Metrics, o.Store, o.Now),
		waker: make(waker, 1), slots: make(chan struct{}, o.Workers)}
	d.stopping, d.stop = context.WithCancel(context.Background())
	d.drain.Store(int64(o.Drain))
	return d
}

// Stop ends Run, just as the end of its context would, and sets how long attempts in progress
// can take.
func (d *Dispatcher) Stop(drain time.Duration) {
	d.drain.Store(int64(drain))
	d.stop()
}

// Run delivers until ctx ends or Stop is called. After that, attempts in progress have until
// Drain to finish. Interrupted attempts are made again by the edge that uses the database
// next.
func (d *Dispatcher) Run(ctx context.Context) {
	attempts, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer cutOff()
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(d.stopping, end)()
	report := &errorReporter{log: d.Log}
	report.report("leasing webhooks", d.Store.ReleaseStaleLeases(ctx))
	for ctx.Err() == nil {
		full, err := d.start(ctx, attempts)
		report.report("finding due webhooks", err)
		if full && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-d.waker:
		case <-time.After(d.Poll):
		}
	}
	defer time.AfterFunc(time.Duration(d.drain.Load()), cutOff).Stop()
	d.workers.Wait()
}

// start starts workers for due webhooks. full reports whether more may be due.
func (d *Dispatcher) start(ctx, attempts context.Context) (full bool, err error) {
	select {
	case d.slots <- struct{}{}: // wait until a worker is available
		<-d.slots
	case <-ctx.Done():
		return false, nil
	}
	room := min(cap(d.slots)-len(d.slots), leaseBatchSize)
	until := time.Now().Add(d.Lease)
	// Each lease has a unique owner: a worker that was too slow cannot interfere with the
	// next worker for the same webhook, on this edge or another.
	d.leaseCount++
	owner := d.Owner + "-" + strconv.FormatInt(d.leaseCount, 10)
	leased, err := d.Store.Lease(ctx, owner, room, d.Lease)
	if ctx.Err() != nil {
		err = nil // the query was interrupted because the dispatcher is stopping
	}
	for _, id := range leased {
		w := &worker{d: d, owner: owner, ctx: ctx, attemptCtx: attempts, id: id, leaseUntil: until}
		d.slots <- struct{}{}
		d.workers.Go(func() {
			defer func() { <-d.slots }()
			w.run()
		})
	}
	return len(leased) == room, err
}

// errorReporter logs a persistent failure only once.
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
