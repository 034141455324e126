package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
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
	ID     string // the same for all requests that share a count: "ip:203.0.113.7", "ip:2001:db8:1:2::/64", "acc:acc_…"
	Tier   string
	Limit  int64         // the number of requests allowed per window
	Window time.Duration // the length of a window, which is rounded up to whole seconds; 0 means Day
}

// AddressSubject returns the subject of an address: a whole /64 for IPv6. Zones and IPv4-mapped IPv6
// notation make no difference.
func AddressSubject(addr netip.Addr, limit int64) Subject {
	s := Subject{ID: "ip:" + plain(addr).String(), Tier: Anonymous, Limit: limit}
	if p := addressOf(addr); p.Addr().Is6() {
		s.ID = "ip:" + p.String()
	}
	return s
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
	since := (unix%seconds + seconds) % seconds // also before 1970
	return Window{End: unix - since + seconds, Length: seconds}
}

// wait returns the number of seconds until the window ends, rounded up to at least 1.
func (w Window) wait(now time.Time) int64 {
	return max(1, int64((time.Unix(w.End, 0).Sub(now)+time.Second-1)/time.Second))
}

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
	in      Store // where they were counted
}

func (s *State) window() Window {
	return Window{End: s.Reset.Unix(), Length: int64(s.Window / time.Second)}
}

// Wait returns the number of seconds until the window ends, rounded up to at least 1, for use
// as the value of Retry-After.
func (s *State) Wait(now time.Time) int64 { return s.window().wait(now) }

func stateOf(s *Subject, w Window, used int64, allowed bool) State {
	return State{Limit: max(0, s.Limit), Remaining: max(0, s.Limit-used), Reset: time.Unix(w.End, 0).UTC(),
		Window: time.Duration(w.Length) * time.Second, Tier: s.Tier, Allowed: allowed}
}

// Unknown returns the state of a subject whose count cannot be read: nothing remains, and no
// request is allowed.
func Unknown(s Subject, now time.Time) State {
	return stateOf(&s, WindowAt(now, s.Window), s.Limit, false)
}

// Store keeps counts, which several edges can share.
type Store interface {
	// Count adds n to a count and returns the result, or returns the count if n is 0. It adds nothing
	// if n is above 0 and the sum would exceed the limit; ok reports whether it did not. A count does
	// not fall below 0.
	Count(ctx context.Context, subject string, w Window, n, limit int64) (used int64, ok bool, err error)
}

// Quota counts requests exactly, in a store. While the store is unavailable, it counts anonymous
// requests in memory, and returns ErrUnavailable for all others, because requests with a key must be
// counted exactly. Its errors are ErrUnavailable or context errors. It is safe for concurrent use.
type Quota struct {
	store Store
	local *Counts // of anonymous requests while the store is unavailable
	// unchanged counts the free 304s of each edge, since its work is to be limited, not usage measured.
	unchanged *Counts
	now       func() time.Time
	retryAt   atomic.Int64 // when the store is tried again, 0 while it responds: Unix time in ms
}

// storeTimeout is the timeout of a query to the store. While the store does not respond in time, one
// request tries it every retryAfter, for at most probeTimeout. All others do without, so that they
// neither pile up nor take long.
const (
	storeTimeout = 3 * time.Second
	retryAfter   = time.Second
	probeTimeout = 500 * time.Millisecond
)

// NewQuota returns a Quota with counts in a store.
func NewQuota(store Store, now func() time.Time) *Quota {
	return &Quota{store: store, local: newCounts(), unchanged: newCounts(), now: now}
}

// Take counts a request, unless the limit has been reached.
func (q *Quota) Take(ctx context.Context, s Subject) (State, error) { return q.first(ctx, &s, 1) }

// Peek returns the state without counting a request.
func (q *Quota) Peek(ctx context.Context, s Subject) (State, error) { return q.first(ctx, &s, 0) }

// TakeMore counts n more requests, given the State that Take returned for the first one, or none of
// them if fewer remain in its window. ok reports whether it counted them. Give then uncounts all of
// them.
func (q *Quota) TakeMore(ctx context.Context, s Subject, taken State, n int64) (st State, ok bool, err error) {
	used, ok, err := count(ctx, taken.in, &s, taken.window(), n, storeTimeout)
	if err != nil || !ok {
		return taken, false, err
	}
	st = stateOf(&s, taken.window(), used, true)
	st.counted, st.in = taken.counted+n, taken.in
	return st, true, nil
}

// Give uncounts a request, given the State that Take returned for it, also when ctx has ended, and
// returns the new state, which is not Allowed, so that giving it again has no effect. It does nothing
// if the request was not counted or its window has ended.
func (q *Quota) Give(ctx context.Context, s Subject, taken State) (State, error) {
	w := taken.window()
	if !taken.Allowed || q.now().Unix() >= w.End {
		return taken, nil
	}
	used, _, err := count(context.WithoutCancel(ctx), taken.in, &s, w, -taken.counted, storeTimeout)
	if err != nil {
		return taken, err
	}
	return stateOf(&s, w, used, false), nil
}

// FreeUnchanged is the maximum number of free 304s, as a multiple of the limit.
const FreeUnchanged = 10

// TakeUnchanged counts a free 304 for a subject, or a check of whether a 304 is possible. It reports
// whether there may be one.
func (q *Quota) TakeUnchanged(ctx context.Context, s Subject) bool {
	s.Limit = min(s.Limit, math.MaxInt64/FreeUnchanged) * FreeUnchanged
	_, ok, _ := q.unchanged.Count(ctx, s.ID, WindowAt(q.now(), s.Window), 1, s.Limit) // it has no errors
	return ok
}

// first counts the first request of a state, or none if n is 0.
func (q *Quota) first(ctx context.Context, s *Subject, n int64) (State, error) {
	w, in, err := WindowAt(q.now(), s.Window), q.store, ErrUnavailable
	var used int64
	var ok bool
	if patience := q.patience(); patience > 0 {
		if used, ok, err = count(ctx, in, s, w, n, patience); ctx.Err() != nil {
			return State{}, ctx.Err()
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			q.retryAt.Store(q.now().Add(retryAfter).UnixMilli())
		case err == nil:
			q.retryAt.Store(0)
		}
	}
	if err != nil && s.Tier == Anonymous {
		in = q.local
		used, ok, err = count(ctx, in, s, w, n, storeTimeout)
	}
	if err != nil {
		return State{}, err
	}
	st := stateOf(s, w, used, ok && (n > 0 || used < s.Limit))
	st.counted, st.in = n, in
	return st, nil
}

// patience returns how long a request may use the store, or 0 if it may not.
func (q *Quota) patience() time.Duration {
	at := q.retryAt.Load()
	if at == 0 {
		return storeTimeout
	}
	now := q.now()
	if now.UnixMilli() < at || !q.retryAt.CompareAndSwap(at, now.Add(retryAfter).UnixMilli()) {
		return 0
	}
	return probeTimeout
}

// count counts in a store. Its error is an ErrUnavailable with its cause, or that of ctx.
func count(ctx context.Context, in Store, s *Subject, w Window, n int64, timeout time.Duration) (used int64, ok bool, err error) {
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	used, ok, err = in.Count(within, s.ID, w, n, s.Limit)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		err = ctx.Err()
	case within.Err() != nil:
		err = fmt.Errorf("%w: %w", ErrUnavailable, context.DeadlineExceeded)
	default:
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return used, ok, err
}

// largestInteger is the largest integer in a structured field (RFC 9651 section 3.3.1).
const largestInteger = 999_999_999_999_999

// SetHeaders sets X-RateLimit-Limit, -Remaining, -Reset (Unix time in seconds) and -Tier, and
// RateLimit and RateLimit-Policy as in draft-ietf-httpapi-ratelimit-headers-10, with the policy
// "day" for a UTC day and else "window". The names are spelled as documented, not in the canonical
// form of net/http, so Get and Del do not find them.
func (s *State) SetHeaders(h http.Header, now time.Time) {
	policy := `"window"`
	if s.Window == Day {
		policy = `"day"`
	}
	number := func(n int64) string { return strconv.FormatInt(min(n, largestInteger), 10) }
	limit, remaining := number(s.Limit), number(s.Remaining)
	h["X-RateLimit-Limit"] = []string{limit}
	h["X-RateLimit-Remaining"] = []string{remaining}
	h["X-RateLimit-Reset"] = []string{strconv.FormatInt(s.Reset.Unix(), 10)}
	h["X-RateLimit-Tier"] = []string{s.Tier}
	h["RateLimit"] = []string{policy + ";r=" + remaining + ";t=" + number(s.Wait(now))}
	h["RateLimit-Policy"] = []string{policy + ";q=" + limit + ";w=" + number(int64(s.Window/time.Second))}
}
