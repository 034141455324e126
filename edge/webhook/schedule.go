package webhook

import (
	"net/http"
	"time"
)

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
