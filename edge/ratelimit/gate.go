package ratelimit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// The reasons why a Gate refuses a caller.
var (
	// ErrBusy means that all slots are taken and none became free in time.
	ErrBusy = errors.New("too many concurrent requests")
	// ErrTooManyPerCaller means that a caller already has the maximum number of requests in
	// progress.
	ErrTooManyPerCaller = errors.New("too many concurrent requests from one caller")
)

// GateOptions sets the limits of a Gate. A waiting request costs little more than a connection.
type GateOptions struct {
	Slots     int           // maximum number of concurrent requests
	PerCaller int           // maximum per caller, including waiting requests; 0 means no limit
	Waiting   int           // maximum number of requests that can wait for a slot
	Wait      time.Duration // maximum time that a request can wait
}

// Gate limits concurrent work. If no slot is free, requests wait in order of arrival. It is safe for
// concurrent use.
type Gate struct {
	GateOptions
	slots   chan struct{}
	waiting atomic.Int64

	mu sync.Mutex
	by map[string]int // number running or waiting, by caller; unused if PerCaller is 0
}

// NewGate returns a Gate with all slots free.
func NewGate(o GateOptions) *Gate {
	return &Gate{GateOptions: o, slots: make(chan struct{}, o.Slots), by: map[string]int{}}
}

// Enter takes a slot for a caller, who must return it with leave. The error is ErrBusy,
// ErrTooManyPerCaller, or the context's error. If there is an error, no slot was taken.
func (g *Gate) Enter(ctx context.Context, caller string) (leave func(), err error) {
	if !g.add(caller, 1) {
		return nil, ErrTooManyPerCaller
	}
	select {
	case g.slots <- struct{}{}:
	default:
		if err := g.await(ctx); err != nil {
			g.add(caller, -1)
			return nil, err
		}
	}
	return func() {
		<-g.slots
		g.add(caller, -1)
	}, nil
}

func (g *Gate) await(ctx context.Context) error {
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > int64(g.Waiting) {
		return ErrBusy
	}
	timer := time.NewTimer(g.Wait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ErrBusy
	}
}

// Contended reports whether a caller is waiting for a slot.
func (g *Gate) Contended() bool { return g.waiting.Load() > 0 }

func (g *Gate) add(caller string, n int) bool {
	if g.PerCaller == 0 {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.by[caller]+n > g.PerCaller {
		return false
	}
	if g.by[caller] += n; g.by[caller] == 0 {
		delete(g.by, caller)
	}
	return true
}
