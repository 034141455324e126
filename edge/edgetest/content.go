package edgetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

// Today is the as-of day of Content and Build. It is fixed: weekdays, month ends and the age
// of the figures must not decide whether a test passes.
func Today() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }

// Content returns a copy of suite.Content in a new repository in which two entities, tool/pytorch
// and tool/tensorlayer, changed two days ago. If categories are given, it contains only their
// entities; ml-frameworks must be one of them.
func Content(t testing.TB, categories ...string) string {
	t.Helper()
	repo := t.TempDir()
	content := filepath.Join(repo, "content")
	suite.CopyContent(t, content, categories...)
	files := map[string][]byte{
		"tool/pytorch.yaml":     replace(t, filepath.Join(content, "tool/pytorch.yaml"), `stars: {value: \d+`, "stars: {value: 100"),
		"tool/tensorlayer.yaml": replace(t, filepath.Join(content, "tool/tensorlayer.yaml"), `category: [a-z-]+`, "category: reinforcement-learning"),
	}
	git(t, repo, 20, "init", "-q", "-b", "main")
	Commit(t, repo, 20)
	for name, text := range files {
		suite.Check(t, os.WriteFile(filepath.Join(content, name), text, 0o644))
	}
	Commit(t, repo, 2)
	return content
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
	out, err := cmd.CombinedOutput()
	suite.Require(t, err == nil, "git", args, err, string(out))
}

func replace(t testing.TB, path, pattern, by string) (was []byte) {
	t.Helper()
	was = suite.Must(os.ReadFile(path))(t)
	other := regexp.MustCompile(pattern).ReplaceAll(was, []byte(by))
	suite.Require(t, string(other) != string(was), path, "does not contain", pattern)
	suite.Check(t, os.WriteFile(path, other, 0o644))
	return was
}

// Build builds a content folder with Today as the as-of day.
func Build(t testing.TB, content, out string) {
	t.Helper()
	suite.Must(builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: Today(), Keep: 3}))(t)
}

// built is the build that all tests of a binary share; the first test that needs it creates it.
var built struct {
	sync.Once
	dir string
}

// Built returns a build of Content that all tests of the binary share. A test that publishes
// another build must create its own build with Build.
func Built(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		dir := suite.Must(os.MkdirTemp("", "kindex-edgetest-"))(t)
		built.dir = dir
		Build(t, Content(t), filepath.Join(dir, "out"))
	})
	return filepath.Join(built.dir, "out")
}

// Main runs the tests of a package, then removes the shared build and stops the shared database
// server. Call it from TestMain.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop removes the shared build and stops the shared database server. It is for packages that
// cannot use Main.
func Stop() {
	storagetest.Stop()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
}
