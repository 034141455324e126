package exports_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports"
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
	b, err := exports.Open(dir)
	if err != nil {
		return err
	}
	return b.Close()
}

// smallBuild returns a verified build whose history has every kind of file.
func smallBuild(t *testing.T) (dir string, m *store.Manifest) {
	t.Helper()
	dir = build(t, commits(t, 8), t.TempDir())
	m = suite.Must(store.Verify(dir))(t)
	return dir, m
}

// commits returns a content folder in a repository with a number of commits, each of which changes
// every tool. The fourth one deletes a tool, and renames another.
func commits(t *testing.T, n int) (content string) {
	t.Helper()
	repo := t.TempDir()
	content = filepath.Join(repo, "content")
	tool := func(name string) string { return filepath.Join(content, "tool", name+".yaml") }
	err := errors.Join(os.MkdirAll(filepath.Join(content, "tool"), 0o755), os.WriteFile(filepath.Join(content, "index.yaml"), []byte("title: Test\n"), 0o644))
	for c := range n {
		day := time.Date(2026, 10, 1+3*c, 12, 0, 0, 0, time.UTC)
		for i := range 20 {
			text := fmt.Sprintf("name: Tool %d\ncategory: c%d\ndescription: Number %d.\ntags: [t%d]\nsignals:\n  stars: {value: %d, date: %s, source: https://example.org/}\n",
				i, i%3, i, i%4, (i+1)*(100+30*c), day.Format(time.DateOnly))
			name := fmt.Sprint("t", i)
			switch {
			case i == 0 && c >= 4:
				err = errors.Join(err, os.RemoveAll(tool(name)))
				continue
			case i == 1 && c >= 4:
				err = errors.Join(err, os.RemoveAll(tool(name)))
				name, text = "renamed", text+"formerly: [t1]\n"
			}
			err = errors.Join(err, os.WriteFile(tool(name), []byte(text), 0o644))
		}
		suite.Check(t, err)
		commit(t, repo, day.Format(time.RFC3339))
	}
	return content
}

// commit commits everything in a folder, which becomes a repository, at a time.
func commit(t *testing.T, repo, at string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "A commit"}} {
		cmd := exec.Command("git", append([]string{"-C", repo}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
		suite.Output(t, cmd)
	}
}

// build builds a content folder as of a fixed day, and returns the folder of the build.
func build(t *testing.T, content, out string) (dir string) {
	t.Helper()
	r := suite.Must(builder.Build(t.Context(), builder.Options{Content: content, Out: out, Keep: 9, AllowShrink: true, AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}))(t)
	return r.Dir
}

// changed runs f while a file's content is replaced.
func changed(t *testing.T, path string, change func([]byte) []byte, f func()) {
	t.Helper()
	old := suite.Must(os.ReadFile(path))(t)
	write := func(b []byte) {
		suite.Check(t, os.WriteFile(path, b, 0o644))
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
		suite.Check(t, os.Rename(path, away))
		wantDamage(t, verify(dir), path, "is missing")
		wantDamage(t, open(dir), path, "is missing")
		suite.Check(t, os.Rename(away, path))
	}
	for _, extra := range []string{"extra.json", "lookup/extra.bin", "new/folder/x"} {
		path := filepath.Join(dir, filepath.FromSlash(extra))
		suite.Check(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)))
		wantDamage(t, verify(dir), path, "is not listed in the manifest")
		suite.Check(t, os.Remove(path))
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
	suite.Check(t, os.Rename(path, path+"x"))
	wantDamage(t, verify(dir), path, "is missing")
	wantDamage(t, open(dir), path, "is missing")
	moved := filepath.Join(filepath.Dir(dir), "20261101-0123456789abcdef")
	suite.Check(t, errors.Join(os.Rename(path+"x", path), os.Rename(dir, moved)))
	wantDamage(t, verify(moved), filepath.Join(moved, store.ManifestFile), "is in the folder of build 20261101-0123456789abcdef")
	wantDamage(t, open(moved), filepath.Join(moved, store.ManifestFile), "is in the folder of")
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
				file := suite.Must(store.Describe(dir, filepath.Join(dir, path)))(t)
				file.License = sealed.Files[i].License
				sealed.Files[i] = file
			}
		}
		sealed.Finalize()
		other := filepath.Join(filepath.Dir(dir), sealed.ID)
		suite.Check(t, os.Rename(dir, other))
		changed(t, filepath.Join(other, store.ManifestFile), func([]byte) []byte { return sealed.Encode() }, func() {
			suite.Check(t, verify(other))
			if list := damages(t, open(other)); len(list) > 0 {
				refused = true
				suite.Equal(t, list[0].Path, other, path, list[0])
			}
		})
		suite.Check(t, os.Rename(other, dir))
	})
	return refused
}
