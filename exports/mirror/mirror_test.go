package mirror_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports/bucket"
	"kindex/exports/bucket/buckettest"
	"kindex/exports/mirror"
	"kindex/exports/store"
)

// TestPublishAndPull publishes two builds and pulls them from a folder, and from a web server that is busy when
// it is first asked for a file. Only files that differ are moved, and all copies are the same byte for byte.
func TestPublishAndPull(t *testing.T) {
	first, second := builds(t)
	dir := t.TempDir()
	to := openBucket(t, "file:"+dir)
	if _, err := mirror.Pull(t.Context(), to, mirror.PullOptions{Dir: t.TempDir()}); !errors.Is(err, mirror.ErrNothingPublished) {
		t.Fatalf("pulled from an empty bucket: %v", err)
	}
	if _, err := mirror.Publish(t.Context(), to, mirror.PublishOptions{Dir: first}); !errors.Is(err, mirror.ErrDirty) {
		t.Fatalf("published uncommitted content: %v", err)
	}
	files := http.FileServerFS(os.DirFS(dir))
	var asked sync.Map
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, again := asked.LoadOrStore(r.URL.Path, true); !again {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer srv.Close()
	web := suite.Must(bucket.OpenReader(srv.URL))(t)
	copyTwice(t, to, []bucket.Reader{to, web}, first, second)
}

// TestObjectStorage does the same with a real S3 server, where only one of two publishers wins.
func TestObjectStorage(t *testing.T) {
	to := openBucket(t, buckettest.S3(t)+"/kindex")
	first, second := builds(t)
	copyTwice(t, to, []bucket.Reader{to}, first, second)
	racing := &overtaken{Bucket: to, before: func() { publish(t, to, first, nil) }}
	if _, err := mirror.Publish(t.Context(), racing, mirror.PublishOptions{Dir: first, Dirty: true}); !errors.Is(err, bucket.ErrConflict) {
		t.Fatalf("both published: %v", err)
	}
	if r, err := mirror.Prune(t.Context(), to, mirror.PruneOptions{Keep: 1, Grace: mirror.MinGrace}); err != nil || r.Kept != 2 {
		t.Errorf("%+v %v", r, err)
	}
	pull(t, to, mirror.PullOptions{Dir: t.TempDir()})
}

func copyTwice(t *testing.T, to bucket.Bucket, from []bucket.Reader, first, second string) {
	t.Helper()
	whole := publish(t, to, first, nil)
	if again := publish(t, to, first, nil); !again.Unchanged || again.Uploaded != 0 {
		t.Errorf("published again: %+v", again)
	}
	copies := make([]mirror.PullOptions, len(from))
	for i := range copies {
		copies[i].Dir = t.TempDir()
		if r := pull(t, from[i], copies[i]); r.Fetched == 0 || r.Files != whole.Files || r.Bytes != whole.Bytes {
			t.Errorf("%s: %+v, want %+v", from[i], r, whole)
		}
		r := pull(t, from[i], copies[i])
		copies[i].Known = r.Known
		known, err := mirror.Pull(t.Context(), from[i], copies[i])
		if err != nil || !r.Unchanged || !known.Unchanged || known.Downloaded != int64(len(r.Known)) {
			t.Errorf("%s: pulled again: %+v %+v %v", from[i], r, known, err)
		}
	}
	edited := publish(t, to, second, nil)
	for i := range copies {
		if r := pull(t, from[i], copies[i]); r.Fetched > edited.Sent || r.Fetched == 0 || r.Fetched >= r.Files {
			t.Errorf("%s: %+v, although only %+v was uploaded", from[i], r, edited)
		}
	}
}

// countdown is a bucket that fails after some writes, as when a publisher is killed.
type countdown struct {
	bucket.Bucket
	left atomic.Int64
}

var errKilled = errors.New("killed")

func (c *countdown) Write(ctx context.Context, name string, data io.ReadSeeker, size int64) error {
	if c.left.Add(-1) < 0 {
		return errKilled
	}
	return c.Bucket.Write(ctx, name, data, size)
}

func (c *countdown) Replace(ctx context.Context, name string, data, old []byte) error {
	if c.left.Add(-1) < 0 {
		return errKilled
	}
	return c.Bucket.Replace(ctx, name, data, old)
}

// TestPublisherKilled kills a publisher before some of its writes, the last ones among them. Readers get
// the build before, or, if it is only signed again, the same one. The next publisher writes no file again.
func TestPublisherKilled(t *testing.T) {
	first, second := builds(t)
	k, to, seen := newKey(t), openBucket(t, "file:"+t.TempDir()), mirror.PullOptions{Dir: t.TempDir()}
	seen.Verifiers = keys(k)
	publish(t, to, first, k)
	for _, dir := range []string{second, second} { // the second time, it has another number
		old := pull(t, to, seen)
		counted := &countdown{Bucket: to}
		counted.left.Store(1 << 40)
		writes := int64(5)
		if old.Build != current(t, dir) {
			writes = int64(len(tree(t, dir)))
		}
		for n := int64(0); ; n += max(1, writes/8) {
			counted.left.Store(n)
			_, err := mirror.Publish(t.Context(), counted, mirror.PublishOptions{Dir: dir, Dirty: true, Key: k})
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if r := pull(t, to, seen); r.Build != old.Build || !r.Unchanged {
				t.Fatalf("after a kill before write %d: %+v", n, r)
			}
			pull(t, to, mirror.PullOptions{Dir: t.TempDir(), Verifiers: keys(k)})
		}
		pull(t, to, seen)
	}
}

// TestTwoPublishers lets another publisher win: the later one is told, and can publish again.
func TestTwoPublishers(t *testing.T) {
	first, second := builds(t)
	to := openBucket(t, "file:"+t.TempDir())
	racing := &overtaken{Bucket: to, before: func() { publish(t, to, first, nil) }}
	if _, err := mirror.Publish(t.Context(), racing, mirror.PublishOptions{Dir: second, Dirty: true}); !errors.Is(err, bucket.ErrConflict) {
		t.Fatalf("both published: %v", err)
	}
	dir := t.TempDir()
	pull(t, to, mirror.PullOptions{Dir: dir})
	publish(t, to, second, nil)
	pull(t, to, mirror.PullOptions{Dir: dir})
}

// overtaken is a bucket where somebody else publishes just before Replace.
type overtaken struct {
	bucket.Bucket
	before func()
}

func (o *overtaken) Replace(ctx context.Context, name string, data, old []byte) error {
	o.before()
	return o.Bucket.Replace(ctx, name, data, old)
}

// age makes all objects in a folder hours older.
func age(t *testing.T, dir string) {
	t.Helper()
	suite.Check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		at := info.ModTime().Add(-3 * time.Hour)
		return errors.Join(err, os.Chtimes(path, at, at))
	}))
}

// TestPrune removes the old build and what only it needs, once they are old, and nothing else.
func TestPrune(t *testing.T) {
	first, second := builds(t)
	dir := t.TempDir()
	to := openBucket(t, "file:"+dir)
	old := publish(t, to, first, newKey(t)).Build
	publish(t, to, second, nil)
	stray := filepath.Join(dir, "files", "sha256", "00", strings.Repeat("0", 64))
	suite.Check(t, errors.Join(os.MkdirAll(filepath.Dir(stray), 0o755), os.WriteFile(stray, []byte("of a killed publisher"), 0o644)))
	o := mirror.PruneOptions{Keep: 1, Grace: 2 * time.Hour}
	if _, err := mirror.Prune(t.Context(), to, mirror.PruneOptions{Keep: 1, Grace: time.Minute}); err == nil {
		t.Error("pruned with a grace period of a minute")
	}
	if r, err := mirror.Prune(t.Context(), to, o); err != nil || len(r.Builds) != 0 || r.Files != 0 || r.Kept != 2 {
		t.Fatalf("young objects were removed: %+v %v", r, err)
	}
	age(t, dir)
	r, err := mirror.Prune(t.Context(), to, o)
	if err != nil || !slices.Equal(r.Builds, []string{old}) || r.Files < 2 || r.Kept != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	if _, err := os.Stat(stray); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the stray file is there: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "builds", old+"*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	pull(t, to, mirror.PullOptions{Dir: t.TempDir()})

	// What is old and not needed is written again, so that it cannot be pruned before it is needed.
	publish(t, to, first, nil)
	age(t, dir)
	publish(t, to, second, nil)
	if r := publish(t, to, first, nil); r.Sent == 0 || r.Sent == r.Files {
		t.Errorf("%+v", r)
	}
}

// hooked is a reader that calls do before it opens an object whose name starts with on.
type hooked struct {
	bucket.Reader
	on string
	do func()
}

func (h *hooked) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if strings.HasPrefix(name, h.on) {
		h.do()
	}
	return h.Reader.Open(ctx, name)
}

// TestPulledWhilePruned removes a build while it is pulled. The reader gets the next one.
func TestPulledWhilePruned(t *testing.T) {
	first, second := builds(t)
	dir := t.TempDir()
	to := openBucket(t, "file:"+dir)
	old := publish(t, to, first, nil).Build
	r := pull(t, &hooked{Reader: to, on: "files/", do: sync.OnceFunc(func() {
		publish(t, to, second, nil)
		age(t, dir)
		if r, err := mirror.Prune(t.Context(), to, mirror.PruneOptions{Keep: 1, Grace: time.Hour}); err != nil || len(r.Builds) != 1 {
			t.Errorf("%+v %v", r, err)
		}
	})}, mirror.PullOptions{Dir: t.TempDir()})
	if r.Build == old {
		t.Fatalf("%+v", r)
	}
}

// TestPullInterrupted interrupts a pull after some files, again and again. The next one continues, and
// what it finds is verified.
func TestPullInterrupted(t *testing.T) {
	first, second := builds(t)
	to, dir := openBucket(t, "file:"+t.TempDir()), t.TempDir()
	publish(t, to, first, nil)
	interrupt := func(after int64) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var left atomic.Int64
		left.Store(after)
		_, err := mirror.Pull(ctx, &hooked{Reader: to, on: "files/", do: func() {
			if left.Add(-1) < 0 {
				cancel()
				<-ctx.Done()
			}
		}}, mirror.PullOptions{Dir: dir})
		if err == nil {
			t.Fatal("it was not interrupted")
		}
		if _, err := store.Current(dir); !errors.Is(err, store.ErrNoBuild) {
			t.Fatalf("an interrupted pull has published a build: %v", err)
		}
	}
	interrupt(0)
	interrupt(30)
	staged, err := filepath.Glob(filepath.Join(dir, ".kindex-pull", "*", "exports", "*"))
	if err != nil || len(staged) < 3 {
		t.Fatal(staged, err)
	}
	for _, name := range staged {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			rewrite(t, name, func(s string) string { return "x" + s[min(1, len(s)):] })
			break
		}
	}
	whole := pull(t, to, mirror.PullOptions{Dir: t.TempDir()})
	if r := pull(t, to, mirror.PullOptions{Dir: dir}); r.Fetched >= whole.Fetched {
		t.Errorf("nothing was used again: %+v", r)
	}
	// What a killed pull was removing or replacing goes, too, but nothing of somebody else's.
	const unfinished = ".tmp-0123456789abcdef"
	left := []string{filepath.Join("exports", "builds", unfinished, "build"), filepath.Join("exports", "statements", unfinished), unfinished}
	others := []string{".tmp-mine", filepath.Join(".tmp-fedcba9876543210", "mine")}
	for _, name := range slices.Concat(left, others) {
		path := filepath.Join(dir, name)
		suite.Check(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)))
	}
	publish(t, to, second, nil)
	pull(t, to, mirror.PullOptions{Dir: dir})
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
	for _, name := range others {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestSameBuildElsewhere publishes the same build with another index, which another machine has made.
func TestSameBuildElsewhere(t *testing.T) {
	first, _ := builds(t)
	origin, other, dir := t.TempDir(), t.TempDir(), t.TempDir()
	to := openBucket(t, "file:"+origin)
	id := publish(t, to, first, nil).Build
	pull(t, to, mirror.PullOptions{Dir: dir})
	suite.Check(t, os.CopyFS(other, os.DirFS(first)))
	rewrite(t, filepath.Join(other, "indexes", "builds", id, "manifest.json"), replace("\n", "\n "))
	k := newKey(t)
	publish(t, to, other, k)
	for _, o := range []mirror.PullOptions{{Dir: dir}, {Dir: t.TempDir(), Verifiers: keys(k)}} {
		r, err := mirror.Pull(t.Context(), to, o)
		if err != nil || r.Build != id {
			t.Fatalf("%+v %v", r, err)
		}
		if err := mirror.CheckSaved(o.Dir, id, keys(k)); err != nil {
			t.Error(err)
		}
	}
}

// TestWatch follows what is published, and says what is wrong once.
func TestWatch(t *testing.T) {
	first, second := builds(t)
	suite.InTest(t)
	origin, dir := t.TempDir(), t.TempDir()
	to := openBucket(t, "file:"+origin)
	var got []string
	err := mirror.Watch(t.Context(), to, mirror.PullOptions{Dir: dir}, mirror.MinInterval, func(r mirror.WatchResult) error {
		switch len(got) {
		case 0:
			if !errors.Is(r.Err, mirror.ErrNothingPublished) || !r.Answered || r.Repeated {
				t.Errorf("%+v", r)
			}
			got = append(got, "")
			publish(t, to, first, nil)
		case 1:
			got = append(got, r.Pulled.Build)
			publish(t, to, second, nil)
		default:
			got = append(got, r.Pulled.Build)
			return errKilled
		}
		return nil
	})
	if !errors.Is(err, errKilled) || !slices.Equal(got, []string{"", current(t, first), current(t, second)}) {
		t.Errorf("%v %v", got, err)
	}
}
