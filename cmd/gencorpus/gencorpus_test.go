package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// generate runs the command and returns the folder that it has written.
func generate(t *testing.T, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corpus")
	suite.Check(t, run(append(args, "-content", suite.Content(t), "-out", dir)))
	return dir
}

// load reads a content folder, which must have no problems.
func load(t *testing.T, dir string) []*record.Entity {
	t.Helper()
	l, problems, err := builder.LoadContent(dir, nil)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return l.Entities
}

// TestLikeTheContent compares generated entities with those that they are generated from.
func TestLikeTheContent(t *testing.T) {
	suite.InTest(t)
	const n = 1500
	made, real := load(t, generate(t, "-n", fmt.Sprint(n))), load(t, suite.Content(t))
	if len(made) != n {
		t.Fatalf("%d entities", len(made))
	}
	share := func(list []*record.Entity, has func(e *record.Entity) bool) float64 {
		count := 0
		for _, e := range list {
			if has(e) {
				count++
			}
		}
		return float64(count) / float64(len(list))
	}
	for what, has := range map[string]func(e *record.Entity) bool{
		"models":    func(e *record.Entity) bool { return e.Type == "model" },
		"licences":  func(e *record.Entity) bool { return e.License != "" },
		"versions":  func(e *record.Entity) bool { return e.Version != "" },
		"five tags": func(e *record.Entity) bool { return len(e.Tags) >= 5 },
		"figures":   func(e *record.Entity) bool { return len(e.Signals.Facts) >= 5 },
		"popular": func(e *record.Entity) bool {
			return slices.ContainsFunc(e.Signals.Facts, func(f record.Fact) bool { return f.Number > 10_000 })
		},
		"benchmarks":   func(e *record.Entity) bool { return len(e.Signals.Benchmarks) > 0 },
		"open weights": func(e *record.Entity) bool { return e.Values.Answer("openWeights") == "true" },
		"long texts":   func(e *record.Entity) bool { return len(e.Description) > 150 },
	} {
		if got, want := share(made, has), share(real, has); math.Abs(got-want) > 0.2 {
			t.Errorf("%s: %.2f, want about %.2f", what, got, want)
		}
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	suite.InTest(t)
	dirs := []string{generate(t, "-n", "300", "-seed", "7"), generate(t, "-n", "300", "-seed", "7"), generate(t, "-n", "300", "-seed", "8")}
	if out, err := exec.Command("diff", "-r", dirs[0], dirs[1]).CombinedOutput(); err != nil {
		t.Errorf("%s", out)
	}
	if exec.Command("diff", "-rq", dirs[0], dirs[2]).Run() == nil {
		t.Error("another seed gives the same")
	}
	for _, name := range sharedFiles {
		want, failed := os.ReadFile(filepath.Join(suite.Content(t), name))
		if got, err := os.ReadFile(filepath.Join(dirs[0], name)); failed == nil && (err != nil || string(got) != string(want)) {
			t.Errorf("%s is not a copy: %v", name, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	full := t.TempDir()
	suite.Check(t, os.WriteFile(filepath.Join(full, "notes"), nil, 0o600))
	free := filepath.Join(t.TempDir(), "out")
	for args, message := range map[string]string{
		"-n 1 -out " + full:                         "is not empty",
		"-n 1 -content " + full + " -out " + free:   "contains no entity files",
		"-n 0 -out " + free:                         "specify a folder",
		"-n 1":                                      "specify a folder",
		"-n 1 -out " + free + " more":               "specify a folder",
		"-n x -out " + free:                         "invalid value",
		"-n 1 -out " + filepath.Join(full, "notes"): "not a directory",
	} {
		if err := run(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := os.Stat(free); err == nil {
		t.Error("a refused call left a folder")
	}
}
