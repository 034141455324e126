package edge

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"kindex/edge/live"
	"kindex/edge/submission"
	"kindex/edge/submission/github"
)

// RunJobs runs the server's background jobs until ctx ends and must be called only once. The jobs
// pull builds, store key usage, turn new builds and coming retirements into events,
// deliver the events to webhooks, and delete expired records. The function that RunJobs returns waits until all jobs have ended.
func (s *Server) RunJobs(ctx context.Context) (wait func()) {
	var group sync.WaitGroup
	jobs := map[string]func(context.Context){
		"storing key usage":      s.storeKeyUsage,
		"publishing submissions": s.markPublishedLoop,
		"purging": func(ctx context.Context) {
			s.every(ctx, 10*time.Minute, "deleting expired records", s.state.Purge)
		},
		"announcing builds":   s.events.Run,
		"delivering webhooks": s.accounts.Dispatch.Run,
	}
	if s.puller != nil {
		jobs["pulling builds"] = s.puller.Run
	}
	if s.options.Forge != nil {
		jobs["following the forge"] = s.followForge
	}
	for name, job := range jobs {
		group.Go(func() { s.keepRunning(ctx, name, job) })
	}
	return group.Wait
}

// The pauses before a job that panicked runs again; each is twice the one before.
const (
	firstJobPause = time.Second
	maxJobPause   = time.Minute
)

// keepRunning runs a job, and runs it again after a pause if it panics. A build that somebody forged must
// not end the edge, which can go on answering requests.
func (s *Server) keepRunning(ctx context.Context, name string, job func(context.Context)) {
	for pause := firstJobPause; s.panics(ctx, name, job); pause = min(2*pause, maxJobPause) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (s *Server) panics(ctx context.Context, name string, job func(context.Context)) (panicked bool) {
	defer func() {
		if cause := recover(); cause != nil {
			panicked = true
			s.log.Error("panic in a job", "job", name, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
		}
	}()
	job(ctx)
	return false
}

// storeKeyUsage stores when keys were used: every few seconds, and once more at the end.
func (s *Server) storeKeyUsage(ctx context.Context) {
	s.every(ctx, 5*time.Second, "storing key usage", s.shared.Keys.Flush)
	if err := s.shared.Keys.Flush(context.WithoutCancel(ctx)); err != nil {
		s.log.Error("storing key usage", "error", err)
	}
}

// every runs a task again and again until ctx ends, and logs its errors.
func (s *Server) every(ctx context.Context, interval time.Duration, doing string, task func(context.Context) error) {
	logError := s.errorLogger(doing)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := task(ctx); err != nil && ctx.Err() == nil {
			logError(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// reachable returns 1 if the database is reachable, and 0 otherwise.
func (s *Server) reachable(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := s.state.Ping(ctx); err != nil {
		return 0
	}
	return 1
}

// How often to check for a new build, and how often to compare an unchanged build with the
// accepted submissions again.
const (
	buildPollInterval    = time.Second
	acceptedPollInterval = time.Minute
)

// markPublishedLoop records which accepted submissions are in the build, until ctx
// ends.
func (s *Server) markPublishedLoop(ctx context.Context) {
	var last *live.ServedBuild
	var at time.Time
	s.every(ctx, buildPollInterval, "recording which submissions are published", func(ctx context.Context) error {
		v := s.reloader.Published()
		if v == last && time.Since(at) <= acceptedPollInterval {
			return nil
		}
		err := s.markPublished(ctx)
		if err == nil {
			last, at = v, time.Now()
		}
		return err
	})
}

// markPublished records which accepted submissions are in the build. Previewed edits are not
// taken into account.
func (s *Server) markPublished(ctx context.Context) error {
	v := s.reloader.Published()
	if v == nil {
		return nil
	}
	list, err := submission.Publish(ctx, s.state, v.Build)
	for _, one := range list {
		s.log.Info("submission", "submission", one.ID, "entity", one.Key(), "status", one.Status, "build", v.ID())
	}
	return err
}

func (s *Server) followForge(ctx context.Context) {
	f := &github.Follower{Forge: s.options.Forge, Store: s.state, Log: s.log}
	logError := s.errorLogger("recording which submissions are published")
	f.Follow(ctx, github.PollInterval, func(ctx context.Context) {
		if err := s.markPublished(ctx); err != nil && ctx.Err() == nil {
			logError(err)
		}
	})
}

// errorLogger returns a function that logs the failures of a job, for use by a single goroutine. It logs a
// persistent error only once a minute.
func (s *Server) errorLogger(doing string) func(error) {
	var last string
	var at time.Time
	return func(err error) {
		if err.Error() == last && time.Since(at) < time.Minute {
			return
		}
		last, at = err.Error(), time.Now()
		s.log.Error(doing, "error", err)
	}
}
