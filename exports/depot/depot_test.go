package depot_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports/bucket"
	"kindex/exports/bucket/buckettest"
	"kindex/exports/depot"
	"kindex/exports/store"
	"kindex/indexes"
)

// twoBuilds returns two output folders: one with a build of the included content, the other with
// a build in which one in a hundred entities was edited. They are made once.
var twoBuilds = sync.OnceValues(func() ([2]string, error) {
	root, err := os.MkdirTemp("", "depot-test-")
	if err != nil {
		return [2]string{}, err
	}
	temporary = root
	content := filepath.Join(root, "content")
	if err := os.CopyFS(content, os.DirFS("../../content")); err != nil {
		return [2]string{}, err
	}
	dirs := [2]string{filepath.Join(root, "first"), filepath.Join(root, "second")}
	for i, dir := range dirs {
		if i == 1 {
			if err := editSome(content); err != nil {
				return dirs, err
			}
		}
		_, err := builder.Build(context.Background(), builder.Options{Content: content, Out: dir, Keep: 1,
			AsOf: time.Date(2026, 11, 1, 0, i, 0, 0, time.UTC)})
		if err != nil {
			return dirs, err
		}
	}
	return dirs, nil
})

// temporary is the folder of twoBuilds.
var temporary string

func TestMain(m *testing.M) {
	depot.RestartAtOnce()
	code := m.Run()
	if temporary != "" {
		_ = os.RemoveAll(temporary)
	}
	os.Exit(code)
}

// editSome edits one in a hundred entities.
func editSome(content string) error {
	files, err := filepath.Glob(filepath.Join(content, "*", "*.yaml"))
	if err != nil {
		return err
	}
	described := regexp.MustCompile(`(?m)^description: "?`)
	for i := 0; i < len(files); i += 100 {
		text, err := os.ReadFile(files[i])
		if err != nil {
			return err
		}
		if err := os.WriteFile(files[i], described.ReplaceAll(text, []byte("${0}Edited, ")), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func builds(t *testing.T) (first, second string) {
	t.Helper()
	suite.InTest(t)
	dirs, err := twoBuilds()
	if err != nil {
		t.Fatal(err)
	}
	return dirs[0], dirs[1]
}

func openBucket(t *testing.T, address string) bucket.Bucket {
	t.Helper()
	b, err := bucket.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func publish(t *testing.T, to bucket.Bucket, dir string) *depot.Published {
	t.Helper()
	r, err := depot.Publish(t.Context(), to, depot.PublishOptions{Dir: dir, Dirty: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func pull(t *testing.T, from bucket.Reader, dir string) *depot.Pulled {
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

// TestPublishAndPull publishes two builds and pulls them from a folder and from a web server. The
// second one moves few bytes, and both copies are the same byte for byte.
func TestPublishAndPull(t *testing.T) {
	first, second := builds(t)
	dir := t.TempDir()
	to := openBucket(t, "file:"+dir)
	if _, err := depot.Pull(t.Context(), to, depot.PullOptions{Dir: t.TempDir()}); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("pulled from an empty bucket: %v", err)
	}
	if _, err := depot.Publish(t.Context(), to, depot.PublishOptions{Dir: first}); !errors.Is(err, depot.ErrDirty) {
		t.Fatalf("published uncommitted content: %v", err)
	}
	whole := publish(t, to, first)
	if again := publish(t, to, first); !again.Unchanged || again.Uploaded != 0 {
		t.Errorf("published again: %+v", again)
	}
	srv := httptest.NewServer(http.FileServerFS(os.DirFS(dir)))
	defer srv.Close()
	web, err := bucket.OpenReader(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	copies := map[bucket.Reader]string{to: t.TempDir(), web: t.TempDir()}
	for from, at := range copies {
		if r := pull(t, from, at); r.Local != 0 || r.Files != whole.Files || r.Downloaded*4 > r.Bytes {
			t.Errorf("%s: %+v", from, r)
		}
		if r := pullAgain(t, from, at); !r.Unchanged {
			t.Errorf("%s: pulled again: %+v", from, r)
		}
	}
	edited := publish(t, to, second)
	t.Logf("first: %d of %d bytes written; 1 %% edited: %d (%.1f %%)", whole.Uploaded, whole.Bytes, edited.Uploaded, 100*float64(edited.Uploaded)/float64(edited.Bytes))
	for from, at := range copies {
		r := pull(t, from, at)
		if share := float64(r.Downloaded) / float64(r.Bytes); share > 0.05 || edited.Uploaded > edited.Bytes/20 {
			t.Errorf("%s: a change of 1 %% of the entities moved %.1f %% of the bytes: %+v, %+v", from, 100*share, edited, r)
		}
	}
	// An old build that is published again is refused, unless the caller wants it.
	publish(t, to, first)
	for from, at := range copies {
		if _, err := depot.Pull(t.Context(), from, depot.PullOptions{Dir: at}); !errors.Is(err, depot.ErrOlder) {
			t.Errorf("%s: pulled an older build: %v", from, err)
		}
	}
	if r, err := depot.Pull(t.Context(), to, depot.PullOptions{Dir: copies[to], AllowOlder: true}); err != nil || r.Build != whole.Build {
		t.Errorf("%+v %v", r, err)
	}
}

// TestObjectStorage does the same with a real S3 server: what is published is pulled, little moves
// after an edit, and only one of two publishers wins.
func TestObjectStorage(t *testing.T) {
	address := buckettest.S3(t)
	first, second := builds(t)
	to, dir := openBucket(t, address+"/kindex"), t.TempDir()
	whole := publish(t, to, first)
	pull(t, to, dir)
	edited := publish(t, to, second)
	if r := pull(t, to, dir); edited.Uploaded > edited.Bytes/20 || r.Downloaded > r.Bytes/20 {
		t.Errorf("%+v %+v", edited, r)
	}
	if r := pullAgain(t, to, dir); !r.Unchanged {
		t.Errorf("%+v", r)
	}
	racing := &overtaken{Bucket: to, before: func() { publish(t, to, first) }}
	if _, err := depot.Publish(t.Context(), racing, depot.PublishOptions{Dir: first, Dirty: true}); !errors.Is(err, bucket.ErrConflict) {
		t.Fatalf("both published: %v", err)
	}
	if r, err := depot.Prune(t.Context(), to, depot.PruneOptions{Keep: 1, Grace: depot.MinGrace}); err != nil || r.Kept != 2 {
		t.Errorf("%+v %v", r, err)
	}
	fresh := t.TempDir()
	if r := pull(t, to, fresh); r.Build != whole.Build {
		t.Errorf("%+v", r)
	}
}

// pullAgain pulls what the folder may already have.
func pullAgain(t *testing.T, from bucket.Reader, dir string) *depot.Pulled {
	t.Helper()
	r, err := depot.Pull(t.Context(), from, depot.PullOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	known, err := depot.Pull(t.Context(), from, depot.PullOptions{Dir: dir, Known: r.Tag})
	if err != nil || r.Tag != "" && (!known.Unchanged || known.Downloaded != 0) {
		t.Errorf("%+v %v", known, err)
	}
	return r
}

// TestDamagedObjects damages every kind of object in every way. Nothing is installed, the error
// names the object, and the build that was there stays.
func TestDamagedObjects(t *testing.T) {
	first, second := builds(t)
	origin := t.TempDir()
	to := openBucket(t, "file:"+origin)
	publish(t, to, first)
	there := t.TempDir()
	old := pull(t, to, there).Build
	publish(t, to, second)
	var objects []bucket.Info
	seen := map[string]int{}
	for i, err := range to.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		kind := regexp.MustCompile(`[0-9a-f]{8,}`).ReplaceAllString(i.Name, "N")
		kind = regexp.MustCompile(`/[0-9a-f]{2}/`).ReplaceAllString(kind, "/")
		if seen[kind]++; seen[kind] <= 2 && i.Name != "clock" {
			objects = append(objects, i)
		}
	}
	if len(objects) < 8 {
		t.Fatalf("only %d objects: %v", len(objects), objects)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	damages := map[string]func(b []byte) []byte{
		"truncated": func(b []byte) []byte { return b[:len(b)/2] },
		"longer":    func(b []byte) []byte { return append(b, 'x') },
		"altered":   func(b []byte) []byte { b[rng.IntN(len(b))] ^= 1; return b },
		"empty":     func([]byte) []byte { return nil },
		"missing":   nil,
	}
	failed := 0
	for _, o := range objects {
		path := filepath.Join(origin, filepath.FromSlash(o.Name))
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, damage := range damages {
			if damage == nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, damage(bytes.Clone(whole)), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			copied := filepath.Join(t.TempDir(), "copy")
			if out, err := exec.Command("sh", "-c", `cp -al "$0" "$1" && rm "$1"/.kindex-build.lock`, there, copied).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			r, err := depot.Pull(t.Context(), to, depot.PullOptions{Dir: copied})
			if err == nil {
				checkSame(t, copied, r.Build) // only the old build needs the object
				continue
			}
			failed++
			checkServed(t, copied, old)
			// An altered character of current names objects that do not exist.
			if o.Name != "current" && !strings.Contains(err.Error(), o.Name) {
				t.Errorf("%s, %s: the error does not name it: %v", o.Name, name, err)
			}
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if failed < 20 {
		t.Errorf("only %d pulls failed", failed)
	}
	pull(t, to, there)
}

// checkServed checks that a build is still served after a pull that failed.
func checkServed(t *testing.T, dir, id string) {
	t.Helper()
	if current, err := store.Current(dir); err != nil || current != id {
		t.Fatalf("the current build is %s (%v), not %s", current, err, id)
	}
	if _, err := store.Verify(filepath.Join(store.BuildsDir(dir), id)); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(store.BuildsDir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
}

// TestRepair removes objects of the published build, one kind at a time. Publishing it again writes
// what is missing, also for later builds.
func TestRepair(t *testing.T) {
	first, second := builds(t)
	origin := t.TempDir()
	to := openBucket(t, "file:"+origin)
	publish(t, to, first)
	for _, pattern := range []string{"blobs/sha256/*/*", "builds/*/map-*", "builds/*/index-*", "builds/*/manifest.json"} {
		for _, dir := range []string{first, second} {
			lost, err := filepath.Glob(filepath.Join(origin, pattern))
			if err != nil || len(lost) == 0 {
				t.Fatalf("%s: %v %v", pattern, lost, err)
			}
			for _, name := range lost {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			if r := publish(t, to, dir); r.Unchanged {
				t.Errorf("%s: nothing was written", pattern)
			}
			pull(t, to, t.TempDir())
		}
	}
}

// TestUnusableFolder pulls to folders that cannot be used, or have half a build.
func TestUnusableFolder(t *testing.T) {
	first, second := builds(t)
	to := openBucket(t, "file:"+t.TempDir())
	publish(t, to, first)
	blocked := t.TempDir()
	if err := os.WriteFile(filepath.Join(blocked, "indexes"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := depot.Pull(t.Context(), to, depot.PullOptions{Dir: blocked}); err == nil {
		t.Error("pulled to a folder where a file is in the way")
	}
	half := t.TempDir()
	id := pull(t, to, half).Build
	if err := os.RemoveAll(indexes.Dir(half, id)); err != nil {
		t.Fatal(err)
	}
	if _, err := depot.Publish(t.Context(), to, depot.PublishOptions{Dir: half, Dirty: true}); err == nil {
		t.Error("published a build without an index")
	}
	publish(t, to, second)
	pull(t, to, half)
}

// faulty is a bucket that fails after some writes, as when a publisher is killed.
type faulty struct {
	bucket.Bucket
	mu   sync.Mutex
	left int
}

var errKilled = errors.New("killed")

func (f *faulty) spend() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left < 0 {
		return errKilled
	}
	return nil
}

func (f *faulty) Write(ctx context.Context, name string, data []byte) error {
	if err := f.spend(); err != nil {
		return err
	}
	return f.Bucket.Write(ctx, name, data)
}

func (f *faulty) Replace(ctx context.Context, name string, data []byte, tag string) error {
	if err := f.spend(); err != nil {
		return err
	}
	return f.Bucket.Replace(ctx, name, data, tag)
}

// TestPublisherKilled kills a publisher before each of its writes. Readers get the build before,
// and the next attempt succeeds and does not write packs again.
func TestPublisherKilled(t *testing.T) {
	first, second := builds(t)
	origin, there := t.TempDir(), t.TempDir()
	to := openBucket(t, "file:"+origin)
	publish(t, to, first)
	old := pull(t, to, there).Build
	kills := 0
	for ; ; kills++ {
		_, err := depot.Publish(t.Context(), &faulty{Bucket: to, left: kills}, depot.PublishOptions{Dir: second, Dirty: true})
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if r := pullAgain(t, to, there); !r.Unchanged || r.Build != old {
			t.Fatalf("after a kill before write %d: %+v", kills, r)
		}
	}
	if kills < 5 {
		t.Errorf("%d writes", kills)
	}
	pull(t, to, there)
}

// TestTwoPublishers lets another publisher win: the later one is told, and can publish again.
func TestTwoPublishers(t *testing.T) {
	first, second := builds(t)
	to := openBucket(t, "file:"+t.TempDir())
	racing := &overtaken{Bucket: to, before: func() { publish(t, to, first) }}
	if _, err := depot.Publish(t.Context(), racing, depot.PublishOptions{Dir: second, Dirty: true}); !errors.Is(err, bucket.ErrConflict) {
		t.Fatalf("both published: %v", err)
	}
	dir := t.TempDir()
	if r := pull(t, to, dir); !strings.HasPrefix(r.Build, "2026") {
		t.Error(r)
	}
	publish(t, to, second)
	pull(t, to, dir)
}

// overtaken is a bucket where somebody else publishes just before Replace.
type overtaken struct {
	bucket.Bucket
	before func()
}

func (o *overtaken) Replace(ctx context.Context, name string, data []byte, tag string) error {
	o.before()
	return o.Bucket.Replace(ctx, name, data, tag)
}

// TestPrune removes the old build and what only it needs, once they are old, and nothing else.
func TestPrune(t *testing.T) {
	first, second := builds(t)
	origin := t.TempDir()
	to := openBucket(t, "file:"+origin)
	old := publish(t, to, first).Build
	publish(t, to, second)
	stray := "blobs/sha256/00/" + strings.Repeat("0", 64)
	if err := to.Write(t.Context(), stray, []byte("of a publisher that was killed")); err != nil {
		t.Fatal(err)
	}
	o := depot.PruneOptions{Keep: 1, Grace: 2 * time.Hour}
	if _, err := depot.Prune(t.Context(), to, depot.PruneOptions{Keep: 1, Grace: time.Minute}); err == nil {
		t.Error("pruned with a grace period of a minute")
	}
	if r, err := depot.Prune(t.Context(), to, o); err != nil || len(r.Builds) != 0 || r.Packs != 0 || r.Kept != 2 {
		t.Fatalf("young objects were removed: %+v %v", r, err)
	}
	err := filepath.WalkDir(origin, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		s, err := d.Info()
		at := s.ModTime().Add(-3 * time.Hour)
		return errors.Join(err, os.Chtimes(path, at, at))
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := depot.Prune(t.Context(), to, o)
	if err != nil || len(r.Builds) != 1 || r.Builds[0] != old || r.Packs < 1 || r.Kept != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	if _, err := to.Stat(t.Context(), stray); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the stray pack is there: %v", err)
	}
	pull(t, to, t.TempDir())
}

// TestPulledWhilePruned removes a build while it is pulled. The reader gets the next one.
func TestPulledWhilePruned(t *testing.T) {
	first, second := builds(t)
	origin, dir := t.TempDir(), t.TempDir()
	to := openBucket(t, "file:"+origin)
	old := publish(t, to, first).Build
	var once sync.Once
	r, err := depot.Pull(t.Context(), &hooked{Reader: to, on: "map-", do: func() {
		once.Do(func() {
			publish(t, to, second)
			if err := os.RemoveAll(filepath.Join(origin, "builds", old)); err != nil {
				t.Error(err)
			}
		})
	}}, depot.PullOptions{Dir: dir})
	if err != nil || r.Build == old {
		t.Fatalf("%+v %v", r, err)
	}
	checkSame(t, dir, r.Build)
}

// hooked is a reader that calls do before it reads an object whose name contains on.
type hooked struct {
	bucket.Reader
	on string
	do func()
}

func (h *hooked) Read(ctx context.Context, name string, limit int64, known string) ([]byte, string, error) {
	if strings.Contains(name, h.on) {
		h.do()
	}
	return h.Reader.Read(ctx, name, limit, known)
}

// TestPullInterrupted interrupts a pull before each pack. The next one continues.
func TestPullInterrupted(t *testing.T) {
	first, _ := builds(t)
	to := openBucket(t, "file:"+t.TempDir())
	publish(t, to, first)
	dir := t.TempDir()
	for n := 0; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		left := n
		r, err := depot.Pull(ctx, &hooked{Reader: to, on: "blobs/", do: func() {
			mu.Lock()
			defer mu.Unlock()
			if left--; left < 0 {
				cancel()
				<-ctx.Done()
			}
		}}, depot.PullOptions{Dir: dir})
		cancel()
		if err == nil {
			if n > 0 && r.Downloaded >= r.Bytes {
				t.Errorf("%+v", r)
			}
			break
		}
		if _, err := store.Current(dir); !errors.Is(err, store.ErrNoBuild) {
			t.Fatalf("an interrupted pull has published a build: %v", err)
		}
		if n > 100 {
			t.Fatal(err)
		}
	}
	r, err := depot.Pull(t.Context(), to, depot.PullOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, dir, r.Build)
}
