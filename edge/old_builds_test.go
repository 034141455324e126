package edge

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/live"
	"kindex/edge/storage/storagetest"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
)

// pullLast publishes builds, and pulls the last of them into a folder, which has none of the others.
func pullLast(t *testing.T, storage string, builds int) (to bucket.Bucket, dir string, ids []string) {
	t.Helper()
	content, out := t.TempDir(), t.TempDir()
	to, err := bucket.Open("file:" + storage)
	if err != nil {
		t.Fatal(err)
	}
	for generation := range builds {
		writeContent(t, content, 4, generation)
		ids = append(ids, buildInto(t, content, out, 1))
		if _, err := mirror.Publish(t.Context(), to, mirror.PublishOptions{Dir: out, Dirty: true}); err != nil {
			t.Fatal(err)
		}
	}
	dir = t.TempDir()
	if _, err := mirror.Pull(t.Context(), to, mirror.PullOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return to, dir, ids
}

// TestUnfetchableFileIsLogged requests a file of an old build that is missing in the bucket: the
// response is 503, and the log says why, but not once for each of many requests.
func TestUnfetchableFileIsLogged(t *testing.T) {
	storage := t.TempDir()
	to, dir, ids := pullLast(t, storage, 2)
	if err := os.RemoveAll(filepath.Join(storage, "files")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := New(Options{Dir: dir, State: storagetest.SQLite(t), Log: slog.New(slog.NewTextHandler(&log, nil)), Pull: live.PullOptions{From: to}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	get := func(path string) int {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code
	}
	if code := get("/data/" + ids[0] + "/nothing.csv"); code != http.StatusNotFound {
		t.Errorf("a file that does not exist: %d", code)
	}
	if strings.Contains(log.String(), "cannot be fetched") {
		t.Errorf("a file that does not exist is logged: %s", log.String())
	}
	for range 30 {
		if code := get("/data/" + ids[0] + "/entities.csv"); code != http.StatusServiceUnavailable {
			t.Fatalf("a file that is missing: %d", code)
		}
	}
	n := strings.Count(log.String(), "a file of an old build cannot be fetched from the bucket")
	if n < 5 || n >= 30 || !strings.Contains(log.String(), "build="+ids[0]+" file=entities.csv") || !strings.Contains(log.String(), "lacks a part of the build") {
		t.Errorf("%d messages: %s", n, log.String())
	}
}

// TestAttackMadeUpBuilds requests many builds that do not exist at once, from one address, again and
// again: others still get files of old builds that nobody has requested before.
func TestAttackMadeUpBuilds(t *testing.T) {
	suite.InTest(t)
	to, dir, ids := pullLast(t, t.TempDir(), 4)
	s, err := New(Options{Dir: dir, State: storagetest.SQLite(t), Pull: live.PullOptions{From: to}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	get := func(from, path string) int {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		r.RemoteAddr = from + ":1"
		s.ServeHTTP(w, r)
		return w.Code
	}
	for round, id := range ids[:3] {
		var attackers sync.WaitGroup
		var refused atomic.Int64
		for i := range 200 {
			attackers.Go(func() {
				switch code := get("198.51.100.7", fmt.Sprintf("/data/20260101-%016x/entities.csv", 1000*round+i)); code {
				case http.StatusTooManyRequests, http.StatusServiceUnavailable:
					refused.Add(1)
				case http.StatusNotFound:
				default:
					t.Errorf("a build that does not exist: %d", code)
				}
			})
		}
		attackers.Wait()
		if refused.Load() < 150 {
			t.Errorf("%d of 200 requests of the attacker were refused", refused.Load())
		}
		if code := get("203.0.113.5", "/data/"+id+"/entities.csv"); code != http.StatusOK {
			t.Errorf("round %d: others get %d", round, code)
		}
	}
}
