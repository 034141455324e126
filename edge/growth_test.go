package edge

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

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

// growthHistory commits readStars, and tools whose figures change at random.
func growthHistory(t *testing.T) *Repository {
	t.Helper()
	r := NewRepository(t)
	random := rand.New(rand.NewPCG(1, 2))
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
		for n := range 80 {
			signals := ""
			for _, name := range []string{"stars", "downloads", "forks"} {
				if random.IntN(8) > 0 {
					signals += fmt.Sprintf("\n  %s: {value: %d, date: %s}", name, random.IntN(4), growthDays[random.IntN(i+1)])
				}
			}
			if random.IntN(3) > 0 {
				put(fmt.Sprint("random-", n), signals)
			}
		}
		r.Commit(day+"T08:00:00Z", "On "+day, files...)
	}
	return r
}

func serveGrowth(t *testing.T) *served {
	t.Helper()
	dir := prepare(t, "growth", func(dir string) {
		buildDay(t, growthHistory(t), filepath.Join(dir, "out"), "2026-11-01")
	})
	return serveWith(t, Options{Dir: filepath.Join(dir, "out"), State: storagetest.SQLite(t), LimitAnonymous: 10_000})
}

// growthOf returns the growth of an entity's figures, by signal and window.
func (s *served) growthOf(t *testing.T, tool, query string) map[string]map[string]json.RawMessage {
	t.Helper()
	a := s.ask(t, "GET", "/api/entity/tool/"+tool+"/signals"+query)
	var got struct {
		Growth map[string]map[string]json.RawMessage
	}
	unpack(t, a.body, &got)
	if a.status != 200 || got.Growth == nil {
		t.Fatalf("%s: %d %s", tool, a.status, a.body)
	}
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
			if len(all) != 1 || len(got) != 3 || string(got["7d"]) != want[0] || string(got["30d"]) != want[1] || string(got["365d"]) != want[2] {
				t.Errorf("%s %s:\ngot  %s\nwant %s", tool, signal, got, want)
			}
		}
	}
	for tool, want := range map[string]string{"gone": "", "lost": "contributors", "steady": "contributors openIssues stars"} {
		if got := strings.Join(slices.Sorted(maps.Keys(s.growthOf(t, tool, ""))), " "); got != want {
			t.Errorf("%s has the growth of %q, want %q", tool, got, want)
		}
	}
	if got := s.growthOf(t, "steady", "?name=lastRelease"); len(got) != 0 {
		t.Errorf("a signal that the entity does not have: %s", got)
	}
}

// TestGrowthAgreesWithTrending checks that the lists of what has grown contain exactly the
// figures that have grown in the series of all entities, with the same numbers.
func TestGrowthAgreesWithTrending(t *testing.T) {
	s := serveGrowth(t)
	type growth struct {
		Value, PreviousValue, Gain float64
		Percent                    *float64
	}
	text := func(window, signal, tool string, g growth) string {
		percent, _ := json.Marshal(g.Percent)
		return fmt.Sprintf("%s %s %s: %v→%v, %v, %s%%", window, signal, tool, g.PreviousValue, g.Value, g.Gain, percent)
	}
	var fromSeries, fromTrending []string
	for _, e := range s.pages(t, "/api/entities?fields=slug") {
		var tool struct{ Slug string }
		unpack(t, e, &tool)
		for signal, windows := range s.growthOf(t, tool.Slug, "") {
			for _, window := range []string{"7d", "30d"} {
				var g *growth
				unpack(t, windows[window], &g)
				if g != nil && g.Gain > 0 && slices.Contains(growing, signal) {
					fromSeries = append(fromSeries, text(window, signal, tool.Slug, *g))
				}
			}
		}
	}
	for _, window := range []string{"7d", "30d"} {
		for _, signal := range growing {
			for _, e := range s.list(t, "/api/trending?limit=100&window="+window+"&by="+signal).Data {
				var tool struct {
					Slug   string
					Growth growth
				}
				unpack(t, e, &tool)
				fromTrending = append(fromTrending, text(window, signal, tool.Slug, tool.Growth))
			}
		}
	}
	slices.Sort(fromSeries)
	slices.Sort(fromTrending)
	if !slices.Equal(fromSeries, fromTrending) || len(fromTrending) < 20 {
		t.Errorf("series:\n%s\ntrending:\n%s", strings.Join(fromSeries, "\n"), strings.Join(fromTrending, "\n"))
	}
}

// growing are the signals of growthHistory that trending lists.
var growing = []string{"contributors", "downloads", "forks", "stars"}

// TestAgentsSeeGrowth checks that the tool trending ranks by a figure as the API does.
func TestAgentsSeeGrowth(t *testing.T) {
	s := serveGrowth(t)
	for arguments, want := range map[string][]string{
		`{"by":"stars","limit":2}`: {`"since":"2026-10-25"`, `"count":12,"data":[{`, `"growth":{"gain":100,"percent":33.3,"previousValue":300,"signal":"stars","value":400},"id":"tool/steady"`,
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
			if !strings.Contains(c.text(), part) {
				t.Errorf("%s lacks %q: %s", arguments, part, c.text())
			}
		}
		if wrong := strings.Contains(want[0], "is not one of"); c.Result.IsError != wrong {
			t.Errorf("%s is an error: %v", arguments, c.Result.IsError)
		}
	}
}
