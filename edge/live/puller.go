package live

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"kindex/exports/bucket"
	"kindex/exports/mirror"
	"kindex/exports/store"
)

// PullOptions define where a Puller gets builds from.
type PullOptions struct {
	From       bucket.Reader
	Interval   time.Duration // average time between checks for a new build
	AllowOlder bool          // accept a build that is older than the one that was pulled last
}

// Puller pulls each build that is published in a bucket into the output folder of a Reloader. It
// is safe for concurrent use.
type Puller struct {
	options PullOptions
	live    *Reloader
	log     *slog.Logger
	now     func() time.Time
	status  atomic.Pointer[BucketStatus] // replaced by Run

	answered, pulled prometheus.Gauge
	bytes            prometheus.Counter
	failures         *prometheus.CounterVec // by BucketStatus.Status
}

// The values of BucketStatus.Status.
const (
	waiting     = "waiting" // the first check has not ended
	answering   = "ok"
	unreachable = "unreachable" // the bucket did not answer
	failed      = "failed"      // the published build could not be pulled for another reason
)

// BucketStatus is the state of the bucket when the edge last checked it.
type BucketStatus struct {
	Address  string     `json:"address"`
	Status   string     `json:"status"`
	Since    *time.Time `json:"since,omitempty"`    // when it became unreachable or failed
	Problem  string     `json:"problem,omitempty"`  // why
	Answered *time.Time `json:"answered,omitempty"` // when it last answered
}

// NewPuller returns a Puller, and loads the build in the output folder if it can be served. It
// creates the folder if it is missing, so that the Reloader can follow it, and registers the
// metrics.
func NewPuller(o PullOptions, l *Reloader, now func() time.Time, metrics prometheus.Registerer) (*Puller, error) {
	dir, err := store.MakeFolder(l.options.Root, "exports", "builds")
	if err == nil {
		err = dir.Close()
	}
	if err != nil {
		return nil, err
	}
	create := promauto.With(metrics)
	p := &Puller{options: o, live: l, log: l.options.Log, now: now,
		answered: create.NewGauge(prometheus.GaugeOpts{Name: "kindex_bucket_answered_timestamp_seconds", Help: "When the bucket last answered, as Unix time."}),
		pulled:   create.NewGauge(prometheus.GaugeOpts{Name: "kindex_bucket_pulled_timestamp_seconds", Help: "When a build was last pulled, as Unix time."}),
		bytes:    create.NewCounter(prometheus.CounterOpts{Name: "kindex_bucket_downloaded_bytes_total", Help: "Bytes downloaded from the bucket."}),
		failures: create.NewCounterVec(prometheus.CounterOpts{Name: "kindex_bucket_failures_total",
			Help: "Failed attempts to check for a build or to pull it, by reason."}, []string{"reason"})}
	for _, reason := range []string{unreachable, failed} {
		p.failures.WithLabelValues(reason)
	}
	p.status.Store(&BucketStatus{Address: o.From.String(), Status: waiting})
	switch err := l.Load(); {
	case errors.Is(err, store.ErrNoBuild):
		p.log.Info("no build yet; pulling the first one", "from", o.From.String())
	case err != nil:
		p.log.Error("the build in the folder cannot be served; pulling it again", "from", o.From.String(), "error", err)
	}
	return p, nil
}

// Run pulls builds until ctx ends.
func (p *Puller) Run(ctx context.Context) {
	o := mirror.PullOptions{Dir: p.live.options.Root, AllowOlder: p.options.AllowOlder, Verified: p.live.ID(), Verifiers: p.live.options.Verifiers,
		InUse: func(id string) bool { return id == p.live.ID() }}
	_ = mirror.Watch(ctx, p.options.From, o, p.options.Interval, func(r mirror.WatchResult) error { // report returns no error
		p.report(r)
		return nil
	})
}

// Status returns the status for the operator.
func (p *Puller) Status() BucketStatus { return *p.status.Load() }

// report logs the result of a check, and switches to a build that was pulled.
func (p *Puller) report(r mirror.WatchResult) {
	p.bytes.Add(float64(r.Pulled.Downloaded))
	p.setStatus(r)
	if r.Err != nil {
		p.failures.WithLabelValues(p.Status().Status).Inc()
		p.reportFailure(r)
		return
	}
	if !r.Pulled.Unchanged {
		p.pulled.Set(seconds(p.now()))
		p.log.Info("pulled build", "build", r.Pulled.Build, "bytes", r.Pulled.Bytes, "downloaded", r.Pulled.Downloaded, "files", r.Pulled.Fetched)
	}
	if r.Pulled.Build != "" {
		p.live.ForgetRefusal() // it may have been repaired or signed
	}
	p.live.reload()
}

func (p *Puller) reportFailure(r mirror.WatchResult) {
	log, message := p.log.Warn, "the bucket does not answer; retrying"
	switch {
	case r.Repeated:
		return
	case errors.Is(r.Err, mirror.ErrNothingPublished):
		message = "no build is published; retrying"
	case r.Answered:
		p.live.options.Refused()
		log, message = p.log.Error, "the published build cannot be pulled; retrying"
	}
	log(message, "serving", p.live.ID(), "error", r.Err)
}

// setStatus updates the status. A problem that changes keeps the time of the first one.
func (p *Puller) setStatus(r mirror.WatchResult) {
	now, before := p.now().UTC().Truncate(time.Second), p.status.Load()
	s := BucketStatus{Address: before.Address, Status: answering, Answered: before.Answered}
	if r.Answered {
		s.Answered = &now
		p.answered.Set(seconds(now))
	}
	switch {
	case r.Err != nil:
		s.Status, s.Problem, s.Since = unreachable, r.Err.Error(), &now
		if r.Answered {
			s.Status = failed
		}
		if s.Status == before.Status {
			s.Since = before.Since
		}
	case before.Status == unreachable:
		p.log.Info("the bucket answers again", "after", now.Sub(*before.Since).String())
	}
	p.status.Store(&s)
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
