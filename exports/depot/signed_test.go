package depot_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/bucket"
	"kindex/exports/buildlog"
	"kindex/exports/depot"
	"kindex/exports/store"
)

func newKey(t *testing.T) *buildlog.Key {
	t.Helper()
	k, err := buildlog.CreateKey(filepath.Join(t.TempDir(), "key"), "builds.example.org/index")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func publishSigned(t *testing.T, to bucket.Bucket, dir string, k *buildlog.Key) *depot.PublishResult {
	t.Helper()
	r, err := depot.Publish(t.Context(), to, depot.PublishOptions{Dir: dir, Dirty: true, Key: k})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pullSigned pulls into a folder and accepts only builds that were signed with one of the keys.
func pullSigned(t *testing.T, from bucket.Reader, dir string, keys ...*buildlog.Key) (*depot.PullResult, error) {
	t.Helper()
	o := depot.PullOptions{Dir: dir}
	for _, k := range keys {
		o.Verifiers = append(o.Verifiers, k.Verifier)
	}
	return depot.Pull(t.Context(), from, o)
}

func mustPullSigned(t *testing.T, from bucket.Reader, dir string, keys ...*buildlog.Key) *depot.PullResult {
	t.Helper()
	r, err := pullSigned(t, from, dir, keys...)
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, dir, r.Build)
	if r.Signature == nil {
		t.Fatal("the report has no signature")
	}
	return r
}

// refused checks that a pull with a key is refused for a reason, and installs nothing.
func refused(t *testing.T, from bucket.Reader, dir, reason string, keys ...*buildlog.Key) {
	t.Helper()
	before, _ := store.Current(dir) // "" if there is none
	list, err := store.Builds(dir, "exports", "builds")
	if err != nil {
		t.Fatal(err)
	}
	r, err := pullSigned(t, from, dir, keys...)
	if err == nil || !strings.Contains(err.Error(), reason) {
		t.Fatalf("pulled %+v, error: %v; want one with %q", r, err, reason)
	}
	if now, _ := store.Current(dir); now != before {
		t.Fatalf("%s was installed", now)
	}
	if now, err := store.Builds(dir, "exports", "builds"); err != nil || !slices.Equal(now, list) {
		t.Fatalf("the folder has the builds %v, %v, not %v", now, err, list)
	}
}

// editCurrent changes current in a bucket in a folder.
func editCurrent(t *testing.T, origin string, edit func(c map[string]any)) {
	t.Helper()
	path := filepath.Join(origin, "current")
	data, err := os.ReadFile(path)
	var c map[string]any
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	edit(c)
	if data, err = json.Marshal(c); err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// copyBucket returns a copy of a bucket in a folder.
func copyBucket(t *testing.T, origin string) (bucket.Bucket, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bucket")
	if err := os.CopyFS(dir, os.DirFS(origin)); err != nil {
		t.Fatal(err)
	}
	return openBucket(t, "file:"+dir), dir
}

// TestSigned publishes and pulls signed builds. Everyone can read them, and readers with the key know
// who published them.
func TestSigned(t *testing.T) {
	first, second := builds(t)
	k, dir, origin := newKey(t), t.TempDir(), t.TempDir()
	to := openBucket(t, "file:"+origin)
	publish(t, to, first)
	refused(t, to, dir, "is not signed, but must be signed with "+buildlog.KeyName(k.Verifier), k)
	if r := publishSigned(t, to, first, k); r.Unchanged || r.Packs != 0 || r.Signature == nil || r.Signature.Position != 0 {
		t.Errorf("signed an unsigned build: %+v", r)
	}
	for range 2 {
		if r := publishSigned(t, to, first, k); !r.Unchanged || r.Signature.LogSize != 1 {
			t.Errorf("signed twice: %+v", r)
		}
	}
	if r := publish(t, to, first); !r.Unchanged {
		t.Errorf("published again without a key: %+v", r)
	}
	mustPullSigned(t, to, dir, newKey(t), k)
	pull(t, to, t.TempDir()) // without a key
	r := publishSigned(t, to, second, k)
	if r.Signature == nil || r.Signature.Position != 1 {
		t.Errorf("%+v", r)
	}
	mustPullSigned(t, to, dir, k)
	for _, at := range []string{second, dir} {
		signed, err := store.ReadStatement(at, r.Build)
		s, err2 := buildlog.OpenStatement(signed, k.Verifier)
		if err != nil || err2 != nil || s.Build != r.Build || s.Position != 1 {
			t.Errorf("%s: %+v %v %v", at, s, err, err2)
		}
	}
	// A copy without a key becomes one with a key, without moving files.
	plain := t.TempDir()
	pull(t, to, plain)
	if r := mustPullSigned(t, to, plain, k); !r.Unchanged {
		t.Errorf("%+v", r)
	}
	if _, err := store.ReadStatement(plain, r.Build); err != nil {
		t.Error(err)
	}
	// Repairing a signed build without the key keeps the signature.
	packs, err := filepath.Glob(filepath.Join(origin, "blobs/sha256/*/*"))
	if err != nil || len(packs) == 0 {
		t.Fatal(packs, err)
	}
	for _, p := range packs {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, to, second)
	mustPullSigned(t, to, t.TempDir(), k)
	// The unsigned build after a signed one is refused.
	if r := publish(t, to, first); r.PreviousKey != buildlog.KeyName(k.Verifier) {
		t.Errorf("%+v", r)
	}
	refused(t, to, dir, "is not signed", k)
}

// TestRotatedKey replaces the key. Readers who know both keys follow.
func TestRotatedKey(t *testing.T) {
	first, second := builds(t)
	old, young, dir := newKey(t), newKey(t), t.TempDir()
	to := openBucket(t, "file:"+t.TempDir())
	publishSigned(t, to, first, old)
	mustPullSigned(t, to, dir, old)
	if r := publishSigned(t, to, second, young); r.Signature.Position != 0 {
		t.Errorf("%+v", r)
	}
	refused(t, to, dir, "is signed with the key", old)
	mustPullSigned(t, to, dir, old, young)
	mustPullSigned(t, to, dir, young)
}

// TestCheckSaved checks saved signatures: of a build without one, with one by another key, and with one
// that does not match the build.
func TestCheckSaved(t *testing.T) {
	first, _ := builds(t)
	k, stranger, dir := newKey(t), newKey(t), t.TempDir()
	to := openBucket(t, "file:"+t.TempDir())
	publish(t, to, first)
	id := pull(t, to, dir).Build
	m, err := store.ReadManifest(filepath.Join(store.BuildsDir(dir), id))
	if err != nil {
		t.Fatal(err)
	}
	check := func(keys ...*buildlog.Key) error {
		var verifiers []note.Verifier
		for _, k := range keys {
			verifiers = append(verifiers, k.Verifier)
		}
		return depot.CheckSaved(dir, m, verifiers)
	}
	if err := check(k); !errors.Is(err, depot.ErrUnsigned) || check() != nil {
		t.Errorf("unsigned: %v, without a key: %v", err, check())
	}
	publishSigned(t, to, first, k)
	mustPullSigned(t, to, dir, k)
	if err := errors.Join(check(k), check(stranger, k)); err != nil {
		t.Error(err)
	}
	if err := check(stranger); !errors.Is(err, depot.ErrUnknownKey) {
		t.Errorf("signed with another key: %v", err)
	}
	index := filepath.Join(dir, "indexes", "builds", id, "manifest.json")
	data, err := os.ReadFile(index)
	if err == nil {
		err = os.WriteFile(index, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := check(k); err == nil || !strings.Contains(err.Error(), "is about another search index") {
		t.Errorf("another index: %v", err)
	}
	signed, err := store.ReadStatement(dir, id)
	if err == nil {
		err = store.WriteStatement(dir, id, []byte(strings.Replace(string(signed), "position 0\n", "position 7\n", 1)))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := check(k); err == nil || errors.Is(err, depot.ErrUnsigned) {
		t.Errorf("an altered statement: %v", err)
	}
}

// TestSigningPublisherKilled kills a publisher with a key before each of its writes. A reader with
// the key gets the previous build or the new one, and the next attempt succeeds with one entry.
func TestSigningPublisherKilled(t *testing.T) {
	first, second := builds(t)
	k, there := newKey(t), t.TempDir()
	to := openBucket(t, "file:"+t.TempDir())
	publishSigned(t, to, first, k)
	old := mustPullSigned(t, to, there, k).Build
	kills := 0
	for ; ; kills++ {
		_, err := depot.Publish(t.Context(), &faulty{Bucket: to, left: kills}, depot.PublishOptions{Dir: second, Dirty: true, Key: k})
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if r, err := pullSigned(t, to, there, k); err != nil || !r.Unchanged || r.Build != old {
			t.Fatalf("after a kill before write %d: %+v %v", kills, r, err)
		}
	}
	if kills < 9 {
		t.Errorf("%d writes", kills)
	}
	if r := mustPullSigned(t, to, there, k); r.Build == old || r.Signature.Position != 1 || r.Signature.LogSize != 2 {
		t.Errorf("%+v", r.Signature)
	}
}

// TestTwoSigners lets another publisher win. The loser's entry remains in the log, and the loser can
// publish afterwards.
func TestTwoSigners(t *testing.T) {
	first, second := builds(t)
	k, dir := newKey(t), t.TempDir()
	to := openBucket(t, "file:"+t.TempDir())
	racing := &overtakenOn{Bucket: to, name: "current", before: func() { publishSigned(t, to, first, k) }}
	if _, err := depot.Publish(t.Context(), racing, depot.PublishOptions{Dir: second, Dirty: true, Key: k}); !errors.Is(err, bucket.ErrConflict) {
		t.Fatalf("both published: %v", err)
	}
	if r := mustPullSigned(t, to, dir, k); r.Signature.Position != 1 || r.Signature.LogSize != 2 {
		t.Errorf("%+v", r.Signature)
	}
	if r := publishSigned(t, to, second, k); r.Signature.Position != 2 {
		t.Errorf("%+v", r.Signature)
	}
	mustPullSigned(t, to, dir, k)
}

// overtakenOn is a bucket where another publisher publishes just before an object is replaced.
type overtakenOn struct {
	bucket.Bucket
	name   string
	before func()
}

func (o *overtakenOn) Replace(ctx context.Context, name string, data []byte, tag string) error {
	if name == o.name {
		o.before()
	}
	return o.Bucket.Replace(ctx, name, data, tag)
}

// TestSignedPullInterrupted stops a pull at each object that it reads. Nothing is installed, and no
// statement is there without having been verified.
func TestSignedPullInterrupted(t *testing.T) {
	first, _ := builds(t)
	k, dir := newKey(t), t.TempDir()
	to := openBucket(t, "file:"+t.TempDir())
	publishSigned(t, to, first, k)
	for n := 1; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		var reads atomic.Int64 // several goroutines read
		from := &hooked{Reader: to, on: "", do: func() {
			if reads.Add(1) == int64(n) {
				cancel()
			}
		}}
		_, err := depot.Pull(ctx, &stopping{from}, depot.PullOptions{Dir: dir, Verifiers: []note.Verifier{k.Verifier}})
		cancel()
		if err == nil {
			break
		}
		if _, err := store.Current(dir); !errors.Is(err, store.ErrNoBuild) {
			t.Fatalf("an interrupted pull has published a build: %v", err)
		}
		if list, err := os.ReadDir(store.BuildsDir(dir)); err == nil && len(list) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%v %v", list, err)
		}
		if n > 100 {
			t.Fatal(err)
		}
	}
	left := filepath.Join(dir, "exports", "checkpoints", ".tmp-0123456789abcdef") // by a process that was killed
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := mustPullSigned(t, to, dir, k); !r.Unchanged {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", left, err)
	}
}

// stopping is a reader that does not answer after its context has ended.
type stopping struct{ bucket.Reader }

func (s *stopping) Read(ctx context.Context, name string, limit int64, known string) ([]byte, string, error) {
	data, tag, err := s.Reader.Read(ctx, name, limit, known)
	return data, tag, errors.Join(err, ctx.Err())
}
