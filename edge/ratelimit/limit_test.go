package ratelimit

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"testing/quick"
	"time"
)

func TestWindows(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		now    string
		length time.Duration
		end    string
	}{
		{"2026-03-01T00:00:00Z", 0, "2026-03-02T00:00:00Z"},
		{"2026-03-01T23:59:59.999999999Z", 0, "2026-03-02T00:00:00Z"},
		{"2026-03-02T00:30:00+02:00", 0, "2026-03-02T00:00:00Z"}, // still March 1 in UTC
		{"2028-02-29T12:00:00Z", Day, "2028-03-01T00:00:00Z"},
		{"2026-03-01T10:59:59Z", time.Hour, "2026-03-01T11:00:00Z"},
		{"2026-03-01T10:00:00.4Z", 300 * time.Millisecond, "2026-03-01T10:00:01Z"}, // rounds up
		{"2026-03-01T10:00:00Z", 90 * time.Second, "2026-03-01T10:01:30Z"},
		{"1970-01-03T00:00:00Z", 7 * Day, "1970-01-08T00:00:00Z"}, // aligned to the epoch
		{"1969-12-31T23:00:00Z", 0, "1970-01-01T00:00:00Z"},
	} {
		if w := WindowAt(at(c.now), c.length); w.End != at(c.end).Unix() {
			t.Errorf("the window of %s with length %s ends at %s, want %s", c.now, c.length, time.Unix(w.End, 0).UTC(), c.end)
		}
	}
	within := func(unix int32, seconds uint32) bool {
		length := int64(seconds%10_000_000) + 1
		w := WindowAt(time.Unix(int64(unix), 0), time.Duration(length)*time.Second)
		return w.Length == length && w.End%length == 0 && w.End > int64(unix) && w.End-length <= int64(unix)
	}
	if err := quick.Check(within, nil); err != nil {
		t.Error(err)
	}
}

func TestSubjects(t *testing.T) {
	for addr, id := range map[string]string{
		"203.0.113.7":              "ip:203.0.113.7",
		"::ffff:203.0.113.7":       "ip:203.0.113.7",
		"2001:db8:1:2:3:4:5:6":     "ip:2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::%eth0": "ip:2001:db8:1:2::/64",
		"2001:db8:1:3::":           "ip:2001:db8:1:3::/64",
		"::1":                      "ip:::/64",
	} {
		if s := AddressSubject(netip.MustParseAddr(addr), 20); s != (Subject{ID: id, Tier: Anonymous, Limit: 20}) {
			t.Errorf("%s is %+v, want %s", addr, s, id)
		}
	}
	for _, c := range []struct{ got, want Subject }{
		{AccountSubject("acc_1", 0, 0, 100), Subject{"acc:acc_1", Authenticated, 100, 0}},
		{AccountSubject("acc_1", 5000, 0, 100), Subject{"acc:acc_1", Enterprise, 5000, 0}},
		{AccountSubject("acc_1", 5000, time.Hour, 100), Subject{"acc:acc_1", Enterprise, 5000, time.Hour}},
		{AccountSubject("acc_1", 0, time.Hour, 100), Subject{"acc:acc_1", Enterprise, 100, time.Hour}},
	} {
		if c.got != c.want {
			t.Errorf("got %+v, want %+v", c.got, c.want)
		}
	}
}

func TestHeaders(t *testing.T) {
	now := time.Date(2026, 3, 1, 22, 59, 59, 5e8, time.UTC)
	for _, c := range []struct {
		subject                                      Subject
		used                                         int64
		limit, remaining, reset, tier, state, policy string
	}{
		{Subject{Tier: Anonymous, Limit: 20}, 3, "20", "17", "1772409600", "anonymous", `"day";r=17;t=3601`, `"day";q=20;w=86400`},
		{Subject{Tier: Authenticated, Limit: 100}, 100, "100", "0", "1772409600", "authenticated", `"day";r=0;t=3601`, `"day";q=100;w=86400`},
		{Subject{Tier: Enterprise, Limit: 7, Window: time.Hour}, 9, "7", "0", "1772406000", "enterprise", `"window";r=0;t=1`, `"window";q=7;w=3600`},
		{Subject{Tier: "special", Limit: 1 << 62}, 0, "999999999999999", "999999999999999", "1772409600", "special",
			`"day";r=999999999999999;t=3601`, `"day";q=999999999999999;w=86400`},
	} {
		h := http.Header{"X-RateLimit-Limit": {"5"}, "Vary": {"x"}}
		w := WindowAt(now, c.subject.Window)
		st := stateOf(&c.subject, w, c.used, true)
		st.SetHeaders(h, now)
		for name, want := range map[string]string{"X-RateLimit-Limit": c.limit, "X-RateLimit-Remaining": c.remaining,
			"X-RateLimit-Reset": c.reset, "X-RateLimit-Tier": c.tier, "RateLimit": c.state, "RateLimit-Policy": c.policy, "Vary": "x"} {
			if got := h[name]; len(got) != 1 || got[0] != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
			if cap(h[name]) > 1 {
				t.Errorf("appending to %s overwrites another header", name)
			}
		}
	}
}

// TestHeadersAreStructuredFields checks the headers of any state against the grammar of RFC
// 9651: a list of one string with integer parameters of at most 15 digits.
func TestHeadersAreStructuredFields(t *testing.T) {
	item := regexp.MustCompile(`^"[ !#-\[\]-~]*"(;[a-z*][a-z0-9_.*-]*=-?[0-9]{1,15})+$`)
	ok := func(limit, used int64, window uint32, unix int32) bool {
		now := time.Unix(int64(unix), 0)
		s := Subject{Tier: Anonymous, Limit: limit, Window: time.Duration(window) * time.Second}
		st := stateOf(&s, WindowAt(now, s.Window), used&(1<<62-1), true)
		h := http.Header{}
		st.SetHeaders(h, now)
		remaining, err := strconv.ParseInt(h["X-RateLimit-Remaining"][0], 10, 64)
		return item.MatchString(h["RateLimit"][0]) && item.MatchString(h["RateLimit-Policy"][0]) && err == nil && remaining >= 0
	}
	if err := quick.Check(ok, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

// failing is a Limiter that can be made to fail.
type failing struct {
	Limiter
	err   error
	asked int
	hangs chan struct{} // if not nil, a request reports here that it hangs
}

func (f *failing) Take(ctx context.Context, s Subject) (State, error) {
	if f.asked++; f.hangs != nil {
		f.hangs <- struct{}{}
		<-ctx.Done()
		return State{}, asUnavailable(ctx.Err())
	}
	if f.err != nil {
		return State{}, f.err
	}
	return f.Limiter.Take(ctx, s)
}

func TestFallback(t *testing.T) {
	c := clockAt(noon)
	first := &failing{Limiter: memory(t, newStore(), MemoryOptions{Now: c.now})}
	f := NewFallback(first, MemoryOptions{Now: c.now})
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	visitor, customer := AddressSubject(netip.MustParseAddr("192.0.2.1"), 2), account("a", 2)
	take := func(s Subject, allowed bool, remaining int64) State {
		t.Helper()
		st, err := f.Take(t.Context(), s)
		if err != nil || st.Allowed != allowed || st.Remaining != remaining {
			t.Fatalf("%+v, %v; want allowed %t, %d remaining", st, err, allowed, remaining)
		}
		return st
	}
	take(visitor, true, 1)
	take(customer, true, 1)

	first.err = asUnavailable(errors.New("connection refused"))
	local := take(visitor, true, 1) // local counts start at 0
	take(visitor, true, 0)
	take(visitor, false, 0)
	if _, err := f.Take(t.Context(), customer); !errors.Is(err, ErrUnavailable) {
		t.Errorf("request with a key got %v", err)
	}
	if st, err := f.Give(t.Context(), visitor, local); err != nil || st.Remaining != 1 {
		t.Errorf("%+v, %v", st, err)
	}

	first.err = nil // the store is back, with its earlier counts
	take(customer, true, 0)
	take(visitor, true, 0)
	take(visitor, false, 0)

	first.err = context.Canceled // cancellation by the client is not a store failure
	if _, err := f.Take(t.Context(), visitor); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}

	first.err = asUnavailable(context.DeadlineExceeded) // it hangs: later requests do not wait
	take(visitor, true, 0)
	asked := first.asked
	take(visitor, false, 0)
	if _, err := f.Take(t.Context(), customer); !errors.Is(err, ErrUnavailable) || first.asked != asked {
		t.Errorf("%v, and the store got %d requests meanwhile", err, first.asked-asked)
	}
	c.add(retryAfter) // of the requests after the pause, one tries it, and not for long
	first.hangs = make(chan struct{}, 10)
	var probes sync.WaitGroup
	probes.Go(func() { _, _ = f.Take(t.Context(), visitor) })
	<-first.hangs
	take(visitor, false, 0)
	if _, err := f.Take(t.Context(), customer); !errors.Is(err, ErrUnavailable) || first.asked != asked+1 {
		t.Errorf("%v, and the store got %d requests after the pause", err, first.asked-asked)
	}
	probes.Wait() // ends with the patience
	take(visitor, false, 0)
	if first.asked != asked+1 {
		t.Errorf("the store got %d requests after a probe that failed", first.asked-asked)
	}
	first.hangs, first.err = nil, nil
	c.add(retryAfter)
	take(visitor, false, 0)
	take(visitor, false, 0)
	if first.asked != asked+3 {
		t.Errorf("the store got %d requests after it was back", first.asked-asked)
	}
}
