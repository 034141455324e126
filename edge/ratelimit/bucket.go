package ratelimit

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// maxBuckets is the maximum number of entries in each generation of Buckets. Both generations
// together take about 10 MB.
const maxBuckets = 1 << 15

// Buckets are token buckets, one per address (IPv6: per /64). They start full. Buckets is safe
// for concurrent use, and its memory is bounded: if there are too many addresses, the least
// recently used buckets become full again.
//
// A bucket is stored as one number, the time at which it is full again (the generic cell rate
// algorithm, ITU-T I.371). A full bucket needs no entry. Entries are kept in two generations,
// so that full buckets can be dropped without a scan.
type Buckets struct {
	every time.Duration // the time between two tokens
	depth time.Duration // the time in which an empty bucket fills up
	now   func() time.Time
	start time.Time // the origin of all times, so that changes to the system clock have no effect

	latest atomic.Int64 // when a token was last taken, in ns since start

	mu             sync.Mutex
	younger, older map[netip.Prefix]time.Duration
	since          time.Duration // the start of the younger generation
}

// NewBuckets returns Buckets that are refilled with rate tokens per second, which must
// be above 0, up to burst. If now is nil, time.Now is used.
func NewBuckets(rate, burst int, now func() time.Time) *Buckets {
	if now == nil {
		now = time.Now
	}
	every := max(1, time.Second/time.Duration(rate))
	return &Buckets{every: every, depth: every * time.Duration(burst), now: now, start: now()}
}

// Take takes a token out of an address's bucket, and reports whether there was one.
func (b *Buckets) Take(addr netip.Addr) bool { return b.take(addr, 1) }

// Charge takes n more tokens out of an address's bucket, or all that are left.
func (b *Buckets) Charge(addr netip.Addr, n int) {
	if n > 0 {
		b.take(addr, time.Duration(n))
	}
}

// HasToken reports whether there is a token in an address's bucket.
func (b *Buckets) HasToken(addr netip.Addr) bool { return b.take(addr, 0) }

// Idle reports, without looking at each bucket, whether all buckets are known to be full.
func (b *Buckets) Idle() bool {
	latest := b.latest.Load()
	return latest == 0 || b.now().Sub(b.start) > time.Duration(latest)+b.depth
}

func (b *Buckets) take(addr netip.Addr, tokens time.Duration) bool {
	addr = plain(addr)
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	who, err := addr.Prefix(bits)
	if err != nil {
		return true // the zero Addr: a connection without an address
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now().Sub(b.start)
	full, found := b.younger[who]
	if !found {
		full = b.older[who]
	}
	full = max(full, now)
	if full+b.every > now+b.depth {
		return false
	}
	if tokens == 0 {
		return true
	}
	full = min(full+b.every*min(tokens, b.depth/b.every), now+b.depth) //nolint:durationcheck // tokens is a number, not a duration
	if !found && (b.younger == nil || len(b.younger) >= maxBuckets || now-b.since > b.depth) {
		b.younger, b.older, b.since = map[netip.Prefix]time.Duration{}, b.younger, now
	}
	b.younger[who] = full
	b.latest.Store(int64(max(now, 1)))
	return true
}
