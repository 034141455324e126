package web

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"kindex/edge/live"
)

// metrics are the metrics that the admin listener reports. Their labels contain routes, but
// never client addresses, keys or queries.
type metrics struct {
	Registry      *prometheus.Registry
	requests      *prometheus.CounterVec
	seconds       *prometheus.HistogramVec
	inFlight      prometheus.Gauge
	buildSwitches prometheus.Counter
	Refused       prometheus.Counter
	build         *prometheus.GaugeVec
	entities      prometheus.Gauge
	buildTime     prometheus.Gauge
	loadSeconds   prometheus.Gauge
}

func NewMetrics() *metrics {
	m := &metrics{
		Registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "kindex_http_requests_total",
			Help: "HTTP requests answered."}, []string{"route", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "kindex_http_request_seconds",
			Help: "Time from the request to the end of the response, in seconds.", Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30}}, []string{"route"}),
		inFlight:      prometheus.NewGauge(prometheus.GaugeOpts{Name: "kindex_http_requests_in_flight", Help: "HTTP requests in progress."}),
		buildSwitches: prometheus.NewCounter(prometheus.CounterOpts{Name: "kindex_build_switches_total", Help: "Switches to a new build."}),
		Refused:       prometheus.NewCounter(prometheus.CounterOpts{Name: "kindex_build_refused_total", Help: "Published builds that were rejected."}),
		build:         prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "kindex_build_info", Help: "The served build."}, []string{"build", "commit"}),
		entities:      prometheus.NewGauge(prometheus.GaugeOpts{Name: "kindex_build_entities", Help: "Number of entities in the served build that are not withdrawn."}),
		buildTime: prometheus.NewGauge(prometheus.GaugeOpts{Name: "kindex_build_timestamp_seconds",
			Help: "The as-of time of the served build or the time of its commit, whichever is later, as Unix time."}),
		loadSeconds: prometheus.NewGauge(prometheus.GaugeOpts{Name: "kindex_build_load_seconds", Help: "Time to verify and open the build, in seconds."}),
	}
	m.Registry.MustRegister(m.requests, m.seconds, m.inFlight, m.buildSwitches, m.Refused, m.build, m.entities, m.buildTime, m.loadSeconds,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) Switched(v *live.ServedBuild, took time.Duration) {
	m.buildSwitches.Inc()
	m.build.Reset()
	m.build.WithLabelValues(v.ID(), string(v.Build.Manifest.Commit)).Set(1)
	m.entities.Set(float64(v.Build.Listed()))
	m.buildTime.Set(float64(v.Build.Manifest.LastModified().Unix()))
	m.loadSeconds.Set(took.Seconds())
}

// observe counts a response of a route.
func (m *metrics) observe(route string, code int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(code)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}
