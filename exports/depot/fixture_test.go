package depot_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports/bucket"
	"kindex/exports/depot"
	"kindex/exports/store"
	"kindex/indexes"
)

// twoBuilds has two output folders: one with a build of the included content, the other with a
// build in which one in a hundred entities was edited. They are made once, from two
// categories, or from all in make soak.
var twoBuilds struct {
	once sync.Once
	root string
	dirs [2]string
}

func makeBuilds(t *testing.T) {
	t.Helper()
	root, err := os.MkdirTemp("", "depot-test-")
	if err != nil {
		t.Fatal(err)
	}
	twoBuilds.root = root
	content := filepath.Join(root, "content")
	if err := os.CopyFS(content, os.DirFS("../../content")); err != nil {
		t.Fatal(err)
	}
	if !suite.Soaking() {
		keepTwoCategories(t, content)
	}
	for i, name := range []string{"first", "second"} {
		dir := filepath.Join(root, name)
		if i == 1 {
			editSome(t, content)
		}
		_, err := builder.Build(t.Context(), builder.Options{Content: content, Out: dir, Keep: 1,
			AsOf: time.Date(2026, 11, 1, 0, i, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		twoBuilds.dirs[i] = dir
	}
}

// keepTwoCategories removes most of a content folder.
func keepTwoCategories(t *testing.T, content string) {
	t.Helper()
	kept := regexp.MustCompile(`(?m)^category: (vector-databases|reranking)$`)
	for _, file := range entities(t, content) {
		text, err := os.ReadFile(file)
		if err == nil && !kept.Match(text) {
			err = os.Remove(file)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	categories := "categories:\n  - {slug: vector-databases, title: Vector databases}\n  - {slug: reranking, title: Reranking models}\n"
	err := os.WriteFile(filepath.Join(content, "categories.yaml"), []byte(categories), 0o644)
	if err = errors.Join(err, os.Remove(filepath.Join(content, "boards.yaml"))); err != nil {
		t.Fatal(err)
	}
	suite.DropLostSuccessors(t, content)
}

func entities(t *testing.T, content string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(content, "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no entities: %v", err)
	}
	return files
}

func TestMain(m *testing.M) {
	depot.RestartAtOnce()
	code := m.Run()
	if twoBuilds.root != "" {
		_ = os.RemoveAll(twoBuilds.root)
	}
	os.Exit(code)
}

// editSome edits one in a hundred entities.
func editSome(t *testing.T, content string) {
	t.Helper()
	described := regexp.MustCompile(`(?m)^description: "?`)
	files := entities(t, content)
	for i := 0; i < len(files); i += 100 {
		text, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[i], described.ReplaceAll(text, []byte("${0}Edited, ")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func builds(t *testing.T) (first, second string) {
	t.Helper()
	suite.InTest(t)
	twoBuilds.once.Do(func() { makeBuilds(t) })
	if twoBuilds.dirs[1] == "" {
		t.Fatal("the builds could not be made")
	}
	return twoBuilds.dirs[0], twoBuilds.dirs[1]
}

func openBucket(t *testing.T, address string) bucket.Bucket {
	t.Helper()
	b, err := bucket.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func publish(t *testing.T, to bucket.Bucket, dir string) *depot.PublishResult {
	t.Helper()
	r, err := depot.Publish(t.Context(), to, depot.PublishOptions{Dir: dir, Dirty: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func pull(t *testing.T, from bucket.Reader, dir string) *depot.PullResult {
	t.Helper()
	r, err := depot.Pull(t.Context(), from, depot.PullOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, dir, r.Build)
	return r
}

// checkSame checks that a folder has the same current build as the one where it was built.
func checkSame(t *testing.T, dir, id string) {
	t.Helper()
	first, second := builds(t)
	origin := first
	if current, err := store.Current(second); err == nil && current == id {
		origin = second
	}
	if current, err := store.Current(dir); err != nil || current != id {
		t.Fatalf("the current build is %s (%v), not %s", current, err, id)
	}
	for _, tree := range []string{"exports", "indexes"} {
		want, got := os.DirFS(filepath.Join(origin, tree, "builds", id)), os.DirFS(filepath.Join(dir, tree, "builds", id))
		n := 0
		err := fs.WalkDir(want, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			n++
			a, errA := fs.ReadFile(want, path)
			b, errB := fs.ReadFile(got, path)
			if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s differs (%v)", path, err)
			}
			return nil
		})
		if err != nil || n < 5 {
			t.Fatalf("%d files of %s compared: %v", n, tree, err)
		}
	}
	m, err := store.Verify(filepath.Join(store.BuildsDir(dir), id))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := indexes.Verify(indexes.Dir(dir, id), id, m.Index); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", "builds", ".tmp-*")); err != nil || len(left) > 0 {
		t.Errorf("unfinished folders are left: %v %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".kindex-packs")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("packs are left: %v", err)
	}
}
