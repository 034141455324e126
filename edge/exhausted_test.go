package edge

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
)

// costlyQueries contains the most expensive queries for each address. Each address is also
// tested without a query.
var costlyQueries = map[string][]string{
	"/api/entities":           {"?limit=100&sort=name&fields=slug,name,scores", "?" + strings.Repeat("tag=search,fast&", 100)},
	"/api/search":             {"?q=heaps+of+data&facets=tag,provider,category&limit=100", "?q=%22heaps+of+data%22+number"},
	"/api/suggest":            {"?q=numb&limit=20"},
	"/api/leaderboard/alpha":  {"?limit=100&by=adoption", "?at=2026-11-01"},
	"/api/trending":           {"?window=30d&limit=100"},
	"/api/changelog":          {"?limit=100&field=version"},
	"/api/feed":               {"?format=atom", "?format=json&type=tool"},
	"/api/calendar":           {"?type=tool&category=alpha&category=beta"},
	"/api/export/entities":    {"?format=parquet&type=tool", "?format=parquet&type=tool&type=model&fields=slug,name", "?format=json&minScore=1", "?format=parquet", "?format=csv"},
	"/api/export/leaderboard": {"?format=parquet", "?format=csv&category=alpha", "?category=alpha"},
	"/api/export/changelog":   {"?format=parquet&type=tool", "?format=jsonl&since=2020-01-01"},
	"/api/entity/tool/n3":     {"?at=2026-11-01"},
}

// conditions are conditional headers in forms that an attacker might use.
func conditions(tag string) [][]string {
	const past, future = "Mon, 01 Jan 2001 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"
	many := strings.Repeat(`"0123456789", `, 400) + `"x"`
	return [][]string{
		{"If-None-Match", `"x"`}, {"If-None-Match", `*`}, {"If-None-Match", `"x", *`}, {"If-None-Match", `W/"x"`}, {"If-None-Match", many}, {"If-None-Match", tag},
		{"If-Match", `"x"`}, {"If-Match", `*`}, {"If-Modified-Since", future}, {"If-Modified-Since", past}, {"If-Unmodified-Since", past},
		{"If-None-Match", `"x"`, "If-Modified-Since", future}, {"If-None-Match", `"x"`, "If-Match", `*`},
		{"Range", "bytes=0-1"}, {"Range", "bytes=0-1", "If-Range", `"x"`}, {"Range", "bytes=0-1", "If-None-Match", `"x"`},
		{"Range", "bytes=" + strings.Repeat("0-0,", 2000) + "1-1", "If-None-Match", `"x"`},
		{"If-None-Match", `"x"`, "Accept-Encoding", "br, zstd, gzip"}, {"If-None-Match", `"x"`, "Accept", "text/markdown"},
	}
}

// plainPath replaces a route's path parameters with existing values.
var plainPath = strings.NewReplacer(":type", "tool", ":slug", "n3", ":category", "alpha", ":id", "x_1", ":delivery", "x_2", ":file", "x.tgz")

// discarded is a response writer that discards the body, so that it costs as little as possible.
type discarded struct {
	header http.Header
	status int
	bytes  int
}

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) WriteHeader(status int)      { d.status = status }
func (d *discarded) Write(b []byte) (int, error) { d.bytes += len(b); return len(b), nil }

// requestOf returns a request to pass to the handler.
func requestOf(method, target, key string, header []string) *http.Request {
	var body *bytes.Reader
	if body = bytes.NewReader(nil); method == "POST" {
		body = bytes.NewReader([]byte(`{"name":"x"}`))
	}
	r := httptest.NewRequest(method, target, body)
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("x-api-key", key)
	}
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return r
}

// allocated returns the bytes that do allocates. Unlike processor time, they do not depend on the
// machine and on what else it does.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// costOf sends a request n times. It returns the lowest number of bytes that handling it
// allocated, because the first request fills caches, and the last status.
func (s *served) costOf(r *http.Request, n int) (bytes uint64, status int) {
	bytes = math.MaxUint64
	for range n {
		w := &discarded{header: http.Header{}}
		bytes = min(bytes, allocated(func() { s.ServeHTTP(w, r) }))
		status = w.status
	}
	return bytes, status
}

// spend sends a request n times.
func (s *served) spend(r *http.Request, n int) {
	for range n {
		s.ServeHTTP(&discarded{header: http.Header{}}, r)
	}
}

// TestAttackWorkBeforeAdmission has callers who have exhausted their limit send every
// conditional header to every address. Each request must be refused before anything is looked up
// in the build, and must not allocate much more memory than a plain 429.
func TestAttackWorkBeforeAdmission(t *testing.T) {
	suite.InTest(t)
	// The limit is so high that callers who have used it up may receive 304s until the end of
	// the test.
	spent := suite.Pick(300, 20_000)
	_, out := smallBuild(t, 400)
	open := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: int64(spent), LimitKey: int64(spent)})
	key, _ := s.keyOf(t, "account")
	s.spend(requestOf("GET", "/api/nothing", "", nil), spent)
	s.spend(requestOf("GET", "/api/nothing", key, nil), spent)
	// An edge that has released its build cannot look anything up. A request that gets as far as
	// a lookup is answered with a status other than 429.
	blind := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 1, LimitKey: 1})
	blindKey, _ := blind.keyOf(t, "account")
	blind.spend(requestOf("GET", "/api/categories", "", nil), 1)
	blind.spend(requestOf("GET", "/api/categories", blindKey, nil), 1)
	blind.ForgetBuild()
	worst, asked, at := uint64(0), 0, 0
	for _, caller := range []string{"", key} {
		plain, status := s.costOf(requestOf("GET", "/api/entities", caller, nil), 50)
		suite.Require(t, status == 429, "the limit is not used up", status)
		for _, target := range []string{"/api/search?q=heaps+of+data&facets=tag&limit=100", "/api/export/entities?format=parquet&type=tool"} {
			if got, _ := open.costOf(requestOf("GET", target, "", nil), 4); got <= 3*plain {
				t.Errorf("a response to %s allocates %d bytes, a plain 429 %d: the measurement cannot distinguish them", target, got, plain)
			}
		}
		for _, path := range s.shared.Paths {
			if web.CostOfPath(path) != web.Metered {
				continue
			}
			path = plainPath.Replace(path)
			for _, query := range append([]string{""}, costlyQueries[path]...) {
				tag := open.ask(t, "HEAD", path+query).header.Get("Etag")
				at++
				for i, header := range conditions(tag) {
					if !suite.Soaking() && (i+at)%3 > 0 {
						continue // make test sends each header to a third of the addresses
					}
					methods := []string{"GET", "HEAD", "POST", "DELETE"}
					if !suite.Soaking() { // GET, and one of the others in turn
						methods = []string{"GET", methods[1+i%3]}
					}
					for _, method := range methods {
						if method == "POST" && path == "/api/developer/api-keys/revoke" {
							continue // leaked keys can be reported even if the limit is exhausted; reports have a limit of their own
						}
						with := ""
						if caller != "" {
							with = blindKey
						}
						w := &discarded{header: http.Header{}}
						blind.ServeHTTP(w, requestOf(method, path+query, with, header))
						suite.Equal(t, w.status, 429, method, path+query, "with", header)
						r := requestOf(method, path+query, caller, header)
						got, status := s.costOf(r, 1)
						if asked++; got > 3*plain {
							got, status = s.costOf(r, 10)
						}
						suite.Holds(t, got <= 3*plain, method, path+query, "with", header, status, "for", got, "bytes, a plain 429 takes", plain)
						if status != 429 && !(status == 304 && strings.HasPrefix(path, "/api/export/") && header[1] == tag) {
							t.Errorf("%s %.80s with %.60q: %d", method, path+query, header, status)
						}
						worst = max(worst, 100*got/plain)
					}
				}
			}
		}
	}
	t.Logf("%d kinds of request; at most %d%% of the memory of a plain 429", asked, worst)
}

// TestAttackFortyExports has a caller whose limit is exhausted request forty exports at once.
// Together, they must allocate less than one export.
func TestAttackFortyExports(t *testing.T) {
	suite.InTest(t)
	_, out := smallBuild(t, 400)
	const target = "/api/export/entities?format=parquet&type=tool&type=model"
	open := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 1})
	s.spend(requestOf("GET", "/api/categories", "", nil), 1)
	measure := func(s *served, n, status int) uint64 {
		return allocated(func() {
			answers := make(chan int, n)
			for range n {
				go func() {
					w := &discarded{header: http.Header{}}
					s.ServeHTTP(w, requestOf("GET", target, "", []string{"If-None-Match", `"x"`}))
					answers <- w.status
				}()
			}
			for range n {
				suite.Equal(t, <-answers, status)
			}
		})
	}
	one, forty := measure(open, 1, 200), measure(s, 40, 429)
	t.Logf("one export: %d KiB; forty refused: %d KiB", one>>10, forty>>10)
	suite.Holds(t, forty <= 50<<20 && forty <= one/2, "refusing costs too much")
}

// TestExportsAtOnce has one caller, and then many, request more exports at once than can run.
// The error says why a request was refused, and refused requests do not count towards the limit.
func TestExportsAtOnce(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 1000})
	const target = "/api/export/entities?format=jsonl&type=tool"
	release := s.HoldExports("ip:127.0.0.1")
	a := s.expect(t, 503, 1000, "anonymous", "GET", target)
	suite.Holds(t, a.header.Get("Retry-After") != "" && strings.Contains(string(a.body), "busy"), a.header)
	s.expect(t, 200, 999, "anonymous", "HEAD", target)
	s.expect(t, 200, 998, "anonymous", "GET", "/api/export/entities?format=jsonl")
	release()
	s.expect(t, 200, 997, "anonymous", "GET", target)
	// Callers that are allowed to wait must only wait briefly.
	s.shared.Limits.ExportGate = ratelimit.NewGate(ratelimit.GateOptions{Slots: 4, PerCaller: 2, Waiting: 1, Wait: 10 * time.Millisecond})
	for i := range 2 {
		defer s.HoldExports(fmt.Sprint("other ", i))()
	}
	s.expect(t, 503, 997, "anonymous", "GET", target)
}
