package builder_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
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
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f folder) read(name string) string {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		f.t.Fatal(err)
	}
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
	cmd := exec.Command("git", append([]string{"-C", f.dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-05-01T12:00:00Z", "GIT_COMMITTER_DATE=2026-05-01T12:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func (f folder) add(name, text string) { f.write(name, f.read(name)+text) }

func (f folder) remove(name string) {
	f.t.Helper()
	if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
		f.t.Fatal(err)
	}
}

func (f folder) rename(from, to string) {
	f.t.Helper()
	if err := os.Rename(filepath.Join(f.dir, from), filepath.Join(f.dir, to)); err != nil {
		f.t.Fatal(err)
	}
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
	m, err := store.Verify(want)
	if err != nil {
		t.Fatal(err)
	}
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

// TestBuildReusesPrevious edits content in every way, builds it on top of the previous build and
// from scratch, and compares every file.
func TestBuildReusesPrevious(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	f := copied(t, someContent()...)
	f.git("init", "-q", "-b", "main")
	out, at := t.TempDir(), asOf
	dirOf := func() string {
		id, err := store.Current(out)
		if err != nil {
			t.Fatal(err)
		}
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
		{"edits in the middle and at both ends, and a comment only", func() {
			f.replace("tool/pytorch.yaml", "Tensor library", "A tensor library")
			f.add("tool/keras.yaml", "# nothing\n")
			f.replace("model/claude-3-5-haiku-20241022.yaml", "name: ", "name: First ")
			f.replace("tool/scipy.yaml", "name: ", "name: Last ")
		}},
		{"new entities, a warning in a file, and one about two files", func() {
			f.write("model/0.yaml", entity("Zero", "signals: {benchmarks: [{name: B, value: -1.5}]}\n"))
			f.write("tool/zzz.yaml", entity("\"quoted \\\" \\\\ \\xe9\"", "addedDate: 2020-02-29\nsignals: {}\ntags: []\n"))
			f.write("tool/odd.yaml", entity("Odd", "license: Nobody's\n"))
			f.write("tool/odd-2.yaml", entity("Odd"))
		}},
		{"the warning is gone, and an entity", func() {
			f.write("tool/odd.yaml", entity("Odder", "license: MIT\n"))
			f.remove("tool/matplotlib.yaml")
		}},
		{"it is back; renames with the earlier slug and without", func() {
			f.write("tool/matplotlib.yaml", entity("Matplotlib"))
			f.rename("tool/keras.yaml", "tool/keras-3.yaml")
			f.add("tool/keras-3.yaml", "formerly: [keras, keras-2]\n")
			f.rename("tool/spacy.yaml", "tool/spacy-nlp.yaml")
		}},
		{"a new file where an earlier slug was, one withdrawn and one deprecated", func() {
			f.replace("tool/keras-3.yaml", "formerly: [keras, keras-2]", "formerly: [keras-2]")
			f.write("tool/keras.yaml", entity("Keras"))
			f.add("tool/odd.yaml", "status: withdrawn\n")
			f.add("tool/odd-2.yaml", "status: deprecated\n")
		}},
		{"a category's title", func() { f.replace("categories.yaml", "title: ", "title: About ") }},
		{"no categories file", func() { f.remove("categories.yaml"); f.remove("boards.yaml") }},
		{"another scoring and another title", func() {
			f.replace("scoring.yaml", "full: 200000,", "full: 50000,")
			f.replace("index.yaml", "title: ", "title: Another ")
		}},
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
			if err := os.WriteFile(filepath.Join(out, "exports", "current"), []byte("20260101-0000000000000000\n"), 0o644); err != nil {
				t.Fatal(err)
			}
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
	r, err := builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: at, Keep: 3})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
