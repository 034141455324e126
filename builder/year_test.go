package builder_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestYear simulates a year of weekly refreshes, each of which changes the figures in three files of ten: the build must not
// grow to more than three times its size. The log says what full builds and builds upon the one before take.
func TestYear(t *testing.T) {
	suite.InSoak(t, "it commits thousands of files")
	s := newRandomHistory(t, 1)
	if err := os.CopyFS(s.dir, os.DirFS(suite.Content(t))); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "*", "*.yaml"))
	if err != nil || len(files) < 200 {
		t.Fatal(len(files), err)
	}
	s.git("init", "-q", "-b", "main")
	s.now = time.Date(2025, 11, 29, 6, 0, 0, 0, time.UTC) // a year before the content: dates in the future are refused
	s.commit("begin")
	out := t.TempDir()
	build := func(what, out string) int64 {
		s.asOf = s.now.AddDate(0, 0, 1).Truncate(24 * time.Hour)
		before := processorTime(t)
		r := s.build(out, 1)
		t.Logf("%s: %d bytes, %v of processor time", what, r.Bytes, processorTime(t)-before)
		return r.Bytes
	}
	fresh := build("fresh", out)
	rng := rand.New(rand.NewPCG(52, 52))
	for week := range 52 {
		s.now = s.now.AddDate(0, 0, 7)
		for _, i := range rng.Perm(len(files))[:len(files)*3/10] {
			refresh(t, rng, files[i], s.now)
		}
		s.commit(fmt.Sprint("week ", week+1))
		if week%13 == 12 {
			build(fmt.Sprintf("full, week %d", week+1), t.TempDir())
		}
		if week < 5 || week >= 49 {
			build(fmt.Sprintf("upon the one before, week %d", week+1), out)
		}
	}
	if year := build("after a year", t.TempDir()); year > 3*fresh {
		t.Errorf("a build has %d bytes, and after a year %d", fresh, year)
	}
}

var figure = regexp.MustCompile(`(?m)^(  (?:stars|forks|commits|contributors|openIssues|pypiDownloads|downloads|likes|npmDownloads|citations): \{value: )(\d+)(, date: )\d{4}-\d{2}-\d{2}`)

// refresh reads the figures in a file again.
func refresh(t *testing.T, rng *rand.Rand, file string, day time.Time) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = figure.ReplaceAllFunc(text, func(line []byte) []byte {
		m := figure.FindSubmatch(line)
		n, err := strconv.Atoi(string(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		if rng.IntN(3) > 0 {
			n += n*rng.IntN(20)/1000 + rng.IntN(2)
		}
		return fmt.Appendf(nil, "%s%d%s%s", m[1], n, m[3], day.Format(time.DateOnly))
	})
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// processorTime returns what this process and its children have used.
func processorTime(t *testing.T) (used time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			t.Fatal(err)
		}
		used += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return used
}
