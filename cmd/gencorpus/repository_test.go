package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder"
	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// makeRepository runs the command to write a corpus with a history, and returns its
// folder.
func makeRepository(t *testing.T, n, commits int, seed uint64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repository")
	var stdout, stderr bytes.Buffer
	args := []string{"-n", fmt.Sprint(n), "-content", source, "-commits", fmt.Sprint(commits), "-repo", dir, "-seed", fmt.Sprint(seed)}
	if code := run(args, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if !strings.HasPrefix(stdout.String(), dir+": ") || !strings.Contains(stdout.String(), fmt.Sprintf(" in %d commits, ", commits)) {
		t.Errorf("not a summary line: %q", stdout.String())
	}
	return dir
}

// ask runs git in a repository and returns its output.
func ask(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(cmd.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "TZ=UTC")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

func lines(text string) []string {
	return slices.Collect(strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n"))
}

// TestHistory checks that a generated history contains every kind of change that
// occurs in the history of a real catalogue.
func TestHistory(t *testing.T) {
	suite.InSoak(t, "only hundreds of commits have every kind of change; TestEveryCommitIsValid checks a few commits")
	const n, commits = 1000, 600
	dir := makeRepository(t, n, commits, 1)
	ask(t, dir, "fsck", "--strict", "--no-dangling")
	if refs := ask(t, dir, "for-each-ref", "--format=%(refname)"); refs != "refs/heads/main\n" {
		t.Errorf("refs %q", refs)
	}
	if dirty := ask(t, dir, "status", "--porcelain"); dirty != "" {
		t.Errorf("the folder differs from the last commit: %s", dirty)
	}
	if entities := load(t, filepath.Join(dir, "content")); len(entities) < n*95/100 || len(entities) > n*105/100 {
		t.Errorf("%d entities at the end of a history that began with %d", len(entities), n)
	}
	subjects := lines(ask(t, dir, "log", "--first-parent", "--format=%s", "main"))
	if len(subjects) != commits {
		t.Errorf("%d commits, want %d", len(subjects), commits)
	}
	all := strings.Join(subjects, "\n")
	kinds := []string{"Merge pull request #", " (#", "Record when", " and others"}
	for _, k := range edits {
		kinds = append(kinds, k.message+" ")
	}
	for _, want := range kinds {
		if !strings.Contains(all, want) {
			t.Errorf("no commit message contains %q", want)
		}
	}
	if names := lines(ask(t, dir, "shortlog", "-s", "main")); len(names) != len(authors)-1 { // two of them are the same person
		t.Errorf("authors %q", names)
	}
	if merges := lines(ask(t, dir, "rev-list", "--merges", "main")); len(merges) < commits/20 || len(merges) > commits/5 {
		t.Errorf("%d merges", len(merges))
	}
	checkTimes(t, dir)
	checkSteps(t, dir)
}

// checkTimes checks that the commits span two years and are mostly, but not always,
// in order.
func checkTimes(t *testing.T, dir string) {
	t.Helper()
	days := lines(ask(t, dir, "log", "--first-parent", "--reverse", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M", "main"))
	if days[0] != "2024-11-01T08:00" || days[len(days)-1] < "2026-10-15" || slices.Max(days) > "2026-10-31T08:00" {
		t.Errorf("from %s to %s", days[0], days[len(days)-1])
	}
}

// checkSteps checks how the commits change files.
func checkSteps(t *testing.T, dir string) {
	t.Helper()
	did := map[byte]int{}
	mixed := 0
	gone, back := map[string]bool{}, 0
	for part := range strings.SplitSeq(ask(t, dir, "log", "--first-parent", "--reverse", "--no-renames", "--name-status", "--format=tformat:--", "main", "--", "content"), "--\n") {
		types := map[string]bool{}
		for _, l := range lines(strings.TrimSpace(part)) {
			status, path, ok := strings.Cut(l, "\t")
			if !ok {
				continue
			}
			types[strings.Split(path, "/")[1]] = true
			if did[status[0]]++; status == "D" {
				gone[path] = true
			} else if status == "A" && gone[path] {
				back++
			}
		}
		if len(types) > 1 {
			mixed++
		}
	}
	if did['A'] < 1010 || did['M'] < 600 || did['D'] < 10 || back == 0 || mixed < 10 {
		t.Errorf("%v, %d restored, %d commits with several types", did, back, mixed)
	}
	formerly := lines(ask(t, dir, "grep", "-l", "^formerly: ", "main", "--", "content"))
	if len(formerly) < 5 {
		t.Errorf("%d renamed", len(formerly))
	}
}

// TestEveryCommitIsValid checks the whole folder at every commit of a short
// history, without building it.
func TestEveryCommitIsValid(t *testing.T) {
	suite.InTest(t)
	dir := makeRepository(t, 60, suite.Pick(15, 40), 3)
	ask(t, dir, "checkout", "-q", "--detach")
	for _, hash := range lines(ask(t, dir, "rev-list", "--all")) {
		ask(t, dir, "checkout", "-q", hash)
		day := strings.TrimSpace(ask(t, dir, "log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%d"))
		l, problems, err := builder.LoadContent(filepath.Join(dir, "content"), nil)
		if err != nil || len(problems) > 0 {
			t.Fatalf("%s: %v %v", hash, problems, err)
		}
		for _, e := range l.Entities {
			checkNotLater(t, e, day)
		}
	}
}

// checkNotLater checks that no figure is newer than its commit. A few days are
// allowed, because a commit on a side branch is older than its merge, and because
// some clocks are slow.
func checkNotLater(t *testing.T, e *record.Entity, day string) {
	t.Helper()
	for _, f := range e.Signals.Facts {
		if shift(f.Date, 6) > day || shift(f.Day, 6) > day {
			t.Errorf("%s: %s of %s was read on %s, after %s", e.Key(), f.Name, f.Day, f.Date, day)
		}
	}
	for _, b := range e.Signals.Benchmarks {
		if shift(b.Date, 6) > day {
			t.Errorf("%s: %s is dated %s, after %s", e.Key(), b.Name, b.Date, day)
		}
	}
}

func TestSameSeedSameCommits(t *testing.T) {
	suite.InTest(t)
	head := func(seed uint64) string {
		return ask(t, makeRepository(t, 300, 60, seed), "rev-parse", "main")
	}
	first, second, other := head(7), head(7), head(8)
	if first != second || first == other {
		t.Errorf("%s, then %s; with another seed %s", first, second, other)
	}
}

// TestOneCommit generates the shortest history.
func TestOneCommit(t *testing.T) {
	dir := makeRepository(t, 5, 1, 1)
	if got := ask(t, dir, "log", "--format=%s %an"); got != "Start the index Curator A\n" {
		t.Errorf("%q", got)
	}
	list := lines(ask(t, dir, "ls-tree", "-r", "--name-only", "main"))
	roots := 0 // the root files that the source has
	for _, name := range rootFiles {
		if _, err := os.Stat(filepath.Join(source, name)); err == nil {
			roots++
		}
	}
	if len(list) != 2+roots+5 {
		t.Errorf("%q", list)
	}
	for _, path := range list {
		if typ, slug, ok := strings.Cut(strings.TrimPrefix(path, "content/"), "/"); ok && (!slices.Contains(record.Types, typ) || !content.ValidSlug(strings.TrimSuffix(slug, ".yaml"))) {
			t.Errorf("%s is not a valid path for an entity file", path)
		}
	}
}
