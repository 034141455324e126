package ratelimit

import (
	"net/netip"
	"sync"
	"time"
)

// Allowance gives each address (for IPv6, each /64) a number of tokens per second. It is safe for
// concurrent use, and its memory is bounded: if there are too many addresses, the least recent ones get
// all their tokens back.
//
// An address is stored as one number, the time at which it has all its tokens again (the generic cell
// rate algorithm, ITU-T I.371). An address that has them needs no entry.
type Allowance struct {
	every time.Duration // the time between two tokens
	depth time.Duration // the time in which all tokens come back
	now   func() time.Time
	start time.Time // the origin of all times, so that changes to the system clock have no effect

	mu   sync.Mutex
	kept recent[netip.Prefix, time.Duration]
}

// NewAllowance returns an Allowance of rate tokens per second, which must be above 0, up to burst.
func NewAllowance(rate, burst int, now func() time.Time) *Allowance {
	every := max(1, time.Second/time.Duration(rate))
	return &Allowance{every: every, depth: every * time.Duration(burst), now: now, start: now()}
}

// Take takes tokens of an address, or all that are left, and reports whether there was one.
func (b *Allowance) Take(addr netip.Addr, tokens int) bool {
	who := addressOf(addr)
	if !who.IsValid() {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now().Sub(b.start)
	full := max(b.kept.get(who), now)
	if full+b.every > now+b.depth {
		return false
	}
	full = min(full+b.every*min(time.Duration(tokens), b.depth/b.every), now+b.depth) //nolint:durationcheck // tokens is a number, not a duration
	b.kept.put(who, full, now, b.depth)
	return true
}
