package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

// sheet returns the content file of an entity; its score depends on the number of stars.
func sheet(name, category string, stars int, more ...string) string {
	return fmt.Sprintf(`name: %s
category: %s
description: Finds things in heaps of data.
signals:
  stars: {value: %d, date: 2026-07-01}
  downloads: {value: %d, date: 2026-07-01}
  lastRelease: {value: 2026-06-%02d, date: 2026-07-01}
  contributors: {value: 40, date: 2026-07-01}
%s`, name, category, stars, 100*stars, 1+stars%28, strings.Join(more, ""))
}

// step is a commit in the test history.
type step struct {
	at    string
	files []string // path, content, path, content, …
}

var greek = []string{"alpha", "beta", "gamma"}

// historyDays returns a history that includes everything that can happen to an entity. The as-of
// day of the tests, 2026-11-01, is a Sunday. There are snapshots for this day and for the
// previous Sundays: 2026-10-25, 2026-10-18 and so on.
func historyDays() []step {
	begin := step{at: "2026-08-01T08:00:00Z"}
	for i := range 30 {
		begin.files = append(begin.files, fmt.Sprintf("tool/n%d.yaml", i), sheet(fmt.Sprint("Tool ", i), greek[i%3], 10+100*(i*7%30)))
	}
	for i := range 10 {
		begin.files = append(begin.files, fmt.Sprintf("model/m%d.yaml", i), sheet(fmt.Sprint("Model ", i), greek[i%3], 50+300*i))
	}
	for i, slug := range []string{"a", "gone", "back", "left", "x1"} {
		begin.files = append(begin.files, "tool/"+slug+".yaml", sheet("First "+slug, "alpha", 500+i))
	}
	version := func(v string) string { return "version: " + v + "\n" }
	return []step{begin,
		{"2026-08-20T12:00:00Z", []string{"tool/a.yaml", "", "tool/b.yaml", sheet("First a", "alpha", 500, "formerly: [a]\n")}},
		{"2026-09-01T12:00:00Z", []string{"tool/b.yaml", sheet("First a", "alpha", 500), "tool/a.yaml", sheet("Second a", "beta", 900)}},
		{"2026-09-10T12:00:00Z", []string{"tool/gone.yaml", "", "tool/back.yaml", ""}},
		{"2026-09-20T12:00:00Z", []string{"tool/back.yaml", sheet("First back", "alpha", 800)}},
		{"2026-10-10T12:00:00Z", []string{"tool/n3.yaml", sheet("Tool 3", "delta", 2110), "tool/n4.yaml", sheet("Tool 4", "beta", 2810, "status: withdrawn\n")}},
		{"2026-10-20T12:00:00Z", []string{"tool/n3.yaml", sheet("Tool 3", "alpha", 2110)}},
		{"2026-10-24T23:59:59Z", []string{"tool/n1.yaml", sheet("Tool 1", "beta", 710, version("second"))}},
		{"2026-10-25T00:00:00Z", []string{"tool/n1.yaml", sheet("Tool 1", "beta", 710, version("third"))}},
		{"2026-10-26T00:00:00Z", []string{"tool/n11.yaml", sheet("Tool 11", "gamma", 1710, version("2"))}},
		{"2026-10-27T12:00:00Z", []string{"tool/n2.yaml", sheet("Tool 2", "gamma", 90_000), "tool/n5.yaml", sheet("Tool 5", "gamma", 700, version("2")),
			"tool/n7.yaml", sheet("Tool 7", "beta", 20), "tool/n9.yaml", sheet("Tool 9", "alpha", 310, version("2")),
			"tool/n30.yaml", sheet("Tool 30", "alpha", 1500), "tool/x1.yaml", "", "tool/x2.yaml", sheet("First x1", "alpha", 504, "formerly: [x1]\n")}},
		{"2026-10-30T12:00:00Z", []string{"tool/n5.yaml", sheet("Tool 5", "gamma", 700, version("3")), "tool/n6.yaml", sheet("Tool 6", "beta", 1210),
			"tool/n8.yaml", strings.ReplaceAll(sheet("Tool 8", "gamma", 2610), "date: 2026-07-01", "date: 2026-07-02"),
			"tool/left.yaml", "", "tool/right.yaml", sheet("First left", "alpha", 503, "formerly: [left]\n"),
			"tool/x2.yaml", sheet("First x1", "alpha", 504), "tool/x1.yaml", sheet("Second x1", "gamma", 3000)}},
	}
}

// replay creates a repository that has the history up to the end of a day.
func replay(t testing.TB, day string) *Repository {
	t.Helper()
	r := NewRepository(t)
	for _, s := range historyDays() {
		if s.at[:len(day)] <= day {
			r.Commit(s.at, "On "+s.at[:10], s.files...)
		}
	}
	return r
}

// serveHistory serves a build of the history up to the end of a day, which is also the as-of
// day.
func serveHistory(t testing.TB, day string) (*served, *Repository) {
	t.Helper()
	dir := prepare(t, "the past until "+day, func(dir string) {
		r := replay(t, day)
		buildDay(t, r, filepath.Join(dir, "out"), day)
		suite.Check(t, os.Rename(r.Dir, filepath.Join(dir, "repository")))
	})
	r := &Repository{filepath.Join(dir, "repository"), t}
	s := serveWith(t, Options{Dir: filepath.Join(dir, "out"), State: storagetest.SQLite(t)})
	s.content = r.Dir
	return s, r
}

// readHistory is like serveHistory on the last day, for tests that only read.
func readHistory(t testing.TB) *served {
	t.Helper()
	return share(t, "the past", func(t testing.TB) *served {
		s, _ := serveHistory(t, "2026-11-01")
		return s
	})
}

// serveRepository builds a repository's content with scores as of a day, and serves the build.
func serveRepository(t testing.TB, r *Repository, day string) *served {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	buildDay(t, r, out, day)
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
	s.content = r.Dir
	return s
}

// buildDay creates a build with scores as of a day.
func buildDay(t testing.TB, r *Repository, out, day string) {
	t.Helper()
	asOf := suite.Must(time.Parse(time.DateOnly, day))(t)
	suite.Must(builder.Build(context.Background(), builder.Options{Content: r.Dir, Out: out, AsOf: asOf, Keep: 5}))(t)
}

// publishDay is like publish for a repository, with scores as of a day.
func (s *served) publishDay(t testing.TB, r *Repository, day string) {
	t.Helper()
	buildDay(t, r, s.out, day)
	suite.Check(t, s.Reload())
}

// oldList has the fields that all historical collections have in common.
type oldList struct {
	Data       []json.RawMessage
	Count      int
	AsOf       *string
	ComparedTo *string
	Since      string
	NextCursor *string
}

// list reads a collection.
func (s *served) list(t testing.TB, path string) (l oldList) {
	t.Helper()
	a := s.ask(t, "GET", path)
	if err := json.Unmarshal(a.body, &l); err != nil || a.status != 200 {
		t.Fatalf("%s: %d %v %.300s", path, a.status, err, a.body)
	}
	return l
}

// pages reads all pages of a collection, with a few records per page.
func (s *served) pages(t testing.TB, path string) (all []json.RawMessage) {
	t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for next := ""; ; {
		l := s.list(t, path+sep+"limit=9"+next)
		if all = append(all, l.Data...); l.NextCursor == nil {
			suite.Equal(t, len(all), l.Count, path)
			return all
		}
		next = "&cursor=" + *l.NextCursor
	}
}

// TestEntityAt looks up entities as of the end of various days, and checks that the response shows
// the changes made by then.
func TestEntityAt(t *testing.T) {
	suite.InTest(t)
	s := readHistory(t)
	for _, c := range []struct {
		path   string
		status int
		says   string
	}{
		{"n1?at=2026-10-23", 200, `"version":null`},
		{"n1?at=2026-10-25", 200, `"version":"third"`},
		{"n1?at=2026-07-31", 404, `"code":"no-history"`},
		{"nowhere?at=2026-10-26", 404, `"code":"unknown-entity"`},
		{"n30?at=2026-10-26", 404, "was not in the index on 2026-10-26"},
		// a different entity now has this address
		{"a?at=2026-08-25", 404, `"code":"no-history"`},
		{"a?at=2026-09-01", 200, `"slug":"a","name":"Second a"`},
		{"b?at=2026-08-19", 200, `"slug":"a","name":"First a"`},
		// renamed
		{"left?at=2026-10-29", 200, `"slug":"left"`},
		{"right?at=2026-10-29", 200, `"slug":"left"`},
		{"left", 301, "/api/entity/tool/right"},
		{"left/changelog?limit=1", 301, "/api/entity/tool/right/changelog?limit=1"},
		// deleted
		{"gone?at=2026-09-09", 200, `"slug":"gone"`},
		{"gone?at=2026-09-10", 410, "was deleted on 2026-09-10"},
		{"gone", 410, `"suggestion":"/api/entity/tool/gone/changelog"`},
		{"gone/changelog", 200, `"count":2`},
		// created again
		{"back?at=2026-09-19", 410, "was deleted on 2026-09-10"},
		{"back?at=2026-09-20", 200, `"addedDate":"2026-08-01","lastUpdated":"2026-09-20"`},
		// withdrawn
		{"n4?at=2026-10-10", 200, `"status":"withdrawn"`},
		// only the dates of signals have changed, which is not recorded as a change
		{"n8?at=2026-10-30", 200, `"lastUpdated":"2026-08-01"`},
	} {
		a := s.ask(t, "GET", "/api/entity/tool/"+c.path)
		says := string(a.body) + a.header.Get("Location")
		suite.Equal(t, a.status, c.status, c.path, says)
		suite.Contains(t, says, c.says, c.path)
	}
	s.sendAs(t, message("get_entity", `{"entity":"tool/gone"}`)).want(t, 200, "was deleted on 2026-09-10").lacks(t, "Did you mean")
}

// TestTheDayItself compares the response for a past day with the response that would have been
// sent on that day, using a build of that day's content.
func TestTheDayItself(t *testing.T) {
	suite.InTest(t)
	now := readHistory(t)
	for _, day := range suite.Pick([]string{"2026-10-25"}, []string{"2026-08-01", "2026-08-23", "2026-10-02", "2026-10-25", "2026-11-01"}) {
		then, _ := serveHistory(t, day)
		for _, path := range []string{"/api/entities?status=active&status=withdrawn", "/api/entities?sort=name&type=tool", "/api/entities?category=alpha&sort=lastUpdated",
			"/api/entities?minScore=30&sort=adoption&order=asc&fields=slug,adoption", "/api/leaderboard/all?by=adoption", "/api/leaderboard/beta?type=tool", "/api/entities?addedSince=2026-09-01"} {
			want, got := then.pages(t, path), now.pages(t, path+"&at="+day)
			if len(want) != len(got) {
				t.Errorf("%s on %s: %d records, want %d", path, day, len(got), len(want))
				continue
			}
			for i := range want {
				if strings.HasPrefix(path, "/api/leaderboard") { // a different test checks previous ranks, which depend on how far back a build looks
					want[i], _, _ = bytes.Cut(want[i], []byte(`,"previousRank"`))
					got[i], _, _ = bytes.Cut(got[i], []byte(`,"previousRank"`))
				}
				suite.Equal(t, want[i], got[i], path, "on", day, "record", i)
			}
		}
		for _, format := range []string{"json", "csv"} {
			path := "/api/export/leaderboard?format=" + format
			a := now.ask(t, "GET", path+"&at="+day)
			suite.Equal(t, a.body, then.ask(t, "GET", path).body, path, "on", day)
			suite.Contains(t, a.header.Get("Content-Disposition"), "leaderboard-all-"+day+".", path, "on", day, "is named")
		}
	}
}

// TestListsAgreeWithEntities: on any day, a list shows each entity in the same way as the entity's own
// address.
func TestListsAgreeWithEntities(t *testing.T) {
	suite.InTest(t)
	s := readHistory(t)
	for _, day := range []string{"2026-10-24"} {
		path := "/api/entities?status=active&status=withdrawn&at=" + day
		l := s.list(t, path)
		suite.Holds(t, l.AsOf != nil && *l.AsOf == day, path, "is as of", l.AsOf)
		for _, record := range s.pages(t, path) {
			var e struct{ Type, Slug string }
			unpack(t, record, &e)
			a := s.ask(t, "GET", "/api/entity/"+e.Type+"/"+e.Slug+"?at="+day)
			alone, _, _ := bytes.Cut(a.body, []byte(`,"offers":`)) // lists leave them out
			suite.Holds(t, a.status == 200 &&
				bytes.Equal(alone, record[:len(record)-1]), e.Slug, "on", day, "list", record, "own address")
		}
	}
	// A category that is now empty exists only in the past.
	suite.Equal(t, s.list(t, "/api/entities?category=delta&at=2026-10-18").Count, 1)
	suite.Equal(t, s.list(t, "/api/leaderboard/delta?at=2026-10-18").Count, 1)
	for _, path := range []string{"/api/entities?category=delta", "/api/export/leaderboard?category=delta"} {
		s.ask(t, "GET", path).want(t, 400)
	}
}

// TestNextBuild publishes a build while clients read. Historical lists and changelogs that were begun are read to
// their end. An entity that was renamed was deleted since, and another one has its slug: the former address of the
// deleted entity still leads to its own changelog. The feed of what did not change stays the same, byte for byte.
func TestNextBuild(t *testing.T) {
	suite.InTest(t)
	s, r := serveHistory(t, "2026-11-01")
	paths := []string{"/api/entities?at=2026-10-25&sort=name", "/api/leaderboard/all?at=2026-10-25&by=adoption", "/api/changelog", "/api/changelog?type=tool&field=version&field=slug"}
	want, begun := map[string][]json.RawMessage{}, map[string]oldList{}
	for _, path := range paths {
		want[path], begun[path] = s.pages(t, path), s.list(t, withLimit(path, 4))
	}
	const feed, former = "/api/feed?entity=tool/n9&format=atom", "/api/entity/tool/left/changelog"
	tag, build := s.ask(t, "GET", feed).header.Get("Etag"), s.buildID()
	s.ask(t, "GET", former).want(t, 301).wantHeader(t, "Location", "/api/entity/tool/right/changelog")
	r.Commit("2026-11-01T06:00:00Z", "More", "tool/n0.yaml", sheet("Tool 0", "alpha", 5000, "version: new\n"), "tool/more.yaml", sheet("More", "beta", 700), "tool/right.yaml", "")
	r.Commit("2026-11-01T07:00:00Z", "Its slug is free", "tool/n1.yaml", "", "tool/right.yaml", sheet("Tool 1", "beta", 710, "version: third\nformerly: [n1]\n"))
	s.publishDay(t, r, "2026-11-01")
	for _, path := range paths {
		l := begun[path]
		got := l.Data
		for l.NextCursor != nil {
			l = s.list(t, withLimit(path, 50)+"&cursor="+*l.NextCursor)
			got = append(got, l.Data...)
		}
		suite.Holds(t, slices.EqualFunc(got, want[path], sameRecord), path, "has", len(got), "records, before", len(want[path]))
	}
	var ends []string
	for _, c := range s.changes(t, former) {
		ends = append(ends, c.Event+" "+c.Entity.Slug)
	}
	suite.Equal(t, ends, []string{"entity.deleted right", "entity.updated right", "entity.created left"}, former)
	s.ask(t, "GET", "/api/entity/tool/n1/changelog").want(t, 301).
		wantHeader(t, "Location", "/api/entity/tool/right/changelog")
	a := s.ask(t, "GET", feed, "If-None-Match", tag)
	suite.Holds(t, a.status == 304 && a.header.Get("X-Build") != build, a.status, a.header.Get("X-Build"))
	s.ask(t, "GET", "/api/feed", "If-None-Match", tag).want(t, 200)
}

func sameRecord(a, b json.RawMessage) bool { return bytes.Equal(a, b) }

func withLimit(path string, n int) string {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return fmt.Sprintf("%s%slimit=%d", path, sep, n)
}

// Repository is a git repository created by a test, with commits at fixed times.
type Repository struct {
	Dir string
	t   testing.TB
}

// NewRepository creates an empty repository.
func NewRepository(t testing.TB) *Repository {
	t.Helper()
	r := &Repository{t.TempDir(), t}
	r.git("2026-08-01T00:00:00Z", "init", "-q", "-b", "main")
	return r
}

// git runs a git command as of a time.
func (r *Repository) git(at string, args ...string) {
	r.t.Helper()
	suite.Git(r.t, r.Dir, suite.Must(time.Parse(time.RFC3339, at))(r.t), args...)
}

// Write writes files, given as path, content, path, content, … If the content is empty, the file
// is deleted.
func (r *Repository) Write(files ...string) {
	r.t.Helper()
	for pair := range slices.Chunk(files, 2) {
		path := filepath.Join(r.Dir, filepath.FromSlash(pair[0]))
		err := os.RemoveAll(path)
		if pair[1] != "" {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(pair[1]), 0o644))
		}
		suite.Check(r.t, err)
	}
}

// Commit writes files and commits all changes at the given time.
func (r *Repository) Commit(at, message string, files ...string) {
	r.t.Helper()
	r.Write(files...)
	r.git(at, "add", "-A")
	r.git(at, "commit", "-q", "-m", message)
}

// Read returns the content of a file.
func (r *Repository) Read(path string) string {
	r.t.Helper()
	text := suite.Must(os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(path))))(r.t)
	return string(text)
}
