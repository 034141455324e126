package edge

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/record"
)

const testBoards = `boards:
  - slug: starred
    title: Starred models
    description: Models by their likes and by one benchmark.
    type: model
    where: {openWeights: true}
    formula:
      minimumCoverage: 0.5
      dimensions:
        adoption:
          weight: 1
          prior: 0
          measures:
            - {signal: likes, map: linear, from: 0, to: 100, weight: 1}
        quality:
          weight: 1
          prior: 0
          measures:
            - {benchmark: B, by: independent, map: linear, from: 0, to: 100, weight: 1}
    needs: {sources: 1}
`

// boardModel is the file of a model on the board starred.
func boardModel(likes int, publisher, date string) string {
	return fmt.Sprintf("openWeights: true\nsignals:\n  likes: {value: %d, date: %s, source: 'https://example.org/'}\n"+
		"  benchmarks:\n    - {name: B, value: 50, by: independent, publisher: %s, date: 2026-09, source: 'https://example.org/'}\n", likes, date, publisher)
}

// boardAnswer is a page of a board.
type boardAnswer struct {
	Title, Description, Needs string
	FiguresOf                 struct{ Oldest, Newest string }
	Count                     int
	Data                      []struct {
		Slug       string
		Rank       int
		BoardScore float64
	}
}

// readBoard reads the board starred and returns it as a list of slugs and scores.
func (s *served) readBoard(t *testing.T, query string) (a boardAnswer, list []string) {
	t.Helper()
	got := s.ask(t, "GET", "/api/leaderboard/starred"+query).must(t, 200)
	unpack(t, got.body, &a)
	for i, r := range a.Data {
		suite.Equal(t, r.Rank, i+1, "rank")
		list = append(list, fmt.Sprint(r.Slug, " ", r.BoardScore))
	}
	return a, list
}

// TestBoards reads a board and why other entities are not on it, and follows edits that move, add and remove its entities, as serve
// --watch publishes them, until too few are left.
func TestBoards(t *testing.T) {
	content := filepath.Join(t.TempDir(), "content")
	for i := range 8 {
		writeEntity(t, content, fmt.Sprintf("model/m%d", i), boardModel(10*i, "Ada", "2026-10-1"+fmt.Sprint(i)))
	}
	writeEntity(t, content, "model/by-maker", strings.Replace(boardModel(90, "Ada", "2026-10-01"), "by: independent", "by: maker", 1))
	writeEntity(t, content, "model/closed", strings.Replace(boardModel(90, "Ada", "2026-10-01"), "true", "false", 1))
	writeEntity(t, content, "tool/t", "signals: {stars: {value: 5, date: 2026-10-01}}\n")
	writeFile(t, content, "boards.yaml", testBoards)
	out := filepath.Join(t.TempDir(), "out")
	buildInto(t, content, out, 3)
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
	a, list := s.readBoard(t, "")
	want := []string{"m7 60", "m6 55", "m5 50", "m4 45", "m3 40", "m2 35", "m1 30", "m0 25"}
	suite.Holds(t, slices.Equal(list, want) && a.Count == 8 && a.Title == "Starred models" &&
		a.FiguresOf.Oldest == "2026-09-01" && a.FiguresOf.Newest == "2026-10-17" &&
		a.Needs == "Needs benchmark results from at least 1 independent source.", a)
	for entity, want := range map[string]string{
		"model/by-maker": "the board starred needs benchmark results from at least 1 independent source, and it has none",
		"model/closed":   "it does not meet the conditions of the board starred",
		"tool/t":         "the board starred ranks entities of the type model, not tool",
		"model/m1":       `"ranked":true,"reason":null`,
	} {
		suite.Contains(t, string(s.ask(t, "GET", "/api/entity/"+entity+"/score?board=starred").body), want, entity)
	}
	s.ask(t, "GET", "/api/leaderboard/stared").
		want(t, 404, `no category or board \"stared\"; expected one of: all, alpha, starred.`, `"suggestion":"starred"`)
	preview := func(edits ...exports.Edit) { s.ApplyEdits(edits) }
	o, _, _ := s.published().Build.Find("model", "m0")
	e := s.published().Build.Entity(o)
	risen := *e
	risen.Signals.Facts = []record.Fact{{Name: "likes", Number: 100, Date: "2026-10-20"}}
	preview(exports.Edit{Type: "model", Slug: "m0", Entity: &risen})
	if a, list := s.readBoard(t, ""); !slices.Equal(list, slices.Concat([]string{"m0 75"}, want[:7])) || a.FiguresOf.Newest != "2026-10-20" {
		t.Errorf("after an edit: %s, %+v", list, a.FiguresOf)
	}
	s.ask(t, "GET", "/api/entity/model/m0/score?board=starred").says(t, `"boardScore":75`)
	added := risen
	added.Slug, added.Name = "added", "Added"
	preview(exports.Edit{Type: "model", Slug: "m7"}, exports.Edit{Type: "model", Slug: "added", Entity: &added})
	if _, list := s.readBoard(t, "?limit=3"); !slices.Equal(list, []string{"added 75", "m6 55", "m5 50"}) {
		t.Errorf("after an addition and a removal: %s", list)
	}
	for _, format := range []string{"json", "csv"} {
		s.ask(t, "GET", "/api/export/leaderboard?category=starred&format="+format).says(t, "added")
	}
	preview(exports.Edit{Type: "model", Slug: "m7"})
	for _, path := range []string{"/api/leaderboard/starred", "/api/export/leaderboard?category=starred"} {
		s.ask(t, "GET", path).want(t, 404, fmt.Sprintf("it has 7 ranked entities, and a board needs %d", board.MinEntries))
	}
	s.ask(t, "GET", "/api/boards").says(t, `"data":[],"count":0`)
	preview()
	if _, list := s.readBoard(t, ""); !slices.Equal(list, want) {
		t.Errorf("after undoing the edits: %s", list)
	}
}

// growthDays are the days on which figures were read and committed. The as-of day is 2026-11-01:
// the windows start at the end of 2026-10-25, of 2026-10-02 and of 2025-11-01.
var growthDays = []string{"2025-10-30", "2026-09-20", "2026-10-01", "2026-10-24", "2026-10-27", "2026-10-30"}

// readStars has the stars of each tool on growthDays. A tool is left as it was at "", its figure
// is removed at "-", and its file at "x".
var readStars = map[string][6]string{
	"steady":   {"100", "", "200", "300", "", "400"},
	"late":     {"", "", "100", "", "", "400"},
	"vanished": {"50", "", "90", "100", "-", "400"},
	"deleted":  {"50", "", "90", "100", "x", "400"},
	"gone":     {"", "", "90", "100", "x", ""},
	"again":    {"", "", "", "100", "", "100"},
	"waiting":  {"", "", "", "100", "", ""},
	"first":    {"", "", "", "", "", "100"},
	"fell":     {"", "", "", "400", "", "100"},
	"zero":     {"", "", "", "0", "", "5"},
	"lost":     {"", "", "", "100", "", "-"},
}

// growthHistory commits readStars.
func growthHistory(t testing.TB) *Repository {
	t.Helper()
	r := NewRepository(t)
	for i, day := range growthDays {
		files := []string{"notes.txt", day}
		put := func(slug, signals string) {
			files = append(files, "tool/"+slug+".yaml", factSheet(slug, "signals:\n  contributors: {value: 5, date: 2025-10-30}"+signals))
		}
		for _, slug := range slices.Sorted(maps.Keys(readStars)) {
			switch stars := readStars[slug][i]; stars {
			case "":
			case "-":
				put(slug, "")
			case "x":
				files = append(files, "tool/"+slug+".yaml", "")
			default:
				put(slug, fmt.Sprintf("\n  stars: {value: %[1]s, date: %[2]s}\n  openIssues: {value: %[1]s, date: %[2]s}", stars, day))
			}
		}
		r.Commit(day+"T08:00:00Z", "On "+day, files...)
	}
	return r
}

func serveGrowth(t *testing.T) *served {
	t.Helper()
	return share(t, "growth", func(t testing.TB) *served { return serveRepository(t, growthHistory(t), "2026-11-01") })
}

// growthOf returns the growth of an entity's figures, by signal and window.
func (s *served) growthOf(t *testing.T, tool, query string) map[string]map[string]json.RawMessage {
	t.Helper()
	a := s.ask(t, "GET", "/api/entity/tool/"+tool+"/signals"+query)
	var got struct {
		Growth map[string]map[string]json.RawMessage
	}
	unpack(t, a.body, &got)
	suite.Require(t, a.status == 200 && got.Growth != nil, tool, a.status)
	return got.Growth
}

// TestGrowth checks the growth of figures that were read in every kind of order.
func TestGrowth(t *testing.T) {
	suite.InTest(t)
	s := serveGrowth(t)
	grown := func(value, date, previous, previousDate, gain, percent string) string {
		return fmt.Sprintf(`{"value":%s,"date":"%s","previousValue":%s,"previousDate":"%s","gain":%s,"percent":%s}`, value, date, previous, previousDate, gain, percent)
	}
	for tool, want := range map[string][3]string{
		"steady": {grown("400", "2026-10-30", "300", "2026-10-24", "100", "33.3"), grown("400", "2026-10-30", "200", "2026-10-01", "200", "100"),
			grown("400", "2026-10-30", "100", "2025-10-30", "300", "300")},
		"late":     {"null", grown("400", "2026-10-30", "100", "2026-10-01", "300", "300"), "null"},
		"vanished": {"null", "null", "null"},
		"deleted":  {"null", "null", "null"},
		"again":    {grown("100", "2026-10-30", "100", "2026-10-24", "0", "0"), "null", "null"},
		"waiting":  {"null", "null", "null"},
		"first":    {"null", "null", "null"},
		"fell":     {grown("100", "2026-10-30", "400", "2026-10-24", "-300", "-75"), "null", "null"},
		"zero":     {grown("5", "2026-10-30", "0", "2026-10-24", "5", "null"), "null", "null"},
	} {
		for _, signal := range []string{"stars", "openIssues"} {
			all := s.growthOf(t, tool, "?name="+signal+"&limit=1")
			got := all[signal]
			suite.Holds(t, len(all) == 1 && len(got) == 3 && string(got["7d"]) == want[0] &&
				string(got["30d"]) == want[1] && string(got["365d"]) == want[2], tool, signal, got, want)
		}
	}
	// The lists of what has grown have exactly the figures that have grown.
	for window, want := range map[string]string{"7d": "steady 100, zero 5", "30d": "late 300, steady 200"} {
		var got []string
		for _, e := range s.list(t, "/api/trending?by=stars&window="+window).Data {
			var tool struct {
				Slug   string
				Growth struct{ Gain float64 }
			}
			unpack(t, e, &tool)
			got = append(got, fmt.Sprint(tool.Slug, " ", tool.Growth.Gain))
		}
		suite.Equal(t, strings.Join(got, ", "), want, "trending in", window, got)
	}
	for tool, want := range map[string]string{"gone": "", "lost": "contributors", "steady": "contributors openIssues stars"} {
		suite.Equal(t, strings.Join(slices.Sorted(maps.Keys(s.growthOf(t, tool, ""))), " "), want, tool, "has the growth")
	}
	suite.Equal(t, len(s.growthOf(t, "steady", "?name=lastRelease")), 0, "a signal that the entity does not have")
}

// TestAgentsSeeGrowth checks that the tool trending ranks by a figure as the API does.
func TestAgentsSeeGrowth(t *testing.T) {
	s := serveGrowth(t)
	for arguments, want := range map[string][]string{
		`{"by":"stars","limit":2}`: {`"since":"2026-10-25"`, `"count":2,"data":[{`, `"growth":{"gain":100,"percent":33.3,"previousValue":300,"signal":"stars","value":400},"id":"tool/steady"`,
			`"growth":{"gain":5,"previousValue":0,"signal":"stars","value":5},"id":"tool/zero"`},
		`{"by":"stars","window":"30d"}`:     {`"since":"2026-10-02"`, `"growth":{"gain":300,"percent":300,"previousValue":100,"signal":"stars","value":400},"id":"tool/late"`},
		`{"by":"citations"}`:                {`"count":0,"data":[]`, `"since":"2026-10-25"`},
		`{"by":"stars","category":"alpha"}`: {`"id":"tool/steady"`},
		`{"by":"score","limit":1}`:          {`"gain":5.6,`, `"id":"tool/zero"`},
		`{"by":"star"}`:                     {`"star" is not one of score, citations, `, "did you mean stars?"},
		`{"by":"openIssues"}`:               {`"openIssues" is not one of score, `},
	} {
		c := called(t, s.sendAs(t, message("trending", arguments)))
		for _, part := range want {
			suite.Contains(t, c.text(), part, arguments)
		}
		suite.Equal(t, c.Result.IsError, strings.Contains(want[0], "is not one of"), arguments)
	}
}
