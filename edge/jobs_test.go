package edge

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kindex/builder/suite"
)

// TestPanicInJob has a background job panic, as a forged build made one do: it is logged, and the job runs
// again after a pause instead of ending the edge.
func TestPanicInJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var log strings.Builder
		s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
		runs := 0
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		start := time.Now()
		s.keepRunning(ctx, "announcing builds", func(context.Context) {
			mu.Lock()
			defer mu.Unlock()
			if runs++; runs < 4 {
				var none []int
				_ = none[runs]
			}
		})
		suite.Equal(t, runs, 4)
		suite.Equal(t, time.Since(start), (1+2+4)*firstJobPause)
		suite.Equal(t, strings.Count(log.String(), `job="announcing builds"`), 3, "panics were logged", log.String())
		suite.Contains(t, log.String(), "index out of range", "panics were logged")
	})
}
