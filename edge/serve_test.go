package edge

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kindex/builder"
	"kindex/edge/live"
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
		if err := os.RemoveAll(filepath.Join(dir, typ)); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, typ), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(typ string, i int) {
		text := fmt.Sprintf(`name: %s Number%d
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
		if err := os.WriteFile(filepath.Join(dir, typ, fmt.Sprintf("n%d.yaml", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		write("tool", i)
		if i%2 == 0 {
			write("model", i)
		}
	}
}

// buildInto creates a build and returns its ID.
func buildInto(t testing.TB, content, out string, keep int) string {
	t.Helper()
	r, err := builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: testAsOf, Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
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
	status int
	header http.Header
	body   []byte
}

// ask sends a request without the transport's automatic decompression.
func (s *served) ask(t testing.TB, method, path string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequest(method, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, body}
}

// buildID returns the ID of the build that requests currently see.
func (s *served) buildID() string {
	return s.reloader.Current().ID()
}

// shown returns the build that requests see, including previewed edits.
func (s *served) shown() *live.ServedBuild { return s.reloader.Current() }

// published returns the published build without previewed edits.
func (s *served) published() *live.ServedBuild { return s.reloader.Published() }
