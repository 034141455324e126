package edge

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// Repository is a git repository created by a test, with commits at fixed times.
type Repository struct {
	Dir string
	t   testing.TB
}

// NewRepository creates an empty repository.
func NewRepository(t testing.TB) *Repository {
	t.Helper()
	r := &Repository{t.TempDir(), t}
	r.git("", "init", "-q", "-b", "main")
	return r
}

// git runs a git command as of a time, independently of the machine's settings.
func (r *Repository) git(at string, args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE="+at,
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE="+at)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// Write writes files, given as path, content, path, content, … If the content is empty, the file
// is deleted.
func (r *Repository) Write(files ...string) {
	r.t.Helper()
	for pair := range slices.Chunk(files, 2) {
		path := filepath.Join(r.Dir, filepath.FromSlash(pair[0]))
		err := os.RemoveAll(path)
		if pair[1] != "" {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(pair[1]), 0o644))
		}
		suite.Check(r.t, err)
	}
}

// Commit writes files and commits all changes at the given time.
func (r *Repository) Commit(at, message string, files ...string) {
	r.t.Helper()
	r.Write(files...)
	r.git(at, "add", "-A")
	r.git(at, "commit", "-q", "-m", message)
}

// Read returns the content of a file.
func (r *Repository) Read(path string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(path)))
	suite.Check(r.t, err)
	return string(text)
}
