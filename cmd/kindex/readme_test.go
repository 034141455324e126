package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/edge"
	"kindex/edge/state/statetest"
)

// TestTour runs the requests of the README as they are printed, but for the
// port.
func TestTour(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	out, today := t.TempDir(), time.Now().UTC().Truncate(24*time.Hour)
	if _, err := builder.Build(context.Background(), builder.Options{Content: contentWithPast(t, today), Out: out, AsOf: today, Keep: 1}); err != nil {
		t.Fatal(err)
	}
	st := statetest.SQLite(t)
	key := makeKey(t, st, "local")
	s, err := edge.New(edge.Options{Dir: out, State: st, LimitAnonymous: 20, LimitKey: 100})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer s.Close()
	defer h.Close()
	_, section, _ := strings.Cut(string(text), "\n## A tour")
	section, _, _ = strings.Cut(section, "\n## ")
	tour := regexp.MustCompile(`(?m)^curl -fsS .*$`).FindAllString(section, -1)
	if len(tour) != 20 {
		t.Fatalf("the tour has %d requests, want 20", len(tour))
	}
	for _, line := range tour {
		cmd := exec.Command("bash", "-c", strings.ReplaceAll(line, "http://127.0.0.1:8080", h.URL))
		cmd.Stderr, cmd.Env = os.Stderr, append(os.Environ(), "KEY="+key)
		body, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if len(body) < 100 || strings.Contains(string(body), `"data":[]`) {
			t.Errorf("%s shows nothing: %s", line, body)
		}
	}
	res, err := http.Get(h.URL + "/api/entities?limt=3")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(body), `"suggestion":"limit"`) {
		t.Errorf("%s %v", body, err)
	}
}

// contentWithPast is the shipped content in a repository of its own, in which two
// entities have changed some days ago: the repository of the project may be young,
// or may not have changed for a while.
func contentWithPast(t *testing.T, today time.Time) string {
	t.Helper()
	repo := t.TempDir()
	content := filepath.Join(repo, "content")
	if err := os.CopyFS(content, os.DirFS(filepath.Join("..", "..", "content"))); err != nil {
		t.Fatal(err)
	}
	commit := func(daysAgo int, args ...string) {
		t.Helper()
		for _, args := range [][]string{args, {"add", "-A"}, {"commit", "-q", "-m", "Content"}} {
			cmd := exec.Command("git", append([]string{"-C", repo}, args...)...)
			date := today.AddDate(0, 0, -daysAgo).Format(time.RFC3339)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org",
				"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v: %s", args, err, out)
			}
		}
	}
	replace := func(name, pattern, by string) (was []byte) {
		t.Helper()
		path := filepath.Join(content, name)
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		other := regexp.MustCompile(pattern).ReplaceAll(was, []byte(by))
		if string(other) == string(was) {
			t.Fatalf("%s has no %s", name, pattern)
		}
		if err := os.WriteFile(path, other, 0o644); err != nil {
			t.Fatal(err)
		}
		return was
	}
	files := map[string][]byte{
		"tool/pytorch.yaml":     replace("tool/pytorch.yaml", `stars: {value: \d+`, "stars: {value: 100"),
		"tool/tensorlayer.yaml": replace("tool/tensorlayer.yaml", `category: [a-z-]+`, "category: reinforcement-learning"),
	}
	commit(20, "init", "-q", "-b", "main")
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(content, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commit(2, "status", "-s")
	return content
}
