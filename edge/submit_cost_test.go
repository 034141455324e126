package edge

import (
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
	"kindex/site/siteurl"
)

// processorTime returns the processor time that this process has used so far.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// timeOf returns the processor time that do needs. It is the minimum of several runs, since
// garbage collection and other tests can only add to it.
func timeOf(t testing.TB, do func()) time.Duration {
	t.Helper()
	least := time.Duration(0)
	for i := range 3 {
		runtime.GC()
		before := processorTime(t)
		do()
		if took := processorTime(t) - before; i == 0 || took < least {
			least = took
		}
	}
	return least
}

// hostileLists contains functions that return values of n bytes for a list field.
var hostileLists = map[string]func(n int) string{
	"invalid":          func(n int) string { return strings.Repeat("Not a tag!,", n/11) },
	"short":            func(n int) string { return strings.Repeat("a,", n/2) },
	"short, invalid":   func(n int) string { return strings.Repeat("A,", n/2) },
	"distinct":         func(n int) string { return numbered(n, "t%d,") },
	"distinct invalid": func(n int) string { return numbered(n, "T%d,") },
	"one long":         func(n int) string { return strings.Repeat("A", n) },
	"separators":       func(n int) string { return strings.Repeat(",", n) },
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := 0; b.Len() < n-10; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// stranger sends each form from a new network, so that it does not reach a limit.
type stranger struct {
	*served
	sent int
}

func (s *stranger) check(t testing.TB, body, accept string) {
	t.Helper()
	s.sent++
	from := fmt.Sprintf("2001:db8:%x::1", s.sent)
	if a := s.fill(t, nil, siteurl.CheckSubmission, body, "Accept", accept, "X-Forwarded-For", from); a.status != http.StatusOK {
		t.Fatalf("%d: %.300s", a.status, a.body)
	}
}

func serveStranger(t *testing.T) *stranger {
	return &stranger{served: serveForm(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, false)}
}

// TestAttackFormCost fills the form's lists up to the limit in many ways. Each form must cost
// little more than an ordinary one, in proportion to its size.
func TestAttackFormCost(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	s := serveStranger(t)
	const runs = 8
	cost := func(body string) time.Duration {
		return timeOf(t, func() {
			for range runs {
				s.check(t, body, "application/json")
			}
		}) / runs
	}
	ordinary := cost(proposal("tags", "good, tags, three").Encode())
	for what, list := range hostileLists {
		body := func(n int) string { return proposal("capabilities", "").Encode() + "&capabilities=" + list(n) }
		half, whole := costs(cost, body(30_000), body(60_000), func(half, whole time.Duration) bool { return whole <= 50*ordinary && whole <= 4*half+5*ordinary })
		t.Logf("%s: %v, %.0f times an ordinary form (%v)", what, whole, float64(whole)/float64(ordinary), ordinary)
		if whole > 50*ordinary {
			t.Errorf("%s: %v, %.0f times an ordinary form (%v)", what, whole, float64(whole)/float64(ordinary), ordinary)
		}
		if whole > 4*half+5*ordinary {
			t.Errorf("%s: %v for twice the bytes of %v", what, whole, half)
		}
	}
}

// costs returns the minimum cost of each of two bodies. Because other programs may interfere, it
// repeats the measurement until both costs are low enough, up to a maximum number of times.
func costs(cost func(body string) time.Duration, half, whole string, cheap func(half, whole time.Duration) bool) (h, w time.Duration) {
	h, w = cost(half), cost(whole)
	for range 10 {
		if cheap(h, w) {
			break
		}
		h, w = min(h, cost(half)), min(w, cost(whole))
	}
	return h, w
}

// hostileBodies contains functions that return a submission body of n bytes.
var hostileBodies = map[string]func(n int) string{
	"tags":           func(n int) string { return `{"tags":["A"` + strings.Repeat(`,"A"`, n/4) + `]}` },
	"distinct tags":  func(n int) string { return `{"tags":[` + numbered(n, `"T%d",`) + `"x"]}` },
	"unknown fields": func(n int) string { return `{` + numbered(n, `"nam%d":1,`) + `"x":1}` },
	"unknown links":  func(n int) string { return `{"links":{` + numbered(n, `"paper%d":1,`) + `"x":1}}` },
	"signals":        func(n int) string { return `{"signals":{` + numbered(n, `"star%d":{"valu":1},`) + `"x":1}}` },
	"benchmarks":     func(n int) string { return `{"signals":{"benchmarks":[{}` + strings.Repeat(`,{}`, n/3) + `]}}` },
	"lists in links": func(n int) string { return `{"links":{"paper":[[]` + strings.Repeat(`,[]`, n/3) + `]}}` },
	"deep":           func(n int) string { return `{"links":` + strings.Repeat(`[`, n/2) + strings.Repeat(`]`, n/2) + `}` },
	"less deep": func(n int) string {
		return `{"links":[` + strings.Repeat(strings.Repeat(`[`, 28)+strings.Repeat(`]`, 28)+",", n/57) + `1]}`
	},
	"numbers":      func(n int) string { return `{"signals":{"stars":{"value":` + strings.Repeat("9", n) + `}}}` },
	"exponents":    func(n int) string { return `{"tags":[1e999` + strings.Repeat(`,1e999`, n/6) + `]}` },
	"replacements": func(n int) string { return `{"description":"` + strings.Repeat("\ufffd", n/3) + `"}` },
	"a number":     func(n int) string { return `{"version":1e` + strings.Repeat("9", n) + `}` },
	"a slug":       func(n int) string { return `{"slug":"` + strings.Repeat("A ", n/2) + `"}` },
	"a category":   func(n int) string { return `{"category":"` + strings.Repeat("a", n) + `"}` },
	"an escaped":   func(n int) string { return `{"name":"` + strings.Repeat(`\u0061`, n/6) + `"}` },
}

// TestAttackSubmissionCost sends bodies of the maximum size that are designed to be expensive.
// Each must cost only a few times as much as a body with one plain string of the same size, and
// receive a short response that says what is wrong.
func TestAttackSubmissionCost(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	s := serveFew(t, Options{State: storagetest.SQLite(t), LimitKey: 1 << 30})
	key, _ := s.keyOf(t, "eve")
	cost := func(body string) time.Duration {
		return timeOf(t, func() {
			a, err := s.write(http.MethodPost, "/api/submit", key, body)
			if err != nil || a.status != http.StatusBadRequest || len(a.body) > 100_000 {
				t.Fatalf("%d, %d bytes, %v: %.300s", a.status, len(a.body), err, a.body)
			}
		})
	}
	const size = web.MaxBody - 100
	plain := cost(`{"description":"` + strings.Repeat("x", size) + `"}`)
	for what, body := range hostileBodies {
		half, whole := costs(cost, body(size/2), body(size), func(half, whole time.Duration) bool { return whole <= 20*plain && whole <= 4*half+5*plain })
		t.Logf("%s: %v, %.1f times a plain text (%v)", what, whole, float64(whole)/float64(plain), plain)
		if whole > 20*plain {
			t.Errorf("%s: %v, %.0f times a plain text of that size (%v)", what, whole, float64(whole)/float64(plain), plain)
		}
		if whole > 4*half+5*plain {
			t.Errorf("%s: %v for twice the bytes of %v", what, whole, half)
		}
	}
}
