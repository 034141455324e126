package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/storage/storagetest"
)

// replay is a repository with one commit for each snapshot of a list.
type replay struct {
	t       *testing.T
	repo    string
	list    []snapshot
	clash   []string
	changes []expected
	commits []string // one for each snapshot
}

// TestChangelogOfCollection compares the changelog of every snapshot of the public list
// with the snapshots, change by change and value by value.
func TestChangelogOfCollection(t *testing.T) { wholeReplay(t).compareChangelog() }

// TestChangelogOfExtract does the same with a small extract from the list.
func TestChangelogOfExtract(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	extractReplay(t).compareChangelog()
}

// wholeReplay replays all snapshots of the public list if they exist next to the
// repository, and lets the test run in parallel with others.
func wholeReplay(t *testing.T) *replay {
	t.Helper()
	shared := suite.Collections(t)
	t.Parallel()
	folder, r := filepath.Join(shared, "data", "best-of"), &replay{t: t, repo: filepath.Join(t.TempDir(), "repo")}
	cmd := exec.Command("python3", filepath.Join(shared, "tools", "replay.py"), folder, r.repo)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r.read(folder)
	return r
}

// extractReplay writes and commits the snapshots from testdata.
func extractReplay(t *testing.T) *replay {
	t.Helper()
	folder := filepath.Join("testdata", "best-of")
	r := &replay{t: t, repo: filepath.Join(t.TempDir(), "repo")}
	list := readSnapshots(t, folder)
	clash := allClashes(list)
	r.git("", "init", "-q", "-b", "main", r.repo)
	for i := range list {
		dir := filepath.Join(r.repo, "content")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		writeStates(t, dir, list[i].states(clash), func(string, string) string { return list[i].date })
		r.git("", "-C", r.repo, "add", "-A")
		r.git(list[i].date, "-C", r.repo, "commit", "-q", "-m", "Snapshot "+list[i].date)
	}
	r.read(folder)
	return r
}

// git runs git as the author of a snapshot; date only matters for commits.
func (r *replay) git(date string, args ...string) string {
	r.t.Helper()
	if date == "" {
		date = "2021-01-01"
	}
	// Without these settings, git tidies up in the background while the next commit is added.
	cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		cmd.Env = append(cmd.Env, "GIT_"+role+"_NAME=snapshot replay", "GIT_"+role+"_EMAIL=replay@example.org", "GIT_"+role+"_DATE="+date+"T12:00:00+00:00")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// read reads the snapshots and the commit of each.
func (r *replay) read(folder string) {
	r.t.Helper()
	r.list = readSnapshots(r.t, folder)
	r.clash = allClashes(r.list)
	r.changes = expectedChanges(r.list, r.clash)
	r.commits = strings.Fields(r.git("", "-C", r.repo, "log", "--reverse", "--format=%H"))
	if len(r.commits) != len(r.list) || len(r.list) < 3 {
		r.t.Fatalf("%d commits for %d snapshots", len(r.commits), len(r.list))
	}
}

// writeStates writes entity files. JSON values are valid YAML.
func writeStates(t *testing.T, dir string, states map[string]told, date func(slug, field string) string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	for slug, s := range states {
		var b strings.Builder
		for _, field := range sortedKeys(s) {
			if !strings.HasPrefix(field, "signals.") {
				fmt.Fprintf(&b, "%s: %s\n", field, s[field])
			}
		}
		header := "signals:\n"
		for _, field := range sortedKeys(s) {
			if name, ok := strings.CutPrefix(field, "signals."); ok {
				value := s[field]
				if name == "lastRelease" {
					value = strings.Trim(value, `"`)
				}
				fmt.Fprintf(&b, "%s  %s: {value: %s, date: %s, source: \"https://example.org/%s\"}\n", header, name, value, date(slug, field), slug)
				header = ""
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "tool", slug+".yaml"), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// build builds a content folder and serves the result.
func (r *replay) build(content, asOf string) *httptest.Server {
	r.t.Helper()
	out := r.t.TempDir()
	buildHere(r.t, builder.Options{Content: content, Out: out, AsOf: day(r.t, asOf), Keep: 1})
	s, err := edge.New(edge.Options{Dir: out, State: storagetest.SQLite(r.t)})
	if err != nil {
		r.t.Fatal(err)
	}
	server := httptest.NewServer(s)
	r.t.Cleanup(server.Close)
	return server
}

// day parses a day.
func day(t *testing.T, text string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// checkout returns a separate working tree that contains the content as of a snapshot.
func (r *replay) checkout(i int) string {
	r.t.Helper()
	dir := filepath.Join(r.t.TempDir(), "checkout")
	r.git("", "-C", r.repo, "worktree", "add", "-q", "--detach", dir, r.commits[i])
	return filepath.Join(dir, "content")
}

// fetch reads JSON from a server.
func fetch(t *testing.T, url string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(fetchText(t, url)), v); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
}

func fetchText(t *testing.T, url string) string {
	t.Helper()
	status, body, err := get(url)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%s: status %d, %.300s, %v", url, status, body, err)
	}
	return body
}

// change is a change as returned by the API.
type change struct {
	ID, Event, Timestamp string
	Entity               struct{ Type, Slug, Name string }
	Changes              []struct {
		Field    string
		Old, New json.RawMessage
	}
	Commit, Author *string
	PullRequest    *int
}

func (r *replay) compareChangelog() {
	t := r.t
	server := r.build(filepath.Join(r.repo, "content"), r.list[len(r.list)-1].date)
	var got []change
	for cursor := ""; ; {
		var page struct {
			Data       []change
			Count      int
			NextCursor *string
		}
		fetch(t, server.URL+"/api/changelog?limit=100"+cursor, &page)
		if got = append(got, page.Data...); page.NextCursor == nil {
			if page.Count != len(got) {
				t.Errorf("count is %d, got %d changes", page.Count, len(got))
			}
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	slices.Reverse(got)
	if len(got) != len(r.changes) {
		t.Errorf("%d changes, the snapshots have %d", len(got), len(r.changes))
	}
	wrong, values, ids := 0, 0, map[string]bool{}
	for i := range min(len(got), len(r.changes)) {
		if difference := r.compare(&got[i], &r.changes[i], &values); difference != "" {
			t.Errorf("change %d, %s on %s: %s", i, r.changes[i].slug, r.changes[i].date, difference)
			if wrong++; wrong == 20 {
				t.Fatal("and so on")
			}
		}
		ids[got[i].ID] = true
	}
	if len(ids) != len(got) {
		t.Errorf("%d ids for %d changes", len(ids), len(got))
	}
	r.compareExports(server, got)
	t.Logf("%d snapshots, %d changes with %d values compared", len(r.list), len(got), values)
}

// compare describes the first error in a change, or returns "".
func (r *replay) compare(got *change, want *expected, values *int) string {
	commit := r.commits[slices.IndexFunc(r.list, func(s snapshot) bool { return s.date == want.date })]
	switch {
	case got.Event != want.event || got.Entity.Type != "tool" || got.Entity.Slug != want.slug || jsonOf(got.Entity.Name) != want.name:
		return fmt.Sprintf("got %s of %s/%s (%s), want %s (%s)", got.Event, got.Entity.Type, got.Entity.Slug, got.Entity.Name, want.event, want.name)
	case got.Timestamp != want.date+"T12:00:00Z":
		return "its time is " + got.Timestamp
	case got.Commit == nil || *got.Commit != commit || got.Author == nil || *got.Author != "snapshot replay" || got.PullRequest != nil:
		return "it names another commit, author or pull request"
	}
	return fieldsDiffer(got, want, values)
}

// fieldsDiffer describes the first error in the fields of a change, or returns "".
func fieldsDiffer(got *change, want *expected, values *int) string {
	seen := 0
	for _, f := range got.Changes {
		if strings.HasPrefix(f.Field, "scores.") {
			if string(f.Old) == string(f.New) {
				return f.Field + " has not changed"
			}
			continue
		}
		pair := want.fields[f.Field]
		if pair[0] != string(f.Old) || pair[1] != string(f.New) {
			return fmt.Sprintf("%s: got %s → %s, want %s → %s", f.Field, f.Old, f.New, pair[0], pair[1])
		}
		seen++
	}
	if *values += seen; seen != len(want.fields) {
		return fmt.Sprintf("%d fields, want %d: %v", seen, len(want.fields), want.fields)
	}
	return ""
}

// compareExports reads the changes from the bulk exports and compares them.
func (r *replay) compareExports(server *httptest.Server, want []change) {
	t := r.t
	var array []change
	fetch(t, server.URL+"/api/export/changelog", &array)
	var lines []change
	for line := range strings.Lines(fetchText(t, server.URL+"/api/export/changelog?format=jsonl")) {
		var c change
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, c)
	}
	if asText := jsonOf(want); jsonOf(array) != asText || jsonOf(lines) != asText {
		t.Error("the changes in the exports differ from the changelog")
	}
	table, err := csv.NewReader(strings.NewReader(fetchText(t, server.URL+"/api/export/changelog?format=csv"))).ReadAll()
	if err != nil || len(table) != len(want)+1 {
		t.Fatalf("%d rows of CSV, %v", len(table), err)
	}
	for i, row := range table[1:] {
		c := &want[i]
		if row[0] != c.ID || row[1] != c.Event || row[2] != c.Timestamp || row[4] != c.Entity.Slug || !json.Valid([]byte(row[6])) {
			t.Fatalf("row %d of CSV is %q", i, row)
		}
	}
}
