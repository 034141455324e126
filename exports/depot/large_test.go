package depot_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports/bucket"
	"kindex/exports/depot"
	"kindex/exports/store"
)

// TestLargeTables publishes the same build with large tables from a folder that has their texts and
// from one that does not. The same is uploaded, and pulling either gives a folder without them.
func TestLargeTables(t *testing.T) {
	suite.InTest(t)
	content := t.TempDir()
	generate(t, content)
	build := func(second int, storeTexts bool) (dir string) {
		dir = t.TempDir()
		_, err := builder.Build(t.Context(), builder.Options{Content: content, Out: dir, Keep: 1, LargeTable: 1, StoreTexts: storeTexts,
			AsOf: time.Date(2026, 11, 1, 0, 0, second, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	stored, lean := build(0, true), build(0, false)
	a, b := openBucket(t, "file:"+t.TempDir()), openBucket(t, "file:"+t.TempDir())
	fromStored, fromLean := publish(t, a, stored), publish(t, b, lean)
	fromStored.Uploaded, fromLean.Uploaded = 0, 0 // Bleve's metadata is different each time
	if *fromStored != *fromLean {
		t.Errorf("published %+v from a folder with texts, %+v from one without", fromStored, fromLean)
	}
	want := listing(t, lean)
	if len(want) >= len(listing(t, stored)) {
		t.Fatal("all texts are stored")
	}
	copies := []string{t.TempDir(), t.TempDir()}
	for i, from := range []bucket.Bucket{a, b} {
		pullAndVerify(t, from, copies[i])
		if got := listing(t, copies[i]); !slices.Equal(got, want) {
			t.Errorf("pulled from %s:\n%q, want\n%q", from, got, want)
		}
	}
	checkOnly(t, a, stored)

	// The file that a text is recreated from is damaged: it is repaired.
	damaged := filepath.Join(store.BuildsDir(copies[0]), fromLean.Build, "entities.csv.zst")
	data, err := os.ReadFile(damaged)
	if err == nil {
		data[len(data)/2] ^= 1
		err = os.WriteFile(damaged, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r := pullAndVerify(t, a, copies[0]); r.Unchanged {
		t.Error("the damage was not noticed")
	}

	// Chunks of texts that are not stored are used for the next build.
	editSome(t, content)
	edited := publish(t, a, build(60, false))
	if r := pullAndVerify(t, a, copies[0]); r.Build != edited.Build || r.Local == 0 {
		t.Errorf("%+v", r)
	}
}

// pullAndVerify pulls a build and verifies it.
func pullAndVerify(t *testing.T, from bucket.Reader, dir string) *depot.PullResult {
	t.Helper()
	r, err := depot.Pull(t.Context(), from, depot.PullOptions{Dir: dir})
	if err == nil {
		_, err = store.Verify(filepath.Join(store.BuildsDir(dir), r.Build))
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkOnly pulls some texts alone: they are written as files.
func checkOnly(t *testing.T, from bucket.Reader, stored string) {
	t.Helper()
	dir := t.TempDir()
	r, err := depot.Pull(t.Context(), from, depot.PullOptions{Dir: dir, Only: []string{"entities.*", "signals.json"}})
	if err != nil || r.Files != 10 { // with the shards file
		t.Fatalf("%+v %v", r, err)
	}
	for _, name := range []string{"entities.csv", "entities.json", "entities.jsonl", "entities.csv.zst", "signals.json"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(store.BuildsDir(stored), r.Build, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
	if again, err := depot.Pull(t.Context(), from, depot.PullOptions{Dir: dir, Only: []string{"entities.*", "signals.json"}}); err != nil || !again.Unchanged {
		t.Errorf("pulled again: %+v %v", again, err)
	}
}

// listing returns the paths of the files of a build with their hashes.
func listing(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), "exports/builds", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		list = append(list, path+" "+depot.SumOf(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
