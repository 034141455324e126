package web

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"kindex/edge/apikey"
	"kindex/edge/live"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/exports/parallel"
)

// Shared contains what all requests have in common. It must not be changed once requests are
// being served.
type Shared struct {
	Log            *slog.Logger
	Now            func() time.Time
	Metrics        *metrics
	LogRequests    bool
	URL            string // the service's public address; if "", the requested host is used
	ContactAddress string // the operator's address, or "" if there is none
	SignIn         bool   // people can sign in on the website
	Keys           *apikey.Authenticator
	// LimitAnonymous and LimitKey are the maximum numbers of requests per day, or 0.
	LimitAnonymous, LimitKey int64
	Proxies                  *ratelimit.Proxies
	Limits                   *ratelimit.Limits
	AccountTimeout           time.Duration // if 0, the constant AccountTimeout is used
	Paths                    []string      // paths of the API, for suggestions
	Origins                  bool          // responses depend on the origin of the request

	stateFailed atomic.Int64 // the second in which an unavailable database was last logged
}

// Limited reports whether requests are counted towards a daily limit.
func (s *Shared) Limited() bool { return s.LimitAnonymous > 0 || s.LimitKey > 0 }

// Vary returns the Vary header of responses that depend on these headers of the request.
func (s *Shared) Vary(names string) []string {
	if s.Origins {
		names += ", Origin"
	}
	return []string{names}
}

// LogFailure logs a request that failed. While the database is unavailable, that is one line a second
// instead of one for each request.
func (s *Shared) LogFailure(id, path string, p *Problem) {
	if now := s.Now().Unix(); p.Code == "state-unavailable" && s.stateFailed.Swap(now) == now {
		return
	}
	s.Log.Error("request failed", "requestId", id, "path", path, "error", fmt.Sprint(p.Cause))
}

// WithSessionActor returns a context in which changes are attributed to the signed-in user.
func (s *Shared) WithSessionActor(r *http.Request) context.Context {
	return storage.WithActor(r.Context(), storage.Actor{Kind: storage.BySession, Address: s.ClientAddress(r)})
}

// ClientAddress returns the IP address that a request comes from, in the form used in the audit
// log.
func (s *Shared) ClientAddress(r *http.Request) string {
	return s.Proxies.Client(r).Unmap().WithZone("").String()
}

// SuspendedProblem returns the problem for a key of a suspended account.
func (s *Shared) SuspendedProblem(err *apikey.SuspendedError) *Problem {
	return NewProblem("account-suspended", AsSentence(err.Error())+s.ContactSentence(" Write to %s."))
}

// ContactSentence returns a sentence in which it replaces %s with the operator's address, or "" if the
// operator has none.
func (s *Shared) ContactSentence(sentence string) string {
	if s.ContactAddress == "" {
		return ""
	}
	return strings.Replace(sentence, "%s", s.ContactAddress, 1)
}

// Instrument returns a handler for a route that assigns an ID to each request, measures and logs
// it, and recovers from panics.
func (s *Shared) Instrument(route string, answer func(*Call, http.ResponseWriter)) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		start := time.Now()
		c := &Call{Shared: s, Request: r, Writer: w, Path: p, ID: requestID(r)}
		rec := &recorder{ResponseWriter: w, call: c, status: http.StatusOK}
		header := rec.Header()
		header["X-Request-Id"] = []string{c.ID}
		header["X-Content-Type-Options"] = noSniff
		header["Vary"] = s.Vary("Accept-Encoding")
		s.Metrics.inFlight.Inc()
		defer func() {
			abort := c.recoverPanic(rec, recover())
			c.leave()
			s.Metrics.inFlight.Dec()
			s.Metrics.requests.WithLabelValues(route, strconv.Itoa(rec.status)).Inc()
			s.Metrics.seconds.WithLabelValues(route).Observe(time.Since(start).Seconds())
			if s.LogRequests {
				s.Log.Info("request", "requestId", c.ID, "method", r.Method, "path", r.URL.Path, "status", rec.status,
					"bytes", rec.bytes, "took", time.Since(start).Round(time.Microsecond))
			}
			if abort {
				panic(http.ErrAbortHandler)
			}
		}()
		answer(c, rec)
	}
}

// recoverPanic responds if a handler has panicked. If abort is true, part of a response has been
// sent and the connection must be cut.
func (c *Call) recoverPanic(rec *recorder, cause any) (abort bool) {
	if cause == nil || cause == http.ErrAbortHandler { //nolint:errorlint // net/http compares it in the same way
		return cause != nil
	}
	c.Shared.Log.Error("panic", "requestId", c.ID, "path", c.Request.URL.Path, "cause", fmt.Sprint(cause), "stack", string(parallel.Stack(cause)))
	if rec.written {
		return true
	}
	c.Fail(rec, fmt.Errorf("panic: %v", cause))
	return false
}

// requestID returns the ID set by a proxy if it is valid, or else a new one.
func requestID(r *http.Request) string {
	if sent := r.Header.Get("X-Request-Id"); validRequestID.MatchString(sent) {
		return sent
	}
	return fmt.Sprintf("%016x%08x", rand.Uint64(), rand.Uint32()) //nolint:gosec // the ID is not a secret: it only identifies a request
}

var validRequestID = regexp.MustCompile(`^[0-9A-Za-z._-]{1,64}$`)

// recorder records the status of a response, and finalizes the count of the request before the response
// is sent.
type recorder struct {
	http.ResponseWriter
	call    *Call
	status  int
	bytes   int64
	written bool
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.written {
		return
	}
	r.call.leave() // the expensive work has been done
	if status == http.StatusNotModified {
		delete(r.Header(), "Link") // the link contains a cursor that depends on the records on the page
	}
	r.call.finalize(r.Header(), status)
	r.status, r.written = status, true
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if !r.written {
		r.WriteHeader(http.StatusOK)
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

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

// NewMetrics returns metrics in a registry of their own.
func NewMetrics() *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	create := promauto.With(registry)
	return &metrics{
		Registry: registry,
		requests: create.NewCounterVec(prometheus.CounterOpts{Name: "kindex_http_requests_total",
			Help: "HTTP requests answered."}, []string{"route", "code"}),
		seconds: create.NewHistogramVec(prometheus.HistogramOpts{Name: "kindex_http_request_seconds",
			Help: "Time from the request to the end of the response, in seconds.", Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30}}, []string{"route"}),
		inFlight:      create.NewGauge(prometheus.GaugeOpts{Name: "kindex_http_requests_in_flight", Help: "HTTP requests in progress."}),
		buildSwitches: create.NewCounter(prometheus.CounterOpts{Name: "kindex_build_switches_total", Help: "Switches to a new build."}),
		Refused:       create.NewCounter(prometheus.CounterOpts{Name: "kindex_build_refused_total", Help: "Published builds that were rejected."}),
		build:         create.NewGaugeVec(prometheus.GaugeOpts{Name: "kindex_build_info", Help: "The served build."}, []string{"build", "commit"}),
		entities:      create.NewGauge(prometheus.GaugeOpts{Name: "kindex_build_entities", Help: "Number of entities in the served build that are not withdrawn."}),
		buildTime: create.NewGauge(prometheus.GaugeOpts{Name: "kindex_build_timestamp_seconds",
			Help: "The as-of time of the served build or the time of its commit, whichever is later, as Unix time."}),
		loadSeconds: create.NewGauge(prometheus.GaugeOpts{Name: "kindex_build_load_seconds", Help: "Time to verify and open the build, in seconds."}),
	}
}

// Switched records that a build became the current one, and the time it took to open it.
func (m *metrics) Switched(v *live.ServedBuild, took time.Duration) {
	m.buildSwitches.Inc()
	m.build.Reset()
	m.build.WithLabelValues(v.ID(), string(v.Build.Manifest.Commit)).Set(1)
	m.entities.Set(float64(v.Build.Listed()))
	m.buildTime.Set(float64(v.Build.Manifest.LastModified().Unix()))
	m.loadSeconds.Set(took.Seconds())
}
