package safedial

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/time/rate"
)

const (
	// DefaultHostRate is the default maximum number of requests per second to one host, from
	// all callers.
	DefaultHostRate = 20
	// HostConcurrency is the maximum number of concurrent connections or requests to one
	// host.
	HostConcurrency = 10
	// maxWait is the maximum waiting time returned.
	maxWait = 10 * time.Minute
	// minPruneHosts is the number of hosts above which idle hosts are forgotten.
	minPruneHosts = 1024
)

// BusyError means that the rate limit of a host has been reached.
type BusyError struct{ Wait time.Duration }

func (e *BusyError) Error() string {
	return fmt.Sprintf("the limit for this host has been reached; wait %v", e.Wait.Round(time.Second))
}

// hostLimiter limits the rate and the concurrency of attempts for each host. It is safe for concurrent use.
type hostLimiter struct {
	rate float64 // attempts per second, and also the burst
	now  func() time.Time

	mu      sync.Mutex
	hosts   map[string]*hostState
	pruneAt int // number of hosts above which idle hosts are dropped
}

type hostState struct {
	*rate.Limiter
	inFlight    int
	nextWaiting time.Time // when the caller told to wait longest can retry
}

func newHostLimiter(rate float64, now func() time.Time) *hostLimiter {
	return &hostLimiter{rate: rate, now: now, hosts: map[string]*hostState{}, pruneAt: minPruneHosts}
}

// reserve takes a slot for an attempt; end returns the slot. If wait is not 0, there is no
// slot, and the caller can retry after that time: each waiting caller gets a different time.
func (p *hostLimiter) reserve(host string) (end func(), wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	h := p.hosts[host]
	if h == nil {
		p.forget(now)
		h = &hostState{Limiter: rate.NewLimiter(rate.Limit(p.rate), max(int(p.rate), 1))}
		p.hosts[host] = h
	}
	if h.inFlight < HostConcurrency && h.AllowN(now, 1) {
		h.inFlight++
		return func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			h.inFlight--
		}, 0
	}
	gap := time.Duration(float64(time.Second) / p.rate)
	if h.nextWaiting.Before(now) {
		h.nextWaiting = now
	}
	if h.nextWaiting = h.nextWaiting.Add(gap); h.nextWaiting.Sub(now) > maxWait {
		h.nextWaiting = now.Add(maxWait)
	}
	return nil, h.nextWaiting.Sub(now)
}

// forget drops hosts whose state no longer matters. How many remain is bounded by the rate of new hosts.
func (p *hostLimiter) forget(now time.Time) {
	if len(p.hosts) < p.pruneAt {
		return
	}
	for name, h := range p.hosts {
		if h.inFlight == 0 && h.TokensAt(now) >= float64(h.Burst()) && h.nextWaiting.Before(now) {
			delete(p.hosts, name)
		}
	}
	p.pruneAt = max(minPruneHosts, 2*len(p.hosts))
}

// network returns the network by which an address is limited: one host can use all addresses of a /64.
func network(a netip.Addr) string {
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return a.String()
	}
	return p.String()
}

// Reserve takes a slot for a request to an address that CheckURL returned; end returns the
// slot. If wait is not 0, the limit of the host has been reached, and the caller can retry
// after that time. All names in one registered domain count as one host. Addresses that the
// operator has allowed are not limited.
func (g *Guard) Reserve(address string) (end func(), wait time.Duration) {
	u, err := url.Parse(address)
	if err != nil || g.requestLimiter == nil {
		return func() {}, 0
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if a, err := netip.ParseAddr(host); err == nil {
		port, err := portOf(u)
		if err == nil && g.allows(netip.AddrPortFrom(a, port)) {
			return func() {}, 0
		}
		return g.requestLimiter.reserve(network(a))
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		host = domain
	}
	return g.requestLimiter.reserve(host)
}

// reserveDial is like Reserve for connections: many names can resolve to the same address.
func (g *Guard) reserveDial(to netip.AddrPort) (end func(), err error) {
	if g.dialLimiter == nil || g.allows(to) {
		return func() {}, nil
	}
	end, wait := g.dialLimiter.reserve(network(to.Addr()))
	if wait > 0 {
		return nil, &BusyError{wait}
	}
	return end, nil
}

// RetryAfter returns how long a response asks to wait before the next request, at most longest.
// The header Retry-After has a number of seconds or a date (RFC 9110 section 10.2.3). ok is false
// if the header is missing or invalid.
func RetryAfter(h http.Header, now time.Time, longest time.Duration) (wait time.Duration, ok bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if strings.Trim(text, "0123456789") == "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n > int64(longest/time.Second) { // more seconds than a Duration has would overflow
			return longest, true
		}
		return time.Duration(n) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), longest), true
}
