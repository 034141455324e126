package edgetest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

// builderKey is the builder key of all test builds, so that later builds can reuse earlier ones.
var builderKey = builder.GenerateKey()

// Root returns the project's root folder, whichever of its folders the test runs in.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, found := os.Stat(filepath.Join(dir, "go.mod")); found == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("no parent folder of the test contains go.mod")
		}
	}
	t.Fatal(err)
	return ""
}

// Today is the as-of day of Content and Build. It is fixed: weekdays, month ends and the age
// of the shipped figures must not decide whether a test passes. Move it forward when content
// gets a later date.
func Today() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }

// Content returns shipped content in a new repository in which two entities, tool/pytorch and
// tool/tensorlayer, changed two days ago. The project's own repository cannot be used: it may
// be new, or may not have changed for a while. If categories are given, the content contains
// only their entities; ml-frameworks must be one of them. Otherwise it is a sample that contains
// every entity that the documentation or the package's tests mention. In make soak, it is all of
// the shipped content.
func Content(t testing.TB, categories ...string) string {
	t.Helper()
	return changed(t, func(content string) {
		if len(categories) > 0 {
			keepOnly(t, content, categories)
		} else if !suite.Soaking() {
			suite.Thin(t, content, sampleShare, mentions(t)...)
		}
	})
}

// sampleShare is the share of the shipped content that a sample contains: one entity in
// sampleShare.
const sampleShare = 8

// WholeContent is like Content, but always returns all of the shipped content.
func WholeContent(t testing.TB) string {
	t.Helper()
	return changed(t, func(string) {})
}

// changed copies the shipped content into a new repository, and calls reduce with the folder. The
// history ends with changes to two entities two days ago.
func changed(t testing.TB, reduce func(content string)) string {
	t.Helper()
	repo := t.TempDir()
	content := filepath.Join(repo, "content")
	if err := os.CopyFS(content, os.DirFS(filepath.Join(Root(t), "content"))); err != nil {
		t.Fatal(err)
	}
	reduce(content)
	suite.DropLostSuccessors(t, content)
	files := map[string][]byte{
		"tool/pytorch.yaml":     replace(t, filepath.Join(content, "tool/pytorch.yaml"), `stars: {value: \d+`, "stars: {value: 100"),
		"tool/tensorlayer.yaml": replace(t, filepath.Join(content, "tool/tensorlayer.yaml"), `category: [a-z-]+`, "category: reinforcement-learning"),
	}
	git(t, repo, 20, "init", "-q", "-b", "main")
	Commit(t, repo, 20)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(content, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	Commit(t, repo, 2)
	return content
}

// mentions returns the texts whose entities a sample keeps: the documentation, and the tests in
// the working directory with their data.
func mentions(t testing.TB) (texts []string) {
	t.Helper()
	add := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, pattern := range []string{"README.md", "site/docs/*.md", "site/sdk/*/README.md", "edge/openapi/openapi.yaml"} {
		files, err := filepath.Glob(filepath.Join(Root(t), filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no file matches %s: %v", pattern, err)
		}
		for _, path := range files {
			add(path)
		}
	}
	tests, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range tests {
		add(path)
	}
	err = filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			add(path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return texts
}

var categoryLine = regexp.MustCompile(`(?m)^category: ([a-z-]+)`)

// keepOnly removes the entities that are in other categories.
func keepOnly(t testing.TB, content string, categories []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(content, "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if m := categoryLine.FindSubmatch(text); m == nil || !slices.Contains(categories, string(m[1])) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Commit commits all files under a folder. The commit is dated the given number of days ago.
func Commit(t testing.TB, dir string, daysAgo int) {
	t.Helper()
	git(t, dir, daysAgo, "add", "-A")
	git(t, dir, daysAgo, "commit", "-q", "-m", "Content")
}

func git(t testing.TB, dir string, daysAgo int, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	date := Today().AddDate(0, 0, -daysAgo).Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// replace changes a file and returns its previous content.
func replace(t testing.TB, path, pattern, by string) (was []byte) {
	t.Helper()
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := regexp.MustCompile(pattern).ReplaceAll(was, []byte(by))
	if string(other) == string(was) {
		t.Fatalf("%s does not contain %s", path, pattern)
	}
	if err := os.WriteFile(path, other, 0o644); err != nil {
		t.Fatal(err)
	}
	return was
}

// Build builds a content folder with Today as the as-of day.
func Build(t testing.TB, content, out string) {
	t.Helper()
	if _, err := builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: Today(), Keep: 3, Key: builderKey}); err != nil {
		t.Fatal(err)
	}
}

// The builds that all tests of a binary share.
var sample, whole sharedBuild

// sharedBuild is a build that the first test that needs it creates.
type sharedBuild struct {
	sync.Once
	dir string
}

// of returns the output folder of the build, which is created from the content if necessary.
func (b *sharedBuild) of(t testing.TB, content func() string) string {
	t.Helper()
	b.Do(func() {
		dir, err := os.MkdirTemp("", "kindex-edgetest-")
		if err != nil {
			t.Fatal(err)
		}
		b.dir = dir
		Build(t, content(), filepath.Join(dir, "out"))
	})
	return filepath.Join(b.dir, "out")
}

// Built returns a build of Content that all tests of the binary share. A test that publishes
// another build must create its own build with Build.
func Built(t testing.TB) string {
	t.Helper()
	return sample.of(t, func() string { return Content(t) })
}

// BuiltWhole is like Built, but returns a build of WholeContent. It is for tests of
// documentation that shows what the shipped content contains; few tests need it.
func BuiltWhole(t testing.TB) string {
	t.Helper()
	return whole.of(t, func() string { return WholeContent(t) })
}

// Main runs the tests of a package, then removes the shared builds and stops the shared database
// server. Call it from TestMain.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop removes the shared builds and stops the shared database server. It is for packages that
// cannot use Main.
func Stop() {
	storagetest.Stop()
	for _, b := range []*sharedBuild{&sample, &whole} {
		if b.dir != "" {
			_ = os.RemoveAll(b.dir)
		}
	}
}
