package collect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/content/schema"
	"kindex/builder/safedial"
	"kindex/builder/suite"

	"kindex/exports/record"
)

// newClock returns a clock that starts in the morning of a day.
func newClock(day string) *collecttest.Clock {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return &collecttest.Clock{Start: t.Add(6 * time.Hour)}
}

// forge returns a source with a server of its own, in the form {"stars": 1, "forks": 2}.
func forge(base string) *collect.Source {
	return &collect.Source{Name: "github", Title: "Forge", Hosts: []string{base}, Token: "FORGE_TOKEN", Batch: 1, PerSecond: 1000,
		Columns:  []collect.Column{{Name: "stars", Always: true}, {Name: "forks", Always: true}, {Name: "lastCommit"}, {Name: "license"}, {Name: "archived"}},
		Identify: func(e *record.Entity) string { return append(e.IDsIn("github"), "")[0] },
		Ask: func(ctx context.Context, c *collect.Client, ids []string) (out []collect.Answer, err error) {
			for _, id := range ids {
				var fields map[string]any
				found, err := c.Get(ctx, "forge", collect.Request{URL: base + "/" + id}, &fields)
				if err != nil {
					return nil, err
				}
				a := answerOf(id, fields)
				a.Gone = !found
				out = append(out, a)
			}
			return out, nil
		}}
}

// inBatches asks a source for several identifiers at once.
func inBatches(s *collect.Source, n int) *collect.Source {
	s.Batch = n
	return s
}

func answerOf(id string, fields map[string]any) collect.Answer {
	a := collect.Answer{ID: id}
	for name, v := range fields {
		switch v := v.(type) {
		case float64:
			a.Add(collect.Value{Name: name, Number: v, Source: "https://forge.example.org/" + id})
		case string:
			if name == "moved" {
				a.Moved = v
				continue
			}
			a.Add(collect.Value{Name: name, Text: v, Source: "https://forge.example.org/" + id})
		}
	}
	return a
}

// reply sends fields as JSON.
func reply(w http.ResponseWriter, fields map[string]any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(fields)
}

// options returns the options of a run with one source, over loopback only.
func options(t testing.TB, dir string, c collect.Clock, sources ...*collect.Source) collect.Options {
	t.Helper()
	return collect.Options{Content: dir, Sources: sources, HTTP: collecttest.Client(t), Clock: c, Cache: filepath.Join(dir, "..", "cache"),
		MaxWait: time.Hour, Agent: "test", Getenv: func(string) string { return "" }}
}

// write writes files into a new folder and returns the content folder in it.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "content")
	suite.Write(t, dir, files)
	return dir
}

func tool(name, more string) string {
	return "name: " + name + "\ndescription: What " + name + " is.\ncategory: things\nids:\n  github: own/" + strings.ToLower(name) + "\n" + more
}

// read returns all files of a content folder.
func read(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	suite.Check(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	}))
	return files
}

func mustRun(t testing.TB, o collect.Options) *collect.Report {
	t.Helper()
	return suite.Must(collect.Run(t.Context(), o))(t)
}

func TestWritesOnlyWhatChanged(t *testing.T) {
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		forks := map[string]float64{"/own/a": 50, "/own/b": 51}[r.URL.Path]
		reply(w, map[string]any{"stars": 1100.0, "forks": forks, "lastCommit": "2026-11-20"})
	})
	before := "# about it\nname: A\ndescription: What A is.   # short\ncategory: things\nids: {github: own/a}\nsignals:\n  # from the page\n  stars: {value: 1000, date: 2026-10-01, source: https://old.example.org}\n  forks: {value: 50, date: 2026-11-10}\n"
	same := tool("B", "signals:\n  stars: {value: 1100, date: 2026-11-01}\n  forks: {value: 51, date: 2026-11-01}\n  lastCommit: {value: 2026-11-20, date: 2026-11-20}\n")
	dir := write(t, map[string]string{"tool/a.yaml": before, "tool/b.yaml": same})
	r := mustRun(t, options(t, dir, newClock("2026-11-23"), forge(url)))
	files := read(t, dir)
	want := "# about it\nname: A\ndescription: What A is.   # short\ncategory: things\nids:\n  github: own/a\nsignals:\n  # from the page\n  stars: {value: 1100, date: 2026-11-23, source: https://forge.example.org/own/a}\n  forks: {value: 50, date: 2026-11-10}\n  lastCommit: {value: 2026-11-20, date: 2026-11-23, source: https://forge.example.org/own/a}\n"
	suite.Equal(t, files["tool/a.yaml"], want)
	if files["tool/b.yaml"] != same || r.Files != 1 {
		t.Errorf("%d files; B is\n%s", r.Files, files["tool/b.yaml"])
	}
	// 28 days later, the date alone moves.
	r = mustRun(t, options(t, dir, newClock("2026-12-21"), forge(url)))
	if s := r.Sources[0]; s.Redated != 6 || s.Changed != 0 || !strings.Contains(read(t, dir)["tool/b.yaml"], "forks: {value: 51, date: 2026-12-21") {
		t.Errorf("%+v", s)
	}
}

func TestDryRunAndOfflineAndMaxAge(t *testing.T) {
	var requests int
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		reply(w, map[string]any{"stars": 1100.0, "forks": 5.0})
	})
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", "")})
	o := options(t, dir, newClock("2026-11-23"), forge(url))
	o.DryRun = true
	before := read(t, dir)
	if r := mustRun(t, o); r.Files != 1 || len(r.Changes) != 2 || fmt.Sprint(read(t, dir)) != fmt.Sprint(before) {
		t.Errorf("dry run: %+v", r)
	}
	o.DryRun, o.Offline, o.Clock = false, true, newClock("2026-12-31")
	mustRun(t, o)
	if text := read(t, dir)["tool/a.yaml"]; requests != 1 || !strings.Contains(text, "stars: {value: 1100, date: 2026-11-23") {
		t.Errorf("offline: %d requests\n%s", requests, text)
	}
	for day, want := range map[string]int{"2026-11-29": 1, "2026-11-30": 2} {
		o.Offline, o.Clock = false, newClock(day)
		if mustRun(t, o); requests < want {
			t.Errorf("%s: %d requests", day, requests)
		}
	}
}

func TestRedirectsAndTokens(t *testing.T) {
	other := collecttest.Server(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("request to another host: %v", r.Header) })
	var seen []string
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.Path+" "+r.Header.Get("Authorization"))
		switch r.URL.Path {
		case "/own/a":
			http.Redirect(w, r, "/new/a", http.StatusMovedPermanently)
		case "/own/b":
			http.Redirect(w, r, other+"/steal", http.StatusFound)
		default:
			reply(w, map[string]any{"stars": 7.0, "forks": 1.0})
		}
	})
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", ""), "tool/b.yaml": tool("B", "")})
	o := options(t, dir, newClock("2026-11-23"), forge(url))
	o.Getenv = func(name string) string { return map[string]string{"FORGE_TOKEN": "secret\n"}[name] }
	r := mustRun(t, o)
	suite.Equal(t, seen, []string{"/own/a Bearer secret", "/new/a Bearer secret", "/own/b Bearer secret"})
	if s := r.Sources[0]; s.Answered != 1 || s.Failed != 1 || len(s.Redirects) != 1 {
		t.Errorf("%+v", s)
	}
	var b strings.Builder
	if err := r.WriteJSON(&b); err != nil || strings.Contains(b.String(), "secret") {
		t.Error("the report has the token")
	}
	cached := fmt.Sprint(read(t, o.Cache))
	if strings.Contains(cached, "secret") {
		t.Error("the cache has the token")
	}
}

func TestNoPrivateAddress(t *testing.T) {
	url := collecttest.Server(t, func(http.ResponseWriter, *http.Request) { t.Error("request") })
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", "")})
	o := options(t, dir, newClock("2026-11-23"), forge(url))
	o.HTTP = collect.NewHTTPClient(safedial.New(safedial.Options{HostRate: -1}))
	if r := mustRun(t, o); len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Reason, "not an address on the public internet") {
		t.Errorf("%+v", r.Failed)
	}
}

// With a proxy in the environment, requests go to it, although it is on loopback, and the names of
// services are not resolved here.
func TestProxy(t *testing.T) {
	asked := ""
	proxy := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.RequestURI
		reply(w, map[string]any{"stars": 7.0, "forks": 1.0})
	})
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("NO_PROXY", "")
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", "")})
	o := options(t, dir, newClock("2026-11-23"), forge("http://forge.invalid"))
	o.HTTP = collect.NewHTTPClient(safedial.New(safedial.Options{HostRate: -1}))
	if r := mustRun(t, o); r.Files != 1 || asked != "http://forge.invalid/own/a" {
		t.Errorf("%q, %+v", asked, r)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		first  func(w http.ResponseWriter)
		waited time.Duration
	}{
		{"Retry-After in seconds", func(w http.ResponseWriter) { w.Header().Set("Retry-After", "90"); w.WriteHeader(429) }, 90 * time.Second},
		{"Retry-After as date", func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "Mon, 23 Nov 2026 06:02:00 GMT")
			w.WriteHeader(429)
		}, 2 * time.Minute},
		{"primary limit", func(w http.ResponseWriter) {
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", fmt.Sprint(time.Date(2026, 11, 23, 6, 30, 0, 0, time.UTC).Unix()))
			w.WriteHeader(403)
		}, 30 * time.Minute},
		{"RateLimit", func(w http.ResponseWriter) { w.Header().Set("RateLimit", `"api";r=0;t=55`); w.WriteHeader(429) }, 55 * time.Second},
		{"429 without more", func(w http.ResponseWriter) { w.WriteHeader(429) }, time.Minute},
		{"Retry-After that makes no sense", func(w http.ResponseWriter) { w.Header().Set("Retry-After", "soon"); w.WriteHeader(429) }, time.Minute},
		{"bad gateway", func(w http.ResponseWriter) { w.WriteHeader(502) }, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
				if n++; n == 1 {
					c.first(w)
					return
				}
				reply(w, map[string]any{"stars": 7.0, "forks": 1.0})
			})
			dir := write(t, map[string]string{"tool/a.yaml": tool("A", "")})
			r := mustRun(t, options(t, dir, newClock("2026-11-23"), forge(url)))
			if s := r.Sources[0]; s.Waited != c.waited || s.Answered != 1 || s.Requests != 2 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestLongLimitStopsAndResumes(t *testing.T) {
	limited, requests := true, 0
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if limited && r.URL.Path != "/own/a" {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(429)
			return
		}
		reply(w, map[string]any{"stars": 7.0, "forks": 1.0})
	})
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", ""), "tool/b.yaml": tool("B", ""), "tool/c.yaml": tool("C", "")})
	o := options(t, dir, newClock("2026-11-23"), forge(url))
	r := mustRun(t, o)
	if s := r.Sources[0]; s.Answered != 1 || !strings.Contains(s.Error, "accepts no requests before 2026-11-23 08:00 UTC") || r.Files != 1 {
		t.Errorf("%+v", r)
	}
	limited, requests = false, 0
	if r := mustRun(t, o); r.Sources[0].Kept != 1 || requests != 2 || r.Files != 2 {
		t.Errorf("%d requests, %+v", requests, r.Sources[0])
	}
}

// A service that asks to wait for longer than a Duration can tell is not asked again.
func TestEndlessLimit(t *testing.T) {
	requests := 0
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Retry-After", "9223372037")
		w.WriteHeader(429)
	})
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", "")})
	if s := mustRun(t, options(t, dir, newClock("2026-11-23"), forge(url))).Sources[0]; requests != 1 || s.Waited != 0 ||
		!strings.Contains(s.Error, "accepts no requests before 2026-11-24") {
		t.Errorf("%d requests, %+v", requests, s)
	}
}

// Keeping to a rate of requests is not waiting for a limit.
func TestPaceIsNotALimit(t *testing.T) {
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) { reply(w, figures(r.URL.Path[1:])) })
	dir := write(t, generated(t, 5))
	slow := forge(url)
	slow.PerSecond = 0.1
	o := options(t, dir, newClock("2026-11-23"), slow)
	o.MaxWait = time.Second
	if s := mustRun(t, o).Sources[0]; s.Answered != 5 || s.Waited < 30*time.Second {
		t.Errorf("%+v", s)
	}
}

func TestBudget(t *testing.T) {
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) { reply(w, map[string]any{"stars": 7.0, "forks": 1.0}) })
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", ""), "tool/b.yaml": tool("B", "")})
	o := options(t, dir, newClock("2026-11-23"), forge(url))
	o.MaxRequests = 1
	if r := mustRun(t, o); r.Sources[0].Answered != 1 || !strings.Contains(r.Sources[0].Error, "maximum number of requests") {
		t.Errorf("%+v", r.Sources[0])
	}
}

func TestSourceThatFailsAsAWholeChangesNothing(t *testing.T) {
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("tool/t%d.yaml", i)] = tool(fmt.Sprintf("T%d", i), "signals:\n  stars: {value: 100, date: 2024-01-01}\n")
	}
	dir := write(t, files)
	before := read(t, dir)
	r := mustRun(t, options(t, dir, newClock("2026-11-23"), inBatches(forge(url), 2)))
	after := read(t, dir)
	delete(after, schema.StatusFile)
	if fmt.Sprint(after) != fmt.Sprint(before) || len(r.Broken()) != 1 || !strings.Contains(r.Sources[0].Error, "5 failures in a row") {
		t.Errorf("%+v", r)
	}
}

func TestValidators(t *testing.T) {
	etag, sent := `"1"`, 0
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		sent++
		reply(w, map[string]any{"stars": 7.0 * float64(len(etag)), "forks": 1.0})
	})
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", "")})
	days := 0
	run := func() collect.SourceReport {
		days += 10
		o := options(t, dir, newClock(time.Date(2026, 11, days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)), forge(url))
		return mustRun(t, o).Sources[0]
	}
	if s := run(); s.NotModified != 0 || s.Changed != 2 {
		t.Errorf("%+v", s)
	}
	if s := run(); s.NotModified != 1 || s.Bytes != 0 || s.Unchanged != 2 || sent != 1 {
		t.Errorf("%+v", s)
	}
	etag = `"22"`
	if s := run(); s.NotModified != 0 || s.Changed != 1 || sent != 2 {
		t.Errorf("%+v", s)
	}
	// Damaged entries count as missing.
	entries, _ := filepath.Glob(filepath.Join(dir, "..", "cache", "kept", "*.gz"))
	for _, e := range entries {
		data, _ := os.ReadFile(e)
		suite.Check(t, os.WriteFile(e, data[:len(data)/2], 0o600))
	}
	if s := run(); s.NotModified != 0 || s.Answered != 1 || sent != 3 {
		t.Errorf("%+v", s)
	}
}
