package depot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// TestSigned publishes and pulls signed builds. Everybody can read them, and readers with the key
// know who published them.
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

// TestStrangers lets somebody who can write to the bucket, but has not the key, publish builds.
func TestStrangers(t *testing.T) {
	first, second := builds(t)
	k, stranger, origin := newKey(t), newKey(t), t.TempDir()
	to := openBucket(t, "file:"+origin)
	publishSigned(t, to, first, k)
	logOf := func(k *buildlog.Key) string {
		return "log/" + buildlog.KeyName(k.Verifier)[len("builds.example.org/index+"):]
	}
	named := func(key string) func(map[string]any) {
		return func(c map[string]any) { c["signature"].(map[string]any)["key"] = key }
	}

	forged, dir := copyBucket(t, origin)
	publishSigned(t, forged, second, stranger)
	refused(t, forged, t.TempDir(), "is signed with the key \""+buildlog.KeyName(stranger.Verifier)+"\", not with "+buildlog.KeyName(k.Verifier), k)
	editCurrent(t, dir, named(buildlog.KeyName(k.Verifier)))
	refused(t, forged, t.TempDir(), "is about the build", k)
	// The stranger's log in place of the publisher's.
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, logOf(k))), os.Rename(filepath.Join(dir, logOf(stranger)), filepath.Join(dir, logOf(k)))); err != nil {
		t.Fatal(err)
	}
	refused(t, forged, t.TempDir(), "signed by "+buildlog.KeyName(stranger.Verifier)+", not with the key", k)

	// The statement about another build, at a position that is not in the log, or none.
	altered, dir := copyBucket(t, origin)
	publish(t, altered, second)
	editCurrent(t, dir, func(c map[string]any) {
		c["signature"] = map[string]any{"key": buildlog.KeyName(k.Verifier), "position": 0, "logSize": 1}
	})
	refused(t, altered, t.TempDir(), "so "+publish(t, altered, second).Build+" was not signed", k)
	for _, position := range []int{1, -1, 1 << 40} {
		editCurrent(t, dir, func(c map[string]any) { c["signature"].(map[string]any)["position"] = position })
		refused(t, altered, t.TempDir(), "claims/", k)
	}
	editCurrent(t, dir, func(c map[string]any) { delete(c, "signature") })
	refused(t, altered, t.TempDir(), "is not signed", k)

	// Another index with the signed manifest.
	swapped, dir := copyBucket(t, origin)
	var index string
	editCurrent(t, dir, func(c map[string]any) { index = c["index"].(string) })
	name, err := filepath.Glob(filepath.Join(dir, "builds/*/index-"+index[:16]+".json"))
	if err != nil || len(name) != 1 {
		t.Fatal(name, err)
	}
	data, err := os.ReadFile(name[0])
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	sum := depot.SumOf(data)
	if err := os.WriteFile(filepath.Join(filepath.Dir(name[0]), "index-"+sum[:16]+".json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	editCurrent(t, dir, func(c map[string]any) { c["index"] = sum })
	refused(t, swapped, t.TempDir(), "with other files", k)
	if _, err := pullSigned(t, swapped, t.TempDir()); err != nil {
		t.Errorf("the forged index is not readable without a key, so the test shows nothing: %v", err)
	}
}

// TestContradictingStatement signs a statement whose commit is not that in the manifest.
func TestContradictingStatement(t *testing.T) {
	first, _ := builds(t)
	k, origin := newKey(t), t.TempDir()
	to := openBucket(t, "file:"+origin)
	publishSigned(t, to, first, k)
	for _, change := range []func(*buildlog.Statement){
		func(s *buildlog.Statement) { s.Commit = strings.Repeat("a", 40) }, func(s *buildlog.Statement) { s.Size++ },
		func(s *buildlog.Statement) { s.AsOf = s.AsOf.AddDate(0, 0, 1) },
	} {
		lying, dir := copyBucket(t, origin)
		log := filepath.Join(dir, "log")
		entries, err := os.ReadDir(log)
		if err != nil || len(entries) != 1 {
			t.Fatal(entries, err)
		}
		log = filepath.Join(log, entries[0].Name())
		signed, err := os.ReadFile(filepath.Join(log, "claims", "0"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := buildlog.OpenStatement(signed, k.Verifier)
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		if err := os.RemoveAll(log); err != nil {
			t.Fatal(err)
		}
		if _, _, err := buildlog.Append(t.Context(), depot.OpenLog(lying, k.Verifier), k.Signer, k.Verifier, *s); err != nil {
			t.Fatal(err)
		}
		refused(t, lying, t.TempDir(), "contradicts its manifest", k)
	}
}

// TestLogRewritten shows a reader other logs than the one it has seen.
func TestLogRewritten(t *testing.T) {
	first, second := builds(t)
	k, origin, seen := newKey(t), t.TempDir(), t.TempDir()
	to := openBucket(t, "file:"+origin)
	publishSigned(t, to, first, k)
	short, _ := copyBucket(t, origin)
	publishSigned(t, to, second, k)
	last := mustPullSigned(t, to, seen, k)
	forgetful := t.TempDir() // has seen no log
	pull(t, to, forgetful)
	publishSigned(t, to, first, k)

	// The log as it was, which is shorter.
	_, err := pullSigned(t, short, seen, k)
	var shrunk *depot.RollbackError
	if !errors.As(err, &shrunk) || !errors.Is(err, depot.ErrOlder) || shrunk.Seen.Size != 2 || shrunk.Now.Size != 1 ||
		!strings.Contains(err.Error(), shrunk.Seen.String()) || !strings.Contains(err.Error(), shrunk.Now.String()) {
		t.Fatalf("a shorter log: %v", err)
	}
	// Another entry at the second position.
	forked, _ := copyBucket(t, strings.TrimPrefix(short.String(), "file:"))
	other := buildlog.Statement{Build: "20260101-0123456789abcdef"}
	if _, _, err := buildlog.Append(t.Context(), depot.OpenLog(forked, k.Verifier), k.Signer, k.Verifier, other); err != nil {
		t.Fatal(err)
	}
	publishSigned(t, forked, forgetful, k)
	_, err = pullSigned(t, forked, seen, k)
	var fork *buildlog.ForkError
	if !errors.As(err, &fork) || fork.Seen.Size != 2 || fork.Now.Size != 3 || !strings.Contains(err.Error(), fork.Now.String()) ||
		!strings.Contains(err.Error(), filepath.Join(seen, "exports", "checkpoints")) {
		t.Fatalf("a forked log: %v", err)
	}
	// A publisher who remembers the log does not continue another one, either.
	for _, dir := range []string{first, seen} {
		if _, err := depot.Publish(t.Context(), forked, depot.PublishOptions{Dir: dir, Dirty: true, Key: k}); !errors.As(err, &fork) {
			t.Errorf("published to a forked log from %s: %v", dir, err)
		}
	}
	// No log at all.
	gone, dir := copyBucket(t, origin)
	if err := os.RemoveAll(filepath.Join(dir, "log")); err != nil {
		t.Fatal(err)
	}
	refused(t, gone, seen, "the log of builds is gone", k)
	// An old position in a log that grew.
	signed, err := store.ReadStatement(seen, last.Build)
	if err != nil || !bytes.Contains(signed, []byte("position 1\n")) {
		t.Fatalf("%s %v", signed, err)
	}
	editCurrent(t, origin, func(c map[string]any) { c["signature"].(map[string]any)["position"] = 0 })
	refused(t, to, seen, "older than the local build", k)
	if r, err := depot.Pull(t.Context(), to, depot.PullOptions{Dir: seen, AllowOlder: true, Verifiers: []note.Verifier{k.Verifier}}); err != nil || r.Signature.Position != 0 {
		t.Errorf("%+v %v", r, err)
	}
}

// TestCurrentPointsBack lets current name an old build with its own, genuine, signature, and
// objects that do not exist.
func TestCurrentPointsBack(t *testing.T) {
	first, second := builds(t)
	k, origin, dir := newKey(t), t.TempDir(), t.TempDir()
	to := openBucket(t, "file:"+origin)
	publishSigned(t, to, first, k)
	old, err := os.ReadFile(filepath.Join(origin, "current"))
	if err != nil {
		t.Fatal(err)
	}
	publishSigned(t, to, second, k)
	mustPullSigned(t, to, dir, k)
	if err := os.WriteFile(filepath.Join(origin, "current"), old, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, to, dir, "older than the local build", k)
	editCurrent(t, origin, func(c map[string]any) { c["build"] = "20260101-0123456789abcdef" })
	refused(t, to, dir, "so 20260101-0123456789abcdef was not signed", k)
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

// TestTwoSigners lets another publisher win. The loser's entry stays in the log, and it can publish
// after that.
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

// overtakenOn is a bucket where somebody else publishes just before an object is replaced.
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
		left := n
		from := &hooked{Reader: to, on: "", do: func() {
			if left--; left == 0 {
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
