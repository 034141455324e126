package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Schedule says how long a webhook rests after each failure of an event. Behind
// the last the event has failed for good.
type Schedule []time.Duration

// DefaultSchedule tries an event ten times in a little more than three days.
var DefaultSchedule = Schedule{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

const (
	// SwitchOffAfter is how long a webhook may fail without a success between.
	SwitchOffAfter = 5 * 24 * time.Hour
	// MaxRestLen bounds what a Retry-After may ask for.
	MaxRestLen = 24 * time.Hour
	// spread is how far a rest differs from the schedule, as a share of it, so that
	// webhooks that failed together do not come back together.
	spread = 0.15
)

// Why a webhook was switched off, for its owner to read.
const (
	reasonGone    = "It answered 410 Gone."
	reasonFailing = "It has failed for five days without a success between."
)

// verdict is what follows from an attempt.
type verdict struct {
	success bool
	givenUp bool      // the event has failed for good, those behind it go on
	off     string    // why the webhook is switched off, "" where it is not
	next    time.Time // when the webhook is tried again, zero where it is off
	step    int
	since   time.Time // failing since, zero after a success
}

// judge decides what follows from the answer to an event in its turn. random is
// from 0 to 1.
func (s Schedule) judge(w *Webhook, a answer, now time.Time, random float64) verdict {
	if a.success() {
		return verdict{success: true, next: now}
	}
	v := verdict{step: w.Step + 1, since: w.FailingSince}
	if v.since.IsZero() {
		v.since = now
	}
	switch {
	case a.status == http.StatusGone:
		v.off = reasonGone
	case now.Sub(v.since) >= SwitchOffAfter:
		v.off = reasonFailing
	case a.retryAfter > 0:
		// It says itself when it wants to be tried again. That uses up no attempt: an
		// endpoint that asks for patience must not lose events by it.
		rest := min(max(a.retryAfter, s.shortest()), MaxRestLen)
		v.step, v.next = w.Step, now.Add(rest+time.Duration(random*spread*float64(rest)))
	case w.Step >= len(s):
		v.givenUp, v.step, v.next = true, 0, now
	default:
		v.next = now.Add(time.Duration(float64(s[w.Step]) * (1 - spread + 2*spread*random)))
	}
	return v
}

func (s Schedule) shortest() time.Duration {
	if len(s) == 0 {
		return time.Second
	}
	return s[0]
}

// retryAfter reads the header of that name: seconds, or a date (RFC 9110 section
// 10.2.3). 0 stands for none that can be used.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if strings.Trim(text, "0123456789") == "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n > int64(MaxRestLen/time.Second) {
			return MaxRestLen
		}
		return time.Duration(n) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), MaxRestLen)
}
