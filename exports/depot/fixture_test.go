package depot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// twoBuilds has two output folders: one with a build, the other with a build in which one in a
// hundred entities was edited. They are built once, from generated content.
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
	generate(t, content)
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

// generate writes a content folder with tools, always the same ones: after an edit of 1 %, more than
// half of the chunks are needed, since Publish would otherwise write all of them again; see minLive.
func generate(t *testing.T, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(content, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		words := make([]string, 30)
		for n := range words {
			words[n] = fmt.Sprintf("%x", rng.Uint32N(5000))
		}
		text := fmt.Sprintf("name: Tool %d\ncategory: kind-%d\ndescription: \"%s\"\ntags: [%s, %s]\nsignals:\n  stars: {value: %d, date: 2026-06-01, source: https://example.org/%d}\n",
			i, i%3, strings.Join(words[2:], " "), "t"+words[0], "u"+words[1], i*i, i)
		if err := os.WriteFile(filepath.Join(content, "tool", fmt.Sprintf("tool-%d.yaml", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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

// editSome edits the version of one in a hundred entities: among few entities, another description
// changes what is similar to most of them.
func editSome(t *testing.T, content string) {
	t.Helper()
	described := regexp.MustCompile(`(?m)^description: `)
	files := entities(t, content)
	for i := 0; i < len(files); i += 100 {
		text, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[i], described.ReplaceAll(text, []byte("version: edited\n${0}")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

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
