package builder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports/store"
	"kindex/indexes"
)

// TestChangedFilesAreFound changes bytes of a previous build, of its index and of its caches, but not
// the length and the modification time of the files. No later build may contain any of the changes.
func TestChangedFilesAreFound(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	f := copied(t, someContent()...)
	f.git("init", "-q", "-b", "main")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "All")
	out := t.TempDir()
	want := buildAt(t, f.dir, t.TempDir(), asOf)
	buildsDir, cachesDir := store.BuildsDir(out), filepath.Join(out, "exports", "caches")
	for _, c := range []struct {
		name   string
		alter  func(id string)
		reused bool // whether the build is still reused
	}{
		{"nothing", func(string) {}, true},
		{"a record", func(id string) { alterQuietly(t, filepath.Join(buildsDir, id, "lookup", "records.bin")) }, false},
		{"a file of the index", func(id string) { alterQuietly(t, filepath.Join(indexes.Dir(out, id), "lengths.bin")) }, true},
		{"the identities", func(id string) { alterQuietly(t, filepath.Join(cachesDir, id, "identities")) }, true},
		{"the cache of entities", func(id string) { alterQuietly(t, filepath.Join(cachesDir, id, "sources.bin")) }, true},
		{"the cache of features", func(id string) { alterQuietly(t, filepath.Join(cachesDir, id, "features.bin")) }, true},
		{"no caches", func(string) {
			if err := os.RemoveAll(cachesDir); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"an additional file", func(id string) {
			if err := os.WriteFile(filepath.Join(buildsDir, id, "more.txt"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		before := buildAt(t, f.dir, out, asOf) // all is well
		c.alter(before.ID)
		got := buildAt(t, f.dir, out, asOf)
		if got.ID != want.ID {
			t.Errorf("%s: build %s, want %s", c.name, got.ID, want.ID)
		}
		if reused := got.Reused > 0; reused != c.reused {
			t.Errorf("%s: %d entities reused", c.name, got.Reused)
		}
		m, err := store.Verify(got.Dir)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if _, err := indexes.Verify(indexes.Dir(out, m.ID), m.ID, m.Index); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// alterQuietly changes a byte in the middle of a file and restores its modification time.
func alterQuietly(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, info.Mode().Perm()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// TestUnreadFiles edits files that were built a while ago, and restores their modification times.
func TestUnreadFiles(t *testing.T) {
	suite.InTest(t)
	t.Parallel() // mostly waiting
	f := folder{t, t.TempDir()}
	f.write("categories.yaml", "categories:\n  - {slug: nlp, title: Languages}\n")
	if err := os.Mkdir(filepath.Join(f.dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, slug := range strings.Split("abcdefghijklmnop", "") {
		f.write("tool/"+slug+".yaml", entity(slug))
	}
	f.git("init", "-q", "-b", "main")
	time.Sleep(3100 * time.Millisecond) // files that changed just now are always read again
	out := t.TempDir()
	for _, edit := range []func(){
		func() {},
		func() { f.replaceQuietly("tool/a.yaml", "An example", "an example") },
		func() { f.write("tool/new.yaml", entity("New")) },
		func() { f.replaceQuietly("tool/b.yaml", "An example", "an example"); f.remove("tool/new.yaml") },
	} {
		edit()
		f.git("add", "-A")
		f.git("commit", "-q", "--allow-empty", "-m", "Edit")
		sameBuild(t, buildAt(t, f.dir, out, asOf).Dir, buildAt(t, f.dir, t.TempDir(), asOf).Dir)
	}
}

// replaceQuietly is like replace, but restores the file's modification time.
func (f folder) replaceQuietly(name, old, new string) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	info, err := os.Stat(path)
	if err != nil {
		f.t.Fatal(err)
	}
	f.replace(name, old, new)
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		f.t.Fatal(err)
	}
}
