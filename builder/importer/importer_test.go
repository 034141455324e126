package importer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder"
	"kindex/builder/importer"
	"kindex/builder/suite"
)

// run imports a catalogue and checks the invariants of every import.
func run(t *testing.T, o importer.Options) *importer.Report {
	t.Helper()
	r := suite.Must(importer.Run(context.Background(), o))(t)
	if sum := r.Written + r.Updated + r.Unchanged + r.Exists + r.Skipped + r.Refused; sum != r.Rows {
		t.Errorf("%d rows, but the outcomes are %d: %+v", r.Rows, sum, r)
	}
	files, err := filepath.Glob(filepath.Join(o.Content, "*", "*"))
	if err != nil || len(files) != r.Written+r.Updated+r.Unchanged+r.Exists {
		t.Errorf("%d files, but the report is %+v (%v)", len(files), r, err)
	}
	_, problems, err := builder.LoadContent(o.Content, nil)
	if n, _ := problems.Count(); err != nil || n > 0 {
		t.Errorf("the written files are invalid: %v %v", err, problems)
	}
	return r
}

func counts(r *importer.Report) string {
	return fmt.Sprintf("%d rows: %d written, %d skipped, %d refused, %d warnings", r.Rows, r.Written, r.Skipped, r.Refused, r.Warnings)
}

// TestExtracts imports each catalogue in testdata with its mapping.
func TestExtracts(t *testing.T) {
	for name, want := range map[string]string{
		"best-of.csv":      "18 rows: 15 written, 3 skipped, 0 refused, 0 warnings",
		"models-dev.jsonl": "10 rows: 10 written, 0 skipped, 0 refused, 0 warnings",
		"leaderboard.csv":  "8 rows: 8 written, 0 skipped, 0 refused, 0 warnings",
	} {
		t.Run(name, func(t *testing.T) {
			stem := filepath.Join("testdata", strings.TrimSuffix(name, filepath.Ext(name)))
			dir := t.TempDir()
			r := run(t, importer.Options{Input: filepath.Join("testdata", name), Mapping: stem + ".yaml", Content: dir})
			suite.Equal(t, counts(r), want)
			golden(t, stem+".golden.txtar", dir)
		})
	}
}

// golden compares the files of a folder with an archive.
func golden(t *testing.T, path, dir string) {
	t.Helper()
	var a txtar.Archive
	files := suite.Must(filepath.Glob(filepath.Join(dir, "*", "*.yaml")))(t)
	for _, file := range files {
		data := suite.Must(os.ReadFile(file))(t)
		rel, _ := filepath.Rel(dir, file)
		a.Files = append(a.Files, txtar.File{Name: filepath.ToSlash(rel), Data: data})
	}
	suite.Golden(t, path, txtar.Format(&a))
}

// TestOrderOfRows checks that the same rows in a different order produce the same files.
func TestOrderOfRows(t *testing.T) {
	data := suite.Must(os.ReadFile("testdata/best-of.csv"))(t)
	lines := strings.SplitAfter(string(data), "\n")
	slices.Reverse(lines[1 : len(lines)-1])
	dir := t.TempDir()
	input := filepath.Join(dir, "reversed.csv")
	suite.Check(t, os.WriteFile(input, []byte(strings.Join(lines, "")), 0o644))
	run(t, importer.Options{Input: input, Mapping: "testdata/best-of.yaml", Content: filepath.Join(dir, "content")})
	if !suite.Updating() {
		golden(t, "testdata/best-of.golden.txtar", filepath.Join(dir, "content"))
	}
}

// TestInterrupted checks that an interrupted import leaves only complete files, and that the
// same command continues it.
func TestInterrupted(t *testing.T) {
	suite.InTest(t)
	input, mapping := generated(t, 1500)
	dir := t.TempDir()
	o := importer.Options{Input: input, Mapping: mapping, Content: dir, Rejects: filepath.Join(t.TempDir(), "rejects.csv")}
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(step string, done int) {
		if step == "import" && done > 300 {
			cancel()
		}
	}
	r, err := importer.Run(ctx, o)
	if err == nil || !strings.Contains(err.Error(), "interrupted after") || errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	if _, err := os.Stat(o.Rejects); err == nil {
		t.Error("a partial file of refused rows was left")
	}
	files, err := filepath.Glob(filepath.Join(dir, "tool", "*"))
	if err != nil || len(files) != r.Written || r.Written < 300 || r.Written > 1000 {
		t.Fatalf("%d files, %d written, %v", len(files), r.Written, err)
	}
	first := r.Written
	o.Progress = nil
	if r := run(t, o); r.Unchanged != first || r.Written != 1500-first {
		t.Errorf("then %+v", r)
	}
}

// generated writes a catalogue of n rows and its mapping.
func generated(t *testing.T, n int) (input, mapping string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,title,text,labels,stars,released\n")
	for i := range n {
		fmt.Fprintf(&b, "owner%d/tool-%d,Tool %d,\"A tool, number %d of many.\",\"['a', 'b%d']\",%d.0,2026-%02d-%02d 10:00:00\n",
			i%100, i, i, i, i%50, i, i%12+1, i%28+1)
	}
	dir := t.TempDir()
	input, mapping = filepath.Join(dir, "list.csv"), filepath.Join(dir, "list.yaml")
	const text = `type: tool
slug: {column: id, list: /, take: last}
clashSlug: id
fields:
  name: title
  category: {constant: tools}
  description: text
  tags: {column: labels, list: python, as: slug}
  url: {template: "https://example.org/{id}"}
signals:
  stars: {value: stars, date: {constant: 2026-12-31}, source: {template: "https://example.org/{id}"}}
  lastRelease: {value: released, date: {constant: 2026-12-31}}
`
	suite.Check(t, errors.Join(os.WriteFile(input, []byte(b.String()), 0o644), os.WriteFile(mapping, []byte(text), 0o644)))
	return input, mapping
}
