package mirror

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"kindex/exports/bucket"
)

// MinInterval is the shortest time between two checks for a new build.
const MinInterval = time.Second

// maxFactor limits how much longer than the interval Watch waits if the published build cannot be
// used.
const maxFactor = 16

// WatchResult describes one check for a new build.
type WatchResult struct {
	Pulled   *PullResult // after an error, it says only what was downloaded
	Err      error
	Repeated bool // the error is the same as last time
	// Answered reports whether the bucket answered every request. If it did, an error is about
	// what it answered, or about the output folder.
	Answered bool
}

// Watch pulls every new build until ctx ends, and then returns nil. It checks at once, and then on
// average once in every interval, which is at least MinInterval; less often if the published build
// cannot be used. It calls report after each check, and ends if report returns an error.
func Watch(ctx context.Context, from bucket.Reader, o PullOptions, interval time.Duration, report func(WatchResult) error) error {
	lastErr, factor := "", 1
	for {
		var r WatchResult
		var unanswered *unansweredError
		r.Pulled, r.Err = Pull(ctx, from, o)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // this is how Watch ends
		}
		r.Answered = !errors.As(r.Err, &unanswered)
		if r.Err != nil {
			r.Repeated, lastErr = r.Err.Error() == lastErr, r.Err.Error()
		} else {
			lastErr, o.Known, o.Verified = "", r.Pulled.Known, cmp.Or(r.Pulled.Build, o.Verified)
		}
		if err := report(r); err != nil {
			return err
		}
		// A build that cannot be used is read less and less often, since that costs more than a check.
		if factor = min(2*factor, maxFactor); r.Err == nil || !r.Answered || !r.Repeated || errors.Is(r.Err, ErrNothingPublished) {
			factor = 1
		}
		// Many edges must not ask at the same moment.
		interval := max(interval, MinInterval) * time.Duration(factor)
		wait := interval/2 + rand.N(interval) //nolint:gosec // nobody gains from guessing it
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}
