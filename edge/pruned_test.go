package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
)

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
	get := func(path string) (*http.Response, []byte, error) {
		res, err := client.Get(s.url + path)
		if err != nil {
			return nil, nil, err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return res, body, err
	}
	res, body, err := get(path)
	if err != nil || res.StatusCode != 200 {
		return fmt.Errorf("%s: %v %.300s", path, err, body)
	}
	build := res.Header.Get("X-Build")
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") && body[0] == '{' {
		var named struct{ Build string }
		if err := json.Unmarshal(body, &named); err != nil || named.Build != build {
			return fmt.Errorf("%s: of %s and %s: %v", path, build, named.Build, err)
		}
	}
	for _, file := range []string{"manifest.json", "changelog.jsonl.gz"} {
		path := "/data/" + build + "/" + file
		switch res, body, err := get(path); {
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case res.StatusCode == 404:
			gone.Add(1)
		case res.StatusCode != 200 || res.Header.Get("X-Build") != build:
			return fmt.Errorf("%s: %d of %s: %.300s", path, res.StatusCode, res.Header.Get("X-Build"), body)
		}
	}
	return nil
}
