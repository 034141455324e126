package edge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
)

// mover is a record on a leaderboard or in the trending list. In these tests, names stay the
// same even if slugs change.
type mover struct {
	Type, Slug, Name    string
	Scores              map[string]*float64
	Rank                int
	PreviousRank, Delta *int
	Trend               struct {
		Score, PreviousScore *float64
		Gain                 float64
		Rank, PreviousRank   *int
		Changes              int
	}
}

func (s *served) movers(t *testing.T, path string) (list []mover) {
	t.Helper()
	for _, authored := range s.pages(t, path) {
		var m mover
		unpack(t, authored, &m)
		list = append(list, m)
	}
	return list
}

// TestMovement compares the rank changes on leaderboards with those computed from two lists. Package leaderboard
// compares the ranks with a model.
func TestMovement(t *testing.T) {
	s := readHistory(t)
	seen := map[string]bool{}
	for _, board := range []string{"all?", "gamma?", "all?by=freshness&type=tool"} {
		for at, before := range map[string]string{"": "2026-10-25", "&at=2026-10-25": "2026-10-18"} {
			path := "/api/leaderboard/" + board + at
			if l := s.list(t, path); l.ComparedTo == nil || *l.ComparedTo != before {
				t.Errorf("%s is compared with %v, want %s", path, l.ComparedTo, before)
			}
			was := map[string]int{}
			for i, m := range s.movers(t, "/api/leaderboard/"+board+"&at="+before) {
				was[m.Name] = i + 1
			}
			for i, m := range s.movers(t, path) {
				previous, known := was[m.Name]
				seen[m.Slug] = known
				if m.Rank != i+1 || known != (m.PreviousRank != nil) || known && (*m.PreviousRank != previous || *m.Delta != previous-m.Rank) {
					t.Errorf("%s: %s at %d moved from %s by %s, want from %d", path, m.Name, m.Rank, number(m.PreviousRank), number(m.Delta), previous)
				}
			}
		}
	}
	if !seen["right"] || !seen["x2"] || seen["n30"] { // two were renamed, one is new
		t.Errorf("%v", seen)
	}
	// Seven days earlier, the history had not begun.
	l := s.list(t, "/api/leaderboard/all?at=2026-08-05&limit=1")
	suite.Holds(t, l.ComparedTo == nil && *l.AsOf == "2026-08-05" &&
		strings.Contains(string(l.Data[0]), `"previousRank":null,"delta":null`), "compared with", l.ComparedTo, l.Data[0])
}

func number(n *int) string {
	if n == nil {
		return "null"
	}
	return fmt.Sprint(*n)
}

// TestTrending compares the trending list with one computed from lists and the formula.
func TestTrending(t *testing.T) {
	s := readHistory(t)
	for window, since := range map[string]string{"7d": "2026-10-25", "30d": "2026-10-02"} {
		path := "/api/trending?limit=100&window=" + window
		l := s.list(t, path)
		suite.Equal(t, l.Since, since, path)
		suite.Equal(t, l.Count, len(l.Data), path)
		now, then := map[string]mover{}, map[string]mover{}
		for _, m := range s.movers(t, "/api/leaderboard/all?") {
			now[m.Name] = m
		}
		for _, m := range s.movers(t, "/api/leaderboard/all?at="+since) {
			then[m.Name] = m
		}
		var list []mover
		for _, authored := range l.Data {
			var m mover
			unpack(t, authored, &m)
			list = append(list, m)
			a, b := now[m.Name], then[m.Name]
			if !equal(m.Trend.Score, a.Scores["composite"]) || !equal(m.Trend.PreviousScore, b.Scores["composite"]) || (b.Rank == 0) != (m.Trend.PreviousRank == nil) {
				t.Errorf("%s: %s has %s, now %+v, then %+v", path, m.Name, authored, a, b)
			}
			if p := m.Trend.PreviousScore; p != nil && math.Round(10*(*m.Trend.Score-*p)) != math.Round(10*m.Trend.Gain) {
				t.Errorf("%s: %s gained %v from %v to %v", path, m.Name, m.Trend.Gain, *p, *m.Trend.Score)
			}
			if b.Rank > 0 && (*m.Trend.Rank != rankAmong(now, then, m.Name) || *m.Trend.PreviousRank != rankAmong(then, now, m.Name)) {
				t.Errorf("%s: the rank of %s moved from %d to %d", path, m.Name, *m.Trend.PreviousRank, *m.Trend.Rank)
			}
			suite.Equal(t, m.Trend.Changes, s.changesSince(t, m, since), path, m.Name, "changes")
		}
		if !slices.IsSortedFunc(list, func(a, b mover) int {
			return cmp.Or(cmp.Compare(b.Trend.Gain, a.Trend.Gain), cmp.Compare(b.Trend.Changes, a.Trend.Changes), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Slug, b.Slug))
		}) {
			t.Errorf("%s is not in order", path)
		}
		suite.Holds(t, len(list) >= 5 && list[0].Name == "Tool 2" &&
			!slices.ContainsFunc(list, func(m mover) bool { return m.Name == "Tool 7" || m.Name == "Tool 8" }), path, "shows", list)
	}
	for query, want := range map[string]int{"type=model": 0, "type=tool&limit=2": 2, "category=gamma&category=beta": 5} {
		l := s.list(t, "/api/trending?"+query)
		suite.Equal(t, len(l.Data), want, query, "records")
	}
}

// rankAmong returns the rank of an entity on a leaderboard, counting only those that are on both.
func rankAmong(board, other map[string]mover, name string) int {
	rank := 1
	for n, m := range board {
		if _, both := other[n]; both && m.Rank < board[name].Rank {
			rank++
		}
	}
	return rank
}

func equal(a, b *float64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// changesSince returns the number of changes to an entity since the end of a day.
func (s *served) changesSince(t *testing.T, m mover, day string) (n int) {
	t.Helper()
	for _, c := range s.list(t, "/api/entity/"+m.Type+"/"+m.Slug+"/changelog?limit=100").Data {
		var change struct{ Timestamp string }
		unpack(t, c, &change)
		if change.Timestamp[:len(day)] > day {
			n++
		}
	}
	return n
}

// TestNothingTrendsBeforeTheBeginning: if the history starts within the window, there is nothing
// to compare with, so nothing is trending.
func TestNothingTrendsBeforeTheBeginning(t *testing.T) {
	suite.InTest(t)
	s, _ := serveHistory(t, "2026-08-05")
	if l := s.list(t, "/api/trending"); l.Count != 0 || len(l.Data) != 0 || l.Since != "2026-07-29" {
		t.Errorf("%+v", l)
	}
	if l := s.list(t, "/api/leaderboard/all"); l.ComparedTo != nil {
		t.Errorf("compared with %s", *l.ComparedTo)
	}
}

// TestPreviewOfTheUncommitted: previewed edits appear in records, but the history is still that
// of the published build.
func TestPreviewOfTheUncommitted(t *testing.T) {
	s := readHistory(t)
	get := func(slug string) *record.Entity {
		o, _, _ := s.published().Build.Find("tool", slug)
		e := s.published().Build.Entity(o)
		copied := *e
		return &copied
	}
	fresh, renamed := get("n20"), get("n10")
	fresh.Slug, fresh.Name = "fresh", "Fresh"
	renamed.Slug, renamed.Formerly = "ten", []string{"n10"}
	var was mover
	for _, m := range s.movers(t, "/api/leaderboard/all?at=2026-10-25") {
		if m.Slug == "n10" {
			was = m
		}
	}
	before := s.pages(t, "/api/changelog")
	s.ApplyEdits([]exports.Edit{{Type: "tool", Slug: "fresh", Entity: fresh}, {Type: "tool", Slug: "n10"}, {Type: "tool", Slug: "ten", Entity: renamed}, {Type: "tool", Slug: "n2"}})
	after := s.pages(t, "/api/changelog")
	suite.Holds(t, slices.EqualFunc(before, after, sameRecord), "edits have changed the changelog")
	for path, want := range map[string]string{
		"tool/fresh/changelog":        `200 {"data":[],"count":0`,
		"tool/ten/changelog":          `200 "slug":"n10"`,
		"tool/n10/changelog":          "301 /api/entity/tool/ten/changelog",
		"tool/n2/changelog":           `200 "count":2`,
		"tool/n2":                     "404 unknown-entity",
		"tool/n2?at=2026-11-01":       `200 "name":"Tool 2"`,
		"tool/fresh?at=2026-11-01":    "404 no-history",
		"tool/x1/changelog":           `200 "count":1`,
		"tool/gone":                   "410 deleted-entity",
		"tool/ten/similar":            "200 data",
		"tool/n2/changelog?cursor=AA": "400 cursor",
	} {
		a := s.ask(t, "GET", "/api/entity/"+path)
		status, says, _ := strings.Cut(want, " ")
		suite.Equal(t, fmt.Sprint(a.status), status, path, a.status, want)
		suite.Contains(t, string(a.body)+a.header.Get("Location"), says, path, a.status, want)
	}
	for _, m := range s.movers(t, "/api/leaderboard/all?") {
		if m.Slug == "ten" && (m.PreviousRank == nil || *m.PreviousRank != was.Rank) || m.Slug == "fresh" && m.PreviousRank != nil {
			t.Errorf("%s was at %s, want %d", m.Slug, number(m.PreviousRank), was.Rank)
		}
	}
	for i, m := range s.list(t, "/api/trending").Data {
		suite.Lacks(t, string(m), `"slug":"n2",`, "place", i, "is gone")
	}
}
