package ratelimit

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
	"testing"
	"testing/quick"
	"testing/synctest"
	"time"

	"kindex/builder/suite"
)

func TestWindows(t *testing.T) {
	at := func(s string) time.Time {
		return suite.Must(time.Parse(time.RFC3339Nano, s))(t)
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
	suite.Check(t, quick.Check(within, nil))
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
		s := AddressSubject(netip.MustParseAddr(addr), 20)
		suite.Holds(t, s == (Subject{ID: id, Tier: Anonymous, Limit: 20}), addr, s, id)
	}
	for _, c := range []struct{ got, want Subject }{
		{AccountSubject("acc_1", 0, 0, 100), Subject{"acc:acc_1", Authenticated, 100, 0}},
		{AccountSubject("acc_1", 5000, 0, 100), Subject{"acc:acc_1", Enterprise, 5000, 0}},
		{AccountSubject("acc_1", 5000, time.Hour, 100), Subject{"acc:acc_1", Enterprise, 5000, time.Hour}},
		{AccountSubject("acc_1", 0, time.Hour, 100), Subject{"acc:acc_1", Enterprise, 100, time.Hour}},
	} {
		suite.Equal(t, c.got, c.want)
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
			got := h[name]
			suite.Holds(t, len(got) == 1 && got[0] == want, name, got, want)
			suite.Holds(t, cap(h[name]) <= 1, "appending to", name, "overwrites another header")
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
	suite.Check(t, quick.Check(ok, &quick.Config{MaxCount: 2000}))
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// failing is a store that can fail or hang.
type failing struct {
	*Counts
	err   error
	asked int
	hangs bool
}

func (f *failing) Count(ctx context.Context, subject string, w Window, n, limit int64) (int64, bool, error) {
	f.asked++
	if f.hangs {
		<-ctx.Done()
		return 0, false, ctx.Err()
	}
	if f.err != nil {
		return 0, false, f.err
	}
	return f.Counts.Count(ctx, subject, w, n, limit)
}

// TestStoreUnavailable: while the store fails, anonymous requests are counted in memory, and others get an
// error. While it hangs, one request a second tries it.
func TestStoreUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &failing{Counts: newCounts()}
		q := NewQuota(store, time.Now)
		visitor, customer := AddressSubject(netip.MustParseAddr("192.0.2.1"), 2), AccountSubject("a", 0, 0, 2)
		take := func(s Subject, allowed bool, remaining int64) State {
			t.Helper()
			st, err := q.Take(t.Context(), s)
			suite.Holds(t, err == nil && st.Allowed == allowed &&
				st.Remaining == remaining, st, err, "want allowed", allowed, "remaining", remaining)
			return st
		}
		refused := func() {
			t.Helper()
			suite.Is(t, suite.Err(q.Take(t.Context(), customer)), ErrUnavailable)
		}
		first := take(visitor, true, 1)
		take(customer, true, 1)
		store.err = errors.New("gone")
		local := take(visitor, true, 1) // counted here
		refused()
		suite.Is(t, suite.Err(q.Give(t.Context(), visitor, first)), ErrUnavailable)
		suite.Equal(t, suite.Must(q.Give(t.Context(), visitor, local))(t).Remaining, 2, "uncounting in memory")
		if more, ok, err := q.TakeMore(t.Context(), visitor, take(visitor, true, 1), 1); !ok || err != nil || more.Remaining != 0 {
			t.Errorf("one more in memory: %+v %t %v", more, ok, err)
		}
		store.err, store.hangs, store.asked = nil, true, 0
		refused() // it has waited, and the others do not
		for range 100 {
			take(visitor, false, 0)
			refused()
		}
		suite.Equal(t, store.asked, 1, "requests tried a store that hangs, want 1")
		time.Sleep(retryAfter)
		take(visitor, false, 0)
		refused()
		suite.Equal(t, store.asked, 2, "requests tried it after a second, want 2 in all")
		store.hangs = false
		time.Sleep(2 * retryAfter)
		take(customer, true, 0)
		take(visitor, true, 0)
	})
}

// TestGateIsExact checks that slots, slots per caller and waiting requests are limited, and
// that every outcome releases what was taken.
func TestGateIsExact(t *testing.T) {
	g := NewGate(GateOptions{Slots: 2, PerCaller: 1, Waiting: 1, Wait: time.Minute})
	leaveA, err1 := g.Enter(t.Context(), "a")
	leaveB, err2 := g.Enter(t.Context(), "b")
	suite.Check(t, errors.Join(err1, err2))
	suite.Is(t, suite.Err(g.Enter(t.Context(), "a")), ErrTooManyPerCaller)
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error)
	var leaveC func()
	enter := func(ctx context.Context) {
		var err error
		leaveC, err = g.Enter(ctx, "c")
		waited <- err
	}
	go enter(ctx)
	for !g.Contended() {
		time.Sleep(time.Millisecond)
	}
	suite.Is(t, suite.Err(g.Enter(t.Context(), "d")), ErrBusy)
	cancel()
	suite.Is(t, <-waited, context.Canceled, "canceled caller")
	go enter(t.Context())
	for !g.Contended() {
		time.Sleep(time.Millisecond)
	}
	leaveA()
	suite.Check(t, <-waited)
	leaveB()
	leaveC()
	suite.Holds(t, len(g.by) == 0 && len(g.slots) == 0 &&
		g.waiting.Load() == 0, "not released", g.by, len(g.slots), "slots", g.waiting.Load(), "waiting")
}

// TestAllowance follows the allowance of one address over time.
func TestAllowance(t *testing.T) {
	now := noon
	b := NewAllowance(50, 100, func() time.Time { return now })
	addr, neighbour := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")
	take := func(n int) (got int) {
		for i := range n {
			if b.Take([]netip.Addr{addr, neighbour}[i%2], 1) {
				got++
			}
		}
		return got
	}
	suite.Equal(t, take(500), 100, "at first")
	suite.Holds(t, b.Take(netip.MustParseAddr("2001:db8:0:1::1"), 1) &&
		b.Take(netip.Addr{}, 1), "others are refused")
	now = now.Add(time.Second)
	suite.Equal(t, take(500), 50, "after a second")
	now = now.Add(time.Hour)
	suite.Holds(t, b.Take(addr, 30), "nothing is left after an hour")
	suite.Equal(t, take(500), 70, "in addition to 30")
	if now = now.Add(time.Hour); !b.Take(addr, 1000) || b.Take(addr, 1) {
		t.Error("a cost above the allowance does not use all of it up")
	}
}

// TestAttackManyAddresses takes from more addresses than there is room for.
func TestAttackManyAddresses(t *testing.T) {
	l := New(newCounts(), 50, time.Now)
	var a [4]byte
	for i := range uint32(5 * maxKept) {
		binary.BigEndian.PutUint32(a[:], i+1)
		addr := netip.AddrFrom4(a)
		l.Pages.Take(addr, 1)
		l.Allow(UnknownKey, addr, 1)
	}
	if n := len(l.Pages.kept.younger) + len(l.Pages.kept.older); n > 2*maxKept {
		t.Errorf("%d allowances are stored, limit %d", n, 2*maxKept)
	}
	if n := len(l.uses.kept.younger) + len(l.uses.kept.older); n > 2*maxKept {
		t.Errorf("%d counts are stored, limit %d", n, 2*maxKept)
	}
}
