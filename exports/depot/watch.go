package depot

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"time"

	"kindex/exports/bucket"
	"kindex/exports/store"
)

// MinInterval is the shortest time between two looks at what is published.
const MinInterval = time.Second

// maxFactor limits how much longer than the interval Watch waits if the published build cannot be
// used.
const maxFactor = 16

// Look says what Watch found when it looked at what is published.
type Look struct {
	Pulled   *Pulled // nil after an error
	Err      error
	Repeated bool // the error is the same as last time
	// Answered reports whether the bucket answered every request. If it did, an error is about
	// what it answered, or about the output folder.
	Answered bool
}

// Watch pulls every new build until ctx ends, and then returns nil. It looks at once, and then on
// average once in every interval, which is at least MinInterval; less often if the published build
// cannot be used. It calls looked after each look, and ends if looked returns an error.
func Watch(ctx context.Context, from bucket.Reader, o PullOptions, interval time.Duration, looked func(Look) error) error {
	said, factor := "", 1
	for {
		var l Look
		var unanswered *unansweredError
		l.Pulled, l.Err = Pull(ctx, answering{from}, o)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was interrupted, which is how it ends
		}
		l.Answered = !errors.As(l.Err, &unanswered)
		if l.Err != nil {
			l.Repeated, said = l.Err.Error() == said, l.Err.Error()
		} else {
			said, o.Known, o.Intact = "", l.Pulled.Tag, cmp.Or(l.Pulled.Build, o.Intact)
		}
		if err := looked(l); err != nil {
			return err
		}
		// What cannot be used is read again less and less often, since that costs more than a look.
		if factor = min(2*factor, maxFactor); l.Err == nil || !l.Answered || !l.Repeated || errors.Is(l.Err, ErrNothing) {
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

// answering marks the errors of requests that the bucket did not answer.
type answering struct{ bucket.Reader }

// Read implements bucket.Reader.
func (a answering) Read(ctx context.Context, name string, limit int64, known string) ([]byte, string, error) {
	data, tag, err := a.Reader.Read(ctx, name, limit, known)
	var tooLong *bucket.TooLongError
	var damaged *store.DamageError
	if err != nil && !errors.Is(err, bucket.ErrUnchanged) && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &tooLong) && !errors.As(err, &damaged) {
		err = &unansweredError{err}
	}
	return data, tag, err
}

// unansweredError is the error of a request that the bucket did not answer.
type unansweredError struct{ error }

func (e *unansweredError) Unwrap() error { return e.error }
