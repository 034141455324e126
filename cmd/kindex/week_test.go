package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"kindex/builder/suite"
)

// maxMoved is how much of a full copy each day may be published or pulled in a week in which 1 % of the
// entities change a day. All scores change, too, so there are few files that stay the same.
const maxMoved = 1

// TestWeek publishes 2,000 entities each day of a week, with new figures of 1 %
// of the entities and all scores as of that day, for three edges. It logs what moves, and how long it takes
// until the third edge serves the new build.
func TestWeek(t *testing.T) {
	suite.InSoak(t, "it builds and moves much content eight times; TestFleet publishes a few builds of little content")
	f := newFleet(t, 0)
	content := filepath.Join(f.content, "content")
	if out, err := exec.Command("go", "run", "../gencorpus", "-n", "2000", "-content", suite.Content(t), "-out", content).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(content, "*", "*.yaml"))
	edited := len(files) / 100
	files = slices.DeleteFunc(files, func(file string) bool { return !figure.MatchString(readText(t, file)) })
	if err != nil || edited < 10 || len(files) < 7*edited {
		t.Fatal(edited, len(files), err)
	}
	day := time.Date(2026, 11, 24, 6, 0, 0, 0, time.UTC)
	id, printed := f.build(day.Format(time.RFC3339))
	full := megabytesIn(t, wholeBuild, printed)
	t.Logf("the first build is %.1f MB; %.1f MB were uploaded", full, megabytesIn(t, uploaded, printed))
	for range 3 {
		f.add()
	}
	before := make([]float64, 3)
	for i, e := range f.edges {
		e.await(id)
		before[i] = e.downloaded()
	}
	t.Logf("the first pull downloads %.1f MB", before[0]/1e6)
	var up, down float64
	for n := range 7 {
		day = day.AddDate(0, 0, 1)
		f.generation = n + 1
		for i := range edited {
			edit(t, files[(i*7+n)*len(files)/(7*edited)])
		}
		id, printed := f.build(day.Format(time.RFC3339))
		start := time.Now()
		published := megabytesIn(t, uploaded, printed) * 1e6
		for _, e := range f.edges {
			e.await(id)
		}
		third := time.Since(start)
		for i, e := range f.edges {
			now := e.downloaded()
			pulled := now - before[i]
			before[i] = now
			down += pulled / 3
		}
		up += published
		t.Logf("day %d: published %.2f MB; the third edge serves the build %v after it was published", n+1, published/1e6, third.Round(10*time.Millisecond))
	}
	if up > maxMoved*7*full*1e6 || down > maxMoved*7*full*1e6 {
		t.Errorf("more was moved than %d full copies", 7*maxMoved)
	}
	t.Logf("a week: published %.1f MB and pulled %.1f MB, %.1f %% and %.1f %% of seven full copies", up/1e6, down/1e6, up/7/full/1e4, down/7/full/1e4)
}

var (
	wholeBuild = regexp.MustCompile(`files, ([0-9.]+) MB`)
	uploaded   = regexp.MustCompile(`uploaded ([0-9.]+) MB`)
	downloaded = regexp.MustCompile(`(?m)^kindex_bucket_downloaded_bytes_total ([0-9.e+]+)$`)
)

// megabytesIn returns the number that the pattern finds.
func megabytesIn(t *testing.T, pattern *regexp.Regexp, text string) float64 {
	t.Helper()
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s does not match\n%s", pattern, text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// downloaded returns how many bytes the edge has downloaded since it started.
func (e *fleetEdge) downloaded() float64 {
	e.f.t.Helper()
	_, text := e.f.ask(e.at(e.f.admin), http.MethodGet, "/metrics", "", "")
	return megabytesIn(e.f.t, downloaded, string(text))
}

// figure is a value that edit can change.
var figure = regexp.MustCompile(`value: (\d+)`)

// edit increases the first figure of an entity.
func edit(t *testing.T, file string) {
	t.Helper()
	text := readText(t, file)
	m := figure.FindStringSubmatchIndex(text)
	n, err := strconv.Atoi(text[m[2]:m[3]])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(fmt.Sprint(text[:m[2]], n+1+n/50, text[m[3]:])), 0o644); err != nil {
		t.Fatal(err)
	}
}
