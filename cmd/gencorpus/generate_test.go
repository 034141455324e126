package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// source is the content from which the tests generate.
var source = filepath.Join("..", "..", "builder", "suite", "testdata", "content")

// makeCorpus runs the command to write a corpus, and returns its folder.
func makeCorpus(t *testing.T, n int, seed uint64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corpus")
	var stdout, stderr bytes.Buffer
	args := []string{"-n", fmt.Sprint(n), "-content", source, "-out", dir, "-seed", fmt.Sprint(seed)}
	if code := run(args, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if !strings.HasPrefix(stdout.String(), dir+": ") || strings.Count(stdout.String(), "\n") != 1 {
		t.Errorf("not a summary line: %q", stdout.String())
	}
	return dir
}

// files reads a folder as a map from path to bytes.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func load(t *testing.T, dir string) []*record.Entity {
	t.Helper()
	l, problems, err := builder.LoadContent(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	return l.Entities
}

func TestCorpusIsValid(t *testing.T) {
	suite.InTest(t)
	n := suite.Pick(1500, 3000)
	dir := makeCorpus(t, n, 1)
	entities := load(t, dir)
	if len(entities) != n {
		t.Errorf("%d entities, want %d", len(entities), n)
	}
	real := map[string]bool{}
	for _, e := range load(t, source) {
		for _, w := range nameWords(record.Fold(e.Name)) {
			real[w] = true
		}
		for _, tag := range e.Tags { // the other source of words for names
			for w := range strings.SplitSeq(tag, "-") {
				real[w] = true
			}
		}
	}
	names, words, states := map[string]bool{}, map[string]bool{}, map[string]int{}
	models, stated, open := 0, 0, 0
	for _, e := range entities {
		key := e.Type + "/" + record.Fold(e.Name)
		if names[key] {
			t.Errorf("%s: the name %q is taken", e.Key(), e.Name)
		}
		names[key] = true
		states[e.Status]++
		if e.Type == "model" {
			models++
			if e.Model != nil {
				stated++
				open += int(e.Model.OpenWeights) / int(record.Yes)
			}
		}
		for _, w := range nameWords(record.Fold(e.Name)) {
			words[w] = true
		}
	}
	near := func(what string, got int, share, off float64) {
		if math.Abs(float64(got)/float64(n)-share) > off {
			t.Errorf("%d %s of %d, want about %.0f%%", got, what, n, 100*share)
		}
	}
	// Names must not depend on a limited stock of words: at least three in ten
	// entities have a unique word that is not in the source, and more have one if
	// many names are taken.
	own := 0
	for w := range words {
		if !real[w] {
			own++
		}
	}
	near("name words of its own", own, 0.4, 0.15)
	if share := float64(stated) / float64(models); math.Abs(share-1+noModel) > 0.03 || open == 0 || open == stated {
		t.Errorf("%d of %d models state facts, %d have open weights", stated, models, open)
	}
	near("deprecated", states[record.Deprecated], deprecated, 0.01)
	near("withdrawn", states[record.Withdrawn], withdrawn, 0.006)
	for _, name := range rootFiles {
		want, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, name)); !bytes.Equal(got, want) {
			t.Errorf("%s is not a copy", name)
		}
	}
}

// TestFigures checks values that the validator does not check.
func TestFigures(t *testing.T) {
	suite.InTest(t)
	days := func(list []*record.Entity) (all []string) {
		for _, e := range list {
			for _, f := range e.Signals.Facts {
				all = append(all, f.Date, f.Day)
			}
			for _, b := range e.Signals.Benchmarks {
				all = append(all, b.Date)
			}
		}
		return slices.DeleteFunc(all, func(d string) bool { return len(d) != len(time.DateOnly) })
	}
	realEntities, made := load(t, source), load(t, makeCorpus(t, 1000, 1))
	realDays, madeDays := days(realEntities), days(made)
	if got, want := slices.Max(madeDays), slices.Max(realDays); got > want {
		t.Errorf("the latest day is %s, after the source's %s", got, want)
	}
	if got, want := slices.Min(madeDays), shift(slices.Min(realDays), furthestBack); got < want {
		t.Errorf("the earliest day is %s, more than %d days before the source's", got, furthestBack)
	}
	benchmarks := 0
	for _, e := range made {
		for _, b := range e.Signals.Benchmarks {
			benchmarks++
			if b.Value < 0 || b.Value > 100 {
				t.Errorf("%s: %s is %v", e.Key(), b.Name, b.Value)
			}
		}
	}
	if benchmarks == 0 {
		t.Error("no benchmarks")
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	suite.InTest(t)
	n := suite.Pick(400, 3000)
	first, second, other := files(t, makeCorpus(t, n, 7)), files(t, makeCorpus(t, n, 7)), files(t, makeCorpus(t, n, 8))
	if len(first) != len(second) {
		t.Errorf("%d files, then %d", len(first), len(second))
	}
	for path, data := range first {
		if second[path] != data {
			t.Errorf("%s differs between two runs", path)
		}
		// Only the files that describe the whole folder are copies.
		if same, copied := other[path] == data, slices.Contains(rootFiles, path); same != copied {
			t.Errorf("%s is the same with another seed: %t, want %t", path, same, copied)
		}
	}
}

func TestRefusals(t *testing.T) {
	full, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	for _, path := range []string{filepath.Join(full, "notes"), file} {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	free := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		args    []string
		code    int
		message string
	}{
		{[]string{"-n", "1", "-out", full, "-content", source}, exitProblem, "is not empty"},
		{[]string{"-n", "1", "-out", file, "-content", source}, exitProblem, "not a directory"},
		{[]string{"-n", "1", "-out", free, "-content", full}, exitProblem, "contains no entity files"},
		{[]string{"-n", "0", "-out", free}, exitUsage, "-n is 0"},
		{[]string{"-n", "5000001", "-out", free}, exitUsage, "-n is 5000001"},
		{[]string{"-n", "x", "-out", free}, exitUsage, "invalid value"},
		{[]string{"-n", "1"}, exitUsage, "specify the folder to write"},
		{[]string{"-n", "1", "-out", free, "-repo", free, "-commits", "2"}, exitUsage, "specify the folder to write"},
		{[]string{"-n", "1", "-out", free, "-commits", "2"}, exitUsage, "use -repo instead"},
		{[]string{"-n", "1", "-repo", free}, exitUsage, "-commits is 0"},
		{[]string{"-n", "1", "-repo", full, "-commits", "2", "-content", source}, exitProblem, "is not empty"},
		{[]string{"-n", "1", "-out", free, "more"}, exitUsage, `"more"`},
		{[]string{"-seed", "-1", "-out", free}, exitUsage, "invalid value"},
		{[]string{"-h"}, exitOK, "go run ./cmd/gencorpus"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(c.args, &stdout, &stderr)
		if code != c.code || !strings.Contains(stderr.String(), c.message) {
			t.Errorf("%v: exit code %d, %q; want %d and %q", c.args, code, stderr.String(), c.code, c.message)
		}
	}
	if _, err := os.Stat(free); err == nil {
		t.Error("a refused call left a folder")
	}
}

func TestSplitting(t *testing.T) {
	for text, want := range map[string][]string{
		"One two three four. Five six seven eight.":                {"One two three four.", "Five six seven eight."},
		"Retired: it was switched off long ago":                    {"It was switched off long ago."},
		"Reads v1.5 files (and, at times: others; all of them).":   {"Reads v1.5 files (and, at times: others; all of them)."},
		"Draws charts in a browser, so nothing need be installed.": {"Draws charts in a browser.", "Nothing need be installed."},
		"Too short.": {"Too short."},
	} {
		if got := clausesOf(text); !slices.Equal(got, want) {
			t.Errorf("clauses of %q: %q, want %q", text, got, want)
		}
	}
	for word, want := range map[string][]string{
		"gensim": {"gen", "sim"}, "pytorch": {"py", "tor"}, "keras": {"ke", "ras"}, "gpt": nil, "qwen3": nil,
	} {
		if got := syllables(word); !slices.Equal(got, want) {
			t.Errorf("syllables of %q: %q, want %q", word, got, want)
		}
	}
	if got, want := nameWords("Claude Haiku 4.5 (latest)"), []string{"Claude", "Haiku", "4.5", "latest"}; !slices.Equal(got, want) {
		t.Errorf("words of a name: %q, want %q", got, want)
	}
}

func TestScalar(t *testing.T) {
	for text, want := range map[string]string{
		"PyTorch Lightning":      "PyTorch Lightning",
		"https://example.org/a":  "https://example.org/a",
		"no":                     `"no"`,
		"3d":                     `"3d"`,
		"a: b":                   `"a: b"`,
		"a, b":                   `"a, b"`,
		`say "it"`:               `"say \"it\""`,
		"ends ":                  `"ends "`,
		"https://example.org/?a": `"https://example.org/?a"`,
	} {
		if got := scalar(text); got != want {
			t.Errorf("scalar(%q) = %s, want %s", text, got, want)
		}
	}
}
