package content_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"kindex/builder"
	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// complete is an entity file that sets every field, and that uses every form of YAML that the
// dialect allows.
const complete = `---
# A comment.
name: Ex-Ample "2"
formerly: [ex, old-ample]
status: deprecated
provider: 'Somebody''s company'
description: >
  Reads letters,
  writes numbers: "é" and # are fine.
category: nlp
version: 1.10   # not 1.1
license: MIT OR Apache-2.0
pricingModel: open-source
url: https://ample.example/a?b=c#d
links:
  repository: "https://code.example/ample"
  modelCard: https://hub.example/ample_2/
tags:
- a
- b-2
capabilities: [
  chat,
  "tool-call",
]
addedDate: 2024-01-31
lastUpdated: 2024-02-29
signals:
  stars: {value: 12, date: 2024-06-06, source: https://code.example/ample}
  released:
    value: 2023-11
  lastRelease: {value: 2024-06-05}
  downloads: {value: 0}
  benchmarks:
    - {name: "Bench: hard", value: 64.25, date: 2024-05}
    - name: Bench
      value: -3
...
`

func TestParseEntity(t *testing.T) {
	want := &record.Entity{
		Type: "tool", Slug: "x", Name: `Ex-Ample "2"`, Provider: "Somebody's company",
		Description: `Reads letters, writes numbers: "é" and # are fine.`, Category: "nlp", Version: "1.10",
		PricingModel: "open-source", License: "MIT OR Apache-2.0", URL: "https://ample.example/a?b=c#d",
		Tags: []string{"a", "b-2"}, Capabilities: []string{"chat", "tool-call"},
		AddedDate: "2024-01-31", LastUpdated: "2024-02-29", Status: record.Deprecated,
		Links: []record.Link{{Name: "modelCard", URL: "https://hub.example/ample_2/"}, {Name: "repository", URL: "https://code.example/ample"}},
		Signals: record.Signals{
			Facts: []record.Fact{
				{Name: "downloads"},
				{Name: "lastRelease", Day: "2024-06-05"},
				{Name: "released", Day: "2023-11"},
				{Name: "stars", Number: 12, Date: "2024-06-06", Source: "https://code.example/ample"},
			},
			Benchmarks: []record.Benchmark{{Name: "Bench: hard", Value: 64.25, Date: "2024-05"}, {Name: "Bench", Value: -3}},
		},
		Formerly: []string{"ex", "old-ample"},
	}
	crlf := strings.ReplaceAll(complete, "\n", "\r\n")
	for name, text := range map[string]string{
		"LF": complete, "CRLF": crlf, "CR": strings.ReplaceAll(complete, "\n", "\r"),
		"BOM": "\ufeff" + complete, "BOM and CRLF": "\ufeff" + crlf,
		"no line end": strings.TrimSuffix(complete, "...\n"),
	} {
		t.Run(name, func(t *testing.T) {
			got, problems := content.ParseEntity(kinds.Default(), "x.yaml", "tool", "x", []byte(text))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			want.Kinds = got.Kinds
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// TestVersions checks that a version is read as a string, even if YAML would read it as
// something else.
func TestVersions(t *testing.T) {
	for written, want := range map[string]string{
		"1.10": "1.10", "1e3": "1e3", "3": "3", "2024-06-06": "2024-06-06", "1.0": "1.0", "010": "010",
		"0x1F": "0x1F", "1_000": "1_000", "-1": "-1", "v2": "v2", "1.2.3-rc.1": "1.2.3-rc.1", "no": "no",
		"99999999999999999999999": "99999999999999999999999", "'true'": "true", `"1.10"`: "1.10",
		"1:30": "1:30", "1.10 # comment": "1.10", ">-\n  1.10": "1.10",
	} {
		text := "name: X\ncategory: nlp\ndescription: D\nversion: " + written + "\n"
		e, problems := content.ParseEntity(kinds.Default(), "x.yaml", "tool", "x", []byte(text))
		switch {
		case len(problems) > 0:
			t.Errorf("version: %s: %v", written, problems)
		case e.Version != want:
			t.Errorf("version: %s is %q, want %q", written, e.Version, want)
		}
	}
}

// TestLoadContent reads real content.
func TestLoadContent(t *testing.T) {
	suite.InTest(t)
	dir := suite.Content(t)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no content to load", err)
	}
	var calls, last atomic.Int64
	l, problems, err := builder.LoadContent(dir, func(_, total int) {
		calls.Add(1)
		last.Store(int64(total))
	})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	roots := suite.Must(filepath.Glob(filepath.Join(dir, "*.yaml")))(t) // such as categories.yaml
	all := int64(len(files) + len(roots))
	if len(l.Entities) != len(files) || calls.Load() != all || last.Load() != all {
		t.Errorf("%d entities, progress reported %d of %d, but there are %d files", len(l.Entities), calls.Load(), last.Load(), all)
	}
	if l.Formula == nil || len(l.Categories) == 0 || l.Index.Title == "" {
		t.Errorf("something is missing: %+v", l)
	}
	for i := 1; i < len(l.Entities); i++ {
		if l.Entities[i-1].Key() >= l.Entities[i].Key() {
			t.Errorf("%s comes before %s", l.Entities[i-1].Key(), l.Entities[i].Key())
		}
	}
}

// TestLinks checks that links are rejected, because a link could expose any file on the build
// machine.
func TestLinks(t *testing.T) {
	writeFiles(t, map[string]string{"content/tool/x.yaml": "name: X\ncategory: nlp\ndescription: D\n", "secret/x.yaml": "secret: 1\n"})
	secret := suite.Must(filepath.Abs("secret"))(t)
	for name, to := range map[string]string{"content/tool/y.yaml": "x.yaml", "content/index.yaml": "x.yaml", "content/model": ""} {
		suite.Check(t, os.Symlink(filepath.Join(secret, to), name))
	}
	_, problems, err := builder.LoadContent("content", nil)
	suite.Check(t, err)
	want := `content/index.yaml:1:1: must be a regular file, not a link
content/model:1:1: must be a folder of entity files, not a file or a link
content/tool/y.yaml:1:1: must be a regular file, not a link`
	suite.Equal(t, problems.Error(), want)
}

// TestNoContent checks that an unreadable folder results in a distinct error that states what to
// do.
func TestNoContent(t *testing.T) {
	writeFiles(t, map[string]string{"repo/content/tool/x.yaml": "name: X\n", "empty/README.md": "x\n", "content/tool/.gitkeep": ""})
	for dir, want := range map[string]string{
		"absent":  "no such folder",
		"empty":   "contains no entity files",
		"content": "contains no entity files",
		"repo":    "did you mean " + filepath.Join("repo", "content") + "?",
	} {
		if _, _, err := builder.LoadContent(dir, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q in it", dir, err, want)
		}
	}
}
