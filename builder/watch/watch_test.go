package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/content/yamldoc"
	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/store"
)

// hanging is how long a test waits for an event before it fails; nothing else depends on it.
const hanging = 5 * time.Minute

// told contains the output of a watcher, one entry per line.
type told chan string

// expect waits for the given lines, and skips all other lines.
func (c told) expect(t *testing.T, lines ...string) {
	t.Helper()
	var seen []string
	deadline := time.After(hanging)
	for len(lines) > 0 {
		select {
		case line := <-c:
			seen = append(seen, line)
			if line == lines[0] {
				lines = lines[1:]
			}
		case <-deadline:
			t.Fatalf("waiting for %q; received %q", lines, seen)
		}
	}
}

func names(edits []exports.Edit) string {
	var list []string
	for _, e := range edits {
		name := e.Type + "/" + e.Slug
		if e.Entity == nil {
			name = "no " + name
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// options completes options for a content folder and an output folder.
func options(dir, out string, o Options) Options {
	o.Build = builder.Options{Content: dir, Out: out, Keep: 2, AllowShrink: true, Still: true}
	o.AsOf = func() time.Time { return time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC) }
	if o.Edited == nil {
		o.Edited = func([]exports.Edit, []string) {}
	}
	if o.Problems == nil {
		o.Problems = func(yamldoc.Problems) {}
	}
	if o.Published == nil {
		o.Published = func() error { return nil }
	}
	if o.Built == nil {
		o.Built = func(*builder.Report, []exports.Edit) {}
	}
	if o.Found == nil {
		o.Found = func() {}
	}
	return o
}

// start runs a watcher until the returned function is called.
func start(t *testing.T, w *Watcher) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestOneFileMendsAnother covers cases that the command-line tests do not: an entity becomes
// valid because another file changes, and messages about a build that started too early are
// repeated.
func TestOneFileMendsAnother(t *testing.T) {
	suite.InTest(t)
	t.Parallel() // mostly waiting
	dir, out := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		suite.Write(t, dir, map[string]string{name: text})
	}
	write("categories.yaml", "categories:\n  - {slug: a, title: A}\n")
	write("tool/x.yaml", "name: X\ncategory: a\ndescription: D.\n")
	c := make(told, 1000)
	w := New(options(dir, out, Options{
		Edited: func(edits []exports.Edit, now []string) {
			c <- "edited " + names(edits) + ", now " + strings.Join(now, " ")
		},
		Problems: func(p yamldoc.Problems) {
			errors, _ := p.Count()
			c <- map[bool]string{true: "good", false: "bad"}[errors == 0]
		},
		Built:  func(_ *builder.Report, edits []exports.Edit) { c <- "built, left " + names(edits) },
		Failed: func(err error) { c <- err.Error() },
		Found:  func() { c <- "found" },
	}))
	stop := start(t, w)
	c.expect(t, "built, left ")

	write("tool/y.yaml", "name: Y\ncategory: b\ndescription: D.\n")
	c.expect(t, "bad")
	write("tool/x.yaml", "name: X2\ncategory: a\ndescription: D.\n")
	c.expect(t, "edited tool/x, now tool/x")
	write("categories.yaml", "categories:\n  - {slug: a, title: A}\n  - {slug: b, title: B}\n")
	c.expect(t, "edited tool/x tool/y, now tool/y", "good", "built, left ")

	// Changes that affect all entities are not edits to a single entity, but they must be
	// built.
	write("index.yaml", "title: Another\n")
	c.expect(t, "built, left ")

	// Add a folder for another type; then remove and restore another folder.
	write("model/m.yaml", "name: M\ncategory: a\ndescription: D.\n")
	c.expect(t, "edited model/m, now model/m", "built, left ")
	away := filepath.Join(t.TempDir(), "away")
	suite.Check(t, os.Rename(dir, away))
	c.expect(t, dir+": no such folder; specify the folder that contains kinds.yaml or categories.yaml")
	suite.Check(t, os.Rename(away, dir))
	c.expect(t, "found")
	suite.Check(t, os.RemoveAll(filepath.Join(dir, "model")))
	c.expect(t, "edited no model/m, now model/m", "built, left ")

	stop()
	ids, err := store.Builds(store.BuildsDir(out))
	current, currentErr := store.Current(out)
	if err != nil || currentErr != nil || !slices.Contains(ids, current) {
		t.Errorf("%s is not among %v: %v, %v", current, ids, err, currentErr)
	}
}

// TestCommit checks that a commit is built although it changes no file.
func TestCommit(t *testing.T) {
	suite.InRace(t)
	t.Parallel() // mostly waiting
	dir, out := toolFolder(t, "x"), t.TempDir()
	git := func(args ...string) { suite.Git(t, dir, time.Now(), args...) }
	git("init", "-q", "-b", "main")
	c := make(told, 1000)
	w := New(options(dir, out, Options{
		Built:  func(r *builder.Report, _ []exports.Edit) { c <- fmt.Sprintf("built, committed: %v", r.Commit != "") },
		Failed: func(err error) { c <- err.Error() },
	}))
	stop := start(t, w)
	c.expect(t, "built, committed: false")
	git("add", "-A")
	git("commit", "-q", "-m", "One tool")
	c.expect(t, "built, committed: true")
	stop()
	b := suite.Must(exports.OpenCurrent(out))(t)
	defer b.Close()
	if n := b.History().Changes(); n != 1 {
		t.Errorf("the changelog has %d changes", n)
	}
}

// toolFolder returns a content folder with tools that are named like their slugs.
func toolFolder(t *testing.T, slugs ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, slug := range slugs {
		writeTool(t, dir, slug, slug)
	}
	return dir
}

func writeTool(t *testing.T, dir, slug, name string) {
	t.Helper()
	text := "name: " + name + "\ncategory: a\ndescription: D.\n"
	suite.Write(t, dir, map[string]string{"tool/" + slug + ".yaml": text})
}

// TestFolderIsAway reads the folder while it cannot be read, at first and later. Its entities do not count as
// deleted.
func TestFolderIsAway(t *testing.T) {
	suite.InTest(t)
	dir := toolFolder(t, "x", "y")
	var said []string
	w := New(options(dir, t.TempDir(), Options{
		Edited: func(edits []exports.Edit, _ []string) { said = append(said, names(edits)) },
		Failed: func(error) { said = append(said, "failed") },
		Found:  func() { said = append(said, "found") }}))
	look := func() bool { return w.update(t.Context()) }
	for range 2 {
		suite.Check(t, os.Rename(dir, dir+"-away"))
		for range 2 {
			if look() {
				t.Error("a folder that is away is a change")
			}
		}
		suite.Check(t, os.Rename(dir+"-away", dir))
		look()
	}
	if want := []string{"failed", "found", "failed", "found"}; !slices.Equal(said, want) || len(w.now.Entities) != 2 {
		t.Errorf("%q, want %q; %d entities", said, want, len(w.now.Entities))
	}
}

// TestEditWhileSwitching saves a file while readers switch to a build, which may take a while. The edit does not
// wait for that. If readers cannot switch, all edits stay edits until a later build is used.
func TestEditWhileSwitching(t *testing.T) {
	suite.InTest(t)
	t.Parallel() // mostly waiting
	dir, out := toolFolder(t, "x", "y"), t.TempDir()
	c := make(told, 1000)
	switched := make(chan error)
	w := New(options(dir, out, Options{
		Edited: func(edits []exports.Edit, now []string) {
			c <- "edited " + names(edits) + ", now " + strings.Join(now, " ")
		},
		Published: func() error {
			c <- "switching"
			return <-switched
		},
		Built:  func(_ *builder.Report, edits []exports.Edit) { c <- "built, left " + names(edits) },
		Failed: func(err error) { c <- err.Error() },
	}))
	stop := start(t, w)
	c.expect(t, "switching")
	switched <- nil
	c.expect(t, "built, left ")
	writeTool(t, dir, "x", "X2")
	c.expect(t, "edited tool/x, now tool/x", "switching")
	writeTool(t, dir, "y", "Y2")
	c.expect(t, "edited tool/x tool/y, now tool/y")
	switched <- errors.New("cannot switch")
	c.expect(t, "cannot switch", "switching")
	switched <- nil
	c.expect(t, "built, left ")
	stop()
}
