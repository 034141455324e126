package pages_test

import (
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports/board"
	"kindex/site/pages"
)

// TestCourse checks that the page of an entity shows its scores over time, in a chart and a table, if it has scores on
// several days, and nothing if it has at most one.
func TestCourse(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	shown := map[bool]int{}
	for _, from := range []string{edgetest.Built(t), pastBuild(t)} {
		s := siteOf(t, from, pages.Options{})
		for o := uint32(0); o < uint32(s.Build.Len()); o += 9 {
			e, days := s.Build.Entity(o), map[string]bool{}
			list := suite.Must(s.Own.RankHistory(o))(t)
			for _, at := range append(list, board.RankAt{Day: s.AsOf.Format(time.DateOnly), Score: e.Scores.Composite}) {
				if at.Score.Known() {
					days[at.Day] = true
				}
			}
			p := parse(t, get(t, s, "/"+e.Key()+"/").Body)
			section := p.all(func(n *node) bool { return n.attr["id"] == "course" })
			want := len(days) > 1
			if shown[want]++; (len(section) == 1) != want || p.links()["#course"] != want {
				t.Errorf("%s has %d sections of scores on %d days", e.Key(), len(section), len(days))
			} else if want && (len(section[0].all(inClass("chart"))) != 1 || len(section[0].named("table")) != 1) {
				t.Errorf("%s does not have one chart and one table", e.Key())
			}
		}
	}
	if shown[true] < 10 || shown[false] < 3 {
		t.Errorf("with and without a chart: %v", shown)
	}
}
