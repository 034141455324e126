package edge

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
	"kindex/site/siteurl"
)

// hostileLists contains functions that return values of n bytes for a list field.
var hostileLists = map[string]func(n int) string{
	"invalid":          func(n int) string { return strings.Repeat("Not a tag!,", n/11) },
	"short, invalid":   func(n int) string { return strings.Repeat("A,", n/2) },
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
	if a := s.fill(t, nil, siteurl.CheckSubmission, body, "Accept", accept, "X-Forwarded-For", from); a.status != http.StatusOK || len(a.body) > 500_000 {
		t.Fatalf("%d, %d bytes: %.300s", a.status, len(a.body), a.body)
	}
}

func serveStranger(t *testing.T) *stranger {
	return &stranger{served: serveForm(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, false)}
}

// TestAttackFormCost fills the form's lists up to the limit in many ways. Checking each form must
// allocate little more memory than an ordinary one, in proportion to its size.
func TestAttackFormCost(t *testing.T) {
	suite.InTest(t)
	s := serveStranger(t)
	cost := func(body string) uint64 { return allocated(func() { s.check(t, body, "application/json") }) }
	ordinary := proposal("tags", "good, tags, three").Encode()
	inProportion(t, cost, ordinary, 100, 60_000, hostileLists, proposal("capabilities", "").Encode()+"&capabilities=")
}

// inProportion checks what bodies of n bytes and of half as many cost: at most as many times what a plain body
// costs, and the whole not much more than twice the half.
func inProportion(t *testing.T, cost func(body string) uint64, ordinary string, most uint64, n int, bodies map[string]func(n int) string, before string) {
	t.Helper()
	cost(ordinary) // fills caches
	plain := cost(ordinary)
	for what, body := range bodies {
		half, whole := cost(before+body(n/2)), cost(before+body(n))
		t.Logf("%s: %d KiB, an ordinary one %d", what, whole>>10, plain>>10)
		if whole > most*plain || whole > 3*half+5*plain {
			t.Errorf("%s: %d KiB, half of it %d KiB, an ordinary one %d KiB", what, whole>>10, half>>10, plain>>10)
		}
	}
}

// hostileBodies contains functions that return a submission body of n bytes.
var hostileBodies = map[string]func(n int) string{
	"distinct tags":  func(n int) string { return `{"tags":[` + numbered(n, `"T%d",`) + `"x"]}` },
	"unknown fields": func(n int) string { return `{` + numbered(n, `"nam%d":1,`) + `"x":1}` },
	"signals":        func(n int) string { return `{"signals":{` + numbered(n, `"star%d":{"valu":1},`) + `"x":1}}` },
	"benchmarks":     func(n int) string { return `{"signals":{"benchmarks":[{}` + strings.Repeat(`,{}`, n/3) + `]}}` },
	"deep":           func(n int) string { return `{"links":` + strings.Repeat(`[`, n/2) + strings.Repeat(`]`, n/2) + `}` },
	"less deep": func(n int) string {
		return `{"links":[` + strings.Repeat(strings.Repeat(`[`, 28)+strings.Repeat(`]`, 28)+",", n/57) + `1]}`
	},
	"exponents":    func(n int) string { return `{"tags":[1e999` + strings.Repeat(`,1e999`, n/6) + `]}` },
	"replacements": func(n int) string { return `{"description":"` + strings.Repeat("\ufffd", n/3) + `"}` },
	"a number":     func(n int) string { return `{"version":1e` + strings.Repeat("9", n) + `}` },
	"a category":   func(n int) string { return `{"category":"` + strings.Repeat("a", n) + `"}` },
}

// TestAttackSubmissionCost sends bodies of the maximum size that are designed to be expensive.
// Refusing each must allocate only a few times as much memory as a body with one plain string of
// the same size, and the response must be short and say what is wrong.
func TestAttackSubmissionCost(t *testing.T) {
	suite.InTest(t)
	s := serveFew(t, Options{State: storagetest.SQLite(t), LimitKey: 1 << 30})
	key, _ := s.keyOf(t, "eve")
	cost := func(body string) uint64 {
		return allocated(func() {
			a, err := s.write(http.MethodPost, "/api/submit", key, body)
			suite.Require(t, err == nil && a.status == http.StatusBadRequest &&
				len(a.body) <= 100_000, a.status, len(a.body), "bytes", err)
		})
	}
	const size = web.MaxBody - 100
	inProportion(t, cost, `{"description":"`+strings.Repeat("x", size)+`"}`, 10, size, hostileBodies, "")
}
