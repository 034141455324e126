package webhook

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// MaxPerAccount is the maximum number of webhooks per account.
const MaxPerAccount = 10

// RotationOverlap is how long deliveries are also signed with the previous secret after
// a rotation.
const RotationOverlap = 24 * time.Hour

// Errors that a Store returns.
var (
	ErrTooMany = errors.New("webhook limit reached")
	ErrUnknown = errors.New("there is no such webhook or delivery")
	ErrBusy    = errors.New("too many pending tests and replays for this webhook")
	// ErrLeaseLost means that the lease has a different owner, or the webhook was
	// deleted.
	ErrLeaseLost = errors.New("lost the lease on the webhook")
)

// Webhook is an endpoint that receives events, with its progress. Unless stated otherwise, a
// zero time means never.
type Webhook struct {
	ID, AccountID string
	URL           string
	Events        []string // the names of the events that it receives, in the order of record.WebhookEvents
	Fields        []string // if there are any, it receives only changes of these fields and groups
	IgnoreFigures bool     // it receives no changes of figures alone
	SealedSecret  string   // the secret, sealed with the operator's key
	CreatedAt     time.Time
	// PreviousSealed is the previous secret, sealed, or "" if there is none. Deliveries are
	// also signed with it until PreviousUntil.
	PreviousSealed string
	PreviousUntil  time.Time

	DisabledAt     time.Time // when it was disabled; zero if it is active
	DisabledReason string
	FailingSince   time.Time // the first failure since the last success
	LastAttemptAt  time.Time
	LastSuccessAt  time.Time
	NextAt         time.Time // when the next event is due; zero if no event is pending
	FailedAttempts int       // number of failed attempts for the next event, as counted by the schedule
}

// Active reports whether events are sent to the webhook.
func (w *Webhook) Active() bool { return w.DisabledAt.IsZero() }

// Kind is the reason for a delivery.
type Kind string

// The kinds of deliveries: an event from the queue, a test, and an event that is sent again.
const (
	ForEvent  Kind = "event"
	ForTest   Kind = "test"
	ForReplay Kind = "replay"
)

// Status is the progress of a delivery.
type Status string

// The statuses of a delivery. A failed delivery is sent again only on request. The events of a
// disabled webhook stay pending.
const (
	Pending   Status = "pending"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
)

// Statuses lists all statuses.
var Statuses = []string{string(Pending), string(Succeeded), string(Failed)}

// Delivery is an entry in a webhook's delivery log: one event and the attempts to deliver it.
type Delivery struct {
	ID, WebhookID  string
	Kind           Kind
	Seq            int64 // the Seq of the event, or 0 for a test
	EventID, Event string
	Status         Status
	Attempts       int
	CreatedAt      time.Time
	LastAttemptAt  time.Time
	NextAt         time.Time     // when it may be attempted; zero unless it is pending
	ResponseStatus int           // of the last attempt; 0 if there was no response
	Error          string        // of the last attempt, for the owner to read
	Took           time.Duration // duration of the last attempt
	Payload        []byte        // only set if it was read for sending
}

// metrics are the metrics of deliveries. They contain neither addresses nor ids.
type metrics struct {
	attempts *prometheus.CounterVec
	seconds  prometheus.Histogram
	givenUp  prometheus.Counter
	disabled prometheus.Counter
	inFlight prometheus.Gauge
}

func newMetrics(r prometheus.Registerer, store Store, now func() time.Time) *metrics {
	create := promauto.With(r) // with nil, the metrics are not registered
	create.NewGaugeFunc(prometheus.GaugeOpts{Name: "kindex_webhook_queue_age_seconds",
		Help: "Age in seconds of the oldest undelivered event, or 0 if there is none."}, func() float64 { return queueAge(store, now) })
	return &metrics{
		attempts: create.NewCounterVec(prometheus.CounterOpts{Name: "kindex_webhook_attempts_total",
			Help: "Attempts to deliver an event, by outcome: a status class, or the reason there was no response."}, []string{"outcome"}),
		seconds: create.NewHistogram(prometheus.HistogramOpts{Name: "kindex_webhook_attempt_seconds",
			Help: "Duration of attempts, in seconds.", Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 15}}),
		givenUp: create.NewCounter(prometheus.CounterOpts{Name: "kindex_webhook_events_failed_total",
			Help: "Events dropped for a webhook after all attempts failed."}),
		disabled: create.NewCounter(prometheus.CounterOpts{Name: "kindex_webhook_switched_off_total",
			Help: "Webhooks that were disabled."}),
		inFlight: create.NewGauge(prometheus.GaugeOpts{Name: "kindex_webhook_attempts_under_way", Help: "Attempts in progress."}),
	}
}

// queueAge returns the age of the oldest waiting event in seconds, or 0 if there is none. If the
// database is unavailable, it returns NaN.
func queueAge(store Store, now func() time.Time) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	oldest, err := store.OldestWaiting(ctx)
	switch {
	case err != nil:
		return math.NaN()
	case oldest.IsZero():
		return 0
	}
	return max(now().Sub(oldest), 0).Seconds()
}
