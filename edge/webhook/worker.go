package webhook

import (
	"context"
	"errors"
	"time"
)

// worker delivers to one webhook while it has the lease.
type worker struct {
	d          *Dispatcher
	owner      string          // the owner of the lease
	ctx        context.Context // has ended when no new attempts may start
	attemptCtx context.Context // ends when attempts in progress are cut off
	id         string          // of the webhook
	leaseUntil time.Time       // the lease lasts until then at least
	wakes      int64           // the dispatcher's, before the lease
}

// recordGrace is how long recording an outcome can take while the lease is still valid.
const recordGrace = 10 * time.Second

// errPostponed ends a worker that keeps its lease until it ends.
var errPostponed = errors.New("postponed")

func (w *worker) run() {
	more, err := true, error(nil)
	for more && err == nil && w.ctx.Err() == nil {
		more, err = w.deliverNext()
	}
	if errors.Is(err, errPostponed) || errors.Is(err, ErrLeaseLost) {
		return
	}
	if err != nil && w.ctx.Err() == nil {
		w.d.Log.Error("delivering to a webhook", "webhook", w.id, "error", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), recordGrace)
	defer cancel()
	if err := w.d.Store.Release(ctx, w.owner, w.id); err != nil {
		w.d.Log.Error("releasing a webhook", "webhook", w.id, "error", err)
	}
	if w.d.wakes.Load() != w.wakes {
		w.d.look() // an event may have come after this worker found no more, when the webhook was still leased
	}
}

// deliverNext makes an attempt at the next delivery. more is false if none is due.
func (w *worker) deliverNext() (more bool, err error) {
	hook, d, err := w.d.Store.Next(w.ctx, w.owner, w.id)
	if err != nil || d.ID == "" {
		return false, err
	}
	secrets, err := w.d.Secrets(&hook)
	if err != nil {
		// Without the operator's key nothing can be signed. The lease is kept until it ends,
		// so that no worker retries this constantly.
		w.d.metrics.attempts.WithLabelValues("internal").Inc()
		w.d.Log.Error("cannot decrypt the secret of a webhook", "webhook", w.id, "error", err)
		return false, errPostponed
	}
	if len(secrets) > 1 && !w.d.Now().Before(hook.PreviousUntil) {
		secrets = secrets[:1]
	}
	a, err := w.attempt(hook.URL, secrets, &d)
	if err != nil {
		return false, err
	}
	active := hook.Active()
	w.d.Schedule.record(&hook, &d, a, w.d.Now(), w.d.Random())
	if err := w.record(&hook, &d); err != nil {
		return false, err
	}
	if d.Kind == ForEvent && d.Status == Failed {
		w.d.metrics.givenUp.Inc()
	}
	if active && !hook.Active() {
		w.d.metrics.disabled.Inc()
		w.d.Log.Warn("webhook disabled", "webhook", w.id, "reason", hook.DisabledReason)
	}
	return true, nil
}

// attempt makes one attempt, which ends before the lease does. An attempt that is interrupted
// by the shutdown does not count as a failure.
func (w *worker) attempt(url string, secrets []Secret, d *Delivery) (attemptResult, error) {
	end, wait := w.d.Reserve(url)
	if wait > 0 {
		return attemptResult{}, w.postpone(wait)
	}
	defer end()
	if time.Until(w.leaseUntil) < w.d.Timeout+recordGrace {
		until := time.Now().Add(w.d.Lease)
		if err := w.d.Store.Renew(w.ctx, w.owner, w.id, w.d.Lease); err != nil {
			return attemptResult{}, err
		}
		w.leaseUntil = until
	}
	w.d.metrics.inFlight.Inc()
	a := w.d.sender.post(w.attemptCtx, url, secrets, d.EventID, d.Payload)
	w.d.metrics.inFlight.Dec()
	if w.attemptCtx.Err() != nil && a.status == 0 {
		return attemptResult{}, w.attemptCtx.Err()
	}
	if a.postpone > 0 {
		return attemptResult{}, w.postpone(a.postpone)
	}
	w.d.metrics.attempts.WithLabelValues(a.outcome).Inc()
	w.d.metrics.seconds.Observe(a.duration.Seconds())
	return a, nil
}

// postpone pauses the webhook without an attempt, because the request limit of its host has
// been reached. The lease is extended until the end of the pause, so that no other dispatcher
// processes the webhook before then.
func (w *worker) postpone(wait time.Duration) error {
	w.d.metrics.attempts.WithLabelValues("postponed").Inc()
	if err := w.d.Store.Renew(w.ctx, w.owner, w.id, wait); err != nil {
		return err
	}
	return errPostponed
}

// record stores an outcome. It retries while the lease is valid, because the event would be
// sent again if the outcome were not recorded.
func (w *worker) record(hook *Webhook, d *Delivery) error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(w.ctx), w.leaseUntil)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		from := time.Now()
		err := w.d.Store.RecordAttempt(ctx, w.owner, w.d.Lease, hook, d)
		if err == nil {
			w.leaseUntil = from.Add(w.d.Lease)
			return nil
		}
		if errors.Is(err, ErrLeaseLost) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
