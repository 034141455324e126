package depot_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/exports/bucket"
	"kindex/exports/bucket/buckettest"
	"kindex/exports/depot"
	"kindex/exports/store"
)

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
		const most = 0.1
		if share := float64(r.Downloaded) / float64(r.Bytes); share > most || float64(edited.Uploaded) > most*float64(edited.Bytes) {
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
	if r := pull(t, to, dir); edited.Uploaded > edited.Bytes/10 || r.Downloaded > r.Bytes/10 {
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
func pullAgain(t *testing.T, from bucket.Reader, dir string) *depot.PullResult {
	t.Helper()
	r, err := depot.Pull(t.Context(), from, depot.PullOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	known, err := depot.Pull(t.Context(), from, depot.PullOptions{Dir: dir, KnownTag: r.Tag})
	if err != nil || r.Tag != "" && (!known.Unchanged || known.Downloaded != 0) {
		t.Errorf("%+v %v", known, err)
	}
	return r
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
