package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kindex/builder/suite"
	"kindex/edge/web"
	"kindex/exports/store"
)

func writeFile(t testing.TB, dir, name, text string) {
	t.Helper()
	suite.Check(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644))
}

// pause is how long a client sleeps between requests, which leaves enough processor time for the
// builds even on two cores.
const pause = 20 * time.Millisecond

// TestManyBuildsUnderLoad sends requests from several clients while builds are published one
// after the other. Each build has a different number of entities, and all of its records carry
// its generation, so a response that mixed two builds would be noticed.
func TestManyBuildsUnderLoad(t *testing.T) {
	suite.InRace(t)
	t.Parallel()
	const clients, least = 6, 20 // minimum number of requests per build
	builds := suite.Pick(3, 20)
	s := serve(t, 30)
	s.patient()
	ctx, stop := context.WithCancel(context.Background())
	var followed sync.WaitGroup
	followed.Go(func() { s.Follow(ctx) })
	defer followed.Wait()
	defer stop()

	var known sync.Map // generation by build ID
	known.Store(s.buildID(), 0)
	var requests atomic.Int64
	var wg sync.WaitGroup
	done := make(chan struct{})
	for c := range clients {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := c; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if err := oneRequest(client, s.url, stressPaths[i%len(stressPaths)], &known); err != nil {
					t.Error(err)
					return
				}
				requests.Add(1)
				time.Sleep(pause)
			}
		})
	}
	last := ""
	for g := 1; g <= builds; g++ {
		writeContent(t, s.content, 30+g, g)
		// The ID is known only after publication, so clients wait for it.
		last = buildInto(t, s.content, s.out, 1)
		known.Store(last, g)
		suite.Eventually(t, "the new build", func() bool { return s.buildID() == last || t.Failed() })
		begun := requests.Load()
		suite.Eventually(t, "enough requests", func() bool { return requests.Load() >= begun+clients+least || t.Failed() })
	}
	close(done)
	wg.Wait()
	t.Logf("%d requests while %d builds were published", requests.Load(), builds)
}

// stressPaths are paths with responses that contain many or all records.
var stressPaths = []string{"/api/entities?limit=100", "/api/search?q=heaps&limit=100", "/api/leaderboard/all?limit=100",
	"/api/entity/tool/n3", "/api/entity/tool/n3/similar", "/api/export/entities?format=jsonl", "/api/export/entities?format=jsonl&type=tool",
	"/api/export/entities", "/api/entities?type=model&sort=name&limit=100", "/api/changelog?limit=100", "/api/feed?format=json", "/api/export/changelog?format=jsonl"}

// oneRequest sends one request and checks that the whole response is from one build.
func oneRequest(client *http.Client, base, path string, known *sync.Map) error {
	a, err := exchange(client, "GET", base+path, "")
	if err != nil || a.status != 200 {
		return fmt.Errorf("%s: %v %d %s", path, err, a.status, a.body)
	}
	id, body := a.header.Get("X-Build"), a.body
	var generation any
	for begin := time.Now(); generation == nil && time.Since(begin) < hanging; { // the test may learn the ID of a new build slightly later than the edge
		if generation, _ = known.Load(id); generation == nil {
			time.Sleep(5 * time.Millisecond)
		}
	}
	if generation == nil {
		return fmt.Errorf("%s: response from the unknown build %q", path, id)
	}
	g := generation.(int)
	if strings.Contains(path, "change") || strings.Contains(path, "feed") { // of what a build has removed since
		return nil
	}
	records := bytes.Count(body, []byte(`"slug":"`))
	if n := bytes.Count(body, fmt.Appendf(nil, `"version":"%d"`, g)); n != records || records == 0 {
		return fmt.Errorf("%s: %d of %d records have generation %d", path, n, records, g)
	}
	tools := 30 + g
	models := (tools + 1) / 2
	want := map[string]int{"/api/export/entities?format=jsonl": tools + models, "/api/export/entities": tools + models,
		"/api/export/entities?format=jsonl&type=tool": tools, "/api/entities?type=model&sort=name&limit=100": models,
		"/api/entities?limit=100": tools + models}[path]
	if want > 0 && records != min(want, 100) && strings.Contains(path, "limit") || want > 0 && records != want && strings.Contains(path, "export") {
		return fmt.Errorf("%s: %d records, generation %d has %d", path, records, g, want)
	}
	if strings.HasPrefix(path, "/api/export") {
		return nil
	}
	var named struct{ Build string }
	if err := json.Unmarshal(body, &named); err != nil || named.Build != id {
		return fmt.Errorf("%s: the body names build %q, the header %q: %v", path, named.Build, id, err)
	}
	return nil
}

// TestDamagedBuildIsRefused damages a new build in several ways, of which package exports tests all. Each time,
// the edge must continue to serve the previous build.
func TestDamagedBuildIsRefused(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 5)
	good := s.buildID()
	writeContent(t, s.content, 6, 1)
	next := buildInto(t, s.content, s.out, 5)
	dir, index := filepath.Join(store.BuildsDir(s.out), next), filepath.Join(s.out, "indexes", "builds", next)
	for _, c := range []struct {
		file, problem string
		damage        func(data []byte) []byte // nil: the file is missing
	}{
		{filepath.Join(dir, "lookup", "records.jsonl"), "was altered", func(b []byte) []byte { b[len(b)/2] ^= 0x20; return b }},
		{filepath.Join(index, "manifest.json"), "is missing", nil},
		{filepath.Join(dir, "manifest.json"), "but the ID of its content is", func(b []byte) []byte { return bytes.Replace(b, []byte(`"asOf": "2026`), []byte(`"asOf": "2025`), 1) }},
	} {
		data, err := os.ReadFile(c.file)
		suite.Check(t, err)
		if c.damage == nil {
			err = os.Remove(c.file)
		} else {
			err = os.WriteFile(c.file, c.damage(bytes.Clone(data)), 0o644)
		}
		suite.Check(t, err)
		s.reloader.ForgetRefusal()
		err = s.reloader.Load()
		suite.Holds(t, err != nil && strings.Contains(err.Error(), c.problem) &&
			strings.Contains(err.Error(), filepath.Base(c.file)), err, "want a message with", c.problem)
		s.ask(t, "GET", "/api/entity/tool/n3").want(t, 200).wantHeader(t, "X-Build", good)
		suite.Check(t, os.WriteFile(c.file, data, 0o644))
	}
	s.reloader.ForgetRefusal()
	if err := s.reloader.Load(); err != nil || s.buildID() != next {
		t.Fatalf("the repaired build is refused: %v", err)
	}
}

// flip alters a byte of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	b := suite.Must(os.ReadFile(path))(t)
	b[len(b)/2] ^= 0x20
	suite.Check(t, os.WriteFile(path, b, 0o644))
}

// TestOldBuildsStayAtTheirAddresses requests files under /data of a build that is no longer
// current, and of a build that was removed.
func TestOldBuildsStayAtTheirAddresses(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 5)
	first := s.buildID()
	path := "/data/" + first + "/entities.csv"
	before := s.ask(t, "GET", path)
	writeContent(t, s.content, 12, 1)
	buildInto(t, s.content, s.out, 5)
	suite.Check(t, s.reloader.Load())
	after := s.ask(t, "GET", path)
	if after.status != 200 || !bytes.Equal(before.body, after.body) || before.header.Get("Etag") != after.header.Get("Etag") {
		t.Errorf("%d, the same bytes: %v", after.status, bytes.Equal(before.body, after.body))
	}
	cc := after.header.Get("Cache-Control")
	suite.Holds(t, strings.Contains(cc, "immutable") && strings.Contains(cc, "public"), "Cache-Control", cc)
	for _, p := range []string{"/data/" + first + "/nothing", "/data/" + first + "/../../current", "/data/" + first + "/lookup/../../../current"} {
		s.ask(t, "GET", p).want(t, 404)
	}
	flip(t, filepath.Join(store.BuildsDir(s.out), first, "entities.json"))
	if a := s.ask(t, "GET", "/data/"+first+"/entities.json"); a.status != 500 || strings.Contains(a.header.Get("Cache-Control"), "immutable") {
		t.Errorf("damaged file of an old build: %d, Cache-Control: %s", a.status, a.header.Get("Cache-Control"))
	}
	suite.Check(t, os.RemoveAll(filepath.Join(store.BuildsDir(s.out), first)))
	s.ask(t, "GET", path).want(t, 404)
}

// run runs a server until stop is called or the test ends, and returns its addresses.
func run(t *testing.T, s *Server) (public, admin string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	addrs, ended := make(chan [2]string, 1), make(chan error, 1)
	go func() {
		ended <- s.Run(ctx, Listeners{Addr: "127.0.0.1:0", Admin: "127.0.0.1:0", Drain: hanging,
			Ready: func(p, a string) { addrs <- [2]string{p, a} }})
	}()
	select {
	case a := <-addrs:
		t.Cleanup(func() {
			cancel()
			suite.Check(t, <-ended)
		})
		return a[0], a[1], cancel
	case err := <-ended:
		t.Fatal(err)
		return "", "", cancel
	}
}

// TestDrain: a server that is told to stop reports that it is not ready, but accepts connections until a delay
// has passed. Then it finishes what is under way.
func TestDrain(t *testing.T) {
	s := serve(t, 5)
	passed := make(chan time.Time)
	s.timeouts.drainDelay = passed
	started, finish := make(chan struct{}), make(chan struct{})
	s.router.GET("/slow", s.handle("/slow", web.Unmetered, nil, func(*web.Call) (*web.Reply, error) {
		close(started)
		<-finish
		return &web.Reply{MediaType: "text/plain", Body: []byte("done")}, nil
	}))
	public, admin, stop := run(t, s.Server)
	get := func(address string) answer { return suite.Must(exchange(direct(nil), "GET", "http://"+address, ""))(t) }
	get(admin+"/readyz").want(t, 200, s.buildID())
	answered := make(chan string, 1)
	go func() {
		a, err := exchange(http.DefaultClient, "GET", "http://"+public+"/slow", "")
		answered <- fmt.Sprint(string(a.body), err)
	}()
	<-started
	stop()
	suite.Eventually(t, "not ready", func() bool { return get(admin+"/readyz").status == http.StatusServiceUnavailable })
	get(public+"/api/entities").want(t, http.StatusOK)
	close(passed)
	suite.Eventually(t, "new connections are refused", func() bool {
		c, err := net.Dial("tcp", public)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	close(finish)
	suite.Equal(t, <-answered, "done<nil>", "the request under way")
}

// TestAttackSlowRequests sends half of the headers, and a body one byte at a time. The server must not wait longer
// than its timeouts.
func TestAttackSlowRequests(t *testing.T) {
	suite.InTest(t)
	t.Parallel() // it waits
	s := serveFew(t, Options{LimitKey: 1000})
	if srv := s.httpServer(s); srv.ReadTimeout != readTimeout || srv.ReadHeaderTimeout != headerTimeout {
		t.Errorf("a request may take %v, its headers %v", srv.ReadTimeout, srv.ReadHeaderTimeout)
	}
	key, _ := s.keyOf(t, "account")
	const headers = "POST /api/developer/api-keys HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for _, c := range []struct {
		limits timeouts
		sent   string
	}{
		{timeouts{header: 300 * time.Millisecond, read: 2 * hanging}, headers},
		{timeouts{header: hanging, read: 300 * time.Millisecond}, headers + "Content-Length: 100000\r\nx-api-key: " + key + "\r\n\r\n{"},
	} {
		s.timeouts = c.limits
		public, _, _ := run(t, s.Server)
		suite.Eventually(t, "a whole request is answered", func() bool {
			a, err := exchange(direct(nil), http.MethodPost, "http://"+public+keysPath, "{", "x-api-key", key, "Content-Type", "application/json")
			return err == nil && a.status == http.StatusBadRequest
		})
		conn := dialFrom(t, "127.0.0.1", public)
		suite.Must(io.WriteString(conn, c.sent))(t)
		cut := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, conn) // returns when the server closes the connection
			close(cut)
		}()
		late := time.After(hanging)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for open := true; open; {
			select {
			case <-cut:
				open = false
			case <-tick.C:
				_, _ = io.WriteString(conn, " ") // fails once the server has closed the connection
			case <-late:
				t.Fatal("the connection is still open")
			}
		}
	}
}

// TestPanicInJob has a background job panic, as a forged build made one do: it is logged, and the job runs
// again after a pause instead of ending the edge.
func TestPanicInJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var log strings.Builder
		s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
		runs := 0
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		start := time.Now()
		s.keepRunning(ctx, "announcing builds", func(context.Context) {
			mu.Lock()
			defer mu.Unlock()
			if runs++; runs < 4 {
				var none []int
				_ = none[runs]
			}
		})
		suite.Equal(t, runs, 4)
		suite.Equal(t, time.Since(start), (1+2+4)*firstJobPause)
		suite.Equal(t, strings.Count(log.String(), `job="announcing builds"`), 3, "panics were logged", log.String())
		suite.Contains(t, log.String(), "index out of range", "panics were logged")
	})
}
