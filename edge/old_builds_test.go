package edge

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/edge/live"
	"kindex/edge/storage/storagetest"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
)

// TestUnfetchableFileIsLogged requests a file of an old build that is missing in the bucket: the
// response is 503, and the log says why, but not once for each of many requests.
func TestUnfetchableFileIsLogged(t *testing.T) {
	content, out, storage := t.TempDir(), t.TempDir(), t.TempDir()
	to, err := bucket.Open("file:" + storage)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for generation := range 2 {
		writeContent(t, content, 4, generation)
		ids = append(ids, buildInto(t, content, out, 1))
		if _, err := mirror.Publish(t.Context(), to, mirror.PublishOptions{Dir: out, Dirty: true}); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if _, err := mirror.Pull(t.Context(), to, mirror.PullOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
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
