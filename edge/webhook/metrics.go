package webhook

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics tell how deliveries go. They carry neither addresses nor ids.
type metrics struct {
	attempts *prometheus.CounterVec
	seconds  prometheus.Histogram
	givenUp  prometheus.Counter
	disabled prometheus.Counter
	inFlight prometheus.Gauge
	queueAge prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "kindex_webhook_attempts_total",
			Help: "Attempts to deliver an event, by what came of them: a class of statuses, or what kept an answer away."}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "kindex_webhook_attempt_seconds",
			Help: "Time that attempts took.", Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 15}}),
		givenUp: prometheus.NewCounter(prometheus.CounterOpts{Name: "kindex_webhook_events_failed_total",
			Help: "Events that a webhook was not sent though all attempts were made."}),
		disabled: prometheus.NewCounter(prometheus.CounterOpts{Name: "kindex_webhook_switched_off_total",
			Help: "Webhooks that were switched off."}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "kindex_webhook_attempts_under_way", Help: "Attempts being made."}),
		queueAge: prometheus.NewGauge(prometheus.GaugeOpts{Name: "kindex_webhook_queue_age_seconds",
			Help: "Age of the oldest event that a webhook has yet to hear of, 0 where there is none."}),
	}
	if r != nil {
		r.MustRegister(m.attempts, m.seconds, m.givenUp, m.disabled, m.inFlight, m.queueAge)
	}
	return m
}

// setOldestWaiting notes the oldest event that waits, zero for none.
func (m *metrics) setOldestWaiting(oldest, now time.Time) {
	if oldest.IsZero() {
		m.queueAge.Set(0)
		return
	}
	m.queueAge.Set(max(now.Sub(oldest), 0).Seconds())
}
