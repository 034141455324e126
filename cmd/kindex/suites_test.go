package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

var (
	racyPackages = regexp.MustCompile(`(?m)^RACY := (.*)$`)
	testFunction = regexp.MustCompile(`(?ms)^func (Test\w+)\(.*?^}`)
)

// TestRaceRun checks that make test runs every test marked InRace. A test could be left
// out in two ways: make test uses the race detector only for some packages, and go test
// -short skips tests marked InTest.
func TestRaceRun(t *testing.T) {
	root := suite.Root(t)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	line := racyPackages.FindSubmatch(makefile)
	if line == nil {
		t.Fatal("the Makefile has no line RACY := ")
	}
	racy := strings.Fields(string(line[1]))
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
		dir := "./" + filepath.ToSlash(rel)
		runs := slices.ContainsFunc(racy, func(p string) bool {
			below, all := strings.CutSuffix(p, "/...")
			return p == dir || all && (dir == below || strings.HasPrefix(dir, below+"/"))
		})
		for _, f := range testFunction.FindAllSubmatch(text, -1) {
			body := string(f[0])
			if !strings.Contains(body, "suite.InRace(") {
				continue
			}
			found++
			if !runs {
				t.Errorf("%s is marked InRace, but %s is not in RACY in the Makefile", f[1], dir)
			}
			for _, other := range []string{"suite.InTest(", "suite.InSoak(", "suite.WithoutRace("} {
				if strings.Contains(body, other) {
					t.Errorf("%s is marked %s…) too, so only make soak runs it", f[1], other)
				}
			}
		}
		return nil
	})
	if err != nil || found < 20 {
		t.Errorf("%d tests marked InRace: %v", found, err)
	}
}
