package ratelimit

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// The names of the headers, spelled as in the documentation. They are not in the canonical
// form of net/http, so Get and Del do not find them.
const (
	headerLimit     = "X-RateLimit-Limit"
	headerRemaining = "X-RateLimit-Remaining"
	headerReset     = "X-RateLimit-Reset"
	headerTier      = "X-RateLimit-Tier"
	headerState     = "RateLimit"
	headerPolicy    = "RateLimit-Policy"
)

// largestInteger is the largest integer in a structured field (RFC 9651 section 3.3.1).
const largestInteger = 999_999_999_999_999

// The header values for the tiers, shared by all responses. They must not be modified.
var (
	anonymousTier     = []string{Anonymous}
	authenticatedTier = []string{Authenticated}
	enterpriseTier    = []string{Enterprise}
)

func tierHeader(tier string) []string {
	switch tier {
	case Anonymous:
		return anonymousTier
	case Authenticated:
		return authenticatedTier
	case Enterprise:
		return enterpriseTier
	}
	return []string{tier}
}

// fixed holds the headers that are the same for all subjects with the same limit in the same
// window.
type fixed struct {
	limit, reset             int64
	window                   time.Duration
	limits, resets, policies []string
}

// lately caches recently used headers by limit, so that they are not formatted for every
// request.
var lately [16]atomic.Pointer[fixed]

func (s *State) fixed() *fixed {
	slot := &lately[uint64(s.Limit)%uint64(len(lately))] //nolint:gosec // any index is fine
	reset := s.Reset.Unix()
	if f := slot.Load(); f != nil && f.limit == s.Limit && f.reset == reset && f.window == s.Window {
		return f
	}
	limit := strconv.FormatInt(min(s.Limit, largestInteger), 10)
	f := &fixed{limit: s.Limit, reset: reset, window: s.Window,
		limits: []string{limit}, resets: []string{strconv.FormatInt(reset, 10)},
		policies: []string{s.policy() + ";q=" + limit + ";w=" + strconv.FormatInt(int64(s.Window/time.Second), 10)}}
	slot.Store(f)
	return f
}

// policy returns the name of the policy for the window.
func (s *State) policy() string {
	if s.Window == Day {
		return `"day"`
	}
	return `"window"`
}

// SetHeaders sets the headers of a response from the state: X-RateLimit-Limit, -Remaining,
// -Reset (Unix time in seconds) and -Tier, and RateLimit and RateLimit-Policy as in
// draft-ietf-httpapi-ratelimit-headers-10, with the policy "day" for a UTC day and "window"
// for any other window. It replaces existing headers. The values are shared and must not be
// modified. Appending to a value copies it.
func (s *State) SetHeaders(h http.Header, now time.Time) {
	// The value of X-RateLimit-Remaining is a substring of the value of RateLimit, which saves an
	// allocation.
	var buf [64]byte
	b := append(append(buf[:0], s.policy()...), ";r="...)
	begin := len(b)
	b = strconv.AppendInt(b, min(s.Remaining, largestInteger), 10)
	end := len(b)
	b = strconv.AppendInt(append(b, ";t="...), s.Wait(now), 10)
	all := string(b)
	values := &[2]string{all, all[begin:end]}
	f := s.fixed()
	h[headerLimit] = f.limits
	h[headerRemaining] = values[1:2:2]
	h[headerReset] = f.resets
	h[headerState] = values[0:1:1]
	h[headerPolicy] = f.policies
	h[headerTier] = tierHeader(s.Tier)
}
