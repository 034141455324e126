// Package ratelimit counts each subject's requests in time windows, and reports whether the
// next request is allowed. A subject is an address or an account. There are two
// implementations: Memory keeps counts in memory and flushes them to a store, for a single
// edge. Shared keeps them in the store itself, for several edges.
package ratelimit

import (
	"context"
	"errors"
	"net/netip"
	"time"
)

// The tiers, named as in X-RateLimit-Tier.
const (
	Anonymous     = "anonymous"     // counted by address
	Authenticated = "authenticated" // counted by account
	Enterprise    = "enterprise"    // counted by account, with a limit set by the operator
)

// Day is the default window of a Subject. Unix time has no leap seconds, so windows of this
// length start at 00:00 UTC.
const Day = 24 * time.Hour

// ErrUnavailable means that requests cannot be counted, because the store that keeps the
// counts is unavailable.
var ErrUnavailable = errors.New("requests cannot be counted")

// Subject is an address or account whose requests are counted.
type Subject struct {
	// ID is the same for all requests that share a count: "ip:203.0.113.7",
	// "ip:2001:db8:1:2::/64", "acc:acc_…".
	ID   string
	Tier string
	// Limit is the number of requests allowed per window. With 0, no request is allowed.
	Limit int64
	// Window is the length of a window, which is rounded up to whole seconds. 0 means Day.
	Window time.Duration
}

// AddressSubject returns the subject of an address: a whole /64 for IPv6, the usual
// allocation for one customer. Zones and IPv4-mapped IPv6 notation make no difference.
func AddressSubject(addr netip.Addr, limit int64) Subject {
	var buf [64]byte
	b := append(buf[:0], "ip:"...)
	addr = plain(addr)
	if addr.Is6() {
		prefix, _ := addr.Prefix(64) // cannot fail for an IPv6 address
		b = prefix.AppendTo(b)
	} else {
		b = addr.AppendTo(b)
	}
	return Subject{ID: string(b), Tier: Anonymous, Limit: limit}
}

// AccountSubject returns the subject of an account. If the operator has set a quota, it
// applies per window of the given length. Otherwise, limit applies per UTC day.
func AccountSubject(id string, quota int64, window time.Duration, limit int64) Subject {
	s := Subject{ID: "acc:" + id, Tier: Authenticated, Limit: limit}
	if quota != 0 || window != 0 {
		s.Tier, s.Window = Enterprise, window
	}
	if quota != 0 {
		s.Limit = quota
	}
	return s
}

// Window is a period in which requests are counted. Windows are aligned to the Unix epoch.
// The length is part of a window's identity: changing the window of an account resets its
// count.
type Window struct {
	End    int64 // Unix time in seconds, exclusive
	Length int64 // seconds
}

// WindowAt returns the window of the given length that contains the time. A length of 0 means
// Day.
func WindowAt(now time.Time, length time.Duration) Window {
	seconds := int64(Day / time.Second)
	if length > 0 {
		seconds = int64((length + time.Second - 1) / time.Second)
	}
	unix := now.Unix()
	since := unix % seconds
	if since < 0 { // before 1970
		since += seconds
	}
	return Window{End: unix - since + seconds, Length: seconds}
}

// ended reports whether the window has ended.
func (w Window) ended(now time.Time) bool { return now.Unix() >= w.End }

// State describes how much of its limit a subject has used.
type State struct {
	Limit     int64
	Remaining int64 // never below 0
	Reset     time.Time
	Window    time.Duration
	Tier      string
	// Allowed reports whether the request was counted or, for Peek, whether a request would
	// be counted.
	Allowed bool

	counted int64 // the number of requests counted, which Give uncounts
	isLocal bool  // counted locally by a Fallback
}

// window returns the window to which the state refers.
func (s *State) window() Window {
	return Window{End: s.Reset.Unix(), Length: int64(s.Window / time.Second)}
}

// Wait returns the number of seconds until the window ends, rounded up to at least 1, for use
// as the value of Retry-After.
func (s *State) Wait(now time.Time) int64 {
	return max(1, int64((s.Reset.Sub(now)+time.Second-1)/time.Second))
}

func stateOf(s *Subject, w Window, used int64, allowed bool) State {
	st := State{Limit: max(0, s.Limit), Remaining: max(0, s.Limit-used), Reset: time.Unix(w.End, 0).UTC(),
		Window: time.Duration(w.Length) * time.Second, Tier: s.Tier, Allowed: allowed}
	if allowed {
		st.counted = 1
	}
	return st
}

// more returns the state after n requests were counted in addition to those in taken.
func more(taken State, s *Subject, used, n int64) State {
	st := stateOf(s, taken.window(), used, true)
	st.counted = taken.counted + n
	return st
}

// Unknown returns the state of a subject whose count cannot be read: nothing remains, and no
// request is allowed.
func Unknown(s Subject, now time.Time) State {
	return stateOf(&s, WindowAt(now, s.Window), s.Limit, false)
}

// Limiter counts requests. It is safe for concurrent use. Its errors are ErrUnavailable or
// context errors.
type Limiter interface {
	// Take counts a request, unless the limit has been reached.
	Take(ctx context.Context, s Subject) (State, error)
	// TakeMore counts n more requests, given the State that Take returned for the first one, or
	// none of them if fewer remain in its window. ok reports whether it counted them. Give then
	// uncounts all of them.
	TakeMore(ctx context.Context, s Subject, taken State, n int64) (st State, ok bool, err error)
	// Give uncounts a request, given the State that Take returned for it, and returns the new
	// state. The new state is never Allowed, so passing it to Give again has no effect. Give
	// does nothing if the request was not counted or its window has ended. It works even if ctx
	// has ended, because the client may have disconnected.
	Give(ctx context.Context, s Subject, taken State) (State, error)
	// Peek returns the state without counting a request.
	Peek(ctx context.Context, s Subject) (State, error)
}

// asUnavailable wraps an error from a store in ErrUnavailable.
func asUnavailable(err error) error {
	if err == nil || errors.Is(err, ErrUnavailable) {
		return err
	}
	return &storeError{err}
}

// storeError is an ErrUnavailable with its cause.
type storeError struct{ cause error }

func (e *storeError) Error() string   { return ErrUnavailable.Error() + ": " + e.cause.Error() }
func (e *storeError) Unwrap() []error { return []error{ErrUnavailable, e.cause} }
