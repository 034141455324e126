package ratelimit

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

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
