package edge

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
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
		if took := time.Since(start); runs != 4 || took != (1+2+4)*firstJobPause {
			t.Errorf("%d runs in %v", runs, took)
		}
		if n := strings.Count(log.String(), `job="announcing builds"`); n != 3 || !strings.Contains(log.String(), "index out of range") {
			t.Errorf("%d panics were logged: %s", n, log.String())
		}
	})
}
