package edge

import (
	"slices"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
)

// receivedPoint is a point of a series as a client decodes it.
type receivedPoint struct {
	Name            string
	Value           any
	Date, Timestamp string
	Commit          *string
}

func (s *served) series(t *testing.T, path string) (list []receivedPoint) {
	t.Helper()
	for _, record := range s.pages(t, path) {
		var p receivedPoint
		unpack(t, record, &p)
		list = append(list, p)
	}
	return list
}

// TestSignals reads series across a deletion, a restoration, a rename and a reading of the same
// value on another day.
func TestSignals(t *testing.T) {
	suite.InTest(t)
	s, _ := serveHistory(t, "2026-11-01", Options{})
	type point struct {
		value     any
		date, day string
	}
	for path, want := range map[string][]point{
		"tool/back/signals?name=stars":     {{502.0, "2026-07-01", "2026-08-01"}, {nil, "", "2026-09-10"}, {800.0, "2026-07-01", "2026-09-20"}},
		"tool/gone/signals?name=stars":     {{501.0, "2026-07-01", "2026-08-01"}, {nil, "", "2026-09-10"}},
		"tool/right/signals?name=stars":    {{503.0, "2026-07-01", "2026-08-01"}},
		"tool/b/signals?name=stars":        {{500.0, "2026-07-01", "2026-08-01"}},
		"tool/a/signals?name=stars":        {{900.0, "2026-07-01", "2026-09-01"}},
		"tool/n8/signals?name=stars":       {{2610.0, "2026-07-01", "2026-08-01"}, {2610.0, "2026-07-02", "2026-10-30"}},
		"tool/n7/signals?name=stars":       {{1910.0, "2026-07-01", "2026-08-01"}, {20.0, "2026-07-01", "2026-10-27"}},
		"tool/n7/signals?name=lastRelease": {{"2026-06-07", "2026-07-01", "2026-08-01"}, {"2026-06-21", "2026-07-01", "2026-10-27"}},
		"tool/n7/signals?name=likes":       nil,
	} {
		var got []point
		for _, p := range s.series(t, "/api/entity/"+path) {
			got = append(got, point{p.Value, p.Date, p.Timestamp[:10]})
			if p.Commit == nil || len(*p.Commit) != 40 {
				t.Errorf("%s: commit %v", path, p.Commit)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %v\nwant %v", path, got, want)
		}
	}
	var names []string
	for _, p := range s.series(t, "/api/entity/tool/n7/signals") {
		names = append(names, p.Name)
	}
	if want := []string{"contributors", "downloads", "downloads", "lastRelease", "lastRelease", "stars", "stars"}; !slices.Equal(names, want) {
		t.Errorf("without a name there are points of %v", names)
	}
	if got := s.series(t, "/api/entity/tool/n7/signals?name=stars&name=contributors"); len(got) != 3 || got[0].Name != "contributors" {
		t.Errorf("of two signals there are %v", got)
	}
}

// TestSignalsOfEdits checks that a preview adds the edited values as points without a commit.
func TestSignalsOfEdits(t *testing.T) {
	suite.InTest(t)
	s, _ := serveHistory(t, "2026-11-01", Options{})
	o, _, _ := s.published().Build.Find("tool", "n7")
	e := s.published().Build.Entity(o)
	edited := *e
	edited.Signals.Facts = []record.Fact{{Name: "stars", Number: 77, Date: "2026-10-31"}}
	s.Preview([]exports.Edit{{Type: "tool", Slug: "n7", Entity: &edited}, {Type: "tool", Slug: "n9"}})
	last := func(path string) receivedPoint {
		list := s.series(t, path)
		return list[len(list)-1]
	}
	if p := last("/api/entity/tool/n7/signals?name=stars"); p.Value != 77.0 || p.Date != "2026-10-31" || p.Timestamp != "" || p.Commit != nil {
		t.Errorf("the edited value is %+v", p)
	}
	for path, what := range map[string]string{"tool/n7/signals?name=contributors": "a removed signal", "tool/n9/signals?name=stars": "a removed entity"} {
		if p := last("/api/entity/" + path); p.Value != nil || p.Commit != nil {
			t.Errorf("%s ends with %+v", what, p)
		}
	}
}
