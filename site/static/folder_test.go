package static_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports/store"
	"kindex/site/static"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	suite.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
	suite.Check(t, os.WriteFile(name, []byte(text), 0o644))
}

// TestNothingOutside writes to a folder that contains symbolic links leading out of it and a
// list of files that names files outside the site.
func TestNothingOutside(t *testing.T) {
	suite.InTest(t)
	dir, _ := copied(t)
	outside := t.TempDir()
	mine := filepath.Join(outside, "index.html")
	write(t, mine, "mine")
	write(t, filepath.Join(dir, ".git/config"), "mine")
	write(t, filepath.Join(dir, "own/.keep"), "mine")
	list := suite.Must(os.ReadFile(filepath.Join(dir, ".kindex-static")))(t)
	forged := string(list) + strings.Join([]string{".git/config", "own/.keep", "../" + filepath.Base(outside) + "/index.html", mine, ".", "..", ""}, "\n")
	write(t, filepath.Join(dir, ".kindex-static"), forged)
	// A symbolic link in place of a file is replaced.
	suite.Check(t, os.Remove(filepath.Join(dir, "index.html")))
	suite.Check(t, os.Symlink(mine, filepath.Join(dir, "index.html")))
	written(t, static.Options{Dir: dir})
	if info, err := os.Lstat(filepath.Join(dir, "index.html")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the first page: %v %v", info, err)
	}
	for _, name := range []string{mine, filepath.Join(dir, ".git/config"), filepath.Join(dir, "own/.keep")} {
		if text, err := os.ReadFile(name); err != nil || string(text) != "mine" {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	// A symbolic link in place of a folder is an error, before anything is written.
	suite.Check(t, os.RemoveAll(filepath.Join(dir, "search")))
	suite.Check(t, os.Symlink(outside, filepath.Join(dir, "search")))
	if _, err := static.Write(context.Background(), static.Options{Out: built(t), Dir: dir}); err == nil || !strings.Contains(err.Error(), "search") {
		t.Errorf("a symbolic link in place of a folder: %v", err)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("%s: %q %v", mine, text, err)
	}
	if all, err := os.ReadDir(outside); err != nil || len(all) != 1 {
		t.Errorf("outside are %v %v", all, err)
	}
}

// TestTurns runs two writers with different URLs in one folder, and checks that the result is
// the site of the last writer, without leftovers from the other.
func TestTurns(t *testing.T) {
	suite.InTest(t)
	dir, _ := copied(t)
	urls := []string{"https://one.example/a", "https://two.example/b"}
	var g errgroup.Group
	for _, u := range urls {
		g.Go(func() error {
			_, err := static.Write(context.Background(), static.Options{Out: built(t), Dir: dir, URL: u, Wait: func(*store.BusyError) {}})
			return err
		})
	}
	suite.Check(t, g.Wait())
	got, same := files(t, dir), 0
	for _, u := range urls {
		alone, _ := written(t, static.Options{URL: u})
		if maps.Equal(got, files(t, alone)) {
			same++
		}
	}
	if same != 1 {
		t.Errorf("the site is a mix of %d runs", same)
	}
}

// TestLocked checks that nothing is written while another run is holding the lock on the
// folder, and that the lock must be a regular file.
func TestLocked(t *testing.T) {
	suite.InTest(t)
	dir, _ := copied(t)
	before := files(t, dir)
	lock := suite.Must(store.AcquireLock(context.Background(), dir, nil))(t)
	var busy *store.BusyError
	if _, err := static.Write(context.Background(), static.Options{Out: built(t), Dir: dir, URL: "https://ada.example"}); !errors.As(err, &busy) || busy.Root != dir {
		t.Errorf("a locked folder: %v", err)
	}
	suite.Check(t, lock.Release())
	if after := files(t, dir); !maps.Equal(before, after) {
		t.Error("the site has changed")
	}
	mine := filepath.Join(t.TempDir(), "thesis.txt")
	write(t, mine, "years of work")
	name := filepath.Join(dir, store.LockFile)
	suite.Check(t, errors.Join(os.Remove(name), os.Symlink(mine, name)))
	if _, err := static.Write(context.Background(), static.Options{Out: built(t), Dir: dir}); err == nil || !strings.Contains(err.Error(), store.LockFile+" is not a kindex lock file") {
		t.Errorf("a symbolic link in place of the lock: %v", err)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "years of work" {
		t.Errorf("%s: %q %v", mine, text, err)
	}
}

// TestCutOff interrupts a run, as a full disk would, and checks that the next run may replace
// and remove the files of the interrupted run.
func TestCutOff(t *testing.T) {
	suite.InTest(t)
	dir := filepath.Join(t.TempDir(), "site")
	first, _ := copied(t)
	ctx, stop := context.WithCancel(context.Background())
	if _, err := static.Write(ctx, static.Options{Out: built(t), Dir: dir, Progress: func(int, int) { stop() }}); err == nil {
		t.Fatal("the run was not interrupted")
	}
	begun := files(t, dir)
	if len(begun) < 10 || len(begun) > len(files(t, first)) {
		t.Fatalf("%d files were written", len(begun))
	}
	list := suite.Must(os.ReadFile(filepath.Join(dir, ".kindex-static")))(t)
	known := map[string]bool{}
	for _, name := range strings.Split(string(list), "\n") {
		known[name] = true
	}
	for name := range begun {
		if !known[name] && !strings.HasPrefix(name, ".") {
			t.Errorf("%s was written, but no later run would remove it", name)
		}
	}
	written(t, static.Options{Dir: dir})
	a, b := files(t, dir), files(t, first)
	suite.Equal(t, len(a), len(b), "in a new folder")
}

// TestKilled checks that the next run removes the unfinished files of a killed run, whatever its
// list contains, and keeps files with similar names elsewhere.
func TestKilled(t *testing.T) {
	suite.InTest(t)
	dir, _ := copied(t)
	whole := files(t, dir)
	list := filepath.Join(dir, ".kindex-static")
	const part = ".kindex-parts/00112233445566aa"
	write(t, filepath.Join(dir, part), "<!doctype ht")
	write(t, filepath.Join(dir, "data/20000101-0011223344556677/entities.json"), "[")
	write(t, filepath.Join(dir, "own", part), "mine")
	// Names under a path that is now a file, and two that were never written.
	promised := []string{"data/20000101-0011223344556677/entities.json", "providers/index.html/index.html", "tool/none/index.html", "none.xml"}
	write(t, list, whole[".kindex-static"]+strings.Join(promised, "\n")+"\n")
	if _, again := written(t, static.Options{Dir: dir}); again.Written != 0 || again.Removed != 1 {
		t.Errorf("the next run: %+v", again)
	}
	after := files(t, dir)
	if after["own/"+part] != "mine" {
		t.Error("a foreign file was removed")
	}
	delete(after, "own/"+part)
	if !maps.Equal(whole, after) {
		t.Errorf("%d files, %d of them before", len(after), len(whole))
	}
}

// TestListedBefore checks that everything left behind by a run that is interrupted after
// writing its pages can be removed by later runs: the list contains all files, not only the
// pages.
func TestListedBefore(t *testing.T) {
	suite.InTest(t)
	first, _ := copied(t)
	want := files(t, first)[".kindex-static"]
	dir := filepath.Join(t.TempDir(), "site")
	write(t, filepath.Join(dir, ".kindex-static"), "")
	write(t, filepath.Join(dir, "404.html", "in.the.way"), "") // makes the last write fail
	if _, err := static.Write(context.Background(), static.Options{Out: built(t), Dir: dir}); err == nil {
		t.Fatal("a folder was replaced by a page")
	}
	listed := strings.Split(files(t, dir)[".kindex-static"], "\n")
	slices.Sort(listed)
	if got := strings.TrimSpace(strings.Join(listed, "\n")); got != strings.TrimSpace(want) {
		t.Errorf("the list of an interrupted run:\n%s\nof a complete one:\n%s", got, want)
	}
}

// TestPruned removes the build while its site is being written, as another builder with
// --keep may do, and checks that the site is complete.
func TestPruned(t *testing.T) {
	suite.InTest(t)
	first, _ := copied(t)
	out := t.TempDir()
	edgetest.Build(t, filepath.Join(filepath.Dir(built(t)), "repo", "content"), out)
	var gone sync.Once
	dir, _ := written(t, static.Options{Out: out, Progress: func(int, int) {
		gone.Do(func() {
			if err := os.RemoveAll(store.BuildsDir(out)); err != nil {
				t.Error(err)
			}
		})
	}})
	if _, err := os.Stat(store.BuildsDir(out)); err == nil {
		t.Fatal("the build still exists")
	}
	if !maps.Equal(files(t, first), files(t, dir)) {
		t.Error("the site is not that of the build")
	}
}
