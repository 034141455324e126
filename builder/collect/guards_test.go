package collect_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/builder/suite"
	"kindex/exports/quality"
)

// Each case has a figure in the file, and what the source says. With "", the new value is
// written.
func TestGuards(t *testing.T) {
	for _, c := range []struct {
		name, held string
		says       map[string]any
		value      string
		reason     string
	}{
		{"a little less", "stars: {value: 1000, date: 2026-01-01}", map[string]any{"stars": 801.0}, "stars", ""},
		{"a fifth less", "stars: {value: 1000, date: 2026-01-01}", map[string]any{"stars": 799.0}, "stars", "fell from 1000 by more than 20%"},
		{"nine times", "stars: {value: 1000, date: 2026-01-01}", map[string]any{"stars": 9999.0}, "stars", ""},
		{"tenfold", "stars: {value: 1000, date: 2026-01-01}", map[string]any{"stars": 10000.0}, "stars", "rose from 1000 by a factor of at least 10"},
		{"small counts", "stars: {value: 3, date: 2026-01-01}", map[string]any{"stars": 40.0}, "stars", ""},
		{"to nothing", "stars: {value: 300, date: 2026-01-01}", map[string]any{"stars": 0.0}, "stars", "fell from 300"},
		{"negative", "", map[string]any{"stars": -1.0}, "stars", "it is not a whole number"},
		{"fraction", "", map[string]any{"stars": 1.5}, "stars", "it is not a whole number"},
		{"enormous", "", map[string]any{"stars": 1e300}, "stars", "it is not a whole number"},
		{"future", "", map[string]any{"lastCommit": "2026-11-24"}, "lastCommit", "after the day it was read"},
		{"before the last", "lastCommit: {value: 2026-10-02, date: 2026-10-03}", map[string]any{"lastCommit": "2026-10-01"}, "lastCommit", "earlier than the previous one, 2026-10-02"},
		{"no date", "", map[string]any{"lastCommit": "yesterday"}, "lastCommit", "it is not a date"},
		{"impossible date", "", map[string]any{"lastCommit": "2026-02-30"}, "lastCommit", "it is not a date"},
		{"archived", "archived: {value: 0, date: 2026-01-01}", map[string]any{"archived": 1.0}, "archived", "the repository was archived"},
		{"no longer archived", "archived: {value: 1, date: 2026-01-01}", map[string]any{"archived": 0.0}, "archived", ""},
		{"licence", "", map[string]any{"license": "MIT"}, "license", "the licence changed from Apache-2.0"},
		{"no licence", "", map[string]any{"license": "do what you like"}, "license", "not an SPDX"},
	} {
		t.Run(c.name, func(t *testing.T) {
			says := map[string]any{"stars": 1000.0, "forks": 5.0}
			for k, v := range c.says {
				says[k] = v
			}
			url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) { reply(w, says) })
			dir := write(t, map[string]string{"tool/a.yaml": "license: Apache-2.0\n" + tool("A", "signals:\n  contributors: {value: 1}\n  "+c.held+"\n")})
			before := read(t, dir)["tool/a.yaml"]
			o := options(t, dir, newClock("2026-11-23"), forge(url))
			r := mustRun(t, o)
			if c.reason == "" {
				if len(r.Stopped)+len(r.Accepted) != 0 || !r.Routine {
					t.Fatalf("%+v", r)
				}
				return
			}
			if len(r.Stopped) != 1 || r.Stopped[0].Name != c.value || !strings.Contains(r.Stopped[0].Reason, c.reason) {
				t.Fatalf("%+v", r.Stopped)
			}
			line := strings.TrimSpace(c.held)
			if after := read(t, dir); !strings.Contains(after["tool/a.yaml"], line) || !strings.Contains(after[schema.StatusFile], r.Stopped[0].Reason[:10]) || before == "" {
				t.Errorf("%s\n%s", after["tool/a.yaml"], after[schema.StatusFile])
			}
			// Accepted, it is written, unless it can never be.
			o.Accept = []string{"tool/a:" + c.value}
			r = mustRun(t, o)
			if never := strings.HasPrefix(c.reason, "it is not") || strings.HasPrefix(c.reason, "not an"); len(r.Stopped) == 0 == never {
				t.Errorf("accepted: %+v", r.Stopped)
			}
			if len(r.Accepted)+len(r.Stopped) != 1 || r.Routine {
				t.Errorf("accepted: %+v, routine: %v", r.Accepted, r.Routine)
			}
		})
	}
}

func TestMovedRepository(t *testing.T) {
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		fields := map[string]any{"stars": 10.0 + float64(len(r.URL.Path)), "forks": 1.0}
		if r.URL.Path == "/own/a" {
			fields["moved"] = "new/a"
		}
		if r.URL.Path == "/own/b" {
			fields["moved"] = "OWN/B"
		}
		if r.URL.Path == "/own/d" {
			fields["moved"], fields["stars"] = "new/d", 99.0
		}
		if r.URL.Path == "/own/cc" {
			fields["moved"] = "new/cc"
		}
		reply(w, fields)
	})
	several := "name: D\ndescription: What it is.\ncategory: things\nids: {github: [own/d, own/other]}\n"
	linked := "name: CC\ndescription: What it is.\ncategory: things\nlinks: {repository: https://github.com/own/cc}\n"
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", ""), "tool/b.yaml": tool("B", ""), "tool/cc.yaml": linked, "tool/d.yaml": several})
	o := options(t, dir, newClock("2026-11-23"), forge(url))
	r := mustRun(t, o)
	if len(r.Stopped) != 3 || r.Files != 1 || r.Stopped[0].Found != "new/a" || r.Stopped[0].Held != "own/a" {
		t.Fatalf("%+v", r)
	}
	o.Accept = []string{"*:moved"}
	mustRun(t, o)
	files := read(t, dir)
	if !strings.Contains(files["tool/a.yaml"], "github: new/a") || !strings.Contains(files["tool/a.yaml"], "stars: {value: 16") {
		t.Error(files["tool/a.yaml"])
	}
	if !strings.Contains(files["tool/d.yaml"], "github: [new/d, own/other]") {
		t.Error(files["tool/d.yaml"])
	}
	if !strings.Contains(files["tool/cc.yaml"], "repository: https://github.com/new/cc") || strings.Contains(files["tool/cc.yaml"], "ids:") {
		t.Error(files["tool/cc.yaml"])
	}
}

// When a forge answers without forks, as for the weekly lists from July 2026 on, nothing of
// it is used, and single rows without them are not used either. A figure that is the same gets no
// new date from such an answer.
func TestEmptyColumn(t *testing.T) {
	for _, c := range []struct{ lacking, stopped int }{{0, 0}, {2, 2}, {3, 37}} {
		files := generated(t, 20)
		url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
			fields := figures(r.URL.Path[1:])
			var n int
			_, _ = fmt.Sscanf(r.URL.Path, "/own/t%d", &n)
			delete(fields, "lastCommit")
			fields["forks"] = fields["forks"].(float64) + 100
			if n < c.lacking {
				delete(fields, "forks")
			}
			reply(w, fields)
		})
		dir := write(t, files)
		source := forge(url)
		source.Columns = []collect.Column{{Name: "stars"}, {Name: "contributors"}, {Name: "forks", Always: true}}
		o := options(t, dir, newClock("2026-11-23"), source)
		r := mustRun(t, o)
		if c.lacking > 2 && r.Files > 0 {
			t.Errorf("%d files changed", r.Files)
		}
		if len(r.Stopped) != c.stopped {
			t.Errorf("%d lacking: %d stopped, want %d: %+v", c.lacking, len(r.Stopped), c.stopped, r.Stopped[:min(3, len(r.Stopped))])
		}
	}
}

func TestFiguresOfSomethingElse(t *testing.T) {
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/own/a", "/own/b":
			reply(w, map[string]any{"stars": 15062.0, "forks": 3000.0})
		default:
			reply(w, map[string]any{"stars": 15062.0, "forks": 2999.0})
		}
	})
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", ""), "tool/b.yaml": tool("B", ""), "tool/c.yaml": tool("C", "")})
	r := mustRun(t, options(t, dir, newClock("2026-11-23"), forge(url)))
	if len(r.Stopped) != 4 || r.Files != 1 || r.Stopped[0].Reason != "all its counts equal those of own/b" {
		t.Errorf("%+v", r.Stopped)
	}
}

// Two entities with the same repository have the same figures.
func TestSharedRepository(t *testing.T) {
	n := 0
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
		n++
		reply(w, map[string]any{"stars": 15062.0, "forks": 3000.0})
	})
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", ""), "tool/b.yaml": strings.Replace(tool("B", ""), "own/b", "own/a", 1)})
	if r := mustRun(t, options(t, dir, newClock("2026-11-23"), forge(url))); n != 1 || r.Files != 2 || len(r.Stopped) != 0 {
		t.Errorf("%d requests, %+v", n, r)
	}
}

func TestGoneIsNotDeleted(t *testing.T) {
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) })
	text := tool("A", "signals:\n  stars: {value: 5, date: 2020-01-01}\n")
	dir := write(t, map[string]string{"tool/a.yaml": text})
	r := mustRun(t, options(t, dir, newClock("2026-11-23"), forge(url)))
	if len(r.Gone) != 1 || read(t, dir)["tool/a.yaml"] != text {
		t.Errorf("%+v", r)
	}
}

// What a guard stopped stays in the status file while its source is not asked, or does not answer.
func TestStoppedRemains(t *testing.T) {
	down := false
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
		if down {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		reply(w, map[string]any{"stars": 10.0, "forks": 5.0, "license": "MIT"})
	})
	dir := write(t, map[string]string{
		"tool/a.yaml": "license: Apache-2.0\n" + tool("A", "signals:\n  stars: {value: 10, date: 2026-11-22}\n  forks: {value: 5, date: 2026-11-22}\n"),
		"tool/b.yaml": tool("B", "signals:\n  stars: {value: 10, date: 2026-01-01}\n"),
	})
	run := func(day string, withCache bool) quality.Status {
		o := options(t, dir, newClock(day), forge(url))
		if !withCache {
			o.Cache = filepath.Join(t.TempDir(), "another")
		}
		mustRun(t, o)
		c, _, err := content.Load(dir, nil)
		suite.Check(t, err)
		return c.Status
	}
	first := run("2026-12-01", true)
	if len(first.Stopped) != 1 || first.Stopped[0].Name != "license" || first.Sources["github"].Answers != 2 {
		t.Fatalf("%+v", first)
	}
	set := func(name, held, now string) {
		t.Helper()
		path, data := filepath.Join(dir, filepath.FromSlash(name)), read(t, dir)[name]
		if !strings.Contains(data, held) {
			t.Fatalf("%s has no %s:\n%s", name, held, data)
		}
		suite.Check(t, os.WriteFile(path, []byte(strings.ReplaceAll(data, held, now)), 0o600))
	}
	// A is read so recently that it is not asked for.
	set("tool/a.yaml", "date: 2026-11-22", "date: 2026-12-01")
	if s := run("2026-12-02", false); !reflect.DeepEqual(s.Stopped, first.Stopped) || s.Sources["github"].Answers != 2 {
		t.Errorf("recent figures: %+v", s)
	}
	down = true
	if s := run("2026-12-20", false); !reflect.DeepEqual(s.Stopped, first.Stopped) {
		t.Errorf("a source that fails: %+v", s)
	}
	down = false
	set("tool/a.yaml", "Apache-2.0", "MIT")
	if s := run("2026-12-21", false); len(s.Stopped) != 0 {
		t.Errorf("it is no longer wrong: %+v", s)
	}
}

func TestConfiguredGuards(t *testing.T) {
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) { reply(w, map[string]any{"stars": 600.0, "forks": 600.0}) })
	dir := write(t, map[string]string{
		"tool/a.yaml":  tool("A", "signals:\n  stars: {value: 1000, date: 2026-01-01}\n  forks: {value: 1000, date: 2026-01-01}\n"),
		"collect.yaml": "guards:\n  fall: 30\n  signals:\n    forks: {fall: 50}\nsources:\n  github: {signals: [stars, forks]}\n",
	})
	r := mustRun(t, options(t, dir, newClock("2026-11-23"), forge(url)))
	if len(r.Stopped) != 1 || r.Stopped[0].Name != "stars" || !strings.Contains(r.Stopped[0].Reason, "30%") {
		t.Errorf("%+v", r.Stopped)
	}
}

// Whatever a service sends, a report makes no mention, link or line of its own out of it.
func TestReportIsNeutral(t *testing.T) {
	evil := "@everyone](https://evil.example) `x` | #1 \n\n# Hello <img src=x> \u202e"
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"stars": 1.0, "forks": 1.0, "license": evil, "moved": evil})
	})
	dir := write(t, map[string]string{"tool/a.yaml": tool("A", "")})
	r := mustRun(t, options(t, dir, newClock("2026-11-23"), forge(url)))
	var b strings.Builder
	suite.Check(t, r.WriteMarkdown(&b))
	own := strings.NewReplacer("<details><summary>Sources</summary>", "", "</details>", "")
	for line := range strings.SplitSeq(own.Replace(b.String()), "\n") {
		for i, part := range strings.Split(line, "`") {
			if i%2 == 0 && strings.ContainsAny(part, "@<\u202e") || strings.HasPrefix(line, "# ") {
				t.Errorf("%q", line)
			}
		}
	}
	if !strings.Contains(b.String(), "@everyone") {
		t.Error("the text is missing")
	}
}

// TestReportFitsPullRequest checks that even the longest report is not too long for the text of a
// pull request.
func TestReportFitsPullRequest(t *testing.T) {
	long := strings.Repeat("長", 400)
	var r collect.Report
	for range 1000 {
		r.Stopped = append(r.Stopped, quality.Stopped{Entity: long, Name: long, Source: long, Held: long, Found: long, Reason: long})
		r.Gone = append(r.Gone, collect.Problem{Entity: long, Reason: long})
	}
	var b strings.Builder
	suite.Check(t, r.WriteMarkdown(&b))
	text := b.String()
	if len(text) > 61_000 || !strings.HasSuffix(text, "\n\nThe rest is too long for a pull request; the JSON report has everything.\n") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-100:])
	}
	for line := range strings.Lines(text) {
		suite.Equal(t, strings.Count(line, "`")%2, 0, "an open code span", line)
	}
}
