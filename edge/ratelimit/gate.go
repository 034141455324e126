package ratelimit

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
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

// Allowance gives each address (for IPv6, each /64) a number of tokens per second. It is safe for
// concurrent use, and its memory is bounded: if there are too many addresses, the least recent ones get
// all their tokens back.
type Allowance struct {
	rate, burst int
	now         func() time.Time
	start       time.Time

	mu   sync.Mutex
	kept recent[netip.Prefix, *rate.Limiter]
}

// NewAllowance returns an Allowance of rate tokens per second, which must be above 0, up to burst.
func NewAllowance(rate, burst int, now func() time.Time) *Allowance {
	return &Allowance{rate: rate, burst: burst, now: now, start: now()}
}

// Take takes tokens of an address, or all that are left, and reports whether there was one.
func (b *Allowance) Take(addr netip.Addr, tokens int) bool {
	who := addressOf(addr)
	if !who.IsValid() {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now, l := b.now(), b.kept.get(who)
	if l == nil {
		l = rate.NewLimiter(rate.Limit(b.rate), b.burst)
	}
	b.kept.put(who, l, now.Sub(b.start), time.Duration(b.burst)*time.Second/time.Duration(b.rate))
	n := min(tokens, int(l.TokensAt(now)))
	return n > 0 && l.AllowN(now, n)
}

// maxKept is the maximum number of entries in each generation of a recent map. 65,536 counts take
// about 15 MB, and as many allowances 10 MB.
const maxKept = 1 << 15

// recent is a map of bounded size. Values are added to the younger of two generations. Once that is
// full or old, it becomes the older generation, and the previous older generation is dropped.
type recent[K comparable, V any] struct {
	younger, older map[K]V
	since          time.Duration // when the younger generation was started
}

func (r *recent[K, V]) get(k K) V {
	if v, ok := r.younger[k]; ok {
		return v
	}
	return r.older[k]
}

// put stores a value. now is the time since a fixed point, and a generation is old after lasts.
func (r *recent[K, V]) put(k K, v V, now, lasts time.Duration) {
	if _, ok := r.younger[k]; !ok && (r.younger == nil || len(r.younger) >= maxKept || now-r.since > lasts) {
		r.younger, r.older, r.since = map[K]V{}, r.younger, now
	}
	r.younger[k] = v
}

// Counts is a Store in memory, which forgets the least recently added counts if there are too many.
type Counts struct {
	start time.Time

	mu    sync.Mutex
	kept  recent[countKey, int64]
	lasts time.Duration // the longest window
}

type countKey struct {
	subject string
	window  Window
}

func newCounts() *Counts { return &Counts{start: time.Now()} }

// Count implements Store.
func (c *Counts) Count(_ context.Context, subject string, w Window, n, limit int64) (used int64, ok bool, err error) {
	k := countKey{subject, w}
	c.mu.Lock()
	defer c.mu.Unlock()
	used = c.kept.get(k)
	if n > 0 && used+n > limit {
		return used, false, nil
	}
	if used = max(0, used+n); n != 0 {
		c.lasts = max(c.lasts, time.Duration(w.Length)*time.Second)
		c.kept.put(k, used, time.Since(c.start), c.lasts)
	}
	return used, true, nil
}
