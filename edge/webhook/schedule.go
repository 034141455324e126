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

// decision describes what happens after an attempt.
type decision struct {
	success        bool
	givenUp        bool      // the event has failed for good; later events continue
	disableReason  string    // why the webhook is disabled, or "" if it is not
	nextAttempt    time.Time // when to call the webhook again; zero if it is disabled
	failedAttempts int
	failingSince   time.Time // the first failure since the last success; zero after a success
}

// decide returns what happens after an attempt to deliver an event from the queue. random is a
// number between 0 and 1.
func (s Schedule) decide(w *Webhook, a attemptResult, now time.Time, random float64) decision {
	if a.success() {
		return decision{success: true, nextAttempt: now}
	}
	v := decision{failedAttempts: w.FailedAttempts + 1, failingSince: w.FailingSince}
	if v.failingSince.IsZero() {
		v.failingSince = now
	}
	switch {
	case a.status == http.StatusGone:
		v.disableReason = reasonGone
	case now.Sub(v.failingSince) >= DisableAfter:
		v.disableReason = reasonFailing
	case a.retryAfter > 0:
		// The receiver sets the time of the retry. The attempt does not count as a failed
		// one, so that an endpoint does not lose events because it asks for a delay.
		delay := min(max(a.retryAfter, s.minDelay()), MaxRetryAfter)
		v.failedAttempts, v.nextAttempt = w.FailedAttempts, now.Add(delay+time.Duration(random*jitter*float64(delay)))
	case w.FailedAttempts >= len(s):
		v.givenUp, v.failedAttempts, v.nextAttempt = true, 0, now
	default:
		v.nextAttempt = now.Add(time.Duration(float64(s[w.FailedAttempts]) * (1 - jitter + 2*jitter*random)))
	}
	return v
}

func (s Schedule) minDelay() time.Duration {
	if len(s) == 0 {
		return time.Second
	}
	return s[0]
}
