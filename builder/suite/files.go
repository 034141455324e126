package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Write writes files, given by their slash-separated paths in a folder. It creates missing folders.
func Write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Git runs git in a folder at a time, without the settings of this machine, and returns the trimmed output.
func Git(t testing.TB, dir string, at time.Time, args ...string) string {
	t.Helper()
	date := at.Format(time.RFC3339)
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	return strings.TrimSpace(Output(t, cmd))
}

// Output runs a program that must succeed, and returns what it prints.
func Output(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

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
