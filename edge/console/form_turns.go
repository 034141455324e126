package console

import (
	"context"
	"errors"
	"net/netip"
	"sync"
)

// maxFormWaiting is how many requests of one network may wait for their turn.
const maxFormWaiting = 32

// errCrowded is returned if a network has too many requests waiting.
var errCrowded = errors.New("too many requests of one network are waiting")

// turns lets each network do one thing at a time. It holds nothing for a network
// without requests under way, so that requests under way bound its size. The zero
// value is ready to use, by any number of goroutines.
type turns struct {
	mu       sync.Mutex
	networks map[netip.Prefix]*turn
}

// turn is the queue of one network.
type turn struct {
	busy chan struct{} // has room for the one whose turn it is
	held int           // number of requests that wait or have their turn
}

// wait waits for the turn of a network, which lasts until done is called. It returns
// errCrowded if too many requests already wait, or the error of the context.
func (t *turns) wait(ctx context.Context, network netip.Prefix) (done func(), err error) {
	t.mu.Lock()
	one := t.networks[network]
	if one == nil {
		one = &turn{busy: make(chan struct{}, 1)}
		if t.networks == nil {
			t.networks = map[netip.Prefix]*turn{}
		}
		t.networks[network] = one
	}
	if one.held > maxFormWaiting {
		t.mu.Unlock()
		return nil, errCrowded
	}
	one.held++
	t.mu.Unlock()
	select {
	case one.busy <- struct{}{}:
		return func() {
			<-one.busy
			t.leave(network, one)
		}, nil
	case <-ctx.Done():
		t.leave(network, one)
		return nil, ctx.Err()
	}
}

func (t *turns) leave(network netip.Prefix, one *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.held--; one.held == 0 {
		delete(t.networks, network)
	}
}
