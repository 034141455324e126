package depot_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/bucket"
	"kindex/exports/depot"
	"kindex/exports/store"
	"kindex/indexes"
)

// TestDamagedObjects damages every kind of object in every way, or in make test each in two of the
// ways. Nothing is installed, the error names the object, and the build that was there stays.
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
	damages := []struct {
		name string
		do   func(b []byte) []byte
	}{
		{"truncated", func(b []byte) []byte { return b[:len(b)/2] }},
		{"longer", func(b []byte) []byte { return append(b, 'x') }},
		{"altered", func(b []byte) []byte { b[rng.IntN(len(b))] ^= 1; return b }},
		{"empty", func([]byte) []byte { return nil }},
		{"missing", nil},
	}
	failed := 0
	for i, o := range objects {
		path := filepath.Join(origin, filepath.FromSlash(o.Name))
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n, damage := range damages {
			if (i+n)%len(damages) >= suite.Pick(2, len(damages)) {
				continue
			}
			if damage.do == nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, damage.do(bytes.Clone(whole)), 0o644)
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
				t.Errorf("%s, %s: the error does not name it: %v", o.Name, damage.name, err)
			}
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if failed < suite.Pick(8, 20) {
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
	for i, pattern := range []string{"blobs/sha256/*/*", "builds/*/map-*", "builds/*/index-*", "builds/*/manifest.json"} {
		for n, dir := range []string{first, second} {
			if !suite.Soaking() && n != i%2 {
				continue
			}
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

// TestOnVerified pulls a build, and then finds it undamaged, damaged and known: what was verified is
// reported before the build is current.
func TestOnVerified(t *testing.T) {
	first, _ := builds(t)
	to, dir := openBucket(t, "file:"+t.TempDir()), t.TempDir()
	id := publish(t, to, first).Build
	var verified, current []string
	pull := func(known string) *depot.PullResult {
		t.Helper()
		r, err := depot.Pull(t.Context(), to, depot.PullOptions{Dir: dir, Verified: known, OnVerified: func(id string) {
			now, _ := store.Current(dir) // "" if there is none
			verified, current = append(verified, id), append(current, now)
		}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	pull("")
	if r := pull(""); !r.Unchanged {
		t.Errorf("%+v", r)
	}
	if r := pull(id); !r.Unchanged {
		t.Errorf("%+v", r)
	}
	if err := os.WriteFile(filepath.Join(store.BuildsDir(dir), id, "entities.csv"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := pull(""); r.Unchanged {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(verified, []string{id, id, id}) || !slices.Equal(current, []string{"", id, id}) {
		t.Errorf("verified %v while %v was current", verified, current)
	}
}
