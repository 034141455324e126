package webhook

import (
	"context"
	"errors"
	"time"
)

// worker processes one webhook while it has the lease.
type worker struct {
	d                  *Dispatcher
	owner              string          // the owner of the lease
	ctx                context.Context // has ended when no new attempts may start
	attemptCtx         context.Context // ends when attempts in progress are cut off
	webhook            Webhook
	secrets            []Secret  // newest first
	leaseUntil         time.Time // the lease lasts until then at least
	requestedCheckedAt time.Time // when the worker last looked for tests and replays
}

// recordGrace is how long recording an outcome can take while the lease is still valid.
const recordGrace = 10 * time.Second

// errLeaseReleased ends a worker that need not release its lease.
var errLeaseReleased = errors.New("stop")

// requestedPollInterval is how often a busy worker looks for requested tests and replays.
const requestedPollInterval = time.Second

func (w *worker) run() {
	var err error
	if w.secrets, err = w.d.Secrets(&w.webhook); err != nil {
		// Without the operator's key nothing can be signed. The lease is kept until it ends,
		// so that no worker retries this constantly.
		w.d.metrics.attempts.WithLabelValues("internal").Inc()
		w.d.Log.Error("cannot decrypt the secret of a webhook", "webhook", w.webhook.ID, "error", err)
		return
	}
	err = w.deliverAll()
	if errors.Is(err, errLeaseReleased) || errors.Is(err, ErrLeaseLost) {
		return
	}
	if err != nil && !errors.Is(err, ErrUnknown) && w.ctx.Err() == nil {
		w.d.Log.Error("delivering to a webhook", "webhook", w.webhook.ID, "error", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), recordGrace)
	defer cancel()
	if err := w.d.Store.Release(ctx, w.owner, w.webhook.ID); err != nil {
		w.d.Log.Error("releasing a webhook", "webhook", w.webhook.ID, "error", err)
	}
}

// deliverAll delivers until nothing is pending, or an attempt fails. If it returns nil, the
// caller releases the lease.
func (w *worker) deliverAll() error {
	for w.ctx.Err() == nil {
		if err := w.sendRequested(); err != nil {
			return err
		}
		if !w.webhook.Active() || w.webhook.NextAt.IsZero() || w.webhook.NextAt.After(w.d.Now()) {
			return nil // no event is due: the lease was only for requested deliveries
		}
		events, upTo, err := w.d.Store.EventsAfter(w.ctx, w.webhook.Position, w.webhook.Events, eventBatchSize)
		if err != nil {
			return err
		}
		for i := range events {
			if w.ctx.Err() != nil {
				return nil //nolint:nilerr // stopped on request; the caller releases the lease
			}
			if err := w.deliverEvent(&events[i]); err != nil {
				return err
			}
			if time.Since(w.requestedCheckedAt) >= requestedPollInterval {
				if err := w.sendRequested(); err != nil {
					return err
				}
			}
		}
		w.webhook.Position = max(w.webhook.Position, upTo)
		more, err := w.d.Store.WaitForEvents(w.ctx, w.owner, w.webhook.ID, w.webhook.Position)
		if err != nil {
			return err
		}
		if !more {
			return errLeaseReleased
		}
	}
	return nil
}

// deliverEvent attempts to deliver the next event in the queue.
func (w *worker) deliverEvent(e *Event) error {
	a, err := w.attempt(e.ID, e.Payload)
	if err != nil {
		return err
	}
	now := w.d.Now()
	v := w.d.Schedule.decide(&w.webhook, a, now, w.d.Random())
	o := Outcome{Delivery: Delivery{WebhookID: w.webhook.ID, Kind: ForEvent, Seq: e.Seq, EventID: e.ID, Event: e.Name,
		Status: Pending, LastAttemptAt: now, ResponseStatus: a.status, Error: a.errorText(), Took: a.duration, NextAt: v.nextAttempt},
		Done: v.success || v.givenUp, DisableReason: v.disableReason, NextAttempt: v.nextAttempt, FailedAttempts: v.failedAttempts, FailingSince: v.failingSince, KeepLease: v.success}
	switch {
	case v.success:
		o.Status, o.Delivery.NextAt = Succeeded, time.Time{}
	case v.givenUp || v.disableReason != "":
		o.Status, o.Delivery.NextAt = Failed, time.Time{}
	}
	if err := w.record(o); err != nil {
		return err
	}
	if v.givenUp {
		w.d.metrics.givenUp.Inc()
	}
	w.reportDisabled(v.disableReason)
	if !v.success {
		return errLeaseReleased // recording the attempt released the lease
	}
	w.webhook.Position, w.webhook.FailedAttempts, w.webhook.FailingSince = e.Seq, 0, time.Time{}
	return nil
}

func (w *worker) reportDisabled(reason string) {
	if reason != "" {
		w.d.metrics.disabled.Inc()
		w.d.Log.Warn("webhook disabled", "webhook", w.webhook.ID, "reason", reason)
	}
}

// sendRequested sends tests and replays. A success resumes the queue immediately, and
// enables a disabled webhook.
func (w *worker) sendRequested() error {
	w.requestedCheckedAt = time.Now()
	if err := w.renewSecrets(); err != nil {
		return err
	}
	list, err := w.d.Store.RequestedDeliveries(w.ctx, w.webhook.ID)
	if err != nil {
		return err
	}
	for _, d := range list {
		if w.ctx.Err() != nil {
			return nil //nolint:nilerr // stopped on request, which deliverAll notices, too
		}
		a := attemptResult{failure: "The event has been deleted.", outcome: "gone"}
		if d.Payload != nil {
			if a, err = w.attempt(d.EventID, d.Payload); err != nil {
				return err
			}
		}
		o := Outcome{Delivery: d, NextAttempt: w.webhook.NextAt, FailedAttempts: w.webhook.FailedAttempts, FailingSince: w.webhook.FailingSince, KeepLease: true}
		o.LastAttemptAt, o.ResponseStatus, o.Error, o.Took, o.Delivery.NextAt = w.d.Now(), a.status, a.errorText(), a.duration, time.Time{}
		o.Status = Failed
		switch {
		case a.success():
			o.Status, o.NextAttempt, o.FailedAttempts, o.FailingSince = Succeeded, w.d.Now(), 0, time.Time{}
		case a.status == 410 && w.webhook.Active():
			o.DisableReason, o.KeepLease = reasonGone, false
		}
		if err := w.record(o); err != nil {
			return err
		}
		w.reportDisabled(o.DisableReason)
		if o.DisableReason != "" {
			return errLeaseReleased
		}
		if a.success() {
			w.webhook.DisabledAt, w.webhook.NextAt, w.webhook.FailedAttempts, w.webhook.FailingSince = time.Time{}, o.NextAttempt, 0, time.Time{}
		}
	}
	return nil
}

// renewSecrets reloads the secrets if they were rotated, so that a dropped secret is no
// longer used, however long the queue is.
func (w *worker) renewSecrets() error {
	current, err := w.d.Store.Webhook(w.ctx, w.webhook.AccountID, w.webhook.ID)
	if err != nil || current.SealedSecret == w.webhook.SealedSecret && current.PreviousSealed == w.webhook.PreviousSealed {
		return err
	}
	w.webhook.SealedSecret, w.webhook.PreviousSealed, w.webhook.PreviousUntil = current.SealedSecret, current.PreviousSealed, current.PreviousUntil
	w.secrets, err = w.d.Secrets(&w.webhook)
	return err
}

// activeSecrets returns the secrets with which deliveries are currently signed.
func (w *worker) activeSecrets() []Secret {
	if len(w.secrets) > 1 && !w.d.Now().Before(w.webhook.PreviousUntil) {
		return w.secrets[:1]
	}
	return w.secrets
}

// attempt makes one attempt, which ends before the lease does. An attempt that is interrupted
// by the shutdown does not count as a failure.
func (w *worker) attempt(id string, body []byte) (attemptResult, error) {
	end, wait := w.d.Reserve(w.webhook.URL)
	if wait > 0 {
		return attemptResult{}, w.postpone(wait)
	}
	defer end()
	if time.Until(w.leaseUntil) < w.d.Timeout+recordGrace {
		until := time.Now().Add(w.d.Lease)
		if err := w.d.Store.Renew(w.ctx, w.owner, w.webhook.ID, w.d.Lease); err != nil {
			return attemptResult{}, err
		}
		w.leaseUntil = until
	}
	w.d.metrics.inFlight.Inc()
	a := w.d.sender.post(w.attemptCtx, w.webhook.URL, w.activeSecrets(), id, body)
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
	if err := w.d.Store.Renew(w.ctx, w.owner, w.webhook.ID, wait); err != nil {
		return err
	}
	return errLeaseReleased
}

// record stores an outcome. It retries while the lease is valid, because the event would be
// sent again if the outcome were not recorded.
func (w *worker) record(o Outcome) error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(w.ctx), w.leaseUntil)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		from := time.Now()
		err := w.d.Store.RecordAttempt(ctx, w.owner, w.d.Lease, o)
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
