package ratelimit

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// SharedStore stores counts that several edges share.
type SharedStore interface {
	// TakeCounter adds n to a count in one statement, unless the sum would exceed the limit, and
	// returns the new count. ok reports whether it was changed.
	TakeCounter(ctx context.Context, subject string, w Window, n, limit int64) (used int64, ok bool, err error)
	// GiveCounter subtracts n from a count, which does not fall below 0, and returns the new
	// count.
	GiveCounter(ctx context.Context, subject string, w Window, n int64) (used int64, err error)
	// PeekCounter returns a count, or 0 if there is none.
	PeekCounter(ctx context.Context, subject string, w Window) (used int64, err error)
}

// storeTimeout is the timeout of a query to the store.
const storeTimeout = 3 * time.Second

// Shared is a Limiter for several edges that share a store. Take needs only one statement,
// and is exact across all edges.
type Shared struct {
	store SharedStore
	now   func() time.Time
}

// NewShared returns a Shared. If now is nil, time.Now is used.
func NewShared(store SharedStore, now func() time.Time) *Shared {
	if now == nil {
		now = time.Now
	}
	return &Shared{store, now}
}

// Take implements Limiter.
func (l *Shared) Take(ctx context.Context, s Subject) (State, error) {
	w := WindowAt(l.now(), s.Window)
	if s.Limit <= 0 {
		return stateOf(&s, w, 0, false), nil
	}
	within, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	used, ok, err := l.store.TakeCounter(within, s.ID, w, 1, s.Limit)
	if err != nil {
		return State{}, storeFailure(ctx, err)
	}
	if !ok {
		used = s.Limit
	}
	return stateOf(&s, w, used, ok), nil
}

// TakeMore implements Limiter.
func (l *Shared) TakeMore(ctx context.Context, s Subject, taken State, n int64) (State, bool, error) {
	within, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	used, ok, err := l.store.TakeCounter(within, s.ID, taken.window(), n, s.Limit)
	switch {
	case err != nil:
		return taken, false, storeFailure(ctx, err)
	case !ok:
		return taken, false, nil
	}
	return more(taken, &s, used, n), true, nil
}

// Give implements Limiter.
func (l *Shared) Give(ctx context.Context, s Subject, taken State) (State, error) {
	w := taken.window()
	if !taken.Allowed || w.ended(l.now()) {
		return taken, nil
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	used, err := l.store.GiveCounter(within, s.ID, w, taken.counted)
	if err != nil {
		return taken, asUnavailable(err)
	}
	return stateOf(&s, w, used, false), nil
}

// Peek implements Limiter.
func (l *Shared) Peek(ctx context.Context, s Subject) (State, error) {
	w := WindowAt(l.now(), s.Window)
	within, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	used, err := l.store.PeekCounter(within, s.ID, w)
	if err != nil {
		return State{}, storeFailure(ctx, err)
	}
	return stateOf(&s, w, used, used < s.Limit), nil
}

// storeFailure returns the context's error if the client has disconnected, and the store's
// error otherwise.
func storeFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return asUnavailable(err)
}

// Fallback is a Limiter that continues to count anonymous requests, in memory, while the
// store of its primary Limiter is unavailable. For all other requests it returns
// ErrUnavailable, because requests with a key must be counted exactly.
type Fallback struct {
	primary Limiter
	local   *Memory
	now     func() time.Time
	retryAt atomic.Int64 // when primary is tried again, 0 while it responds: Unix time in ms
}

// While a store does not respond in time, one request tries it every retryAfter, for at most
// probeTimeout. All others do without, so that they neither pile up nor take long.
const (
	retryAfter   = time.Second
	probeTimeout = 500 * time.Millisecond
)

// NewFallback returns a Fallback for a primary Limiter. In each window, its local counts
// start at 0. The caller must close it.
func NewFallback(first Limiter, o MemoryOptions) *Fallback {
	local := NewMemory(nil, o)
	return &Fallback{primary: first, local: local, now: local.options.Now}
}

// Take implements Limiter.
func (f *Fallback) Take(ctx context.Context, s Subject) (State, error) {
	return f.try(ctx, s, Limiter.Take)
}

// Peek implements Limiter.
func (f *Fallback) Peek(ctx context.Context, s Subject) (State, error) {
	return f.try(ctx, s, Limiter.Peek)
}

// Give implements Limiter. A request that was counted locally is uncounted locally.
func (f *Fallback) Give(ctx context.Context, s Subject, taken State) (State, error) {
	if taken.isLocal {
		st, err := f.local.Give(ctx, s, taken)
		st.isLocal = true
		return st, err
	}
	return f.primary.Give(ctx, s, taken)
}

// TakeMore implements Limiter. Requests are counted where the first one was.
func (f *Fallback) TakeMore(ctx context.Context, s Subject, taken State, n int64) (State, bool, error) {
	if taken.isLocal {
		st, ok, err := f.local.TakeMore(ctx, s, taken, n)
		st.isLocal = true
		return st, ok, err
	}
	return f.primary.TakeMore(ctx, s, taken, n)
}

// Close stops counting locally. It does not close the primary Limiter.
func (f *Fallback) Close(ctx context.Context) error { return f.local.Close(ctx) }

func (f *Fallback) try(ctx context.Context, s Subject, do func(Limiter, context.Context, Subject) (State, error)) (State, error) {
	err := ErrUnavailable
	if within, cancel := f.turn(ctx); within != nil {
		defer cancel()
		var st State
		st, err = do(f.primary, within, s)
		switch {
		case ctx.Err() != nil:
			return st, err
		case within.Err() != nil || errors.Is(err, context.DeadlineExceeded):
			err = asUnavailable(err)
			f.retryAt.Store(f.now().Add(retryAfter).UnixMilli())
		case !errors.Is(err, ErrUnavailable):
			f.retryAt.Store(0)
			return st, err
		}
	}
	if s.Tier != Anonymous {
		return State{}, err
	}
	st, err := do(f.local, ctx, s)
	st.isLocal = true
	return st, err
}

// turn returns the context in which a request may use the store, or nil if it may not.
func (f *Fallback) turn(ctx context.Context) (within context.Context, cancel context.CancelFunc) {
	at := f.retryAt.Load()
	if at == 0 {
		return ctx, func() {}
	}
	now := f.now()
	if now.UnixMilli() < at || !f.retryAt.CompareAndSwap(at, now.Add(retryAfter).UnixMilli()) {
		return nil, nil
	}
	return context.WithTimeout(ctx, probeTimeout)
}
