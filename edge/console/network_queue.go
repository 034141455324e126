package console

import (
	"context"
	"errors"
	"net/netip"
	"sync"
)

// maxQueuedForms is the maximum number of waiting requests per network.
const maxQueuedForms = 32

// errQueueFull means that a network already has too many waiting requests.
var errQueueFull = errors.New("too many requests from one network are waiting")

// networkQueues handles one request per network at a time. It keeps state only for networks with
// requests in progress, which limits its size. The zero value is ready to use. It is safe for
// concurrent use.
type networkQueues struct {
	mu       sync.Mutex
	networks map[netip.Prefix]*networkQueue
}

// networkQueue is the queue of one network.
type networkQueue struct {
	slot    chan struct{} // held by the request that is being handled
	waiting int           // number of requests that are waiting or being handled
}

// acquire waits for the network's turn, which lasts until done is called. It returns
// errQueueFull if too many requests are already waiting, or the context's error.
func (t *networkQueues) acquire(ctx context.Context, network netip.Prefix) (done func(), err error) {
	t.mu.Lock()
	queue := t.networks[network]
	if queue == nil {
		queue = &networkQueue{slot: make(chan struct{}, 1)}
		if t.networks == nil {
			t.networks = map[netip.Prefix]*networkQueue{}
		}
		t.networks[network] = queue
	}
	if queue.waiting > maxQueuedForms {
		t.mu.Unlock()
		return nil, errQueueFull
	}
	queue.waiting++
	t.mu.Unlock()
	select {
	case queue.slot <- struct{}{}:
		return func() {
			<-queue.slot
			t.release(network, queue)
		}, nil
	case <-ctx.Done():
		t.release(network, queue)
		return nil, ctx.Err()
	}
}

func (t *networkQueues) release(network netip.Prefix, queue *networkQueue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if queue.waiting--; queue.waiting == 0 {
		delete(t.networks, network)
	}
}
