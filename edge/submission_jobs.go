package edge

import (
	"context"
	"time"

	"kindex/edge/submission"
	"kindex/edge/submission/github"
)

// How often the published build is compared with the accepted submissions: often,
// where it is another one, else for those that were accepted meanwhile.
const (
	lookForBuild    = time.Second
	lookForAccepted = time.Minute
)

// publishSubmissions notes which accepted submissions the build has, until ctx
// ends.
func (s *Server) publishSubmissions(ctx context.Context) {
	failed := s.failed("noting which submissions are published")
	tick := time.NewTicker(lookForBuild)
	defer tick.Stop()
	seen, at := "", time.Time{}
	for {
		if id := s.live.ID(); id != "" && (id != seen || time.Since(at) > lookForAccepted) {
			if err := s.publish(ctx); err == nil {
				seen, at = id, time.Now()
			} else if ctx.Err() == nil {
				failed(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// publish notes which accepted submissions are in the build. Edits that no build
// holds do not count.
func (s *Server) publish(ctx context.Context) error {
	v := s.live.Published()
	if v == nil {
		return nil
	}
	defer v.Release()
	list, err := submission.Publish(ctx, s.state, func(typ, slug string) bool {
		_, _, ok := v.Build.Find(typ, slug)
		return ok
	})
	for _, one := range list {
		s.log.Info("submission", "submission", one.ID, "entity", one.Key(), "status", one.Status, "build", v.ID())
	}
	return err
}

// followForge follows the pull requests of submissions, where a forge is
// configured.
func (s *Server) followForge(ctx context.Context) {
	if s.options.Forge == nil {
		return
	}
	f := &github.Follower{Forge: s.options.Forge, Store: s.state, Log: s.log}
	failed := s.failed("noting which submissions are published")
	f.Follow(ctx, github.Every, func(ctx context.Context) {
		if err := s.publish(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
	})
}
