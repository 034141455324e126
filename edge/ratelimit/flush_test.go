package ratelimit

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// slowStore stores the counts and returns a second later. Callers with a shorter deadline get
// an error.
type slowStore struct{ *store }

// AddCounters implements CounterStore.
func (s slowStore) AddCounters(ctx context.Context, counts []Count) error {
	if err := s.store.AddCounters(ctx, counts); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second):
		return nil
	}
}

// TestCloseDuringFlush closes a Memory while counts are on their way to the store: the counts
// are stored only once. A store that does not respond does not keep Close from returning.
func TestCloseDuringFlush(t *testing.T) {
	for what, patience := range map[string]time.Duration{"a slow store": time.Minute, "an impatient caller": 100 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			s := newStore()
			m := NewMemory(slowStore{s}, MemoryOptions{FlushAfter: time.Millisecond})
			if _, err := m.Take(t.Context(), account("a", 10)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Millisecond)
			synctest.Wait() // the flush is in progress
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			begun := time.Now()
			err := m.Close(ctx)
			if took := time.Since(begun); (err == nil) != (patience > time.Second) || took > min(patience, time.Second) {
				t.Errorf("%s: ended after %v: %v", what, took, err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if got := slices.Collect(maps.Values(s.counts)); err == nil && (len(got) != 1 || got[0] != 1) {
				t.Errorf("%s: one request counted as %v", what, got)
			}
		})
	}
}
