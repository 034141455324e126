package depot_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/buildlog"
	"kindex/exports/depot"
	"kindex/exports/store"
)

// TestStrangers publishes builds as somebody who can write to the bucket, but does not have the key.
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
	refused(t, gone, seen, "the log of builds is missing", k)
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
