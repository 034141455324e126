package exports

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"kindex/builder/suite"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/store"
)

// damages returns the DamageErrors in an error. It fails the test if there is any
// other kind of error.
func damages(t *testing.T, err error) (list []*store.DamageError) {
	t.Helper()
	var damage *store.DamageError
	switch e := err.(type) { //nolint:errorlint // this code unwraps errors one level at a time
	case nil:
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			list = append(list, damages(t, inner)...)
		}
	default:
		if !errors.As(err, &damage) {
			t.Fatalf("%T: %v", err, err)
		}
		list = append(list, damage)
	}
	return list
}

// wantDamage checks that an error reports damage to exactly one file.
func wantDamage(t *testing.T, err error, path, problem string) {
	t.Helper()
	list := damages(t, err)
	if len(list) != 1 || list[0].Path != path || !strings.Contains(list[0].Problem, problem) {
		t.Errorf("%v, want one damage: %s %s", err, path, problem)
	}
}

// verify and open read a build in the two possible ways.
func verify(dir string) error { _, err := store.Verify(dir); return err }
func open(dir string) error {
	b, err := Open(dir)
	if err != nil {
		return err
	}
	return b.Close()
}

// smallHistory returns a history, the entities that exist at its end, and its archive.
func smallHistory(seed uint64) (p *madeHistory, list []*record.Entity, a *history.Data) {
	p = newMadeHistory(seed, catalogue(seed, 40))
	p.goOn(15)
	_, list = p.listed(len(p.versions), p.rng)
	return p, list, p.archive(len(p.versions))
}

func smallBuild(t *testing.T) (dir string, m *store.Manifest) {
	t.Helper()
	root := t.TempDir()
	p, list, a := smallHistory(8)
	a.Trends, a.Weeks = someTrends(p.rng, len(list)), someWeeks()
	dir = filepath.Join(store.BuildsDir(root), writeBuild(t, root, list, a))
	m, err := store.Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, m
}

// changed runs f while a file's content is replaced.
func changed(t *testing.T, path string, change func([]byte) []byte, f func()) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(change(slices.Clone(old)))
	defer write(old)
	f()
}

func TestDamagedFiles(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	dir, m := smallBuild(t)
	rng := rand.New(rand.NewPCG(4, 4))
	if len(m.Files) < 15 {
		t.Fatalf("only %d files", len(m.Files))
	}
	for _, f := range m.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		flip := func(b []byte) []byte { b[rng.IntN(len(b))] ^= 1 << rng.IntN(8); return b }
		changed(t, path, flip, func() { wantDamage(t, verify(dir), path, "was altered") })
		for _, change := range []func([]byte) []byte{
			func(b []byte) []byte { return b[:rng.IntN(len(b))] },
			func(b []byte) []byte { return append(b, 0) },
		} {
			changed(t, path, change, func() {
				wantDamage(t, verify(dir), path, "but the manifest says")
				wantDamage(t, open(dir), path, "but the manifest says")
			})
		}
		away := filepath.Join(t.TempDir(), "away")
		if err := os.Rename(path, away); err != nil {
			t.Fatal(err)
		}
		wantDamage(t, verify(dir), path, "is missing")
		wantDamage(t, open(dir), path, "is missing")
		if err := os.Rename(away, path); err != nil {
			t.Fatal(err)
		}
	}
	for _, extra := range []string{"extra.json", "lookup/extra.bin", "new/folder/x"} {
		path := filepath.Join(dir, filepath.FromSlash(extra))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		wantDamage(t, verify(dir), path, "is not listed in the manifest")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	first, last := filepath.Join(dir, m.Files[0].Path), filepath.Join(dir, m.Files[len(m.Files)-1].Path)
	cut := func([]byte) []byte { return nil }
	changed(t, first, cut, func() {
		changed(t, last, cut, func() {
			if list := damages(t, verify(dir)); len(list) != 2 {
				t.Errorf("two files are damaged, %v", list)
			}
		})
	})
	if err := errors.Join(verify(dir), open(dir)); err != nil {
		t.Fatalf("reassembled: %v", err)
	}
}

func TestDamagedManifest(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	dir, m := smallBuild(t)
	path := filepath.Join(dir, store.ManifestFile)
	rng := rand.New(rand.NewPCG(5, 5))
	replace := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }
	}
	cases := map[string]struct {
		change  func([]byte) []byte
		problem string
	}{
		"empty":          {func([]byte) []byte { return nil }, "is not a valid manifest"},
		"truncated":      {func(b []byte) []byte { return b[:len(b)/2] }, "is not a valid manifest"},
		"not an object":  {func([]byte) []byte { return []byte("[]\n") }, "is not a valid manifest"},
		"nothing in it":  {func([]byte) []byte { return []byte("{}\n") }, "has format version 0"},
		"other format":   {replace(`"formatVersion": 15`, `"formatVersion": 16`), "has format version 16, but this program reads version 15"},
		"other title":    {replace(`"title": "Test"`, `"title": "Best"`), "has ID"},
		"other id":       {replace(m.ID, m.ID[:len(m.ID)-1]+"x"), "has ID"},
		"other checksum": {replace(m.Files[3].SHA256, m.Files[4].SHA256), "has ID"},
		"unknown field":  {replace(`"title"`, `"more": 1, "title"`), "was altered"},
		"other form":     {func(b []byte) []byte { return append(b, '\n') }, "was altered"},
		"other letters":  {replace(`"builder"`, `"Builder"`), "was altered"},
		"too long":       {func(b []byte) []byte { return append(b, bytes.Repeat([]byte(" "), store.MaxManifestSize)...) }, "the limit is 4194304"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			changed(t, path, c.change, func() {
				wantDamage(t, verify(dir), path, c.problem)
				wantDamage(t, open(dir), path, c.problem)
			})
		})
	}
	for range 300 {
		changed(t, path, func(b []byte) []byte { b[rng.IntN(len(b))] ^= 1 << rng.IntN(8); return b }, func() {
			wantDamage(t, verify(dir), path, "")
		})
	}
	if err := os.Rename(path, path+"x"); err != nil {
		t.Fatal(err)
	}
	wantDamage(t, verify(dir), path, "is missing")
	wantDamage(t, open(dir), path, "is missing")
	moved := filepath.Join(filepath.Dir(dir), "20261101-0123456789abcdef")
	if err := errors.Join(os.Rename(path+"x", path), os.Rename(dir, moved)); err != nil {
		t.Fatal(err)
	}
	wantDamage(t, verify(moved), filepath.Join(moved, store.ManifestFile), "is in the folder of build 20261101-0123456789abcdef")
	wantDamage(t, open(moved), filepath.Join(moved, store.ManifestFile), "is in the folder of")
}

// TestLookupsThatDoNotFit finalizes builds whose lookup files have the wrong structure, as if
// written by a faulty builder. Opening them may fail but must not panic.
func TestLookupsThatDoNotFit(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	dir, m := smallBuild(t)
	refused := 0
	for _, f := range m.Files {
		if !strings.HasPrefix(f.Path, "lookup/") {
			continue
		}
		for _, n := range []int{0, 7, 8, rng.IntN(int(f.Size)), int(f.Size) - 1} {
			if openWith(t, dir, m, f.Path, func(b []byte) []byte { return b[:min(n, len(b))] }) {
				refused++
			}
		}
	}
	if refused < 20 {
		t.Errorf("only %d builds were refused", refused)
	}
}

// openWith opens a build in which one file was changed before it was finalized,
// and reports whether it is rejected.
func openWith(t *testing.T, dir string, m *store.Manifest, path string, change func([]byte) []byte) (refused bool) {
	t.Helper()
	changed(t, filepath.Join(dir, path), change, func() {
		sealed := *m
		sealed.Files = slices.Clone(m.Files)
		for i := range sealed.Files {
			if sealed.Files[i].Path == path {
				file, err := store.Describe(dir, filepath.Join(dir, path))
				if err != nil {
					t.Fatal(err)
				}
				file.License = sealed.Files[i].License
				sealed.Files[i] = file
			}
		}
		sealed.Finalize()
		other := filepath.Join(filepath.Dir(dir), sealed.ID)
		if err := os.Rename(dir, other); err != nil {
			t.Fatal(err)
		}
		changed(t, filepath.Join(other, store.ManifestFile), func([]byte) []byte { return sealed.Encode() }, func() {
			if err := verify(other); err != nil {
				t.Fatal(err)
			}
			if list := damages(t, open(other)); len(list) > 0 {
				refused = true
				if list[0].Path != other {
					t.Errorf("%s: %v", path, list[0])
				}
			}
		})
		if err := os.Rename(other, dir); err != nil {
			t.Fatal(err)
		}
	})
	return refused
}

// tree reads all files under a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestSameEntitiesSameBytes(t *testing.T) {
	suite.InTest(t)
	list := catalogue(9, 1200)
	var first map[string]string
	var id string
	for i, procs := range []int{runtime.GOMAXPROCS(0), 1, 8} {
		before := runtime.GOMAXPROCS(procs)
		root := t.TempDir()
		got := writeBuild(t, root, catalogue(9, 1200))
		runtime.GOMAXPROCS(before)
		files := tree(t, filepath.Join(store.BuildsDir(root), got))
		if i == 0 {
			first, id = files, got
			checkVariants(t, files)
			continue
		}
		if got != id || len(files) != len(first) {
			t.Errorf("with %d processors: %s of %d files, want %s of %d", procs, got, len(files), id, len(first))
		}
		for name, want := range first {
			if files[name] != want {
				t.Errorf("with %d processors %s differs", procs, name)
			}
		}
	}
	list[7].Description += "!"
	if other := writeBuild(t, t.TempDir(), list); other == id || !store.ValidID(other) || other[:9] != id[:9] {
		t.Errorf("other content gives %q next to %q", other, id)
	}
}

// unzipped returns the text of a single gzip member.
func unzipped(t *testing.T, data string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r.Multistream(false)
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func checkVariants(t *testing.T, files map[string]string) {
	seen := 0
	for name, data := range files {
		base, ok := strings.CutSuffix(name, store.GzipExtension)
		if !ok || strings.Contains(name, "lookup/") {
			continue
		}
		seen++
		if unzipped(t, data) != files[base] {
			t.Errorf("%s does not decode to the file", name)
		}
		if len(data) >= len(files[base]) {
			t.Errorf("%s has %d bytes, the file %d", name, len(data), len(files[base]))
		}
	}
	if seen != 3 {
		t.Errorf("%d compressed files", seen)
	}
}
