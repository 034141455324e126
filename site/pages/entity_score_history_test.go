package pages_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/site/pages"
)

// TestCourseOfOneDay checks that the page of an entity shows a chart if the entity has scores on several
// days, and nothing if it has at most one.
func TestCourseOfOneDay(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	plain := t.TempDir() // without a repository: this is the only build
	for _, name := range []string{"scoring.yaml", "tool/pytorch.yaml", "tool/keras.yaml", "model/gpt-5-5.yaml"} {
		data, err := os.ReadFile(filepath.Join(suite.Content(t), name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(plain, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(plain, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bare := "name: Bare\ncategory: ml-frameworks\ndescription: Nothing is known of it.\n"
	if err := os.WriteFile(filepath.Join(plain, "tool/bare.yaml"), []byte(bare), 0o644); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	edgetest.Build(t, plain, out)
	counts := map[string]int{}
	for _, from := range []string{out, pastBuild(t)} {
		s := siteOf(t, from, pages.Options{})
		for o := range uint32(s.Build.Len()) {
			standings, e := standingsOf(t, s, o)
			if kind := kindOf(standings); from == out || o%9 == 0 {
				counts[kind]++
				checkCourse(t, s, e, standings)
			}
		}
	}
	if counts["nothing"] < 3 || counts["pictures"] < 10 {
		t.Errorf("over all pages: %v", counts)
	}
}

// standingsOf returns the score history of a record up to today, and its entity.
func standingsOf(t *testing.T, s *pages.Site, o uint32) ([]leaderboard.RankAt, *record.Entity) {
	t.Helper()
	e := s.Build.Entity(o)
	list, err := s.Boards.RankHistory(o)
	if err != nil {
		t.Fatal(err)
	}
	if today := s.AsOf.Format(time.DateOnly); len(list) == 0 || list[len(list)-1].Day < today {
		list = append(list, leaderboard.RankAt{Day: today, Score: e.Scores.Composite})
	}
	return list, e
}

// knownDays returns the days with a score.
func knownDays(standings []leaderboard.RankAt) (scored []leaderboard.RankAt) {
	for _, d := range standings {
		if d.Score.Known() {
			scored = append(scored, d)
		}
	}
	return scored
}

// kindOf returns how a page should show a rank history.
func kindOf(standings []leaderboard.RankAt) string {
	if len(knownDays(standings)) < 2 {
		return "nothing"
	}
	return "pictures"
}

// checkCourse checks the score history on the page of an entity.
func checkCourse(t *testing.T, s *pages.Site, e *record.Entity, standings []leaderboard.RankAt) {
	t.Helper()
	p := parse(t, get(t, s, "/"+e.Key()+"/").Body)
	section := p.all(func(n *node) bool { return n.attr["id"] == "course" })
	kind := kindOf(standings)
	if (len(section) == 0) != (kind == "nothing") || p.links()["#course"] != (kind != "nothing") {
		t.Errorf("%s has %d score histories, want %s", e.Key(), len(section), kind)
	}
	for _, n := range section {
		if pictures, tables := len(n.all(inClass("chart"))), len(n.named("table")); pictures != 1 || tables != 1 {
			t.Errorf("%s: %d pictures and %d tables for %d days", e.Key(), pictures, tables, len(standings))
		}
	}
}
