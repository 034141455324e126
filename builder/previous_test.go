package builder_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports/store"
)

// folder is a content folder that a test edits.
type folder struct {
	t   *testing.T
	dir string
}

func (f folder) write(name, text string) {
	f.t.Helper()
	suite.Write(f.t, f.dir, map[string]string{name: text})
}

func (f folder) read(name string) string {
	f.t.Helper()
	b := suite.Must(os.ReadFile(filepath.Join(f.dir, name)))(f.t)
	return string(b)
}

func (f folder) replace(name, old, new string) {
	f.t.Helper()
	text := f.read(name)
	if !strings.Contains(text, old) {
		f.t.Fatalf("%s does not contain %q", name, old)
	}
	f.write(name, strings.ReplaceAll(text, old, new))
}

// git runs git in the folder, as a generic user.
func (f folder) git(args ...string) {
	f.t.Helper()
	suite.Git(f.t, f.dir, time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), args...)
}

func (f folder) add(name, text string) { f.write(name, f.read(name)+text) }

func (f folder) remove(name string) {
	f.t.Helper()
	suite.Check(f.t, os.Remove(filepath.Join(f.dir, name)))
}

func (f folder) rename(from, to string) {
	f.t.Helper()
	suite.Check(f.t, os.Rename(filepath.Join(f.dir, from), filepath.Join(f.dir, to)))
}

// copied returns a folder with the content for tests, or with some categories and entities of it.
func copied(t *testing.T, only ...string) folder {
	t.Helper()
	f := folder{t, filepath.Join(t.TempDir(), "content")}
	suite.CopyContent(t, f.dir, only...)
	return f
}

// someContent has the entities that tests edit and their surroundings; in make soak, everything.
func someContent() []string {
	return suite.Pick([]string{"tool/pytorch", "tool/keras", "model/claude-3-5-haiku-20241022", "scientific-python", "nlp", "data-viz", "embedding", "graph"}, nil)
}

// entity returns the contents of a new file. Some of the possible extra lines cause warnings.
func entity(name string, extra ...string) string {
	return "name: " + name + "\ndescription: An example of a thing.\ncategory: nlp\n" + strings.Join(extra, "")
}

// sameBuild fails the test unless two builds are the same, byte for byte.
func sameBuild(t *testing.T, got, want string) {
	t.Helper()
	m := suite.Must(store.Verify(want))(t)
	if err := store.VerifyFiles(got, m.Files); err != nil {
		t.Errorf("incremental: %v", err)
	}
	for _, f := range append(m.Files, store.File{Path: store.ManifestFile}) {
		a, errA := os.ReadFile(filepath.Join(got, filepath.FromSlash(f.Path)))
		b, errB := os.ReadFile(filepath.Join(want, filepath.FromSlash(f.Path)))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", f.Path, errA, errB)
		}
	}
}

// TestBuildReusesPrevious builds content on top of previous builds of every kind and from scratch, and compares
// every file and the warnings. TestRandomHistory does the same after edits of every kind.
func TestBuildReusesPrevious(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	f := copied(t, someContent()...)
	f.git("init", "-q", "-b", "main")
	out, at := t.TempDir(), asOf
	dirOf := func() string {
		id := suite.Must(store.Current(out))(t)
		return filepath.Join(store.BuildsDir(out), id)
	}
	alter := func(file, old, new string) {
		g := folder{t, dirOf()}
		g.replace(file, old, new)
	}
	for _, s := range []struct {
		name string
		edit func()
	}{
		{"nothing before", func() {}},
		{"nothing new", func() {}},
		{"another time", func() { at = at.Add(40 * 24 * time.Hour) }},
		{"warnings, in a file and about two files", func() {
			f.write("tool/odd.yaml", entity("Odd", "license: Nobody's\n"))
			f.write("tool/odd-2.yaml", entity("Odd"))
			f.write("tool/zzz.yaml", entity("\"quoted \\\" \\\\ \\xe9\"", "addedDate: 2020-02-29\nsignals: {}\ntags: []\n"))
			f.rename("tool/spacy.yaml", "tool/spacy-nlp.yaml")
		}},
		{"the warnings are gone, and an entity", func() {
			f.write("tool/odd.yaml", entity("Odder", "license: MIT\n"))
			f.remove("tool/matplotlib.yaml")
		}},
		{"no categories file", func() { f.remove("categories.yaml"); f.remove("boards.yaml") }},
		{"another title", func() { f.replace("index.yaml", "title: ", "title: Another ") }},
		{"a damaged build before", func() { alter("entities.jsonl", "PyTorch", "PyTurch") }}, // there is another, intact build

		{"of another format", func() {
			f.add("tool/odd.yaml", "# again\n")
			alter(store.ManifestFile, fmt.Sprintf(`"formatVersion": %d`, store.FormatVersion), `"formatVersion": 1`)
		}},
		{"of another builder", func() {
			f.add("tool/odd.yaml", "# and again\n")
			alter(store.ManifestFile, fmt.Sprintf(`"builder": %q`, builder.Version), `"builder": "0"`)
		}}, // now the other build is damaged as well

		{"of nothing known, but another is there", func() {
			suite.Check(t, os.WriteFile(filepath.Join(out, "exports", "current"), []byte("20260101-0000000000000000\n"), 0o644))
		}},
	} {
		s.edit()
		f.git("add", "-A")
		f.git("commit", "-q", "--allow-empty", "-m", s.name)
		incremental := buildAt(t, f.dir, out, at)
		full := buildAt(t, f.dir, t.TempDir(), at)
		if t.Run(s.name, func(t *testing.T) { sameBuild(t, incremental.Dir, full.Dir) }); incremental.ID != full.ID {
			t.Errorf("%s: %s, in full %s", s.name, incremental.ID, full.ID)
		}
		incremental.Warnings = slices.DeleteFunc(incremental.Warnings, func(w string) bool { return strings.Contains(w, "continuing from build") })
		if strings.Join(incremental.Warnings, "\n") != strings.Join(full.Warnings, "\n") {
			t.Errorf("%s: %q, from scratch %q", s.name, incremental.Warnings, full.Warnings)
		}
	}
}

func buildAt(t *testing.T, content, out string, at time.Time) *builder.Report {
	t.Helper()
	return suite.Must(builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: at, Keep: 3}))(t)
}
