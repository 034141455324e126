package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kindex/builder/suite"
)

// version is the release that the tests make.
const version = "v0.99.1"

// gitEnvironment makes commits of the same files have the same hash.
var gitEnvironment = []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
	"GIT_AUTHOR_DATE=2026-11-01T12:00:00Z", "GIT_COMMITTER_DATE=2026-11-01T12:00:00Z", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}

// repository clones this repository to dir, with the search library of static sites and a tagged commit of
// known date. Uncommitted changes are not in it.
func repository(t *testing.T, dir string) {
	t.Helper()
	library, err := os.ReadFile(filepath.Join(suite.Root(t), filepath.FromSlash(minisearch)))
	if err != nil {
		suite.Missing(t, "MiniSearch")
	}
	gitIn(t, ".", "clone", "-q", suite.Root(t), dir)
	suite.Check(t, writeFile(filepath.Join(dir, filepath.FromSlash(minisearch)), library, 0o644))
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "release")
	gitIn(t, dir, "tag", version)
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), gitEnvironment...)
	suite.Output(t, cmd)
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
