package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

var (
	raceRun      = regexp.MustCompile(`-race -short -run '\^\(([\w|]+)\)\$' (.*)`)
	testFunction = regexp.MustCompile(`(?ms)^func (Test\w+)\(.*?^}`)
)

// TestRaceRun checks that make test runs every test marked InRace under the race detector. A
// test could be left out in two ways: the Makefile, which searches for the marks, does not find
// it, or go test -short skips it because it has another mark too.
func TestRaceRun(t *testing.T) {
	root := suite.Root(t)
	cmd := exec.Command("make", "-n", "tests")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "MAKEFLAGS=") // not those of the make that runs this test
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	run := raceRun.FindSubmatch(out)
	if run == nil {
		t.Fatalf("make tests does not use the race detector: %s", out)
	}
	names, packages := strings.Split(string(run[1]), "|"), strings.Fields(string(run[2]))
	found := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "suites_test.go":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		marks := strings.Count(string(text), "suite.InRace(")
		for _, f := range testFunction.FindAllSubmatch(text, -1) {
			name, body := string(f[1]), string(f[0])
			if !strings.Contains(body, "suite.InRace(") {
				continue
			}
			marks--
			found++
			if !slices.Contains(names, name) || !slices.Contains(packages, "./"+filepath.ToSlash(rel)+"/") {
				t.Errorf("make test does not run %s in %s under the race detector; suite.InRace(t) belongs in its first line", name, rel)
			}
			for _, other := range []string{"suite.InTest(", "suite.InSoak(", "suite.WithoutRace("} {
				if strings.Contains(body, other) {
					t.Errorf("%s is marked %s…) too, so make test does not run it", name, other)
				}
			}
		}
		if marks > 0 {
			t.Errorf("%s marks something other than a test with suite.InRace", path)
		}
		return nil
	})
	if err != nil || found < 30 {
		t.Errorf("%d tests marked InRace: %v", found, err)
	}
}
