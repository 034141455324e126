package console

import (
	"context"
	"errors"
	"net/netip"
	"sync"
)

// maxQueuedForms is how many requests of one network can wait.
const maxQueuedForms = 32

// errQueueFull is returned if a network has too many requests waiting.
var errQueueFull = errors.New("too many requests from one network are waiting")

// networkQueues processes one request per network at a time. It keeps state only for
// networks with requests in progress, which bounds its size. The zero value is ready to
// use; it is safe for concurrent use.
type networkQueues struct {
	mu       sync.Mutex
	networks map[netip.Prefix]*networkQueue
}

// networkQueue is the queue of one network.
type networkQueue struct {
	slot    chan struct{} // has room for the one whose turn it is
	waiting int           // number of requests that wait or have their turn
}

// acquire waits for the turn of a network, which lasts until done is called. It returns
// errQueueFull if too many requests already wait, or the error of the context.
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
