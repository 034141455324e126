package mirror_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
	"kindex/exports/sign"
	"kindex/exports/store"
	"kindex/indexes"
)

// twoBuilds has two output folders: one with a build, the other with a build in which an entity was
// edited.
var twoBuilds struct {
	once sync.Once
	root string
	dirs [2]string
}

func makeBuilds(t *testing.T) {
	t.Helper()
	root := suite.Must(os.MkdirTemp("", "mirror-test-"))(t)
	twoBuilds.root = root
	content := filepath.Join(root, "content", "tool")
	suite.Check(t, os.MkdirAll(content, 0o755))
	for n, name := range []string{"first", "second"} {
		for i := range 12 {
			text := fmt.Sprintf("name: Tool %d\ncategory: kind-%d\ndescription: Number %d of the tools that move.\nsignals:\n  stars: {value: %d, date: 2026-06-01, source: https://example.org/%d}\n", i, i%2, i, i*i+n*i/11, i)
			suite.Check(t, os.WriteFile(filepath.Join(content, fmt.Sprintf("tool-%d.yaml", i)), []byte(text), 0o644))
		}
		dir := filepath.Join(root, name)
		suite.Must(builder.Build(t.Context(), builder.Options{Content: filepath.Dir(content), Out: dir, Keep: 1,
			AsOf: time.Date(2026, 11, 1, 0, n, 0, 0, time.UTC)}))(t)
		twoBuilds.dirs[n] = dir
	}
}

func TestMain(m *testing.M) {
	mirror.RestartAtOnce()
	code := m.Run()
	if twoBuilds.root != "" {
		_ = os.RemoveAll(twoBuilds.root)
	}
	os.Exit(code)
}

// builds returns the two output folders. Tests must not change them, but for what Publish does.
func builds(t *testing.T) (first, second string) {
	t.Helper()
	suite.InTest(t)
	twoBuilds.once.Do(func() { makeBuilds(t) })
	if twoBuilds.dirs[1] == "" {
		t.Fatal("the builds could not be created")
	}
	return twoBuilds.dirs[0], twoBuilds.dirs[1]
}

func openBucket(t *testing.T, address string) bucket.Bucket {
	t.Helper()
	return suite.Must(bucket.Open(address))(t)
}

// publish publishes a build, signed unless the key is nil. The folder does not remember it.
func publish(t *testing.T, to bucket.Bucket, dir string, k *sign.Key) *mirror.PublishResult {
	t.Helper()
	r := suite.Must(mirror.Publish(t.Context(), to, mirror.PublishOptions{Dir: dir, Dirty: true, Key: k}))(t)
	suite.Check(t, errors.Join(os.RemoveAll(filepath.Join(dir, ".kindex-accepted")), os.RemoveAll(filepath.Join(dir, "exports", "statements"))))
	return r
}

// pull pulls a build, and checks the copy.
func pull(t *testing.T, from bucket.Reader, o mirror.PullOptions) *mirror.PullResult {
	t.Helper()
	r := suite.Must(mirror.Pull(t.Context(), from, o))(t)
	checkSame(t, o.Dir, r.Build)
	return r
}

// checkSame checks that a folder has the same current build as the one where it was built, and nothing
// unfinished.
func checkSame(t *testing.T, dir, id string) {
	t.Helper()
	origin, second := builds(t)
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
		if err != nil || n < 2 {
			t.Fatalf("%d files of %s compared: %v", n, tree, err)
		}
	}
	verify(t, dir, id)
	for _, pattern := range []string{"*/builds/.tmp-*", ".kindex-pull"} {
		if left, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(left) > 0 {
			t.Errorf("unfinished: %v %v", left, err)
		}
	}
}

func verify(t *testing.T, dir, id string) {
	t.Helper()
	m, err := store.Verify(filepath.Join(store.BuildsDir(dir), id))
	if err == nil {
		_, err = indexes.Verify(indexes.Dir(dir, id), id, m.Index)
	}
	suite.Check(t, err)
}

func newKey(t *testing.T) *sign.Key {
	t.Helper()
	return suite.Must(sign.CreateKey(filepath.Join(t.TempDir(), "key"), "builds.example.org/index"))(t)
}

// keys returns the verifiers of keys.
func keys(list ...*sign.Key) (v []note.Verifier) {
	for _, k := range list {
		v = append(v, k.Verifier)
	}
	return v
}

// copyBucket returns a copy of a bucket in a folder.
func copyBucket(t *testing.T, origin string) (bucket.Bucket, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bucket")
	suite.Check(t, os.CopyFS(dir, os.DirFS(origin)))
	return openBucket(t, "file:"+dir), dir
}

// rewrite changes a file.
func rewrite(t *testing.T, path string, change func(string) string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		changed := change(string(data))
		if changed == string(data) {
			t.Fatalf("%s was not changed", path)
		}
		err = os.WriteFile(path, []byte(changed), 0o644)
	}
	suite.Check(t, err)
}

// replace replaces one text by another.
func replace(from, to string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, from, to) }
}
