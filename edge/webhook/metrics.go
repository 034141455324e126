package webhook

import (
	"context"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

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
