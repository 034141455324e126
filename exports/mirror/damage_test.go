package mirror_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
	"kindex/exports/store"
	"kindex/indexes"
)

// TestDamagedObjects damages every kind of object that a reader reads, in every way. Nothing is
// installed, the error names the object, and the build that was there stays. Publishing again repairs
// what does not have its length.
func TestDamagedObjects(t *testing.T) {
	first, second := builds(t)
	origin, there := t.TempDir(), t.TempDir()
	to := openBucket(t, "file:"+origin)
	old := publish(t, to, first, nil).Build
	pull(t, to, mirror.PullOptions{Dir: there})
	publish(t, to, second, nil)
	m := suite.Must(store.ReadManifest(filepath.Join(store.BuildsDir(second), current(t, second))))(t)
	signals, _ := m.File("signals.csv.gz") // differs from that of the first build
	sums := []string{currentOf(t, origin)["files"].(string), signals.SHA256}
	objects := []string{"current", "files/sha256/" + sums[0][:2] + "/" + sums[0], "files/sha256/" + sums[1][:2] + "/" + sums[1]}
	damages := map[string]func(b []byte) []byte{
		"truncated": func(b []byte) []byte { return b[:len(b)/2] },
		"longer":    func(b []byte) []byte { return append(b, 'x') },
		"altered":   func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"empty":     func([]byte) []byte { return nil },
		"missing":   nil,
	}
	for _, object := range objects {
		path := filepath.Join(origin, filepath.FromSlash(object))
		whole := suite.Must(os.ReadFile(path))(t)
		for name, damage := range damages {
			suite.Check(t, os.Remove(path))
			if damage != nil {
				suite.Check(t, os.WriteFile(path, damage(bytes.Clone(whole)), 0o644))
			}
			for _, dir := range []string{there, t.TempDir()} {
				_, err := mirror.Pull(t.Context(), to, mirror.PullOptions{Dir: dir})
				if err == nil || object != "current" && !strings.Contains(err.Error(), object) {
					t.Errorf("%s, %s: %v", object, name, err)
				}
				if now, err := store.Current(dir); dir == there && now != old || dir != there && err == nil {
					t.Errorf("%s, %s: %s is current, %v", object, name, now, err)
				}
			}
			if object != "current" && name != "altered" {
				if r := publish(t, to, second, nil); r.Sent != 1 {
					t.Errorf("%s, %s: %+v", object, name, r)
				}
			}
			suite.Check(t, os.WriteFile(path, whole, 0o644))
		}
	}
	verify(t, there, old)
	pull(t, to, mirror.PullOptions{Dir: there})
}

// TestDamagedFolder pulls to folders that cannot be used, or have half a build, and publishes from them.
func TestDamagedFolder(t *testing.T) {
	first, second := builds(t)
	to := openBucket(t, "file:"+t.TempDir())
	publish(t, to, first, nil)
	blocked := t.TempDir()
	suite.Check(t, os.WriteFile(filepath.Join(blocked, "indexes"), nil, 0o644))
	if _, err := mirror.Pull(t.Context(), to, mirror.PullOptions{Dir: blocked}); err == nil {
		t.Error("pulled to a folder where a file is in the way")
	}
	half := t.TempDir()
	id := pull(t, to, mirror.PullOptions{Dir: half}).Build
	rewrite(t, filepath.Join(store.BuildsDir(half), id, "entities.csv"), func(s string) string { return "x" + s[1:] })
	empty := openBucket(t, "file:"+t.TempDir())
	if _, err := mirror.Publish(t.Context(), empty, mirror.PublishOptions{Dir: half, Dirty: true}); err == nil || !strings.Contains(err.Error(), "entities.csv does not have the SHA-256") {
		t.Errorf("published a damaged build: %v", err)
	}
	suite.Check(t, os.RemoveAll(indexes.Dir(half, id)))
	if _, err := mirror.Publish(t.Context(), empty, mirror.PublishOptions{Dir: half, Dirty: true}); err == nil {
		t.Error("published a build without an index")
	}
	pull(t, to, mirror.PullOptions{Dir: half})
	publish(t, to, second, nil)
	pull(t, to, mirror.PullOptions{Dir: half})
}

// TestVerified pulls a build, and then finds it undamaged, known and damaged.
func TestVerified(t *testing.T) {
	first, _ := builds(t)
	to, dir := openBucket(t, "file:"+t.TempDir()), t.TempDir()
	id := publish(t, to, first, nil).Build
	o := mirror.PullOptions{Dir: dir}
	pull(t, to, o)
	for _, o.Verified = range []string{"", id} {
		if r := pull(t, to, o); !r.Unchanged {
			t.Errorf("%+v", r)
		}
	}
	suite.Check(t, os.WriteFile(filepath.Join(store.BuildsDir(dir), id, "entities.csv"), nil, 0o644))
	o.Verified = ""
	if r := pull(t, to, o); r.Unchanged || r.Fetched != 1 {
		t.Errorf("%+v", r)
	}
}

// TestBounds answers with more than any object may have, and with lists that would take much memory:
// nothing is decoded that is too long or does not have its hash, and a reader with a key decodes nothing
// that was not signed.
func TestBounds(t *testing.T) {
	_, second := builds(t)
	k, origin := newKey(t), t.TempDir()
	to := openBucket(t, "file:"+origin)
	publish(t, to, second, k)
	sum := currentOf(t, origin)["files"].(string)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := strings.HasSuffix(r.URL.Path, sum)
		endless := r.URL.Path == "/a/current" || strings.HasPrefix(r.URL.Path, "/b/files/") && list || strings.HasPrefix(r.URL.Path, "/c/files/") && !list
		if !endless {
			http.ServeFileFS(w, r, os.DirFS(origin), r.URL.Path[3:])
			return
		}
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	for _, path := range []string{"/a", "/b", "/c"} {
		from := suite.Must(bucket.OpenReader(srv.URL + path))(t)
		if r, err := mirror.Pull(t.Context(), from, mirror.PullOptions{Dir: t.TempDir()}); err == nil || r.Downloaded > 64<<20 {
			t.Errorf("%s: %+v %v", path, r, err)
		}
	}
	altered := alterList(t, origin, func(string) string {
		return `{"manifest":{"files":[{}` + strings.Repeat(",{}", 1_390_000) + `]},"index":{}}` + "\n"
	})
	rewrite(t, filepath.Join(origin, "current"), edited(t, func(c map[string]any) { c["files"] = altered }))
	for _, o := range []mirror.PullOptions{{Dir: t.TempDir()}, {Dir: t.TempDir(), Verifiers: keys(k)}} {
		limit := uint64(8 << 20)
		if o.Verifiers == nil {
			limit = 2 << 30
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := mirror.Pull(t.Context(), to, o)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > limit {
			t.Errorf("keys %d: %d MB were allocated; %v", len(o.Verifiers), took>>20, err)
		}
	}
}
