package suite

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "update golden files instead of comparing with them")

// Updating reports whether golden files are to be updated, that is, whether go
// test was run with -update.
func Updating() bool { return *update }

// Golden compares got with a golden file, or writes the file if Updating.
func Golden(t testing.TB, file string, got []byte) {
	t.Helper()
	if Updating() {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; to create it: go test -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("output differs from %s; if all differences are intended, run go test -update. Got:\n%s", file, got)
	}
}

// Archives runs a test for each txtar archive in a folder, of which there are at least some. An archive has a
// comment on what it is about, files, and at the end the file want: what check returns for the others. If
// Updating, that is written instead.
func Archives(t *testing.T, folder string, least int, check func(t *testing.T, name string, files []txtar.File) string) {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(archives) < least {
		t.Fatalf("%s has only %d archives: %v", folder, len(archives), err)
	}
	for _, path := range archives {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			path, err := filepath.Abs(path) // check may change the working directory
			if err != nil {
				t.Fatal(err)
			}
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			last := len(a.Files) - 1
			if len(bytes.TrimSpace(a.Comment)) == 0 || last < 1 || a.Files[last].Name != "want" {
				t.Fatal("an archive needs a comment on what it is about, files, and want at the end")
			}
			got := check(t, name, a.Files[:last])
			if want := string(a.Files[last].Data); got != want && !Updating() {
				t.Errorf("--- got\n%s--- want\n%s", got, want)
			}
			if a.Files[last].Data = []byte(got); Updating() {
				err = os.WriteFile(path, txtar.Format(a), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

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
