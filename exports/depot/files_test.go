package depot_test

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

	"kindex/exports/bucket"
	"kindex/exports/depot"
	"kindex/exports/store"
)

// countedBucket counts requests, and those for objects other than packs.
type countedBucket struct {
	bucket.Reader
	requests, packs atomic.Int64
}

func (c *countedBucket) Read(ctx context.Context, name string, limit int64, known string) ([]byte, string, error) {
	c.requests.Add(1)
	if strings.HasPrefix(name, "blobs/") {
		c.packs.Add(1)
	}
	return c.Reader.Read(ctx, name, limit, known)
}

// TestFiles reads the files of a build that is only in the bucket: each is the same byte for byte,
// also if several goroutines want it at once. What nobody published costs one request at most.
func TestFiles(t *testing.T) {
	first, second := builds(t)
	to := openBucket(t, "file:"+t.TempDir())
	old := publish(t, to, first).Build
	publish(t, to, second)
	dir := t.TempDir()
	pull(t, to, dir)
	counted := &countedBucket{Reader: to}
	files := depot.NewFiles(counted, dir, 0, nil)
	m, _, err := files.Manifest(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range m.Files {
		if i%10 != 0 && want.Encoding == "" && filepath.Ext(want.Path) != ".json" {
			continue
		}
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() { checkFile(t, files, old, want, filepath.Join(store.BuildsDir(first), old)) })
		}
		group.Wait()
	}
	again := counted.requests.Load()
	checkFile(t, depot.NewFiles(counted, dir, 0, nil), old, m.Files[0], filepath.Join(store.BuildsDir(first), old))
	for range 100 {
		for _, name := range []string{"nothing.csv", "../../current", ""} {
			if _, _, _, err := files.Open(t.Context(), old, name); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%q: %v", name, err)
			}
		}
	}
	if n := counted.requests.Load(); n != again {
		t.Errorf("%d requests for what is there", n-again)
	}
	for range 100 {
		for _, id := range []string{"20260101-0123456789abcdef", "nonsense", "../" + old, ""} {
			if _, _, _, err := files.Open(t.Context(), id, "entities.csv"); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%q: %v", id, err)
			}
		}
	}
	if n := counted.requests.Load(); n != again+1 {
		t.Errorf("%d requests for builds that nobody published", n-again)
	}
}

func checkFile(t *testing.T, files *depot.Files, id string, want store.File, dir string) {
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
	to := openBucket(t, "file:"+t.TempDir())
	counted := &countedBucket{Reader: to}
	files := depot.NewFiles(counted, t.TempDir(), 0, nil)
	busy := 0
	for i := range 10_000 {
		id := "20260101-" + fmt.Sprintf("%016x", i)
		_, _, _, err := files.Open(t.Context(), id, "entities.csv")
		if errors.Is(err, depot.ErrBusy) {
			busy++
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if n := counted.requests.Load(); n > 5000 || busy == 0 {
		t.Errorf("%d requests, and %d refused", n, busy)
	}
}

// TestDamagedFile damages packs: no file is returned, and none is kept. After a repair, it is.
func TestDamagedFile(t *testing.T) {
	first, second := builds(t)
	origin := t.TempDir()
	to := openBucket(t, "file:"+origin)
	old := publish(t, to, first).Build
	publish(t, to, second)
	packs, err := filepath.Glob(filepath.Join(origin, "blobs", "sha256", "*", "*"))
	if err != nil || len(packs) == 0 {
		t.Fatal(packs, err)
	}
	whole := map[string][]byte{}
	for _, p := range packs {
		if whole[p], err = os.ReadFile(p); err != nil {
			t.Fatal(err)
		}
		bad := bytes.Clone(whole[p])
		bad[len(bad)/2] ^= 1
		if err := os.WriteFile(p, bad, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := depot.NewFiles(to, t.TempDir(), 0, nil)
	var damage *depot.DamageError
	if f, _, _, err := files.Open(t.Context(), old, "entities.csv"); !errors.As(err, &damage) {
		t.Fatalf("%v %v", f, err)
	}
	for p, data := range whole {
		if err := os.WriteFile(p, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, _, err := files.Manifest(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := m.File("entities.csv")
	checkFile(t, files, old, want, filepath.Join(store.BuildsDir(first), old))
}

// TestSpace pulls to folders that may take a certain number of bytes. As many builds are kept as
// fit; the current one is kept, and so are those in use. Files of old builds make room for builds.
func TestSpace(t *testing.T) {
	first, second := builds(t)
	to := openBucket(t, "file:"+t.TempDir())
	old := publish(t, to, first)
	dir := t.TempDir()
	o := depot.PullOptions{Dir: dir, MaxBytes: old.Bytes / 2}
	var space *depot.SpaceError
	if _, err := depot.Pull(t.Context(), to, o); !errors.As(err, &space) || space.Need <= o.MaxBytes || space.Limit != o.MaxBytes {
		t.Fatalf("%v", err)
	}
	o.MaxBytes = space.Need
	if _, err := depot.Pull(t.Context(), to, o); err != nil {
		t.Fatalf("with as much space as was asked for: %v", err)
	}
	publish(t, to, second)
	if _, err := depot.Pull(t.Context(), to, o); !errors.As(err, &space) || !strings.Contains(err.Error(), "does not fit") {
		t.Fatalf("%v", err)
	}
	if id, err := store.Current(dir); err != nil || id != old.Build {
		t.Fatalf("%s %v", id, err)
	}
	o.MaxBytes = space.Need + space.Need/10 // enough for two builds, whichever is the older one
	now, err := depot.Pull(t.Context(), to, o)
	if err != nil {
		t.Fatal(err)
	}
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
	files := depot.NewFiles(to, dir, 0, nil)
	if f, _, _, err := files.Open(t.Context(), now.Build, "entities.csv"); err != nil {
		t.Fatal(err)
	} else if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	publish(t, to, first)
	if err := os.RemoveAll(filepath.Join(store.BuildsDir(dir), old.Build)); err != nil {
		t.Fatal(err)
	}
	o.AllowOlder = true
	if r, err := depot.Pull(t.Context(), to, o); err != nil || r.Build != old.Build {
		t.Fatalf("%+v %v", r, err)
	}
	has(now.Build, old.Build)
	publish(t, to, second)
	if err := os.Rename(filepath.Join(store.BuildsDir(dir), now.Build), filepath.Join(store.BuildsDir(dir), "20200101-0000000000000000")); err != nil {
		t.Fatal(err)
	}
	o.InUse = func(id string) bool { return id == "20200101-0000000000000000" }
	if _, err := depot.Pull(t.Context(), to, o); !errors.As(err, &space) {
		t.Fatalf("a build in use was removed, or the limit was exceeded: %v", err)
	}
	o.InUse = nil
	if _, err := depot.Pull(t.Context(), to, o); err != nil {
		t.Fatal(err)
	}
	has(old.Build, now.Build)
}
