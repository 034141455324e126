package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
)

// TestAttackMadeUpBuilds requests many builds that do not exist from one address: others still get
// files of the build before the current one.
func TestAttackMadeUpBuilds(t *testing.T) {
	content, out := t.TempDir(), t.TempDir()
	writeContent(t, content, 4, 0)
	old := buildInto(t, content, out, 2)
	writeContent(t, content, 4, 1)
	buildInto(t, content, out, 2)
	s, err := New(Options{Dir: out, State: storagetest.SQLite(t)})
	if err != nil {
		t.Fatal(err)
	}
	get := func(from, path string) int {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		r.RemoteAddr = from + ":1"
		s.ServeHTTP(w, r)
		return w.Code
	}
	for i := range 2000 {
		if code := get("198.51.100.7", fmt.Sprintf("/data/20260101-%016x/entities.csv", i)); code != http.StatusNotFound {
			t.Fatalf("a build that does not exist: %d", code)
		}
	}
	if code := get("203.0.113.5", "/data/"+old+"/entities.csv"); code != http.StatusOK {
		t.Errorf("others get %d", code)
	}
}

// historyPaths are paths whose handlers read the archive of a build.
var historyPaths = []string{"/api/changelog?limit=100", "/api/entity/tool/n3/changelog", "/api/entity/tool/n3?at=2026-10-26",
	"/api/entities?at=2026-10-26&limit=100", "/api/leaderboard/all?at=2026-10-26", "/api/leaderboard/all?by=adoption", "/api/trending",
	"/api/feed?format=json", "/api/export/changelog?format=jsonl", "/api/export/changelog?type=tool&format=csv", "/api/export/leaderboard?at=2026-10-26"}

// TestHistoryWhileBuildsArePruned requests history, and then files of the build that the response
// is from, while builds are published and all but the newest are removed. A file may no longer
// exist; apart from that, no request may fail or mix two builds.
func TestHistoryWhileBuildsArePruned(t *testing.T) {
	suite.InRace(t)
	t.Parallel()
	least, builds := suite.Pick(int64(100), 600), suite.Pick(3, 8)
	s, r := serveHistory(t, "2026-11-01", Options{})
	s.patient()
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { s.Follow(ctx) })
	defer wg.Wait()
	defer stop()

	var asked, gone atomic.Int64
	var clients sync.WaitGroup
	done := make(chan struct{})
	for c := range 6 {
		clients.Go(func() {
			client := &http.Client{}
			for i := c; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if err := s.askThePast(client, historyPaths[i%len(historyPaths)], &gone); err != nil {
					t.Error(err)
					return
				}
				asked.Add(1)
				time.Sleep(pause)
			}
		})
	}
	for i := range builds {
		r.Commit(fmt.Sprintf("2026-11-01T06:%02d:00Z", i), "Again", "tool/n3.yaml", sheet("Tool 3", "alpha", 3000+i))
		asOf := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		if _, err := builder.Build(context.Background(), builder.Options{Content: r.Dir, Out: s.out, AsOf: asOf, Keep: 1}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "enough requests", func() bool { return asked.Load() >= least || t.Failed() })
	close(done)
	clients.Wait()
	t.Logf("%d requests, %d files were gone", asked.Load(), gone.Load())
}

// askThePast sends one request for history, and then requests a file of the build that the
// response is from.
func (s *served) askThePast(client *http.Client, path string, gone *atomic.Int64) error {
	a, err := exchange(client, "GET", s.url+path, "")
	if err != nil || a.status != 200 {
		return fmt.Errorf("%s: %v %d %.300s", path, err, a.status, a.body)
	}
	build := a.header.Get("X-Build")
	if strings.HasPrefix(a.header.Get("Content-Type"), "application/json") && a.body[0] == '{' {
		var named struct{ Build string }
		if err := json.Unmarshal(a.body, &named); err != nil || named.Build != build {
			return fmt.Errorf("%s: of %s and %s: %v", path, build, named.Build, err)
		}
	}
	for _, file := range []string{"manifest.json", "changelog.jsonl.gz"} {
		path := "/data/" + build + "/" + file
		switch a, err := exchange(client, "GET", s.url+path, ""); {
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case a.status == 404:
			gone.Add(1)
		case a.status != 200 || a.header.Get("X-Build") != build:
			return fmt.Errorf("%s: %d of %s: %.300s", path, a.status, a.header.Get("X-Build"), a.body)
		}
	}
	return nil
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
	if err != nil {
		t.Fatal(err)
	}
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
	if leave, err = s.enterPast(); err != nil {
		t.Fatal(err)
	}
	for _, path := range past {
		get(path+"2026-11-05", http.StatusOK) // it is in memory
		get(path+"2026-11-06", http.StatusServiceUnavailable)
	}
	leave()
	get("/leaderboards/"+category+"/at-2026-11-01/", http.StatusOK)
}
