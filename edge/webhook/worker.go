package webhook

import (
	"context"
	"errors"
	"time"
)

// worker works at one webhook while it has the lease.
type worker struct {
	d        *Dispatcher
	owner    string          // of the lease
	ctx      context.Context // ends when no attempt may begin any more
	attempts context.Context // ends when attempts are cut off
	hook     Webhook
	secrets  []Secret  // the newest first
	until    time.Time // the lease is ours until then at least
	looked   time.Time // when tests and replays were looked for
}

// grace is how long noting what came of an attempt may take while the lease is
// still ours.
const grace = 10 * time.Second

// errStop ends a worker that has no lease to give back.
var errStop = errors.New("stop")

// askedEvery is how soon a test or replay is seen by a worker that is busy.
const askedEvery = time.Second

func (w *worker) run() {
	var err error
	if w.secrets, err = w.d.Secrets(&w.hook); err != nil {
		// Without the operator's key nothing can be signed. The lease stays until it
		// ends, so that this is not tried all the time.
		w.d.metrics.attempts.WithLabelValues("internal").Inc()
		w.d.Log.Error("the secret of a webhook cannot be opened", "webhook", w.hook.ID, "error", err)
		return
	}
	err = w.work()
	if errors.Is(err, errStop) || errors.Is(err, ErrLost) {
		return
	}
	if err != nil && !errors.Is(err, ErrUnknown) && w.ctx.Err() == nil {
		w.d.Log.Error("working at a webhook", "webhook", w.hook.ID, "error", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), grace)
	defer cancel()
	if err := w.d.Store.Release(ctx, w.owner, w.hook.ID); err != nil {
		w.d.Log.Error("giving back a webhook", "webhook", w.hook.ID, "error", err)
	}
}

// work goes on until there is nothing to do, or an attempt fails. With nil the
// lease has to be given back.
func (w *worker) work() error {
	for w.ctx.Err() == nil {
		if err := w.asked(); err != nil {
			return err
		}
		if !w.hook.Active() || w.hook.NextAt.IsZero() || w.hook.NextAt.After(w.d.Now()) {
			return nil // it was leased for what was asked only
		}
		events, upTo, err := w.d.Store.EventsAfter(w.ctx, w.hook.Position, w.hook.Events, batch)
		if err != nil {
			return err
		}
		for i := range events {
			if w.ctx.Err() != nil {
				return nil //nolint:nilerr // stopped on request; the lease is given back
			}
			if err := w.event(&events[i]); err != nil {
				return err
			}
			if time.Since(w.looked) >= askedEvery {
				if err := w.asked(); err != nil {
					return err
				}
			}
		}
		w.hook.Position = max(w.hook.Position, upTo)
		more, err := w.d.Store.Rest(w.ctx, w.owner, w.hook.ID, w.hook.Position)
		if err != nil {
			return err
		}
		if !more {
			return errStop
		}
	}
	return nil
}

// event tries the next event in its turn.
func (w *worker) event(e *Event) error {
	a, err := w.try(e.ID, e.Payload)
	if err != nil {
		return err
	}
	now := w.d.Now()
	v := w.d.Schedule.judge(&w.hook, a, now, w.d.Random())
	o := Outcome{Delivery: Delivery{WebhookID: w.hook.ID, Kind: ForEvent, Seq: e.Seq, EventID: e.ID, Event: e.Name,
		Status: Pending, LastAttemptAt: now, ResponseStatus: a.status, Error: a.says(), Took: a.took, NextAt: v.next},
		Done: v.success || v.givenUp, Off: v.off, Next: v.next, Step: v.step, Since: v.since, Keep: v.success}
	switch {
	case v.success:
		o.Status, o.Delivery.NextAt = Succeeded, time.Time{}
	case v.givenUp || v.off != "":
		o.Status, o.Delivery.NextAt = Failed, time.Time{}
	}
	if err := w.record(o); err != nil {
		return err
	}
	if v.givenUp {
		w.d.metrics.givenUp.Inc()
	}
	w.switchedOff(v.off)
	if !v.success {
		return errStop // the lease was given back with the record
	}
	w.hook.Position, w.hook.Step, w.hook.FailingSince = e.Seq, 0, time.Time{}
	return nil
}

func (w *worker) switchedOff(reason string) {
	if reason != "" {
		w.d.metrics.switchedOff.Inc()
		w.d.Log.Warn("a webhook was switched off", "webhook", w.hook.ID, "reason", reason)
	}
}

// asked makes the attempts of tests and replays. A success among them ends the
// rest of the queue, and switches a webhook on that was off.
func (w *worker) asked() error {
	w.looked = time.Now()
	if err := w.renewSecrets(); err != nil {
		return err
	}
	list, err := w.d.Store.Asked(w.ctx, w.hook.ID)
	if err != nil {
		return err
	}
	for _, d := range list {
		if w.ctx.Err() != nil {
			return nil //nolint:nilerr // stopped on request; work notices too
		}
		a := answer{failure: "The event is kept no longer.", outcome: "gone"}
		if d.Payload != nil {
			if a, err = w.try(d.EventID, d.Payload); err != nil {
				return err
			}
		}
		o := Outcome{Delivery: d, Next: w.hook.NextAt, Step: w.hook.Step, Since: w.hook.FailingSince, Keep: true}
		o.LastAttemptAt, o.ResponseStatus, o.Error, o.Took, o.Delivery.NextAt = w.d.Now(), a.status, a.says(), a.took, time.Time{}
		o.Status = Failed
		switch {
		case a.success():
			o.Status, o.Next, o.Step, o.Since = Succeeded, w.d.Now(), 0, time.Time{}
		case a.status == 410 && w.hook.Active():
			o.Off, o.Keep = reasonGone, false
		}
		if err := w.record(o); err != nil {
			return err
		}
		w.switchedOff(o.Off)
		if o.Off != "" {
			return errStop
		}
		if a.success() {
			w.hook.DisabledAt, w.hook.NextAt, w.hook.Step, w.hook.FailingSince = time.Time{}, o.Next, 0, time.Time{}
		}
	}
	return nil
}

// renewSecrets takes over a rotation of the secrets, so that one that was given up
// signs nothing more, however long there is something to send.
func (w *worker) renewSecrets() error {
	now, err := w.d.Store.Webhook(w.ctx, w.hook.AccountID, w.hook.ID)
	if err != nil || now.Sealed == w.hook.Sealed && now.Previous == w.hook.Previous {
		return err
	}
	w.hook.Sealed, w.hook.Previous, w.hook.PreviousUntil = now.Sealed, now.Previous, now.PreviousUntil
	w.secrets, err = w.d.Secrets(&w.hook)
	return err
}

// valid are the secrets that sign now.
func (w *worker) valid() []Secret {
	if len(w.secrets) > 1 && !w.d.Now().Before(w.hook.PreviousUntil) {
		return w.secrets[:1]
	}
	return w.secrets
}

// try makes one attempt, which ends while the lease is ours. An attempt that is
// cut off at the end of the service is none.
func (w *worker) try(id string, body []byte) (answer, error) {
	end, wait := w.d.Begin(w.hook.URL)
	if wait > 0 {
		return answer{}, w.postpone(wait)
	}
	defer end()
	if time.Until(w.until) < w.d.Timeout+grace {
		until := time.Now().Add(w.d.Lease)
		if err := w.d.Store.Renew(w.ctx, w.owner, w.hook.ID, w.d.Lease); err != nil {
			return answer{}, err
		}
		w.until = until
	}
	w.d.metrics.underWay.Inc()
	a := w.d.sender.post(w.attempts, w.hook.URL, w.valid(), id, body)
	w.d.metrics.underWay.Dec()
	if w.attempts.Err() != nil && a.status == 0 {
		return answer{}, w.attempts.Err()
	}
	if a.wait > 0 {
		return answer{}, w.postpone(a.wait)
	}
	w.d.metrics.attempts.WithLabelValues(a.outcome).Inc()
	w.d.metrics.seconds.Observe(a.took.Seconds())
	return a, nil
}

// postpone lets the webhook rest without an attempt: its host gets as much as it may.
// The lease stays until then, so that nobody looks at it before.
func (w *worker) postpone(wait time.Duration) error {
	w.d.metrics.attempts.WithLabelValues("postponed").Inc()
	if err := w.d.Store.Renew(w.ctx, w.owner, w.hook.ID, wait); err != nil {
		return err
	}
	return errStop
}

// record notes an outcome, again and again while the lease is ours: what is not
// noted is sent once more.
func (w *worker) record(o Outcome) error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(w.ctx), w.until)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		from := time.Now()
		err := w.d.Store.RecordAttempt(ctx, w.owner, w.d.Lease, o)
		if err == nil {
			w.until = from.Add(w.d.Lease)
			return nil
		}
		if errors.Is(err, ErrLost) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
