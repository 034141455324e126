package baseline

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestReadRevisions counts the versions in a small history: two files, an edit to
// one of them, a file outside the content, and a deletion.
func TestReadRevisions(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", name)
	}
	git("init", "-q")
	write("content/tool/a.yaml", "1")
	write("content/tool/b.yaml", "1")
	git("commit", "-qm", "two")
	write("content/tool/a.yaml", "2")
	write("README.md", "2")
	git("commit", "-qm", "edited")
	git("rm", "-q", "content/tool/b.yaml")
	git("commit", "-qm", "deleted")
	if n, err := ReadRevisions(context.Background(), dir); err != nil || n != 4 {
		t.Errorf("%d versions, %v", n, err)
	}
	if _, err := ReadRevisions(context.Background(), filepath.Join(dir, "nowhere")); err == nil {
		t.Error("no error without a repository")
	}
}
