package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// version is the release that the tests make.
const version = "v0.99.1"

// gitEnvironment makes commits of the same files have the same hash.
var gitEnvironment = []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
	"GIT_AUTHOR_DATE=2026-11-01T12:00:00Z", "GIT_COMMITTER_DATE=2026-11-01T12:00:00Z", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}

// repository commits the files of this working tree to a new repository at dir.
func repository(t *testing.T, dir string) {
	t.Helper()
	root := suite.Root(t)
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(minisearch))); err != nil {
		suite.Missing(t, "MiniSearch")
	}
	list, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00"), minisearch) {
		// The guides' pictures and the tests' files are no part of a program.
		if strings.Contains(name, "/testdata/") && !strings.HasPrefix(name, "site/") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, but not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", "--all")
	gitIn(t, dir, "commit", "-qm", "all")
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), gitEnvironment...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// dist runs the program and returns its exit code and what it printed.
func dist(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// mustRun runs a program and returns what it printed on both outputs.
func mustRun(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// need skips the test if a program is missing; in continuous integration it fails.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			suite.Missing(t, p)
		}
	}
}
