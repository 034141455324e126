package edge

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// pageRequests contains one request of each kind that does not count towards the daily limit.
var pageRequests = []struct{ method, target, body string }{
	{"GET", "/", ""}, {"HEAD", "/search/?q=heaps", ""}, {"GET", "/badge/tool/n3.svg", ""}, {"GET", "/llms.txt", ""},
	{"GET", "/docs/api", ""}, {"GET", "/tool/n3/feed.xml", ""}, {"GET", "/nothing/at/all", ""}, {"PUT", "/", ""}, {"OPTIONS", "/", ""},
	{"GET", "/api/openapi", ""}, {"GET", "/api/sdk/python", ""}, {"GET", "/submit/", ""}, {"POST", "/submit/check", ""},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}, {"POST", "/mcp", `{`},
}

// from returns a request that comes from the given address.
func from(address, method, target, body string, header ...string) *http.Request {
	r := requestOf(method, target, "", header)
	r.RemoteAddr = address
	if body != "" {
		r.Body = io.NopCloser(strings.NewReader(body))
		r.ContentLength = int64(len(body))
	}
	return r
}

func (s *served) statusOf(r *http.Request) int {
	w := &discarded{header: http.Header{}, status: 200}
	s.ServeHTTP(w, r)
	return w.status
}

// stopped is a clock that always shows the same time.
func stopped() time.Time { return testAsOf }

// TestAttackPages requests pages as fast as it can. No address may get more than --limit-pages,
// whatever it requests, and other addresses must not be affected.
func TestAttackPages(t *testing.T) {
	suite.InTest(t)
	few := serveFew(t, Options{})
	s := serveWith(t, Options{Dir: few.out, State: storagetest.SQLite(t), LimitPages: 50, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	s.shared.Limits.Pages = ratelimit.NewAllowance(50, 50*ratelimit.PageBurst, stopped)
	// While the clock does not advance, only the burst is allowed.
	flood := func(least int, requests func(i int) *http.Request) {
		t.Helper()
		answered := 0
		for i := range 3 * 50 * ratelimit.PageBurst {
			if s.statusOf(requests(i)) != 503 {
				answered++
			}
		}
		suite.Holds(t, answered >= least &&
			answered <= 50*ratelimit.PageBurst, answered, "were answered", least, "to", 50*ratelimit.PageBurst)
	}
	flood(50, func(i int) *http.Request { // fewer than the burst if some take more than web.PageCost
		p := pageRequests[i%len(pageRequests)]
		return from("203.0.113.7:1234", p.method, p.target, p.body)
	})
	flood(50*ratelimit.PageBurst, func(int) *http.Request { return from("203.0.113.9:1", "PUT", "/", "") })
	for i, p := range pageRequests { // requests of all kinds are refused once the limit is reached
		w := &discarded{header: http.Header{}}
		s.ServeHTTP(w, from("203.0.113.9:1", p.method, p.target, p.body))
		if w.status != 503 || w.header.Get("Retry-After") == "" {
			t.Errorf("%d: %s %s: %d, Retry-After %q", i, p.method, p.target, w.status, w.header.Get("Retry-After"))
		}
	}
	// Addresses in the same /64 network share a bucket. Other networks and clients behind a
	// proxy have buckets of their own; files and requests from this machine have no limit.
	drain := func(request func() *http.Request) {
		for s.statusOf(request()) != 503 {
		}
	}
	drain(func() *http.Request { return from("[2001:db8::1]:1", "PUT", "/", "") })
	drain(func() *http.Request { return from("10.0.0.1:1", "PUT", "/", "", "X-Forwarded-For", "198.51.100.1") })
	// With headers that disagree or cannot be read, a request is the proxy's, whose own address has a limit then.
	for _, header := range []string{"for=198.51.100.1", `for="unfinished`} {
		drain(func() *http.Request {
			return from("10.0.0.2:1", "PUT", "/", "", "X-Forwarded-For", "203.0.113.7", "Forwarded", header)
		})
	}
	for name, r := range map[string]*http.Request{
		"another network":        from("[2001:db8:0:1::1]:1", "GET", "/", ""),
		"another client":         from("10.0.0.1:1", "GET", "/", "", "X-Forwarded-For", "198.51.100.2"),
		"files of builds":        from("203.0.113.9:1", "GET", "/data/"+s.buildID()+"/manifest.json", ""),
		"the API, which counts":  from("203.0.113.9:1", "GET", "/api/categories", ""),
		"files of the page":      from("203.0.113.9:1", "GET", "/assets/nothing", ""),
		"another address at all": from("203.0.113.10:1", "GET", "/", ""),
	} {
		if got := s.statusOf(r); got == 503 {
			t.Errorf("%s: %d", name, got)
		}
	}
	for range 500 {
		if got := s.statusOf(from("127.0.0.1:1", "PUT", "/", "")); got != 405 {
			t.Fatalf("loopback: %d", got)
		}
	}
}

// TestAttackPagesAtOnce: only a few pages run at a time, whoever requests them, and a request that waits too long
// receives an error that says so. Package ratelimit tests the gate itself.
func TestAttackPagesAtOnce(t *testing.T) {
	s := serveFew(t, Options{})
	slots := max(8, 2*runtime.GOMAXPROCS(0))
	o := s.shared.Limits.PageGate.GateOptions
	suite.Equal(t, o.Slots, slots)
	suite.Equal(t, o.PerCaller, 0)
	o.Waiting, o.Wait = 1, 10*time.Millisecond
	s.shared.Limits.PageGate = ratelimit.NewGate(o)
	for i := range slots {
		leave := suite.Must(s.shared.Limits.PageGate.Enter(t.Context(), fmt.Sprint("slow ", i)))(t)
		defer leave()
	}
	// Files do not wait for pages.
	for target, want := range map[string]int{"/": 503, "/badge/tool/n3.svg": 503, "/data/" + s.buildID() + "/manifest.json": 200, "/api/categories": 200} {
		if a := s.ask(t, "GET", target); a.status != want || want == 503 && !strings.Contains(string(a.body), "busy") {
			t.Errorf("%s: %d %s, want %d", target, a.status, a.body, want)
		}
	}
}

// TestAttackInventedKeys sends nonexistent keys from one address. Only a few of them are looked
// up, and a valid key keeps working.
func TestAttackInventedKeys(t *testing.T) {
	s := serveFew(t, Options{LimitKey: 1_000_000, Now: newClock("2026-11-21T12:00:00Z").now})
	good, _ := s.keyOf(t, "account")
	if got := s.statusOf(requestOf("GET", "/api/categories", good, nil)); got != 200 {
		t.Fatal(got)
	}
	sent, busy := 0, 0
	for range 5 * int(ratelimit.UnknownKey.Address) {
		sent++
		if got := s.statusOf(requestOf("GET", "/api/categories", apikey.Generate().Reveal(), nil)); got == 429 {
			busy++
		}
		if sent%50 == 0 {
			if got := s.statusOf(requestOf("GET", "/api/categories", good, nil)); got != 200 {
				t.Fatalf("valid key from the same address: %d", got)
			}
		}
	}
	suite.Equal(t, sent-busy, int(ratelimit.UnknownKey.Address), "keys were looked up")
}

// TestAttackLockOutNeighbours repeats wrong keys from an address that others share: a revoked key, an
// expired one, one that does not exist, and texts that are no keys. A valid key that the edge has not seen
// since its start must still be accepted from that address.
func TestAttackLockOutNeighbours(t *testing.T) {
	s := serveFew(t, Options{LimitKey: 1_000_000, Now: newClock("2026-11-21T12:00:00Z").now})
	revoked, id := s.keyOf(t, "neighbour")
	expired := apikey.Generate()
	suite.Check(t, s.state.Write(t.Context(), func(tx *storage.Tx) error {
		k, err := tx.Key(id)
		if err == nil {
			_, err = tx.RevokeKey(k.AccountID, id)
		}
		if err == nil {
			_, err = tx.CreateLimitedKey(k.AccountID, apikey.Grant{Name: "old", Scopes: apikey.Everything, ExpiresAt: testAsOf.AddDate(-20, 0, 0)}, expired)
		}
		return err
	}))
	for _, wrong := range []string{revoked, expired.Reveal(), apikey.Generate().Reveal(), "kx_nonsense", revoked} {
		for range 2 * int(ratelimit.UnknownKey.Address) {
			if got := s.statusOf(requestOf("GET", "/api/categories", wrong, nil)); got != 401 {
				t.Fatalf("%s: %d", wrong, got)
			}
		}
	}
	good, _ := s.keyOf(t, "account")
	suite.Equal(t, s.statusOf(requestOf("GET", "/api/categories", good, nil)), 200, "valid key from the same address")
}

// TestAttackLog sends every kind of refused request that costs a stranger nothing. None of them
// may be logged.
func TestAttackLog(t *testing.T) {
	var lines strings.Builder
	few := serveFew(t, Options{})
	s := serveWith(t, Options{Dir: few.out, State: storagetest.SQLite(t), LimitPages: 1, LimitAnonymous: 1,
		Log: slog.New(slog.NewTextHandler(&lines, nil))})
	lines.Reset() // discard the messages from startup
	refused := map[string]int{}
	ask := func(name string, status int, r *http.Request) {
		for range 150 {
			if s.statusOf(r.Clone(r.Context())) == status {
				refused[name]++
			}
		}
		suite.Holds(t, refused[name] != 0, name, "never", status)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	const address = "203.0.113.7:1"
	ask("pages", 503, from(address, "GET", "/badge/tool/n3.svg", ""))
	ask("invented keys", 429, from(address, "GET", "/api/categories", "", "X-Api-Key", apikey.Generate().Reveal()))
	ask("limit", 429, from("203.0.113.8:1", "GET", "/api/categories", ""))
	foreign := from(address, "GET", "/", "")
	foreign.Host = "evil.example"
	foreign = foreign.WithContext(context.WithValue(foreign.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})))
	ask("foreign host", 403, foreign)
	for range 2 {
		suite.Must(s.shared.Limits.ExportGate.Enter(t.Context(), ratelimit.AddressSubject(netip.MustParseAddr("203.0.113.9"), 0).ID))(t)
	}
	ask("exports at once", 503, from("203.0.113.9:1", "GET", "/api/export/entities?type=tool", ""))
	for _, target := range []string{"/api/categories", "/tool/n3/"} {
		for i := range 20 {
			s.statusOf(from("[2001:db8:0:"+strconv.Itoa(i)+"::1]:1", "GET", target, "").WithContext(gone))
		}
	}
	n := strings.Count(lines.String(), "\n")
	suite.Holds(t, n == 0, n, "log lines for refusals", refused, "such as", lines.String())
}

// TestAttackMadeUpBuilds requests many builds that do not exist from one address: others still get
// files of the build before the current one.
func TestAttackMadeUpBuilds(t *testing.T) {
	s := serveFew(t, Options{})
	old := s.buildID()
	writeContent(t, s.content, 5, 1)
	s.publish(t)
	get := func(address, path string) int { return s.statusOf(from(address+":1", "GET", path, "")) }
	for i := range 2000 {
		if code := get("198.51.100.7", fmt.Sprintf("/data/20260101-%016x/entities.csv", i)); code != http.StatusNotFound {
			t.Fatalf("a build that does not exist: %d", code)
		}
	}
	suite.Equal(t, get("203.0.113.5", "/data/"+old+"/entities.csv"), http.StatusOK, "others get")
}

// TestPastDaysOneAtATime requests past days while another one is being calculated: what needs one that is not
// in memory gets a 503 with Retry-After, and everything else is answered.
func TestPastDaysOneAtATime(t *testing.T) {
	suite.InTest(t)
	s := serveWith(t, Options{Dir: costContent(t), State: storagetest.SQLite(t), LimitAnonymous: 1000})
	s.shared.Limits.PastGate = ratelimit.NewGate(ratelimit.GateOptions{Slots: 1}) // nobody waits
	own := s.published().Own.Published()[0].Slug
	get := func(path string, want int) {
		t.Helper()
		a := s.ask(t, "GET", path)
		if retry := a.header.Get("Retry-After") != ""; a.status != want || retry != (want == http.StatusServiceUnavailable) {
			t.Errorf("%s: %d, Retry-After %q, want %d", path, a.status, a.header.Get("Retry-After"), want)
		}
	}
	category := s.published().Categories[0].Slug
	past := []string{"/api/entities?at=", "/api/offers?at=", "/api/leaderboard/all?at=", "/api/leaderboard/" + own + "?at=", "/api/export/leaderboard?at="}
	leave, err := s.enterPast() // as a request does that calculates a day
	suite.Check(t, err)
	for _, path := range append(past, "/api/export/leaderboard?category="+own+"&at=") {
		get(path+"2026-11-05", http.StatusServiceUnavailable)
	}
	for _, name := range []string{category, own} {
		get("/leaderboards/"+name+"/at-2026-11-01/", http.StatusServiceUnavailable)
	}
	for _, path := range []string{"/api/entities", "/api/leaderboard/all", "/api/leaderboard/" + own, "/leaderboards/" + own + "/", "/leaderboards/" + category + "/"} {
		get(path, http.StatusOK)
	}
	leave()
	for _, path := range past {
		get(path+"2026-11-05", http.StatusOK)
	}
	leave = suite.Must(s.enterPast())(t)
	for _, path := range past {
		get(path+"2026-11-05", http.StatusOK) // it is in memory
		get(path+"2026-11-06", http.StatusServiceUnavailable)
	}
	leave()
	get("/leaderboards/"+category+"/at-2026-11-01/", http.StatusOK)
}
