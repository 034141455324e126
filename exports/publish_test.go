package exports_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/store"
)

func TestInstallKeepsOrMends(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	root := t.TempDir()
	content := commits(t, 1)
	dir := build(t, content, root)
	id := filepath.Base(dir)
	only := func() {
		t.Helper()
		entries, err := os.ReadDir(store.BuildsDir(root))
		if err != nil || len(entries) != 1 || entries[0].Name() != id {
			t.Errorf("%v, %v", entries, err)
		}
		if err := verify(dir); err != nil {
			t.Error(err)
		}
	}
	before := suite.Must(os.Stat(dir))(t)
	build(t, content, root)
	only()
	if after, err := os.Stat(dir); err != nil || !os.SameFile(before, after) {
		t.Errorf("the intact build was replaced: %v", err)
	}
	for _, damage := range []func() error{
		func() error { return os.Remove(filepath.Join(dir, store.ManifestFile)) },
		func() error { return os.WriteFile(filepath.Join(dir, "lookup", "archive.bin"), nil, 0o644) },
		func() error { return os.WriteFile(filepath.Join(dir, "extra"), nil, 0o644) },
		func() error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o644)) },
	} {
		suite.Check(t, damage())
		build(t, content, root)
		only()
	}
}

// tree reads all files under a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	suite.Check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(b)
		return err
	}))
	return files
}

func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".tmp-1/lookup/x", "20261101-0123456789abcdef/x", "other/.tmp-2"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		suite.Check(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)))
	}
	suite.Check(t, os.WriteFile(filepath.Join(dir, ".tmp-3"), nil, 0o644))
	opened := suite.Must(store.OpenFolder(dir))(t)
	defer opened.Close()
	temporary := suite.Must(store.TemporaryDir(opened))(t)
	w := suite.Must(exports.NewWriter(dir))(t)
	suite.Check(t, errors.Join(w.Add("a/b", []byte("x")), store.RemoveLeftovers(dir), store.RemoveLeftovers(filepath.Join(dir, "none"))))
	if _, err := opened.Stat(temporary); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the temporary folder still exists")
	}
	files := tree(t, dir)
	suite.Check(t, errors.Join(store.RemoveLeftovers(store.BuildsDir(dir)), w.Discard()))
	if _, ok := files["/other/.tmp-2"]; len(files) != 3 || !ok || len(tree(t, dir)) != 2 {
		t.Errorf("left: %v, then %v", files, tree(t, dir))
	}
}

func TestPublishIsAtomic(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	root := t.TempDir()
	if _, err := store.Current(root); !errors.Is(err, store.ErrNoBuild) {
		t.Errorf("nothing is published, but %v", err)
	}
	suite.Check(t, os.MkdirAll(store.BuildsDir(root), 0o755))
	id := func(i int) string { return fmt.Sprintf("20261101-%016x", i) }
	suite.Check(t, store.Publish(root, id(0)))
	var latest, reads atomic.Int64
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				low := latest.Load()
				got, err := store.Current(root)
				var n int64
				if _, serr := fmt.Sscanf(got, "20261101-%x", &n); err != nil || serr != nil || n < low {
					t.Errorf("%q, %v: older than %d", got, err, low)
					return
				}
				reads.Add(1)
			}
		})
	}
	for i := 1; i <= 200 || reads.Load() < 3000 && !t.Failed(); i++ {
		suite.Check(t, store.Publish(root, id(i)))
		latest.Store(int64(i))
	}
	close(stop)
	readers.Wait()
	for _, bad := range []string{"", "x", "../../etc", "20261101-0123456789ABCDEF", "20261101-0123456789abcdef0"} {
		path := filepath.Join(root, "exports", "current")
		suite.Check(t, os.WriteFile(path, []byte(bad+"\n"), 0o644))
		_, err := store.Current(root)
		wantDamage(t, err, path, "which is not a build ID")
	}
	entries, err := os.ReadDir(filepath.Join(root, "exports"))
	if err != nil || len(entries) != 2 {
		t.Errorf("publishing leaves %v, %v", entries, err)
	}
}
