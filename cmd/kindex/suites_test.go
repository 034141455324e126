package main

import (
	"bytes"
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
	out := suite.Must(cmd.Output())(t)
	run := raceRun.FindSubmatch(out)
	if run == nil {
		t.Fatalf("make tests does not use the race detector: %s", out)
	}
	names, packages := strings.Split(string(run[1]), "|"), strings.Fields(string(run[2]))
	found := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
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
	if err != nil || found < 20 {
		t.Errorf("%d tests marked InRace: %v", found, err)
	}
}

// includedContent matches a path from Go code to the content folder of this repository, except
// to its documents: what they promise of the program is tested like other documentation.
var includedContent = regexp.MustCompile(`(?:\.\./|\.\.", "|Root\(\w+\), ")content(?:", "|"|/)(README|scores|LICENSE|CREDITS)?`)

// TestContentIsNotRead checks that no test reads the included content, which changes every day
// without a change to the program. Tests use suite.Content instead.
func TestContentIsNotRead(t *testing.T) {
	for line, want := range map[string]bool{
		`os.DirFS("../../content")`:                        true,
		`filepath.Glob("../content/*/*.yaml")`:             true,
		`filepath.Join("..", "..", "content")`:             true,
		`filepath.Join(suite.Root(t), "content", name)`:    true,
		`os.ReadFile("../../content/README.md")`:           false,
		`filepath.Join("..", "content", "README.md")`:      false,
		`filepath.Join(suite.Root(t), "builder/content")`:  false,
		`"kindex/builder/content"`:                         false,
		`filepath.Join(repo, "content", "tool", "x.yaml")`: false,
	} {
		if m := includedContent.FindStringSubmatch(line); (m != nil && m[1] == "") != want {
			t.Errorf("%s: found %q, want it to be found: %v", line, m, want)
		}
	}
	root, checked := suite.Root(t), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || path == filepath.Join(root, "cmd", "kindex", "suites_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), `"testing"`) {
			return err
		}
		checked++
		if strings.Contains(string(text), "root := suite.Root(") {
			text = bytes.ReplaceAll(text, []byte("(root, "), []byte("(suite.Root(t), "))
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := includedContent.FindStringSubmatch(line); m != nil && m[1] == "" {
				t.Errorf("%s:%d: %s reads the included content; use suite.Content", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil || checked < 300 {
		t.Errorf("checked %d files: %v", checked, err)
	}
}
