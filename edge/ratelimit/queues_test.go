package ratelimit

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"testing"
)

// TestQueues: requests from one network are handled one at a time. A limited number of
// them wait, and any further ones are refused. Other networks do not wait. No state is kept for
// networks without requests.
func TestQueues(t *testing.T) {
	var all Queues
	one, other := Network(netip.MustParseAddr("198.51.100.1")), Network(netip.MustParseAddr("2001:db8::1"))
	done, err := all.Acquire(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	errs := make(chan error, 2*maxQueued)
	for range 2 * maxQueued {
		group.Go(func() {
			_, err := all.Acquire(ctx, one)
			errs <- err
		})
	}
	for range maxQueued {
		if err := <-errs; !errors.Is(err, ErrQueueFull) {
			t.Errorf("%v", err)
		}
	}
	elsewhere, err := all.Acquire(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere()
	cancel()
	group.Wait()
	for range maxQueued {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	done()
	if len(all.networks) != 0 {
		t.Errorf("%d networks are still stored", len(all.networks))
	}
	if done, err = all.Acquire(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	done()
}
