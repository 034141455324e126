package content_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"kindex/builder/content"
)

// FuzzFormat: whatever a file holds, formatting keeps its data and comments,
// does nothing more the second time, and panics never.
func FuzzFormat(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, path := range []string{"content/tool/x.yaml", "content/scoring.yaml"} {
			checkFormat(t, path, data)
		}
	})
}

// checkFormat formats a file and holds the result against it.
func checkFormat(t *testing.T, path string, data []byte) {
	t.Helper()
	out, err := content.Format(path, data)
	if err != nil {
		problems, ok := err.(content.Problems)
		if !ok || len(problems) == 0 {
			t.Fatalf("an error without a place: %v", err)
		}
		for _, p := range problems {
			checkProblem(t, p)
			if strings.Contains(p.Message, "cannot be formatted") {
				t.Errorf("%v\n%q\n%s", p, data, data)
			}
		}
		return
	}
	again, err := content.Format(path, out)
	if err != nil || !bytes.Equal(again, out) {
		t.Errorf("formatted once more it changes: %v\n--- input\n%q\n--- once\n%s--- twice\n%s", err, data, out, again)
	}
	if n, m := bytes.Count(data, []byte("#")), bytes.Count(out, []byte("#")); n > m {
		t.Errorf("%d of %d # were lost\n%q\n%s", n-m, n, data, out)
	}
	for i, line := range strings.Split(string(out), "\n") {
		if strings.ContainsAny(line, "\r\ufeff") {
			t.Errorf("line %d: %q", i+1, line)
		}
	}
	if !bytes.HasSuffix(out, []byte("\n")) || bytes.HasSuffix(out, []byte("\n\n")) || bytes.HasPrefix(out, []byte("\n")) {
		t.Errorf("blank lines at an end: %q", out)
	}
	e1, p1 := content.ParseEntity(path, "tool", "x", data)
	e2, p2 := content.ParseEntity(path, "tool", "x", out)
	if len(p1) != len(p2) || !reflect.DeepEqual(e1, e2) {
		t.Errorf("another entity: %v %v\n%v %v\n%s", e1, p1, e2, p2, out)
	}
	var v1, v2 any
	if yaml.Unmarshal(data, &v1) == nil {
		if err := yaml.Unmarshal(out, &v2); err != nil {
			t.Errorf("the library cannot read the result: %v\n%s", err, out)
		}
	}
}

// TestFormatScattered writes comments, blank lines and line breaks all over
// right files. Most of what comes out is right YAML still, and all of that must
// be formatted without losing a comment.
func TestFormatScattered(t *testing.T) {
	const files = 3000
	random := rand.New(rand.NewPCG(1, 2))
	formatted := 0
	for range files {
		text := scatter(random, scattered[random.IntN(len(scattered))])
		path := []string{"content/tool/x.yaml", "content/categories.yaml"}[random.IntN(2)]
		checkFormat(t, path, []byte(text))
		out, err := content.Format(path, []byte(text))
		if err != nil {
			continue
		}
		formatted++
		for _, word := range commentWord.FindAllString(text, -1) {
			if n := strings.Count(string(out), word+"."); n != 1 {
				t.Errorf("%s is there %d times\n%s\n%s", word, n, text, out)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if formatted < files/3 {
		t.Errorf("only %d of %d files could be read", formatted, files)
	}
}

var commentWord = regexp.MustCompile(`# remark\d+`)

var scattered = []string{`name: X
category: nlp
description: >
  A text that is
  folded, see #5.
version: 1.10
url: https://a.example/#x
links:
  homepage: https://a.example/
  paper: https://b.example/
tags: [a, "b c", d]
capabilities:
  - one
  - two
signals:
  stars: {value: 1, date: 2026-01-01, source: https://a.example/}
  forks:
    value: 2
    date: 2026-01-01
  benchmarks:
    - {name: "A, b", value: 1.5}
    - name: C
      value: -2
`, `categories:
- slug: a
  title: A
- slug: b
  title: "B: #c"
  description: |
    One
      two
- {slug: c, title: 'It''s'}
`, `version: "1"
types: {tool: {minimumCoverage: 0, dimensions: {adoption: {weight: 1, measures: [{signal: stars, map: log}, {signal: forks}]}}}}
nested:
- - a
  - b
-
  - c
  -
    d: e
    f:
empty: []
none:
also: {}
`}

// scatter changes a file in a few random places.
func scatter(random *rand.Rand, text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	remark := func(i int) string { return fmt.Sprintf("# remark%d.", i) }
	for i := range 1 + random.IntN(8) {
		at := random.IntN(len(lines) + 1)
		indent := strings.Repeat(" ", random.IntN(7))
		if at == len(lines) {
			lines = append(lines, indent+remark(i))
			continue
		}
		line := lines[at]
		switch random.IntN(6) {
		case 0, 1:
			lines = slices.Insert(lines, at, indent+remark(i))
		case 2:
			lines[at] += strings.Repeat(" ", 1+random.IntN(3)) + remark(i)
		case 3:
			lines = slices.Insert(lines, at, "")
		default: // a line break behind a sign, with or without a comment
			signs := regexp.MustCompile(`[\[{,:]( |$)|- |[\[{]|[\]}]`).FindAllStringIndex(line, -1)
			if len(signs) == 0 {
				continue
			}
			cut := signs[random.IntN(len(signs))][1]
			deeper := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " -"))+1+random.IntN(4))
			first := line[:cut]
			if random.IntN(2) == 0 {
				first += " " + remark(i)
			}
			lines = slices.Replace(lines, at, at+1, first, deeper+line[cut:])
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
