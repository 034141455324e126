// Package collecttest runs a source of figures against the test's own server.
package collecttest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/collect"
	"kindex/builder/safedial"
	"kindex/builder/suite"
)

// Today is the day of every run.
const Today = "2026-11-23"

// Clock is a clock whose time passes only when somebody sleeps. It is safe for concurrent use.
type Clock struct {
	Start time.Time // if it is zero, noon of Today
	mu    sync.Mutex
	slept time.Duration
}

// Now implements collect.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Start.IsZero() {
		c.Start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	}
	return c.Start.Add(c.slept)
}

// Sleep implements collect.Clock.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept += d
	return ctx.Err()
}

// Server starts a server on loopback and returns its address.
func Server(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// Client returns a client that connects to loopback only.
func Client(t testing.TB) *http.Client {
	t.Helper()
	allow := suite.Must(safedial.ParseException("127.0.0.0/8"))(t)
	return collect.NewHTTPClient(safedial.New(safedial.Options{Allow: []safedial.Exception{allow}, HostRate: -1}))
}

// Options returns the options of a run over entities with these identifiers in a namespace. The
// slugs are e0, e1 and so on. Requests that take longer than a second fail.
func Options(t testing.TB, s *collect.Source, typ, namespace string, ids ...string) collect.Options {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "content")
	suite.Check(t, os.MkdirAll(filepath.Join(dir, typ), 0o777))
	for i, id := range ids {
		text := fmt.Sprintf("name: E%d\ndescription: What it is.\ncategory: things\nids:\n  %s: %q\n", i, namespace, id)
		suite.Check(t, os.WriteFile(filepath.Join(dir, typ, fmt.Sprintf("e%d.yaml", i)), []byte(text), 0o666))
	}
	client := Client(t)
	client.Timeout = time.Second
	return collect.Options{Content: dir, Sources: []*collect.Source{s}, HTTP: client, Clock: &Clock{}, MaxWait: time.Hour, Agent: "kindex/test",
		Cache: filepath.Join(dir, "..", "cache"), Getenv: func(name string) string { return "token-of-" + name }}
}

// Run runs a source, and returns a line for each value, each value that was stopped, and each
// identifier that was not found or got no answer, such as
//
//	e0 stars 12
//	e1 gone
//	e2 failed: status 500
func Run(t testing.TB, o collect.Options) ([]string, *collect.Report) {
	t.Helper()
	r := suite.Must(collect.Run(t.Context(), o))(t)
	var lines []string
	slug := func(entity string) string { _, s, _ := strings.Cut(entity, "/"); return s }
	for _, c := range r.Changes {
		lines = append(lines, fmt.Sprintf("%s %s %v", slug(c.Entity), c.Name, shown(c.New)))
	}
	for _, s := range r.Stopped {
		lines = append(lines, fmt.Sprintf("%s stopped %s %v", slug(s.Entity), s.Name, shown(s.Found)))
	}
	for _, p := range r.Gone {
		lines = append(lines, slug(p.Entity)+" gone")
	}
	for _, p := range r.Failed {
		lines = append(lines, slug(p.Entity)+" failed: "+p.Reason)
	}
	for _, s := range r.Sources {
		if s.Error != "" {
			lines = append(lines, "error: "+s.Error)
		}
	}
	slices.Sort(lines)
	return lines, r
}

func shown(v any) string {
	if x, ok := v.(float64); ok {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprint(v)
}

// Want compares lines with those that are wanted. A wanted line that ends in … stands for every
// line that starts with the rest, and addresses of servers on loopback count as SERVER.
func Want(t testing.TB, got []string, want ...string) {
	t.Helper()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		start, open := strings.CutSuffix(want[i], "…")
		ok = got[i] == want[i] || open && strings.HasPrefix(got[i], start)
	}
	if !ok {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// JSON sends a response of type application/json.
func JSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}
