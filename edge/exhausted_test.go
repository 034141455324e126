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
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
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

// cost is what handling a request consumes.
type cost struct {
	processor time.Duration
	bytes     uint64
	status    int
}

// costOf sends n requests in each of several rounds. It returns the lowest cost per request in
// any round.
func (s *served) costOf(r *http.Request, rounds, n int) cost {
	least := cost{processor: math.MaxInt64, bytes: math.MaxUint64}
	var before, after runtime.MemStats
	for range rounds {
		runtime.ReadMemStats(&before)
		begin := threadTime()
		for range n {
			w := &discarded{header: http.Header{}}
			s.ServeHTTP(w, r)
			least.status = w.status
		}
		took := threadTime() - begin
		runtime.ReadMemStats(&after)
		least.processor = min(least.processor, took/time.Duration(n))
		least.bytes = min(least.bytes, (after.TotalAlloc-before.TotalAlloc)/uint64(n))
	}
	return least
}

// processTime returns the processor time that this process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestAttackWorkBeforeAdmission has callers who have exhausted their limit send every
// conditional header to every address. Each request must be refused before anything is looked up
// in the build, and must not cost much more than a plain 429.
func TestAttackWorkBeforeAdmission(t *testing.T) {
	suite.WithoutRace(t)
	suite.InTest(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// The limit is so high that callers who have used it up may receive 304s until the end of
	// the test.
	spent := suite.Pick(5_000, 20_000)
	_, out := smallBuild(t, 2000)
	open := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: int64(spent), LimitKey: int64(spent)})
	key, _ := s.keyOf(t, "account")
	s.costOf(requestOf("GET", "/api/nothing", "", nil), 1, spent)
	s.costOf(requestOf("GET", "/api/nothing", key, nil), 1, spent)
	// An edge that has released its build cannot look anything up. A request that gets as far as
	// a lookup is answered with a status other than 429.
	blind := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 1, LimitKey: 1})
	blindKey, _ := blind.keyOf(t, "account")
	blind.costOf(requestOf("GET", "/api/categories", "", nil), 1, 1)
	blind.costOf(requestOf("GET", "/api/categories", blindKey, nil), 1, 1)
	blind.reloader.Stop()
	worst, asked := cost{}, 0
	for _, caller := range []string{"", key} {
		refused := requestOf("GET", "/api/entities", caller, nil)
		plain := s.costOf(refused, 20, 50)
		if plain.status != 429 {
			t.Fatalf("the limit is not used up: %d", plain.status)
		}
		for _, target := range []string{"/api/search?q=heaps+of+data&facets=tag&limit=100", "/api/export/entities?format=parquet&type=tool"} {
			if got := open.costOf(requestOf("GET", target, "", nil), 2, 2); !tooMuch(got, plain) {
				t.Errorf("a response to %s takes %v and %d bytes, a plain 429 %v and %d: the measurement cannot distinguish them", target, got.processor, got.bytes, plain.processor, plain.bytes)
			}
		}
		for _, path := range s.shared.Paths {
			if costOf(path) != metered {
				continue
			}
			path = plainPath.Replace(path)
			for _, query := range append([]string{""}, costlyQueries[path]...) {
				tag := open.ask(t, "HEAD", path+query).header.Get("Etag")
				for _, header := range conditions(tag) {
					for _, method := range []string{"GET", "HEAD", "POST", "DELETE"} {
						if method == "POST" && path == "/api/developer/api-keys/revoke" {
							continue // leaked keys can be reported even if the limit is exhausted; reports have a limit of their own
						}
						with := ""
						if caller != "" {
							with = blindKey
						}
						w := &discarded{header: http.Header{}}
						if blind.ServeHTTP(w, requestOf(method, path+query, with, header)); w.status != 429 {
							t.Errorf("%s %.80s with %.60q: %d from an edge without a build, want 429", method, path+query, header, w.status)
						}
						r := requestOf(method, path+query, caller, header)
						got := s.costOf(r, 1, 3)
						asked++
						for again := 0; again < 10 && tooMuch(got, plain); again++ { // the processor may be slower now than it was for plain
							plain, got = s.costOf(refused, 10, 3), s.costOf(r, 10, 3)
						}
						if tooMuch(got, plain) {
							t.Errorf("%s %.80s with %.60q: %d for %v and %d bytes, a plain 429 takes %v and %d", method, path+query, header, got.status, got.processor, got.bytes, plain.processor, plain.bytes)
						}
						if got.status != 429 && !(got.status == 304 && strings.HasPrefix(path, "/api/export/") && header[1] == tag) {
							t.Errorf("%s %.80s with %.60q: %d", method, path+query, header, got.status)
						}
						worst.processor, worst.bytes = max(worst.processor, 100*got.processor/plain.processor), max(worst.bytes, 100*got.bytes/plain.bytes)
					}
				}
			}
		}
	}
	t.Logf("%d kinds of request; at most %d%% of the processor time and %d%% of the memory of a plain 429", asked, worst.processor, worst.bytes)
}

// tooMuch reports whether a request costs clearly more than a plain 429. Memory use is the same
// on every machine, but processor time is not.
func tooMuch(got, plain cost) bool {
	return got.processor > 8*plain.processor || got.bytes > 3*plain.bytes
}

// TestAttackFortyExports has a caller whose limit is exhausted request forty exports at once.
// Together, they must cost less than one export.
func TestAttackFortyExports(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	_, out := smallBuild(t, 2000)
	const target = "/api/export/entities?format=parquet&type=tool&type=model"
	open := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 1})
	s.costOf(requestOf("GET", "/api/categories", "", nil), 1, 1)
	measure := func(s *served, n, status int) (time.Duration, uint64) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		begin := processTime()
		answers := make(chan int, n)
		for range n {
			go func() {
				w := &discarded{header: http.Header{}}
				s.ServeHTTP(w, requestOf("GET", target, "", []string{"If-None-Match", `"x"`}))
				answers <- w.status
			}()
		}
		for range n {
			if got := <-answers; got != status {
				t.Errorf("%d, want %d", got, status)
			}
		}
		took := processTime() - begin
		runtime.ReadMemStats(&after)
		return took, after.TotalAlloc - before.TotalAlloc
	}
	one, oneBytes := measure(open, 1, 200)
	forty, fortyBytes := measure(s, 40, 429)
	t.Logf("one export: %v, %d KiB; forty refused: %v, %d KiB", one, oneBytes>>10, forty, fortyBytes>>10)
	if fortyBytes > 50<<20 || fortyBytes > oneBytes/2 {
		t.Error("refusing costs too much")
	}
}

// TestExportsAtOnce has one caller, and then many, request more exports at once than can run.
// The error says why a request was refused, and refused requests do not count towards the limit.
func TestExportsAtOnce(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 1000})
	const target = "/api/export/entities?format=jsonl&type=tool"
	release := s.HoldExports("ip:127.0.0.1")
	a := s.expect(t, 503, 1000, "anonymous", "GET", target)
	if a.header.Get("Retry-After") == "" || !strings.Contains(string(a.body), "busy") {
		t.Errorf("%v %s", a.header, a.body)
	}
	s.expect(t, 200, 999, "anonymous", "HEAD", target)
	s.expect(t, 200, 998, "anonymous", "GET", "/api/export/entities?format=jsonl")
	release()
	s.expect(t, 200, 997, "anonymous", "GET", target)
	// Callers that are allowed to wait must only wait briefly.
	s.shared.Exports = ratelimit.NewGate(ratelimit.GateOptions{Slots: maxExports, PerCaller: exportsPerCaller, MaxWaiting: 1, Wait: 10 * time.Millisecond})
	for i := range maxExports / exportsPerCaller {
		defer s.HoldExports(fmt.Sprint("other ", i))()
	}
	s.expect(t, 503, 997, "anonymous", "GET", target)
}
