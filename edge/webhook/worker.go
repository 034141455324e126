package webhook

import (
	"context"
	"errors"
	"net/http"
	"time"
)

type worker struct {
	d          *Dispatcher
	owner      string          // the owner of the lease
	ctx        context.Context // has ended when no new attempts may start
	attemptCtx context.Context // ends when attempts in progress are cut off
	id         string          // of the webhook
	leaseUntil time.Time       // the lease lasts until then at least
}

// recordGrace is how long recording an outcome can take while the lease is still valid.
const recordGrace = 10 * time.Second

func (w *worker) run() {
	more, wait, err := true, time.Duration(0), error(nil)
	// An attempt must end before the lease does.
	for more && err == nil && w.ctx.Err() == nil && time.Until(w.leaseUntil) >= w.d.Timeout+recordGrace {
		more, wait, err = w.deliverNext()
	}
	if errors.Is(err, ErrLeaseLost) {
		return
	}
	if err != nil && w.ctx.Err() == nil {
		w.d.Log.Error("delivering to a webhook", "webhook", w.id, "error", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), recordGrace)
	defer cancel()
	if err := w.d.Store.Release(ctx, w.owner, w.id, wait); err != nil {
		w.d.Log.Error("releasing a webhook", "webhook", w.id, "error", err)
	}
	if err == nil {
		w.d.Wake() // an event may have come after this worker found no more, when the webhook was still leased
	}
}

// deliverNext makes an attempt at the next delivery. more is false if there was none: none is due, or
// the webhook has to wait for something other than its receiver.
func (w *worker) deliverNext() (more bool, wait time.Duration, err error) {
	hook, d, err := w.d.Store.Next(w.ctx, w.owner, w.id)
	if err != nil || d.ID == "" {
		return false, 0, err
	}
	secrets, err := w.d.Secrets(&hook)
	if err != nil { // without the operator's key nothing can be signed
		w.d.metrics.attempts.WithLabelValues("internal").Inc()
		w.d.Log.Error("cannot decrypt the secret of a webhook", "webhook", w.id, "error", err)
		return false, w.d.Lease, nil
	}
	if len(secrets) > 1 && !w.d.Now().Before(hook.PreviousUntil) {
		secrets = secrets[:1]
	}
	a := w.attempt(hook.URL, secrets, &d)
	switch {
	case a.postpone > 0: // the request limit of the host has been reached
		w.d.metrics.attempts.WithLabelValues("postponed").Inc()
		return false, a.postpone, nil
	case a.status == 0 && w.attemptCtx.Err() != nil: // interrupted by the shutdown, which is no failure
		return false, 0, w.attemptCtx.Err()
	}
	w.d.metrics.attempts.WithLabelValues(a.outcome).Inc()
	w.d.metrics.seconds.Observe(a.duration.Seconds())
	active := hook.Active()
	w.d.Schedule.record(&hook, &d, a, w.d.Now(), w.d.Random())
	if err := w.record(&hook, &d); err != nil {
		return false, 0, err
	}
	if d.Kind == ForEvent && d.Status == Failed {
		w.d.metrics.givenUp.Inc()
	}
	if active && !hook.Active() {
		w.d.metrics.disabled.Inc()
		w.d.Log.Warn("webhook disabled", "webhook", w.id, "reason", hook.DisabledReason)
	}
	return true, 0, nil
}

// attempt makes one attempt, unless the request limit of the host has been reached.
func (w *worker) attempt(url string, secrets []Secret, d *Delivery) attemptResult {
	end, wait := w.d.Reserve(url)
	if wait > 0 {
		return attemptResult{postpone: wait}
	}
	defer end()
	w.d.metrics.inFlight.Inc()
	defer w.d.metrics.inFlight.Dec()
	return w.d.post(w.attemptCtx, url, secrets, d.EventID, d.Payload, 0)
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

// Schedule lists how long a webhook pauses after each failed attempt to deliver an event. If
// the attempt after the last pause also fails, the event is given up.
type Schedule []time.Duration

// DefaultSchedule attempts to deliver an event ten times in a little more than three days.
var DefaultSchedule = Schedule{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

const (
	// DisableAfter is how long a webhook can fail before it is disabled.
	DisableAfter = 5 * 24 * time.Hour
	// MaxRetryAfter is the maximum delay that a receiver can request with Retry-After.
	MaxRetryAfter = 24 * time.Hour
	// jitter is the maximum deviation of a pause from the schedule, as a fraction of the
	// pause, so that webhooks that failed together are not retried together.
	jitter = 0.15
)

// The reasons why a webhook was disabled, for its owner to read.
const (
	reasonGone    = "The receiver returned 410 Gone."
	reasonFailing = "All deliveries failed for five days."
)

// record changes a webhook and a delivery to what they are after an attempt. random is a number
// between 0 and 1. Failed tests and replays do not affect the queue.
func (s Schedule) record(w *Webhook, d *Delivery, a attemptResult, now time.Time, random float64) {
	d.Attempts++
	d.Status, d.LastAttemptAt, d.ResponseStatus, d.Error, d.Took = Failed, now, a.status, a.errorText(), a.duration
	w.LastAttemptAt = now
	switch {
	case a.success():
		d.Status = Succeeded
		w.LastSuccessAt, w.NextAt, w.FailedAttempts, w.FailingSince = now, time.Time{}, 0, time.Time{}
		w.DisabledAt, w.DisabledReason = time.Time{}, ""
		return
	case a.status == http.StatusGone && w.Active():
		w.DisabledAt, w.DisabledReason = now, reasonGone
	}
	if d.Kind != ForEvent {
		return
	}
	d.Status = Pending
	if w.FailingSince.IsZero() {
		w.FailingSince = now
	}
	switch {
	case !w.Active():
	case now.Sub(w.FailingSince) >= DisableAfter:
		w.DisabledAt, w.DisabledReason = now, reasonFailing
	case a.retryAfter > 0:
		// The receiver sets the time of the retry. The attempt does not count as a failed
		// one, so that an endpoint does not lose events because it asks for a delay.
		delay := min(max(a.retryAfter, s.minDelay()), MaxRetryAfter)
		w.NextAt = now.Add(delay + time.Duration(random*jitter*float64(delay)))
	case w.FailedAttempts >= len(s):
		d.Status = Failed // for good; later events continue
		w.NextAt, w.FailedAttempts = time.Time{}, 0
	default:
		w.NextAt = now.Add(time.Duration(float64(s[w.FailedAttempts]) * (1 - jitter + 2*jitter*random)))
		w.FailedAttempts++
	}
}

func (s Schedule) minDelay() time.Duration {
	if len(s) == 0 {
		return time.Second
	}
	return s[0]
}
