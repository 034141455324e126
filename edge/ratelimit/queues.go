package ratelimit

import (
	"context"
	"errors"
	"net/netip"
	"sync"
)

// maxQueued is the maximum number of waiting requests per network.
const maxQueued = 32

// ErrQueueFull means that a network already has too many waiting requests.
var ErrQueueFull = errors.New("too many requests from one network are waiting")

// Queues lets one request per network be handled at a time. It keeps state only for networks with
// requests in progress, which limits its size. The zero value is ready to use. It is safe for
// concurrent use.
type Queues struct {
	mu       sync.Mutex
	networks map[netip.Prefix]*queue
}

// queue is the queue of one network.
type queue struct {
	slot    chan struct{} // held by the request that is being handled
	waiting int           // number of requests that are waiting or being handled
}

// Acquire waits for the network's turn, which lasts until done is called. It returns
// ErrQueueFull if too many requests are already waiting, or the context's error.
func (t *Queues) Acquire(ctx context.Context, network netip.Prefix) (done func(), err error) {
	t.mu.Lock()
	q := t.networks[network]
	if q == nil {
		q = &queue{slot: make(chan struct{}, 1)}
		if t.networks == nil {
			t.networks = map[netip.Prefix]*queue{}
		}
		t.networks[network] = q
	}
	if q.waiting > maxQueued {
		t.mu.Unlock()
		return nil, ErrQueueFull
	}
	q.waiting++
	t.mu.Unlock()
	select {
	case q.slot <- struct{}{}:
		return func() {
			<-q.slot
			t.release(network, q)
		}, nil
	case <-ctx.Done():
		t.release(network, q)
		return nil, ctx.Err()
	}
}

func (t *Queues) release(network netip.Prefix, q *queue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.waiting--; q.waiting == 0 {
		delete(t.networks, network)
	}
}
