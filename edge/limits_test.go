package edge

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
)

// clock is a clock that a test advances. It counts how often it is read.
type clock struct{ unix, reads atomic.Int64 }

func newClock(at string) *clock {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		panic(err)
	}
	c := &clock{}
	c.unix.Store(t.UnixMilli())
	return c
}

func (c *clock) advance(d time.Duration) { c.unix.Add(d.Milliseconds()) }
func (c *clock) now() time.Time {
	c.reads.Add(1)
	return time.UnixMilli(c.unix.Load()).UTC()
}

// serveFew serves a few entities with the given options.
func serveFew(t testing.TB, o Options) *served {
	t.Helper()
	content, out := smallBuild(t, 5)
	o.Dir = out
	if o.State == nil {
		o.State = storagetest.SQLite(t)
	}
	if o.Guard == nil {
		o.Guard = safedial.New(safedial.Options{Resolver: fixedNames{}, Dial: noNetwork})
	}
	s := serveWith(t, o)
	s.content = content
	return s
}

// noNetwork keeps tests from accessing the network.
func noNetwork(_ context.Context, _ *net.Dialer, _, address string) (net.Conn, error) {
	return nil, errors.New("no network in tests: " + address)
}

// expect sends a request and checks the status, the number of remaining requests and the tier. If
// status or remaining is -1, it is not checked.
func (s *served) expect(t *testing.T, status, remaining int, tier, verb, path string, header ...string) answer {
	t.Helper()
	a := s.ask(t, verb, path, header...)
	suite.Holds(t, status < 0 || a.status == status, verb, path, a.status, status)
	got := a.header.Get("X-RateLimit-Remaining")
	suite.Holds(t, remaining < 0 || got == strconv.Itoa(remaining), verb, path, got, "remaining", remaining)
	suite.Equal(t, a.header.Get("X-RateLimit-Tier"), tier, verb, path, "tier")
	return a
}

// TestWhatCounts checks the rules of the limits over one day.
func TestWhatCounts(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := serveFew(t, Options{State: open(), LimitAnonymous: 10, LimitKey: 100, Contact: "operator@example.org"})
		s.router.GET("/api/broken", s.handle("/api/broken", web.Metered, nil, func(*web.Call) (*web.Reply, error) { panic("broken") }))
		const tier = "anonymous"
		whole := s.expect(t, 200, 9, tier, "GET", "/api/categories")
		tag := whole.header.Get("Etag")
		s.expect(t, 304, 9, tier, "GET", "/api/categories", "If-None-Match", tag)
		s.expect(t, 200, 8, tier, "GET", "/api/categories", "If-None-Match", `"other"`)
		s.expect(t, 200, 7, tier, "HEAD", "/api/categories")
		s.expect(t, 404, 6, tier, "GET", "/api/nothing")
		s.expect(t, 404, 5, tier, "GET", "/api/entity/tool/nothing", "If-None-Match", tag)
		s.expect(t, 405, 4, tier, "PUT", "/api/categories")
		s.expect(t, 400, 3, tier, "GET", "/api/categories?x=1")
		s.expect(t, 401, 2, tier, "GET", "/api/categories", "x-api-key", "kx_nonsense")
		for range 2 { // these requests do not count
			s.expect(t, 200, 2, tier, "GET", "/api/sdk/python")
			s.expect(t, 204, 2, tier, "OPTIONS", "/api/entities", "Access-Control-Request-Method", "GET", "Origin", "https://example.org")
			s.expect(t, 500, 2, tier, "GET", "/api/broken")
			s.expect(t, 500, 2, tier, "GET", "/api/broken", "If-None-Match", `"x"`)
		}
		prebuilt := s.expect(t, 200, 1, tier, "GET", "/api/export/entities?format=csv").header.Get("Etag")
		streamed := s.expect(t, 200, 0, tier, "GET", "/api/export/entities?format=jsonl&type=tool").header.Get("Etag")
		refused := s.expect(t, 429, 0, tier, "GET", "/api/export/entities?format=jsonl&type=tool")
		wait := suite.Must(strconv.Atoi(refused.header.Get("Retry-After")))(t)
		suite.Holds(t, wait >= 1 && wait <= 86400, "Retry-After", refused.header.Get("Retry-After"))
		for _, path := range []string{"/api/categories", "/api/export/entities", "/api/export/entities?format=csv&type=tool", "/api/nothing"} {
			s.expect(t, 429, 0, tier, "GET", path, "If-None-Match", `"other"`)
			suite.Equal(t, len(s.expect(t, 429, 0, tier, "HEAD", path).body), 0, "HEAD", path)
		}
		// A response whose entity tag is a hash of its body counts even if it is unchanged,
		// because the body must be generated.
		s.expect(t, 429, 0, tier, "GET", "/api/categories", "If-None-Match", tag)
		for _, method := range []string{"GET", "HEAD"} {
			s.expect(t, 304, 0, tier, method, "/api/export/entities?format=csv", "If-None-Match", prebuilt)
			s.expect(t, 304, 0, tier, method, "/api/export/entities?format=jsonl&type=tool", "If-None-Match", streamed)
			s.expect(t, 429, 0, tier, method, "/api/export/entities?format=jsonl&type=model", "If-None-Match", streamed)
			s.expect(t, 429, 0, tier, method, "/api/export/entities?format=csv", "If-None-Match", "*")
		}
		s.expect(t, 429, 0, tier, "GET", "/api/categories", "x-api-key", "kx_nonsense")
		for path, want := range map[string]int{"/": 200, "/data/" + s.buildID() + "/entities.csv": 200} {
			s.ask(t, "GET", path).want(t, want).wantHeader(t, "X-RateLimit-Limit", "")
		}
		// Each account has its own count, which all its keys share.
		first, _ := s.newKey(t, "account")
		second, k := s.newKey(t, "account")
		one, two, id := first.Reveal(), second.Reveal(), k.ID
		s.expect(t, 200, 99, "authenticated", "GET", "/api/categories", "x-api-key", one)
		s.expect(t, 200, 98, "authenticated", "GET", "/api/categories", "x-api-key", two)
		s.expect(t, 204, 97, "authenticated", "DELETE", "/api/developer/api-keys?id="+id, "x-api-key", one)
		s.expect(t, 429, 0, tier, "GET", "/api/categories", "x-api-key", two)
	})
}

// TestTwoEdgesOneLimit concurrently sends two edges ten times as many requests as the limit
// allows.
func TestTwoEdgesOneLimit(t *testing.T) {
	suite.InRace(t)
	limit := int64(suite.Pick(100, 1000))
	target := storagetest.PostgreSQL(t)
	one := serveFew(t, Options{State: storagetest.Open(t, target), LimitKey: limit})
	two := serveWith(t, Options{Dir: one.out, State: storagetest.Open(t, target), LimitKey: limit})
	key, _ := one.newKey(t, "busy")
	const atOnce = 100
	requests := 10 * limit
	var passed, refused, other atomic.Int64
	next := make(chan int64)
	var group sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	for range atOnce {
		group.Go(func() {
			for i := range next {
				req, err := http.NewRequest("GET", []*served{one, two}[i%2].url+"/api/categories", nil)
				if err != nil {
					panic(err)
				}
				req.Header.Set("x-api-key", key.Reveal())
				res, err := client.Do(req)
				if err != nil {
					other.Add(1)
					continue
				}
				res.Body.Close()
				switch res.StatusCode {
				case 200:
					passed.Add(1)
				case 429:
					refused.Add(1)
				default:
					other.Add(1)
				}
			}
		})
	}
	for i := range requests {
		next <- i
	}
	close(next)
	group.Wait()
	suite.Holds(t, passed.Load() == limit && refused.Load() == requests-limit &&
		other.Load() == 0, passed.Load(), "passed", refused.Load(), "were refused", other.Load(), "failed")
}

// TestForgedForwardingHeaders: an attacker without a proxy sends a different address with each
// request, and an attacker behind a proxy puts addresses in front of the real one.
func TestForgedForwardingHeaders(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 3})
	for i := range 4 {
		want := []int{200, 200, 200, 429}[i]
		s.expect(t, want, -1, "anonymous", "GET", "/api/categories", "X-Forwarded-For", "198.51.100."+strconv.Itoa(i),
			"Forwarded", "for=198.51.100."+strconv.Itoa(i), "X-Real-Ip", "198.51.100."+strconv.Itoa(i))
	}
	behind := serveWith(t, Options{Dir: s.out, State: storagetest.SQLite(t), LimitAnonymous: 3, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	for i := range 4 {
		want := []int{200, 200, 200, 429}[i]
		behind.expect(t, want, -1, "anonymous", "GET", "/api/categories", "X-Forwarded-For", "198.51.100."+strconv.Itoa(i)+", 203.0.113.7")
	}
	behind.expect(t, 200, 2, "anonymous", "GET", "/api/categories", "X-Forwarded-For", "203.0.113.8")
}
