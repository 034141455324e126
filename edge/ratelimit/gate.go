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

// GateOptions sets the limits of a Gate.
type GateOptions struct {
	Slots      int           // maximum number of concurrent requests
	PerCaller  int           // maximum per caller, including waiting requests; 0 means no limit
	MaxWaiting int           // maximum number of requests that can wait for a slot
	Wait       time.Duration // maximum time that a request can wait
}

// Gate limits concurrent work. If no slot is free, requests wait in order of arrival. How
// many can wait, and for how long, is limited, too. It is safe for concurrent use.
type Gate struct {
	options GateOptions
	slots   chan struct{}
	waiting atomic.Int64

	mu sync.Mutex
	by map[string]int // number running or waiting, by caller; unused if PerCaller is 0
}

// NewGate returns a Gate with all slots free.
func NewGate(o GateOptions) *Gate {
	return &Gate{options: o, slots: make(chan struct{}, o.Slots), by: map[string]int{}}
}

// Enter takes a slot for a caller, who must return it with Leave. The error is ErrBusy,
// ErrTooManyPerCaller, or the context's error. If there is an error, no slot was taken.
func (g *Gate) Enter(ctx context.Context, caller string) error {
	if !g.reserve(caller) {
		return ErrTooManyPerCaller
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	if err := g.await(ctx); err != nil {
		g.release(caller)
		return err
	}
	return nil
}

func (g *Gate) await(ctx context.Context) error {
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > int64(g.options.MaxWaiting) {
		return ErrBusy
	}
	timer := time.NewTimer(g.options.Wait)
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

// Leave returns a slot that Enter took for the same caller.
func (g *Gate) Leave(caller string) {
	<-g.slots
	g.release(caller)
}

// Contended reports whether a caller is waiting for a slot.
func (g *Gate) Contended() bool { return g.waiting.Load() > 0 }

func (g *Gate) reserve(caller string) bool {
	if g.options.PerCaller == 0 {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.by[caller] >= g.options.PerCaller {
		return false
	}
	g.by[caller]++
	return true
}

func (g *Gate) release(caller string) {
	if g.options.PerCaller == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.by[caller]--; g.by[caller] == 0 {
		delete(g.by, caller)
	}
}
