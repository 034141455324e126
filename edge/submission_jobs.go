package edge

import (
	"context"
	"sync"
	"time"

	"kindex/edge/submission"
	"kindex/edge/submission/github"
)

// How often to check for a new build, and how often to compare an unchanged build with the
// accepted submissions again.
const (
	buildPollInterval    = time.Second
	acceptedPollInterval = time.Minute
)

// markPublishedLoop records which accepted submissions are in the build, until ctx
// ends.
func (s *Server) markPublishedLoop(ctx context.Context) {
	lastID, at := "", time.Time{}
	s.every(ctx, buildPollInterval, "recording which submissions are published", func(ctx context.Context) error {
		id := s.reloader.ID()
		if id == "" || id == lastID && time.Since(at) <= acceptedPollInterval {
			return nil
		}
		err := s.markPublished(ctx)
		if err == nil {
			lastID, at = id, time.Now()
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

// followForge follows the pull requests of submissions, if a forge is configured.
func (s *Server) followForge(ctx context.Context) {
	if s.options.Forge == nil {
		return
	}
	f := &github.Follower{Forge: s.options.Forge, Store: s.state, Log: s.log}
	logError := s.errorLogger("recording which submissions are published")
	f.Follow(ctx, github.PollInterval, func(ctx context.Context) {
		if err := s.markPublished(ctx); err != nil && ctx.Err() == nil {
			logError(err)
		}
	})
}

// errorLogger returns a function that logs the failures of a job. It logs a persistent error
// only once a minute.
func (s *Server) errorLogger(doing string) func(error) {
	var mu sync.Mutex
	var last string
	var at time.Time
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if err.Error() == last && time.Since(at) < time.Minute {
			return
		}
		last, at = err.Error(), time.Now()
		s.log.Error(doing, "error", err)
	}
}
