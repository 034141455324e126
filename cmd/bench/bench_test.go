package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestMain lets the program start itself, for example to serve the bare handler.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && children[os.Args[1]] != nil {
		main()
	}
	keys, err := os.MkdirTemp("", "kindex-keys-")
	programs.dir, programs.made = keys, map[string]bool{}
	profileTime = 300 * time.Millisecond
	if err == nil {
		err = os.Setenv("KINDEX_BUILDER_KEY", filepath.Join(keys, "builder.key")) // do not use the user's key
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(keys)
	os.Exit(code)
}

// programs holds the folder in which tests compile this module's programs, and the
// names of the programs compiled so far.
var programs struct {
	sync.Mutex
	dir  string
	made map[string]bool
}

// compile compiles one of this module's programs, unless a test has already done
// so.
func compile(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(programs.dir, name)
	programs.Lock()
	defer programs.Unlock()
	if programs.made[name] {
		return path
	}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "kindex/cmd/"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	programs.made[name] = true
	return path
}

// measuring is locked while runBench runs, because measuring replaces the whole process's
// builder key.
var measuring sync.Mutex

// runBench runs the command and returns its exit code and outputs.
func runBench(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	measuring.Lock()
	defer measuring.Unlock()
	defer os.Setenv("KINDEX_BUILDER_KEY", os.Getenv("KINDEX_BUILDER_KEY"))
	var out, problems bytes.Buffer
	code = run(context.Background(), args, &out, &problems)
	return code, out.String(), problems.String()
}

// wanted lists the rows of a full run, and whether each has a target.
var wanted = map[string]bool{
	"build total": true, "build entities": false, "build step load": false, "build step index": false, "build step write": false,
	"build files": false, "build processor time": false, "build peak memory": true,
	"decoding goccy": false, "decoding goccy processor time": false, "decoding full build": true, "decoding full build processor time": false,
	"offers build": true, "offers peak memory": true, "offers files": false,
	"history walk": true, "history versions": false, "history walk, content parsed": false, "history new commit p50": false,
	"history peak memory": false, "history peak memory, content parsed": false,
	"incremental folder 1 edit": true, "incremental folder 100 edits": false, "incremental folder step load": false, "incremental folder peak memory": true,
	"incremental folder find -newer": false, "incremental folder 1 edit beyond find -newer": true, "incremental folder 100 edits vs. one": true,
	"incremental repository git diff-tree": false, "incremental repository 1 edit beyond git diff-tree": true, "incremental repository 100 edits vs. one": true,
	"incremental repository 1 edit": true, "incremental repository 100 edits": false, "incremental repository step write": false,
	"incremental repository peak memory": true, "watch first save to served": false,
	"watch save to served p50": false, "watch save to served worst": true, "watch save to published p50": false,
	"watch save to published worst": false, "watch peak memory": false,
	"open verify": true, "open verified bytes": false, "open open p50": true, "open open p99": false,
	"answers term": true, "answers two words": true, "answers phrase": true, "answers prefix": true, "answers typo": true, "answers facets": true,
	"answers three filters": true, "answers signal ranges": true, "answers price and context": true,
	"similar recall@10": true, "similar time": true,
	"similar time vs. all pairs": false,
	"index documents":            false, "index size": false, "index size vs. trigrams": false,
	"search term p50": false, "search term p99": true, "search two words p50": false, "search two words p99": true,
	"search phrase p50": false, "search phrase p99": true, "search phrase slowest 1%": true,
	"search prefix p50": false, "search prefix p99": true, "search facets p50": false, "search facets p99": true,
	"search typo p50": false, "search typo p99": true,
	"search typo (FTS5 corrected) p50": false, "search typo (FTS5 corrected) p99": false,
	"search term (Bleve) p99": false, "search typo (Bleve) p50": false, "search term slowest 1%": true,
	"filters three filters (SQLite) p50": false, "filters three filters slowest 1%": true,
	"filters three filters p50": true, "filters three filters p99": true,
	"filters signal ranges p50": true, "filters signal ranges p99": true,
	"filters price and context p50": true, "filters price and context p99": true,
	"http GET /api/entity processor": true, "http GET /api/entity requests": false,
	"http GET /api/entities processor": true, "http GET /api/entities requests": false,
	"http first misspelled search": true, "http own memory": true, "pages own memory": true,
	"http GET /api/search processor": true, "http GET /api/search requests": false,
	"limits GET /api/entity for an address, SQLite processor": true, "limits GET /api/entity for an address, SQLite requests": false,
	"pages home p50": true, "pages home p99": false, "pages search p50": true, "pages tool p50": true, "pages model history p50": true, "pages compare four p50": true,
	"pages leaderboard p50": true, "pages past leaderboard p50": true, "pages past leaderboard by score p50": true, "pages compare four unknown names p50": true,
	"pages 404 with similar names p50": true, "pages longest search p50": true, "pages provider p50": true, "pages guide p99": false, "pages /submit/ p50": true,
	"pages slowest first request":                        false,
	"limits GET /api/entity for a key, SQLite processor": true, "limits GET /api/entity for a key, SQLite requests": false,
}

// wantedPostgreSQL lists the additional rows that appear if PostgreSQL is
// installed.
var wantedPostgreSQL = []string{
	"limits GET /api/entity for an address, PostgreSQL processor", "limits GET /api/entity for an address, PostgreSQL requests",
	"limits GET /api/entity for a key, PostgreSQL processor", "limits GET /api/entity for a key, PostgreSQL requests",
	"limits count a request in PostgreSQL p50", "limits count a request in PostgreSQL p99",
}

// TestBench measures a small catalogue through the command line. It checks the report,
// never the speed.
func TestBench(t *testing.T) {
	suite.InSoak(t, "measures every part; make test checks only the flags and the report of this developer tool")
	t.Parallel()
	corpus, history := filepath.Join(t.TempDir(), "corpus"), filepath.Join(t.TempDir(), "history")
	generate := compile(t, "gencorpus")
	for _, args := range [][]string{{"-out", corpus}, {"-repo", history, "-commits", "12"}} {
		args = append(args, "-n", "600", "-content", suite.Content(t))
		if out, err := exec.Command(generate, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	before := contentOf(t, corpus)
	code, stdout, stderr := runBench(t, "-corpus", corpus, "-history", history, "-kindex", compile(t, "kindex"), "-queries", "20", "-patience", "0", "-requests", "30", "-saves", "2")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if !maps.Equal(before, contentOf(t, corpus)) {
		t.Error("the corpus has changed")
	}
	if out, err := exec.Command("git", "-C", history, "log", "--oneline", "--first-parent").Output(); err != nil || bytes.Count(out, []byte("\n")) != 12 {
		t.Errorf("the repository has changed: %v", err)
	}
	table, lines, _ := strings.Cut(stdout, "\n{")
	dec := json.NewDecoder(strings.NewReader("{" + lines))
	var m hardware
	if err := dec.Decode(&m); err != nil || m.Entities != 600 || m.Cores < 1 || m.Go == "" || m.Queries != 20 || m.Others == nil || *m.Others < 0 || *m.Others > 1 {
		t.Errorf("%+v %v", m, err)
	}
	rows := map[string]row{}
	for dec.More() {
		var r row
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows[r.Part+" "+r.Name] = r
		checkRow(t, r, table)
	}
	for name, mark := range wanted {
		if r, ok := rows[name]; !ok || (r.Mark != "") != mark {
			t.Errorf("row %q: found %t, mark %q", name, ok, r.Mark)
		}
	}
	absent := strings.Contains(stdout, "NOT MEASURED: limits on PostgreSQL")
	for _, name := range wantedPostgreSQL {
		if _, ok := rows[name]; ok == absent {
			t.Errorf("row %q: found %t, though PostgreSQL is missing: %t", name, ok, absent)
		}
	}
	if absent && os.Getenv("CI") != "" {
		t.Error("PostgreSQL is not installed")
	}
	if r := rows["similar recall@10"]; r.Value != 1 {
		t.Errorf("the recall of an exact search is %v", r.Value)
	}
	if r := rows["search term p50"]; r.Count != 20 || r.YardstickCount != 20 || !strings.Contains(r.Note, "queries with hits: 20 of 20, FTS5 20 of 20") {
		t.Errorf("%+v", r)
	}
	if r := rows["watch save to served worst"]; r.Count != 2 || r.Value > rows["watch save to published worst"].Value {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(table, " targets met\n") || strings.Count(table, "NOT MEASURED") > 0 && !absent {
		t.Error("the table does not show how many targets are met, or parts are missing")
	}
}

// contentOf returns the contents of the files in a folder, keyed by path.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func checkRow(t *testing.T, r row, table string) {
	t.Helper()
	if r.Value <= 0 || math.IsInf(r.Value, 0) || (r.Mark != "") != (r.Met != nil) {
		t.Errorf("%+v", r)
	}
	if (r.Yardstick != "") != (r.YardstickValue != nil && *r.YardstickValue > 0 && r.Ratio != nil && *r.Ratio > 0) {
		t.Errorf("no comparison: %+v", r)
	}
	if !slices.ContainsFunc(strings.Split(table, "\n"), func(line string) bool {
		return strings.Join(strings.Fields(line), " ") != "" && strings.HasPrefix(strings.Join(strings.Fields(line), " "), r.Part+" "+r.Name+" ")
	}) {
		t.Errorf("%s %s is not in the table", r.Part, r.Name)
	}
}

// burn uses enough processor time to appear in a profile.
//
//go:noinline
func burn() error {
	sum := make([]byte, 1<<20)
	for range 8 {
		h := sha256.Sum256(sum)
		copy(sum, h[:])
	}
	return nil
}

// TestMissed checks how the report shows missed targets.
func TestMissed(t *testing.T) {
	suite.InTest(t)
	b := &bench{options: options{jsonFile: "-", profiles: filepath.Join(t.TempDir(), "profiles")}}
	p := &profileRun{name: "burning", run: burn}
	fail := errors.New("cannot run again")
	err := b.add(
		row{Part: "p", Name: "slow", Value: 2, Unit: "s"}.atMost(1).explained(p),
		row{Part: "p", Name: "slower", Value: 3, Unit: "s"}.against("other", 2, 1).timesAtMost(1.4).explained(p),
		row{Part: "p", Name: "met", Value: 1, Unit: "s"}.atMost(1).explained(&profileRun{run: func() error { return fail }}),
		row{Part: "p", Name: "fraction", Value: 0.97}.atLeast(0.97))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := b.report(&out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(b.profiles, "burning.pprof")
	for want, n := range map[string]int{"2 of 4 targets met\n": 1, "missed: p slow: 2.00 s, target ≤ 1 s\n": 1,
		"missed: p slower: 1.500 × other, target ≤ 1.4 × other\n": 1, "  profile: " + path + "\n": 2, "sha256.Sum256\n": 1} {
		if got := strings.Count(out.String(), want); got != n {
			t.Errorf("%d times %q, want %d, in %s", got, want, n, out.String())
		}
	}
	err = b.add(row{Part: "p", Name: "no profile", Value: 2}.atMost(1).explained(&profileRun{name: "x", run: func() error { return fail }}))
	if !errors.Is(err, fail) {
		t.Errorf("%v", err)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "-corpus"},
		{[]string{"-corpus", "a", "-built", "b"}, "-corpus"},
		{[]string{"-built", "b", "-only", "serch"}, `unknown part "serch" (expected one of: build, decoding, offers, history, incremental, watch, open, answers, similar, search, filters, http`},
		{[]string{"-built", "b", "-without", "MySQL"}, `unknown yardstick "MySQL" (expected one of: FTS5, Bleve, Xapian, PostgreSQL, SQLite)`},
		{[]string{"-built", "b", "-only", "build"}, "needs a content folder"},
		{[]string{"-built", "b", "-only", "watch"}, "-only watch needs a content folder"},
		{[]string{"-corpus", "a", "-only", "history"}, "-only history needs a repository: use -history"},
		{[]string{"-built", "b", "-only", "incremental"}, "use -corpus, -history"},
		{[]string{"-history", "b", "-only", "history,http"}, "-only http needs a content folder or a build"},
		{[]string{"-history", "b"}, "-corpus"},
		{[]string{"-built", "b", "-saves", "0"}, "at least 1"},
		{[]string{"-built", "b", "-queries", "0"}, "at least 1"},
		{[]string{"-built", "b", "more"}, `unexpected argument "more"`},
		{[]string{"-nonsense"}, "nonsense"},
	} {
		if code, _, stderr := runBench(t, c.args...); code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, code, stderr)
		}
	}
	if code, _, stderr := runBench(t, "-built", t.TempDir()); code != exitProblem || stderr == "" {
		t.Errorf("no build: exit code %d, %q", code, stderr)
	}
	if code, _, stderr := runBench(t, "-h"); code != exitOK || !strings.Contains(stderr, "make bench") {
		t.Errorf("help: exit code %d, %q", code, stderr)
	}
}
