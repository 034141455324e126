package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kindex/exports/mirror"
	"kindex/exports/sign"
	"kindex/exports/store"
)

// TestFiles reads the files of a build that is only in the bucket: each is the same byte for byte,
// also if several goroutines want it at once. What nobody published costs one request at most. With a
// key, there are only the files of builds that are signed.
func TestFiles(t *testing.T) {
	first, second := builds(t)
	k, dir := newKey(t), t.TempDir()
	to := openBucket(t, "file:"+t.TempDir())
	old := publish(t, to, first, k).Build
	publish(t, to, second, nil)
	pull(t, to, mirror.PullOptions{Dir: dir})
	var requests atomic.Int64
	counted := &hooked{Reader: to, do: func() { requests.Add(1) }}
	for _, keyed := range [][]*sign.Key{nil, {k}} {
		files := mirror.NewFiles(counted, dir, 0, keys(keyed...))
		m, _, err := files.Manifest(t.Context(), old)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range m.Files {
			if i%20 != 0 && want.Encoding == "" && filepath.Ext(want.Path) != ".json" {
				continue
			}
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() { checkFile(t, files, old, want, filepath.Join(store.BuildsDir(first), old)) })
			}
			group.Wait()
		}
		if _, _, _, err := files.Open(t.Context(), current(t, second), "entities.csv"); (err == nil) != (keyed == nil) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an unsigned build, keys %v: %v", keyed, err)
		}
		again := requests.Load()
		for range 100 {
			for _, name := range []string{"nothing.csv", "../../current", ""} {
				if _, _, _, err := files.Open(t.Context(), old, name); !errors.Is(err, fs.ErrNotExist) {
					t.Fatalf("%q: %v", name, err)
				}
			}
			for _, id := range []string{"20260101-0123456789abcdef", "nonsense", "../" + old, ""} {
				if _, _, _, err := files.Open(t.Context(), id, "entities.csv"); !errors.Is(err, fs.ErrNotExist) {
					t.Fatalf("%q: %v", id, err)
				}
			}
		}
		if n := requests.Load(); n != again+1 {
			t.Errorf("%d requests for what is there, or what nobody published", n-again)
		}
	}
	if _, _, _, err := mirror.NewFiles(to, dir, 0, keys(newKey(t))).Open(t.Context(), old, "entities.csv"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a build that is signed with another key: %v", err)
	}
}

func checkFile(t *testing.T, files *mirror.Files, id string, want store.File, dir string) {
	t.Helper()
	f, _, _, err := files.Open(t.Context(), id, want.Path)
	if err != nil {
		t.Errorf("%s: %v", want.Path, err)
		return
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	whole, err2 := os.ReadFile(filepath.Join(dir, filepath.FromSlash(want.Path)))
	if err = errors.Join(err, err2); err != nil || !bytes.Equal(got, whole) {
		t.Errorf("%s: %d bytes, want %d; %v", want.Path, len(got), len(whole), err)
	}
}

// TestManyUnknownBuilds requests more builds than any client should: not all of them are looked up in
// the bucket.
func TestManyUnknownBuilds(t *testing.T) {
	var requests atomic.Int64
	files := mirror.NewFiles(&hooked{Reader: openBucket(t, "file:"+t.TempDir()), do: func() { requests.Add(1) }}, t.TempDir(), 0, nil)
	busy := 0
	for i := range 10_000 {
		_, _, _, err := files.Open(t.Context(), fmt.Sprintf("20260101-%016x", i), "entities.csv")
		if errors.Is(err, mirror.ErrBusy) {
			busy++
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if n := requests.Load(); n > 5000 || busy == 0 {
		t.Errorf("%d requests, and %d refused", n, busy)
	}
}

// TestDamagedFile damages a file of an old build in the bucket, and then the copy of the reader: it is not
// returned, and fetched again. A request that does not wait for it leaves the fetch running.
func TestDamagedFile(t *testing.T) {
	first, second := builds(t)
	origin, dir := t.TempDir(), t.TempDir()
	to := openBucket(t, "file:"+origin)
	old := publish(t, to, first, nil).Build
	publish(t, to, second, nil)
	m, err := store.ReadManifest(filepath.Join(store.BuildsDir(first), old))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := m.File("entities.csv")
	object := filepath.Join(origin, "files", "sha256", want.SHA256[:2], want.SHA256)
	whole, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, object, func(s string) string { return "x" + s[1:] })
	files := mirror.NewFiles(to, dir, 0, nil)
	var damage *store.DamageError
	if f, _, _, err := files.Open(t.Context(), old, want.Path); !errors.As(err, &damage) {
		t.Fatalf("%v %v", f, err)
	}
	if err := os.WriteFile(object, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	checkFile(t, files, old, want, filepath.Join(store.BuildsDir(first), old))
	rewrite(t, filepath.Join(dir, ".kindex-files", want.SHA256), func(s string) string { return "x" + s[1:] })
	checkFile(t, mirror.NewFiles(to, dir, 0, nil), old, want, filepath.Join(store.BuildsDir(first), old))

	blocked, release := make(chan struct{}), make(chan struct{})
	files = mirror.NewFiles(&hooked{Reader: to, on: "files/", do: sync.OnceFunc(func() { close(blocked); <-release })}, t.TempDir(), 0, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-blocked; cancel() }()
	if _, _, _, err := files.Open(ctx, old, want.Path); !errors.Is(err, mirror.ErrBusy) {
		t.Error(err)
	}
	close(release)
	checkFile(t, files, old, want, filepath.Join(store.BuildsDir(first), old))
}

// TestSpace pulls to folders that may take a certain number of bytes. As many builds are kept as
// fit; the current one is kept, and so are those in use. Files of old builds make room for builds.
func TestSpace(t *testing.T) {
	first, second := builds(t)
	to := openBucket(t, "file:"+t.TempDir())
	old := publish(t, to, first, nil)
	dir := t.TempDir()
	o := mirror.PullOptions{Dir: dir, MaxBytes: old.Bytes / 2}
	var space *mirror.SpaceError
	if _, err := mirror.Pull(t.Context(), to, o); !errors.As(err, &space) || space.Need <= o.MaxBytes || space.Limit != o.MaxBytes {
		t.Fatalf("%v", err)
	}
	o.MaxBytes = space.Need
	pull(t, to, o)
	publish(t, to, second, nil)
	if _, err := mirror.Pull(t.Context(), to, o); !errors.As(err, &space) || !strings.Contains(err.Error(), "does not fit") {
		t.Fatalf("%v", err)
	}
	if id := current(t, dir); id != old.Build {
		t.Fatal(id)
	}
	o.MaxBytes = space.Need + space.Need/10 // enough for two builds, whichever is the older one
	now := pull(t, to, o)
	has := func(want ...string) {
		t.Helper()
		got, err := store.Builds(dir, "exports", "builds")
		indexes, err2 := store.Builds(dir, "indexes", "builds")
		if err = errors.Join(err, err2); err != nil || len(got) != len(want) || len(indexes) != len(want) {
			t.Fatalf("the folder has %v and the indexes %v, want %v; %v", got, indexes, want, err)
		}
	}
	has(old.Build, now.Build)

	// The older of the two must be removed to make room for a third, unless it is in use.
	files := mirror.NewFiles(to, dir, 0, nil)
	if f, _, _, err := files.Open(t.Context(), now.Build, "entities.csv"); err != nil {
		t.Fatal(err)
	} else if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	publish(t, to, first, nil)
	if err := os.RemoveAll(filepath.Join(store.BuildsDir(dir), old.Build)); err != nil {
		t.Fatal(err)
	}
	o.AllowOlder = true
	pull(t, to, o)
	has(now.Build, old.Build)
	publish(t, to, second, nil)
	const inUse = "20200101-0000000000000000"
	if err := os.Rename(filepath.Join(store.BuildsDir(dir), now.Build), filepath.Join(store.BuildsDir(dir), inUse)); err != nil {
		t.Fatal(err)
	}
	o.InUse = func(id string) bool { return id == inUse }
	if _, err := mirror.Pull(t.Context(), to, o); !errors.As(err, &space) {
		t.Fatalf("a build in use was removed, or the limit was exceeded: %v", err)
	}
	o.InUse = nil
	pull(t, to, o)
	has(old.Build, now.Build)
}
