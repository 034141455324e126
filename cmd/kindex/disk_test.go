package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
	"kindex/exports/store"
	"kindex/indexes"
)

// fullDiskDir is the name of an environment variable that is set when the test runs in a
// separate mount namespace. The variable contains the folder in which the test may mount
// its small disk.
const fullDiskDir = "FULL_DISK_DIR"

// TestFullDisk builds on a disk that fills up, each time at a different moment of the
// build. It runs itself again in a namespace where it may mount a file system.
func TestFullDisk(t *testing.T) {
	suite.InTest(t)
	if dir := os.Getenv(fullDiskDir); dir != "" {
		buildOnFullDisk(t, dir)
		writeOnFullDisk(t, dir)
		eachOrigin(t, serveOnFullDisk)
		return
	}
	t.Parallel()
	unshare := unshareCommand()
	if unshare == nil {
		suite.NotRun(t, "unshare --mount works neither as root nor in a user namespace here")
	}
	exe := suite.Must(os.Executable())(t)
	args := append(unshare[1:], "--", exe, "-test.run=^TestFullDisk$", "-test.v")
	cmd := exec.Command(unshare[0], args...)
	cmd.Env = append(os.Environ(), fullDiskDir+"="+t.TempDir())
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestFullDisk")) {
		t.Fatal(err)
	}
}

// unshareCommand returns a command that starts a program in a namespace where it may mount
// file systems, or nil if no such command works here.
func unshareCommand() []string {
	for _, c := range [][]string{{"unshare", "--mount"}, {"unshare", "--user", "--map-root-user", "--mount"}} {
		try := append(c[1:], "--", "mount", "-t", "tmpfs", "-o", "size=64k", "try", os.TempDir())
		if exec.Command(c[0], try...).Run() == nil {
			return c
		}
	}
	return nil
}

func buildOnFullDisk(t *testing.T, disk string) {
	content := t.TempDir()
	writeContent(t, content, 60)
	mount(t, disk, "4m")
	out := filepath.Join(disk, "out")
	build := func(day int) []string {
		return []string{"build", "--content", content, "--out", out, "--keep", "1", "--as-of", fmt.Sprintf("2026-07-%02d", day)}
	}
	succeed(t, build(1)...)
	before := intact(t, out)

	// The free space increases step by step, from none at all to enough.
	ballast := filepath.Join(disk, "ballast")
	named := regexp.MustCompile(`(mkdir|mkdirtemp|write|open|sync|truncate|rename|createtemp) \S*` + regexp.QuoteMeta(out) + `/\S+: no space left on device`)
	failed := 0
	for room := int64(0); ; room += suite.Pick[int64](112<<10, 32<<10) {
		fillDisk(t, ballast, room)
		code, stderr := kindex(t, build(2)...)
		if code == cli.ExitOK {
			break
		}
		failed++
		if code != cli.ExitProblem || !named.MatchString(stderr) || strings.Contains(stderr, "panic") {
			t.Errorf("with %d bytes of room: exit %d, %s", room, code, stderr)
		}
		if now := intact(t, out); now != before {
			t.Errorf("with %d bytes of room: %s is published, want %s", room, now, before)
		}
		noLeftovers(t, out)
		// A build that is complete but could not be published may stay.
		if left, of := entries(t, filepath.Join(out, "indexes", "builds")), entries(t, store.BuildsDir(out)); !slices.Equal(left, of) {
			t.Errorf("with %d bytes of room: there are the indexes %s of the builds %s", room, left, of)
		}
	}
	t.Logf("%d builds ran out of space", failed)
	if failed < 5 {
		t.Errorf("the disk was too full for a build %d times", failed)
	}
	if now := intact(t, out); now == before {
		t.Error("the build that succeeded is not published")
	}

	// A killed builder's leftovers fill the disk; the next build removes them.
	suite.Check(t, os.Remove(ballast))
	killed := filepath.Join(store.BuildsDir(out), ".tmp-killed")
	suite.Check(t, os.Mkdir(killed, 0o755))
	fillDisk(t, filepath.Join(killed, "entities.json"), 0)
	succeed(t, build(3)...)
	intact(t, out)
	noLeftovers(t, out)
}

// fillDisk writes a file until only the given space is left on its file system.
func fillDisk(t *testing.T, path string, room int64) {
	t.Helper()
	f, err := os.Create(path)
	suite.Check(t, err)
	defer f.Close()
	size := int64(0)
	for block := make([]byte, 4096); err == nil; size += int64(len(block)) {
		_, err = f.Write(block)
	}
	if !strings.Contains(err.Error(), "no space left") {
		t.Fatal(err)
	}
	suite.Check(t, f.Truncate(max(0, size-4096-room)))
}

// intact checks the published build of an output folder and returns its ID.
func intact(t *testing.T, out string) string {
	t.Helper()
	id := suite.Must(store.Current(out))(t)
	m, err := store.Verify(filepath.Join(store.BuildsDir(out), id))
	if err == nil {
		_, err = indexes.Verify(indexes.Dir(out, id), id, m.Index)
	}
	if err != nil {
		t.Fatalf("the published %s is not intact: %v", id, err)
	}
	return id
}

// noLeftovers checks that an output folder contains no temporary files.
func noLeftovers(t *testing.T, out string) {
	t.Helper()
	files := suite.Must(readTree(out))(t)
	for name := range files {
		if strings.Contains(name, ".tmp-") {
			t.Errorf("%s is left", name)
		}
	}
	for _, dir := range []string{"exports", "exports/builds", "indexes/builds"} {
		for _, name := range entries(t, filepath.Join(out, dir)) {
			if strings.HasPrefix(name, ".tmp-") {
				t.Errorf("%s/%s was left behind", dir, name)
			}
		}
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list := suite.Must(os.ReadDir(dir))(t)
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names
}

// kindex executes a command line.
func kindex(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	o := workIn(t, ".", nil, args...)
	return o.Code, o.Stderr
}

// succeed executes a command line that must succeed.
func succeed(t *testing.T, args ...string) {
	t.Helper()
	if code, stderr := kindex(t, args...); code != cli.ExitOK {
		t.Fatalf("kindex %s: exit code %d: %s", args, code, stderr)
	}
}

// shell runs a script in a folder, with an argument, and returns what it prints.
func shell(t *testing.T, dir, script, argument string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euc", script, "bash", argument)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), programEnvironment...)
	return suite.Output(t, cmd)
}

// gitIn runs git in a folder.
func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return suite.Git(t, dir, time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), args...)
}

// commitAll turns a folder into a git repository with one commit.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-q", "-m", "First")
}

// mount mounts a small disk over a folder until the test ends.
func mount(t *testing.T, folder, size string) {
	t.Helper()
	suite.Output(t, exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "small", folder))
	// Lazily, because under load something may use the disk a moment longer. Other programs do not see it anyway.
	t.Cleanup(func() { suite.Output(t, exec.Command("umount", "--lazy", folder)) })
}

// program returns the path of the program that TestMain installed.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command("kindex", args...)
	cmd.Env = append(os.Environ(), programEnvironment...)
	return cmd
}

// writeContent creates a content folder with n tools.
func writeContent(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		text := fmt.Sprintf("name: Tool %d\ncategory: kind-%d\ndescription: Number %d of the tools that fill a disk.\ntags: [t%d, u%d]\n"+
			"signals:\n  stars: {value: %d, date: 2026-06-01, source: https://example.org/%d}\n", i, i%7, i, i%5, i%3, i*i, i)
		writeFile(t, filepath.Join(dir, "tool", fmt.Sprintf("tool-%d.yaml", i)), text)
	}
}
