package gitlog_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kindex/builder/gitlog"
	"kindex/builder/suite"
)

// TestHeadPath asks for a folder's path in its repository, both with git installed and without.
func TestHeadPath(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "some where", "content")
	suite.Check(t, os.MkdirAll(deep, 0o777))
	at := func(dir, want string) {
		t.Helper()
		h, err := gitlog.ReadHead(t.Context(), dir, nil)
		if err != nil || h.Path != want {
			t.Errorf("%s: path %q, want %q (%v)", dir, h.Path, want, err)
		}
	}
	at(deep, "")
	suite.Output(t, exec.Command("git", "init", "-q", top))
	both := func() {
		t.Helper()
		at(top, "")
		at(deep, "some where/content")
	}
	both()
	t.Setenv("PATH", t.TempDir())
	both()
	at(t.TempDir(), "")
}
