package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestPromises checks that every test named in CONTRIBUTING.md is in the package named
// before it.
func TestPromises(t *testing.T) {
	root := suite.Root(t)
	text := suite.Must(os.ReadFile(filepath.Join(root, "CONTRIBUTING.md")))(t)
	_, table, found := strings.Cut(string(text), "## What the tests promise\n")
	if !found {
		t.Fatal("CONTRIBUTING.md has no table of promises")
	}
	known := map[string]string{} // source code of each package's tests
	named := 0
	for _, cell := range strings.Split(table, "|") {
		dir := ""
		for _, word := range regexp.MustCompile("`[a-z0-9/]+`|\\bTest[A-Za-z0-9]+").FindAllString(cell, -1) {
			if !strings.HasPrefix(word, "Test") {
				dir = strings.Trim(word, "`")
				continue
			}
			if _, ok := known[dir]; !ok {
				known[dir] = testsOf(t, filepath.Join(root, dir))
			}
			if named++; !strings.Contains(known[dir], "\nfunc "+word+"(t *testing.T)") {
				t.Errorf("CONTRIBUTING.md names %s in %q, which does not exist", word, dir)
			}
		}
	}
	if named < 40 {
		t.Errorf("only %d tests are named", named)
	}
}

func testsOf(t *testing.T, dir string) string {
	t.Helper()
	files := suite.Must(filepath.Glob(filepath.Join(dir, "*_test.go")))(t)
	var all strings.Builder
	for _, file := range files {
		text := suite.Must(os.ReadFile(file))(t)
		all.Write(text)
	}
	return all.String()
}

// TestContributingNamesFiles checks that every file and folder named in CONTRIBUTING.md
// exists.
func TestContributingNamesFiles(t *testing.T) {
	root := suite.Root(t)
	text := suite.Must(os.ReadFile(filepath.Join(root, "CONTRIBUTING.md")))(t)
	named := regexp.MustCompile("`([.a-z]+(?:/[a-z0-9_.]+)+)`").FindAllStringSubmatch(string(text), -1)
	for _, m := range named {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", m[1])
		}
	}
	if len(named) < 30 {
		t.Errorf("only %d files and folders are named", len(named))
	}
}
