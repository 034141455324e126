package suite

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Content returns the content folder for tests of the program: a copy of some of the included
// content that changes only on purpose, so that an edit of an entity fails no test of the
// program. Tests must not write to it. Its README explains what it contains.
func Content(t testing.TB) string {
	t.Helper()
	return filepath.Join(Root(t), "builder", "suite", "testdata", "content")
}

// CopyContent copies Content to a new folder, for tests that edit it. If some categories (nlp) or
// entities (tool/pytorch) are given, the copy has no other entities; it has all categories and
// boards.
func CopyContent(t testing.TB, dir string, only ...string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(Content(t))); err != nil {
		t.Fatal(err)
	}
	if len(only) == 0 {
		return
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		key := filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), ".yaml")
		category := string(categoryOf.FindSubmatch(text)[1])
		if slices.Contains(only, key) || slices.Contains(only, category) {
			found[key], found[category] = true, true
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range only {
		if !found[name] {
			t.Fatalf("%s: no entity is or is in %s", Content(t), name)
		}
	}
}

var categoryOf = regexp.MustCompile(`(?m)^category: ([a-z0-9-]+)`)

// Workshop returns the content folder of an index with kinds of its own, glazes, materials and kilns, whose
// fields have every type of value. Tests must not write to it.
func Workshop(t testing.TB) string {
	t.Helper()
	return filepath.Join(Root(t), "builder", "suite", "testdata", "workshop")
}
