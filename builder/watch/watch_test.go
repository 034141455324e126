package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// TestOneFileMendsAnother covers cases that the command-line tests do not: an entity becomes
// valid because another file changes, and messages about a build that started too early are
// repeated.
func TestOneFileMendsAnother(t *testing.T) {
	suite.InTest(t)
	t.Parallel() // mostly waiting
	dir, out := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("categories.yaml", "categories:\n  - {slug: a, title: A}\n")
	write("tool/x.yaml", "name: X\ncategory: a\ndescription: D.\n")
	c := make(told, 1000)
	w := New(Options{
		Build: builder.Options{Content: dir, Out: out, Keep: 2, AllowShrink: true, Still: true},
		AsOf:  func() (time.Time, error) { return time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), nil },
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
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
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
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	c.expect(t, dir+": no such folder; specify the folder that contains kinds.yaml or categories.yaml")
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	c.expect(t, "found")
	if err := os.RemoveAll(filepath.Join(dir, "model")); err != nil {
		t.Fatal(err)
	}
	c.expect(t, "edited no model/m, now model/m", "built, left ")

	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
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
	dir, out := t.TempDir(), t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tool", "x.yaml"), []byte("name: X\ncategory: a\ndescription: D.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	c := make(told, 1000)
	w := New(Options{
		Build:  builder.Options{Content: dir, Out: out, Keep: 2, AllowShrink: true, Still: true},
		AsOf:   func() (time.Time, error) { return time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), nil },
		Built:  func(r *builder.Report, _ []exports.Edit) { c <- fmt.Sprintf("built, committed: %v", r.Commit != "") },
		Failed: func(err error) { c <- err.Error() },
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	c.expect(t, "built, committed: false")
	git("add", "-A")
	git("commit", "-q", "-m", "One tool")
	c.expect(t, "built, committed: true")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	b, err := exports.OpenCurrent(out)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if n := b.History().Changes(); n != 1 {
		t.Errorf("the changelog has %d changes", n)
	}
}

// toolFolder returns a content folder with tools that are named like their slugs.
func toolFolder(t *testing.T, slugs ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, slug := range slugs {
		writeTool(t, dir, slug, slug)
	}
	return dir
}

func writeTool(t *testing.T, dir, slug, name string) {
	t.Helper()
	text := "name: " + name + "\ncategory: a\ndescription: D.\n"
	if err := os.WriteFile(filepath.Join(dir, "tool", slug+".yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEditDuringFirstScan saves a file before the folder has been read. The file must not be built alone:
// that build would drop all other entities.
func TestEditDuringFirstScan(t *testing.T) {
	suite.InTest(t)
	dir, out := toolFolder(t, "x", "y", "z"), t.TempDir()
	var built []int
	w := New(Options{
		Build: builder.Options{Content: dir, Out: out, Keep: 2, AllowShrink: true, Still: true},
		AsOf:  func() (time.Time, error) { return time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), nil },
		Built: func(r *builder.Report, _ []exports.Edit) { built = append(built, r.Counts.Entities) },
	})
	l := newLoop(w)
	l.scan(t.Context())
	l.names["tool/x.yaml"] = true
	l.readChanged()
	l.startBuild(t.Context())
	if l.building || len(l.names) != 1 {
		t.Fatalf("the edit was read before the other files: %v", l.names)
	}
	l.handleScan(<-l.scanned)
	l.readChanged()
	l.startBuild(t.Context())
	l.finish(<-l.done)
	if !slices.Equal(built, []int{3}) || len(l.names) > 0 {
		t.Errorf("builds of %v entities, want one of 3", built)
	}
}

// TestManyEdits changes more files than are published as edits. They wait for the next build.
func TestManyEdits(t *testing.T) {
	suite.InTest(t)
	dir := toolFolder(t, "x", "y", "z")
	deferred, live := 0, 0
	w := New(Options{Build: builder.Options{Content: dir, Out: t.TempDir(), Keep: 2, AllowShrink: true, Still: true},
		AsOf:     func() (time.Time, error) { return time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), nil },
		Edited:   func([]exports.Edit, []string) { live++ },
		Deferred: func(n int) { deferred = n }})
	if _, err := w.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := newLoop(w)
	l.maxEdited = 1
	writeTool(t, dir, "x", "X2")
	writeTool(t, dir, "z", "Z2")
	l.changed([]string{"tool/x.yaml", "tool/z.yaml"})
	if deferred != 2 || live != 0 {
		t.Errorf("%d files are deferred, and %d edits are live", deferred, live)
	}
}

// TestFirstScanFails starts while the folder cannot be read completely. Nothing is built until it can be, since
// a build would drop the entities that could not be read.
func TestFirstScanFails(t *testing.T) {
	suite.InTest(t)
	dir, out := toolFolder(t, "x", "y"), t.TempDir()
	asOf := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	o := builder.Options{Content: dir, Out: out, Keep: 2, AllowShrink: true, Still: true, AsOf: asOf}
	if _, err := builder.Build(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var failures []string
	var built []int
	broken := errors.New("cannot be read")
	w := New(Options{Build: o,
		AsOf:   func() (time.Time, error) { return asOf, broken },
		Failed: func(err error) { failures = append(failures, err.Error()) },
		Built:  func(r *builder.Report, _ []exports.Edit) { built = append(built, r.Counts.Entities) },
	})
	l := newLoop(w)
	scan := func() {
		l.scan(t.Context())
		l.handleScan(<-l.scanned)
		if l.startBuild(t.Context()); l.building {
			l.finish(<-l.done)
		}
	}
	scan()
	if len(built) > 0 || !slices.Equal(failures, []string{"cannot be read"}) {
		t.Errorf("builds of %v entities, failures %q", built, failures)
	}
	broken = nil
	scan()
	if !slices.Equal(built, []int{2}) {
		t.Errorf("builds of %v entities, want one of 2; failures %q", built, failures)
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
	w := New(Options{
		Build: builder.Options{Content: dir, Out: out, Keep: 2, AllowShrink: true, Still: true},
		AsOf:  func() (time.Time, error) { return time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), nil },
		Edited: func(edits []exports.Edit, now []string) {
			c <- "edited " + names(edits) + ", now " + strings.Join(now, " ")
		},
		Published: func() error {
			c <- "switching"
			return <-switched
		},
		Built:  func(_ *builder.Report, edits []exports.Edit) { c <- "built, left " + names(edits) },
		Failed: func(err error) { c <- err.Error() },
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
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
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
