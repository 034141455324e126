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
)

// TestTour runs the requests of the README as they are printed, but for the
// port.
func TestTour(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if _, err := builder.Build(context.Background(), builder.Options{Content: filepath.Join("..", "..", "content"), Out: out,
		AsOf: time.Now().UTC().Truncate(24 * time.Hour), Keep: 1}); err != nil {
		t.Fatal(err)
	}
	s, err := edge.New(edge.Options{Dir: out})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer s.Close()
	defer h.Close()
	tour := regexp.MustCompile(`(?m)^curl -fsS .*$`).FindAllString(string(text), -1)
	if len(tour) != 15 {
		t.Fatalf("the tour has %d requests, want 15", len(tour))
	}
	for _, line := range tour {
		cmd := exec.Command("bash", "-c", strings.ReplaceAll(line, "http://127.0.0.1:8080", h.URL))
		cmd.Stderr = os.Stderr
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
