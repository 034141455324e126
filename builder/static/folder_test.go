package static_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/static"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNothingOutside has links in the folder that lead out of it, and a list of files
// that names what is not of the site.
func TestNothingOutside(t *testing.T) {
	dir, _ := written(t, static.Options{})
	outside := t.TempDir()
	mine := filepath.Join(outside, "index.html")
	write(t, mine, "mine")
	write(t, filepath.Join(dir, ".git/config"), "mine")
	write(t, filepath.Join(dir, "own/.keep"), "mine")
	list, err := os.ReadFile(filepath.Join(dir, ".kindex-static"))
	if err != nil {
		t.Fatal(err)
	}
	forged := string(list) + strings.Join([]string{".git/config", "own/.keep", "../" + filepath.Base(outside) + "/index.html", mine, ".", "..", ""}, "\n")
	write(t, filepath.Join(dir, ".kindex-static"), forged)
	// A file of the site that leads elsewhere becomes a file.
	if err := os.Remove(filepath.Join(dir, "index.html")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(mine, filepath.Join(dir, "index.html")); err != nil {
		t.Fatal(err)
	}
	written(t, static.Options{Dir: dir})
	if info, err := os.Lstat(filepath.Join(dir, "index.html")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the first page: %v %v", info, err)
	}
	for _, name := range []string{mine, filepath.Join(dir, ".git/config"), filepath.Join(dir, "own/.keep")} {
		if text, err := os.ReadFile(name); err != nil || string(text) != "mine" {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	// A folder of the site that leads elsewhere is an error, before anything is there.
	if err := os.RemoveAll(filepath.Join(dir, "search")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "search")); err != nil {
		t.Fatal(err)
	}
	if _, err := static.Write(context.Background(), static.Options{Out: built(t), Dir: dir}); err == nil || !strings.Contains(err.Error(), "search") {
		t.Errorf("a folder that leads elsewhere: %v", err)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("%s: %q %v", mine, text, err)
	}
	if all, err := os.ReadDir(outside); err != nil || len(all) != 1 {
		t.Errorf("outside are %v %v", all, err)
	}
}

// TestCutOff breaks a run off, as a full disk does: what it has written is the site's
// own to the next one.
func TestCutOff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	first, _ := written(t, static.Options{})
	ctx, stop := context.WithCancel(context.Background())
	if _, err := static.Write(ctx, static.Options{Out: built(t), Dir: dir, Progress: func(int, int) { stop() }}); err == nil {
		t.Fatal("the run was not broken off")
	}
	begun := files(t, dir)
	if len(begun) < 10 || len(begun) > len(files(t, first)) {
		t.Fatalf("%d files were written", len(begun))
	}
	list, err := os.ReadFile(filepath.Join(dir, ".kindex-static"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, name := range strings.Split(string(list), "\n") {
		known[name] = true
	}
	for name := range begun {
		if !known[name] && !strings.HasPrefix(name, ".") {
			t.Errorf("%s was written, and no later run would remove it", name)
		}
	}
	written(t, static.Options{Dir: dir})
	a, b := files(t, dir), files(t, first)
	if len(a) != len(b) {
		t.Errorf("%d files, %d in a new folder", len(a), len(b))
	}
}
