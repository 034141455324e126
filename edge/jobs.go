package edge

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kindex/edge/live"
	"kindex/edge/ratelimit"
	"kindex/edge/webhook"
)

// RunJobs runs the server's background jobs until ctx ends and must be called only once. The jobs
// pull builds, store counters and key usage, turn new builds and coming retirements into events,
// deliver the events to webhooks, and delete expired records. The function that RunJobs returns waits until all jobs have ended.
func (s *Server) RunJobs(ctx context.Context) (wait func()) {
	var group sync.WaitGroup
	if s.puller != nil {
		group.Go(func() { s.puller.Run(ctx) })
	}
	for _, job := range []func(context.Context){
		func(ctx context.Context) { s.keys.Work(ctx, s.errorLogger("storing key usage")) },
		func(ctx context.Context) { ratelimit.Sweep(ctx, s.state, s.now, s.log) },
		s.markPublishedLoop,
		s.followForge,
		s.purge,
		s.events.Run,
		s.retiring.Run,
		s.accounts.Dispatch.Run,
	} {
		group.Go(func() { job(ctx) })
	}
	return group.Wait
}

// purgeInterval is the time between deletions of expired records.
const purgeInterval = 10 * time.Minute

func (s *Server) purge(ctx context.Context) {
	logError := s.errorLogger("deleting expired records")
	tick := time.NewTicker(purgeInterval)
	defer tick.Stop()
	for {
		for _, task := range []func(context.Context) error{s.state.PurgeIdempotency, s.state.PurgeSignIns, s.state.PurgeAudit} {
			if err := task(ctx); err != nil && ctx.Err() == nil {
				logError(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// stateStatus reports whether the database is reachable, for the operator.
func (s *Server) stateStatus(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := s.state.Ping(ctx); err != nil {
		return "unreachable"
	}
	return "reachable"
}

// registerStateMetric registers the metric that reports whether the database is reachable. The
// server checks that each time the metrics are read.
func (s *Server) registerStateMetric() {
	s.shared.Metrics.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "kindex_state_reachable",
		Help: "Whether the database is reachable: 1 or 0."}, func() float64 {
		if s.stateStatus(context.Background()) == "reachable" {
			return 1
		}
		return 0
	}))
}

// onSwitch is called after the server has switched to a build. It must not block.
func (s *Server) onSwitch(v *live.ServedBuild, took time.Duration) {
	s.shared.Metrics.Switched(v, took)
	v.Retain()
	s.events.Announce(webhook.Build{ID: v.Build.Manifest.ID, Archive: v.Build.Archive(), Release: v.Release})
}
