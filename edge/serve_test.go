package edge

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/live"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
)

// hanging is how long a request or a test waits before it gives up. The tests do not depend on
// any other durations.
const hanging = 3 * time.Minute

// testAsOf is the time at which test builds are scored.
var testAsOf = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// writeContent writes a content folder with n tools and n/2 models. Their version is the
// generation, by which tests can tell builds apart.
func writeContent(t testing.TB, dir string, n, generation int) {
	t.Helper()
	for _, typ := range []string{"tool", "model"} {
		suite.Check(t, os.RemoveAll(filepath.Join(dir, typ)))
	}
	files := map[string]string{}
	write := func(typ string, i int) {
		files[fmt.Sprint(typ, "/n", i, ".yaml")] = fmt.Sprintf(`name: %s Number%d
provider: Maker %d
description: Finds things in heaps of data, the way number %d does it, for people who need them soon.
category: %s
version: "%d"
license: MIT
url: https://example.org/%s/%d
tags: [search, %s, tag-%d]
signals:
  stars: {value: %d, date: 2026-10-01, source: https://example.org/%d}
  downloads: {value: %d, date: 2026-10-01}
  lastRelease: {value: 2026-09-%02d, date: 2026-10-01}
  contributors: {value: %d, date: 2026-10-01}
`, typ, i, i%7, i, []string{"alpha", "beta", "gamma"}[i%3], generation, typ, i,
			[]string{"fast", "small"}[i%2], i%10, 10+i*i, i, 1000*i, 1+i%28, i)
	}
	for i := range n {
		write("tool", i)
		if i%2 == 0 {
			write("model", i)
		}
	}
	suite.Write(t, dir, files)
}

// buildInto creates a build and returns its ID.
func buildInto(t testing.TB, content, out string, keep int) string {
	t.Helper()
	r := suite.Must(builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: testAsOf, Keep: keep}))(t)
	return r.ID
}

// publish builds the content folder of an edge, and has the edge serve the build.
func (s *served) publish(t testing.TB) {
	t.Helper()
	buildInto(t, s.content, s.out, 3)
	suite.Check(t, s.Reload())
}

// served is an edge on loopback that serves a small build.
type served struct {
	*Server
	url, content, out string
}

func serve(t testing.TB, n int) *served {
	t.Helper()
	content, out := smallBuild(t, n)
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
	s.content = content
	return s
}

// answer is a response with its body.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	request string // what was sent, for messages
}

// want reports an error if the status is another one, or if the body lacks a text.
func (a answer) want(t testing.TB, status int, texts ...string) answer {
	t.Helper()
	if a.status != status {
		t.Errorf("%s: %d %v %.2000s, want %d", a.request, a.status, a.header, a.body, status)
	}
	return a.says(t, texts...)
}

// must is like want, but ends the test.
func (a answer) must(t testing.TB, status int) answer {
	t.Helper()
	if a.want(t, status); a.status != status {
		t.FailNow()
	}
	return a
}

// says reports an error if the body lacks a text, and lacks if it has one.
func (a answer) says(t testing.TB, texts ...string) answer {
	t.Helper()
	for _, text := range texts {
		suite.Contains(t, string(a.body), text, a.request, a.status)
	}
	return a
}

func (a answer) lacks(t testing.TB, texts ...string) answer {
	t.Helper()
	for _, text := range texts {
		suite.Lacks(t, string(a.body), text, a.request, a.status)
	}
	return a
}

// wantHeader reports an error if a header has another value.
func (a answer) wantHeader(t testing.TB, name, value string) answer {
	t.Helper()
	suite.Equal(t, a.header.Get(name), value, a.request, a.status, name)
	return a
}

// exchange sends a request and reads the response. A header with the value "" is not sent; Host sets
// the requested host. It may be called from any goroutine.
func exchange(client *http.Client, method, address, body string, header ...string) (answer, error) {
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for pair := range slices.Chunk(header, 2) {
		switch name, value := pair[0], pair[1]; {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	res, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, text, fmt.Sprintf("%s %s %q %.100s", method, address, header, body)}, err
}

// plain is a transport that does not decompress responses.
var plain = &http.Transport{DisableCompression: true}

// direct returns a client that neither follows redirects nor decompresses responses. The jar may be nil.
func direct(jar http.CookieJar) *http.Client {
	return &http.Client{Jar: jar, Transport: plain,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ask requests a path of the edge.
func (s *served) ask(t testing.TB, method, path string, header ...string) answer {
	t.Helper()
	return suite.Must(exchange(direct(nil), method, s.url+path, "", header...))(t)
}

// buildID returns the ID of the build that requests currently see.
func (s *served) buildID() string {
	return s.reloader.Current().ID()
}

// published returns the published build without previewed edits.
func (s *served) published() *live.ServedBuild { return s.reloader.Published() }

// RemovePrepared stops the edges that the tests have shared, and removes their folders.
func RemovePrepared() {
	for _, stop := range slices.Backward(shared.stop) {
		stop()
	}
	_ = os.RemoveAll(prepared.dir) // "" removes nothing
}

// shared holds the edges that several tests use.
var shared struct {
	mu    sync.Mutex
	edges map[string]*served
	stop  []func()
}

// lasting is a test whose folders and servers are used until all tests have ended.
type lasting struct{ testing.TB }

func (l lasting) Cleanup(stop func()) { shared.stop = append(shared.stop, stop) }
func (l lasting) TempDir() string     { return suite.Must(os.MkdirTemp(prepared.dir, "shared-"))(l) }

// share returns an edge that start starts for the first test that needs it. Tests only read it, or undo what they
// change in it.
func share(t testing.TB, name string, start func(t testing.TB) *served) *served {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.edges[name] == nil {
		if shared.edges == nil {
			shared.edges = map[string]*served{}
		}
		shared.edges[name] = start(lasting{t})
	}
	s := shared.edges[name]
	t.Cleanup(func() { s.ApplyEdits(nil) })
	return s
}

// serveShared is like serve, for tests that only read.
func serveShared(t testing.TB, n int) *served {
	t.Helper()
	return share(t, fmt.Sprint(n, " tools"), func(t testing.TB) *served { return serve(t, n) })
}

// prepared holds the content folders and builds that most tests start from. Each is created only
// once, because copying takes a twentieth of the time that building takes.
var prepared struct {
	mu   sync.Mutex
	dir  string
	made map[string]bool
}

// prepare returns a copy, for this test only, of a folder filled by fill. Each name must always
// be used with the same fill.
func prepare(t testing.TB, name string, fill func(dir string)) string {
	t.Helper()
	prepared.mu.Lock()
	defer prepared.mu.Unlock()
	if prepared.dir == "" {
		dir := suite.Must(os.MkdirTemp("", "kindex-edge-"))(t)
		prepared.dir, prepared.made = dir, map[string]bool{}
	}
	master := filepath.Join(prepared.dir, name)
	if !prepared.made[name] {
		if err := os.RemoveAll(master); err != nil { // left behind by a test that failed halfway
			t.Fatal(err)
		}
		suite.Check(t, os.Mkdir(master, 0o755))
		fill(master)
		prepared.made[name] = true
	}
	dir := t.TempDir()
	suite.Check(t, os.CopyFS(dir, os.DirFS(master)))
	return dir
}

// patient lets requests for pages and exports wait as long as a slow machine may
// need, even if several exports come from the same address. Call it before the first request.
func (s *served) patient() {
	l := s.shared.Limits
	for _, g := range []**ratelimit.Gate{&l.PageGate, &l.ExportGate} {
		o := (*g).GateOptions
		o.PerCaller, o.Wait = 0, hanging
		*g = ratelimit.NewGate(o)
	}
}

// smallBuild returns a content folder with n tools at generation 0, as written by writeContent,
// and a build of that content.
func smallBuild(t testing.TB, n int) (content, out string) {
	t.Helper()
	dir := prepare(t, fmt.Sprint(n, " tools"), func(dir string) {
		writeContent(t, filepath.Join(dir, "content"), n, 0)
		buildInto(t, filepath.Join(dir, "content"), filepath.Join(dir, "out"), 3)
	})
	return filepath.Join(dir, "content"), filepath.Join(dir, "out")
}

// Paths returns the paths under /api that the server registers, in the router's syntax.
func (s *Server) Paths() []string { return s.shared.Paths }

// HoldExports occupies all of a caller's export slots until release is called.
func (s *Server) HoldExports(caller string) (release func()) {
	var leave []func()
	for range s.shared.Limits.ExportGate.PerCaller {
		one, err := s.shared.Limits.ExportGate.Enter(context.Background(), caller)
		if err != nil {
			panic(err)
		}
		leave = append(leave, one)
	}
	return func() {
		for _, one := range leave {
			one()
		}
	}
}

// ForgetBuild makes the edge one that has no build yet.
func (s *Server) ForgetBuild() { s.reloader = live.New(live.Options{}) }
