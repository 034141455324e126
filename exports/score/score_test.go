package score_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/content"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/score"
)

func at(day string) time.Time {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, day); err == nil {
			return t
		}
	}
	panic(day)
}

func parse(t *testing.T, text string) *score.Formula {
	t.Helper()
	f, err := score.ParseChecked(kinds.Default(), []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

func tool(facts ...record.Fact) *record.Entity {
	return &record.Entity{Type: "tool", Slug: "a", Name: "A", Status: record.Active, Signals: record.Signals{Facts: facts}}
}

func stars(n float64) record.Fact { return record.Fact{Name: "stars", Number: n} }

// one returns a formula with a single measure.
const one = `{"version": "1", "types": {"tool": {"minimumCoverage": 0, "dimensions": {"adoption": {"weight": 1, "prior": 0, "measures": [%s]}}}}}`

func TestMeasures(t *testing.T) {
	const (
		logMap   = `{"signal": "stars", "map": "log", "full": 99, "weight": 1}`
		up       = `{"signal": "stars", "map": "linear", "from": 100, "to": 300, "weight": 1}`
		down     = `{"signal": "stars", "map": "linear", "from": 300, "to": 100, "weight": 1}`
		age      = `{"signal": "lastRelease", "map": "age", "halfLife": 10, "weight": 1}`
		ageTwo   = `{"signal": "lastRelease", "map": "age", "halfLife": 2, "weight": 1}`
		fading   = `{"signal": "stars", "map": "linear", "from": 0, "to": 10, "weight": 1, "staleAfter": 30}`
		fadeAge  = `{"signal": "lastRelease", "map": "age", "halfLife": 10, "weight": 1, "staleAfter": 30}`
		bench    = `{"benchmark": "B", "map": "linear", "from": -10, "to": 10, "weight": 1}`
		freshOne = `{"benchmark": "B", "map": "linear", "from": 0, "to": 100, "weight": 1, "staleAfter": 30}`
		variants = `{"benchmark": "B", "variants": true, "map": "linear", "from": -10, "to": 10, "weight": 1}`
		narrower = `{"benchmark": "B (2.1)", "variants": true, "map": "linear", "from": -10, "to": 10, "weight": 1}`
	)
	released := func(day string) *record.Entity { return tool(record.Fact{Name: "lastRelease", Day: day}) }
	observed := func(date string) *record.Entity {
		return tool(record.Fact{Name: "stars", Number: 5, Date: date})
	}
	results := func(list ...record.Benchmark) *record.Entity {
		e := tool()
		e.Signals.Benchmarks = list
		return e
	}
	type B = record.Benchmark
	const null = -1
	for name, c := range map[string]struct {
		measure string
		entity  *record.Entity
		asOf    string
		state   string
		want    float64
	}{
		"log of zero":          {logMap, tool(stars(0)), "2026-11-01", score.Counted, 0},
		"log halfway":          {logMap, tool(stars(9)), "2026-11-01", score.Counted, 50},
		"log of full":          {logMap, tool(stars(99)), "2026-11-01", score.Counted, 100},
		"log beyond full":      {logMap, tool(stars(1e9)), "2026-11-01", score.Counted, 100},
		"log below zero":       {logMap, tool(stars(-5)), "2026-11-01", score.Counted, 0},
		"missing":              {logMap, tool(record.Fact{Name: "forks", Number: 9}), "2026-11-01", score.Missing, null},
		"up from":              {up, tool(stars(100)), "2026-11-01", score.Counted, 0},
		"up a quarter":         {up, tool(stars(150)), "2026-11-01", score.Counted, 25},
		"up to":                {up, tool(stars(300)), "2026-11-01", score.Counted, 100},
		"up below":             {up, tool(stars(5)), "2026-11-01", score.Counted, 0},
		"up above":             {up, tool(stars(999)), "2026-11-01", score.Counted, 100},
		"down from":            {down, tool(stars(300)), "2026-11-01", score.Counted, 0},
		"down a quarter":       {down, tool(stars(250)), "2026-11-01", score.Counted, 25},
		"down to":              {down, tool(stars(100)), "2026-11-01", score.Counted, 100},
		"down below":           {down, tool(stars(5)), "2026-11-01", score.Counted, 100},
		"down above":           {down, tool(stars(999)), "2026-11-01", score.Counted, 0},
		"age of today":         {age, released("2026-11-01"), "2026-11-01", score.Counted, 100},
		"age of a half-life":   {age, released("2026-10-22"), "2026-11-01", score.Counted, 50},
		"age of two":           {age, released("2026-10-12"), "2026-11-01", score.Counted, 25},
		"a month is its first": {age, released("2026-10"), "2026-10-11", score.Counted, 50},
		"a month that begins":  {age, released("2026-11"), "2026-11-01", score.Counted, 100},
		"a month to come":      {age, released("2026-12"), "2026-11-30", score.Future, null},
		"a leap year":          {ageTwo, released("2024-02-28"), "2024-03-01", score.Counted, 50},
		"another century":      {ageTwo, released("1999-12-30"), "2000-01-01", score.Counted, 50},
		"the end of a day":     {ageTwo, released("2026-10-30"), "2026-11-01T23:59:59Z", score.Counted, 50},
		"a day is UTC":         {ageTwo, released("2026-10-29"), "2026-11-01T00:30:00+02:00", score.Counted, 50},
		"released tomorrow":    {age, released("2026-11-02"), "2026-11-01", score.Future, null},
		"seen today":           {fading, observed("2026-11-01"), "2026-11-01", score.Counted, 50},
		"seen at the boundary": {fading, observed("2026-10-02"), "2026-11-01T23:59:59Z", score.Counted, 50},
		"seen a day before it": {fading, observed("2026-10-01"), "2026-11-01", score.Stale, null},
		"seen in a month":      {fading, observed("2026-10"), "2026-10-31", score.Counted, 50},
		"seen too old a month": {fading, observed("2026-10"), "2026-11-01", score.Stale, null},
		"seen tomorrow":        {fading, observed("2026-11-02"), "2026-11-01", score.Future, null},
		"never seen":           {fading, observed(""), "2026-11-01", score.Counted, 50},
		"no bound":             {up, tool(record.Fact{Name: "stars", Number: 150, Date: "1990-01-01"}), "2026-11-01", score.Counted, 25},
		"a stale date":         {fadeAge, tool(record.Fact{Name: "lastRelease", Day: "2026-10-22", Date: "2026-01-01"}), "2026-11-01", score.Stale, null},
		"a fresh old date":     {fadeAge, tool(record.Fact{Name: "lastRelease", Day: "2026-08-23", Date: "2026-11-01"}), "2026-11-01", score.Counted, 100.0 / 128},
		"below nothing":        {bench, results(B{Name: "B", Value: -5}), "2026-11-01", score.Counted, 25},
		"the latest":           {bench, results(B{Name: "B", Value: 8, Date: "2025-01-01"}, B{Name: "B", Value: -5, Date: "2025-06"}, B{Name: "B", Value: 9, Date: "2024-12"}), "2026-11-01", score.Counted, 25},
		"the highest of a day": {bench, results(B{Name: "B", Value: -5, Date: "2025-01-01"}, B{Name: "B", Value: 5, Date: "2025-01-01"}, B{Name: "B", Value: 0, Date: "2025-01-01"}), "2026-11-01", score.Counted, 75},
		"undated ones last":    {bench, results(B{Name: "B", Value: 10}, B{Name: "B", Value: -5, Date: "2020-01"}, B{Name: "B", Value: 9}), "2026-11-01", score.Counted, 25},
		"highest undated one":  {bench, results(B{Name: "B", Value: -9}, B{Name: "B", Value: -5}, B{Name: "B", Value: -8}), "2026-11-01", score.Counted, 25},
		"the exact name":       {bench, results(B{Name: "b", Value: 1}, B{Name: "B (x)", Value: 1}, B{Name: "B ", Value: 1}), "2026-11-01", score.Missing, null},
		"any variant":          {variants, results(B{Name: "B (x)", Value: -8}, B{Name: "B (x, y)", Value: -5}, B{Name: "B", Value: -9}), "2026-11-01", score.Counted, 25},
		"the latest variant":   {variants, results(B{Name: "B (x)", Value: -5, Date: "2025-02"}, B{Name: "B", Value: 9, Date: "2025-01"}), "2026-11-01", score.Counted, 25},
		"another's variant":    {variants, results(B{Name: "B2 (x)", Value: 1}, B{Name: "BB", Value: 1}, B{Name: "B(x)", Value: 1}), "2026-11-01", score.Missing, null},
		"a narrower variant":   {narrower, results(B{Name: "B (2.1, x)", Value: -5}, B{Name: "B (2.1)", Value: -6}, B{Name: "B (2.10)", Value: 9}, B{Name: "B", Value: 9}), "2026-11-01", score.Counted, 25},
		"not the narrower one": {narrower, results(B{Name: "B (2)", Value: 9}, B{Name: "B", Value: 9}), "2026-11-01", score.Missing, null},
		"a result to come":     {bench, results(B{Name: "B", Value: 10, Date: "2027-01"}), "2026-11-01", score.Future, null},
		"before one to come":   {bench, results(B{Name: "B", Value: 10, Date: "2027-01"}, B{Name: "B", Value: -5, Date: "2025-01"}, B{Name: "B", Value: 9, Date: "2026-12"}), "2026-11-01", score.Counted, 25},
		"undated, one to come": {bench, results(B{Name: "B", Value: 9, Date: "2026-12"}, B{Name: "B", Value: -5}), "2026-11-01", score.Counted, 25},
		"a stale result":       {freshOne, results(B{Name: "B", Value: 9, Date: "2026-01"}, B{Name: "B", Value: 5}), "2026-11-01", score.Stale, null},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, fmt.Sprintf(one, c.measure))
			d := f.Explain(c.entity, at(c.asOf)).Dimensions[0]
			m := d.Measures[0]
			if m.State != c.state {
				t.Fatalf("it is %s, want %s", m.State, c.state)
			}
			got := f.Scores(c.entity, at(c.asOf))
			if c.want == null {
				if m.Score != nil || d.Value != nil || d.Score.Known() || got.Adoption.Known() || got.Composite.Known() {
					t.Fatalf("a score of nothing: %+v", d)
				}
				if (m.Value == nil) != (c.state == score.Missing) {
					t.Errorf("the value is %v", m.Value)
				}
				return
			}
			if m.Score == nil || math.Abs(*m.Score-c.want) > 1e-9 || got.Adoption != record.ScoreOf(c.want) {
				t.Fatalf("score %+v, %v, want %v", m, got.Adoption, c.want)
			}
		})
	}
}

// The weights add up to ten. The measures of stars and forks map each number to
// itself.
const whole = `{"version": "7", "deprecatedCap": 40, "types": {"tool": {"minimumCoverage": %s, "dimensions": {
	"adoption":   {"weight": 5, "prior": 20, "measures": [
		{"signal": "stars", "map": "linear", "from": 0, "to": 100, "weight": 3},
		{"signal": "forks", "map": "linear", "from": 0, "to": 100, "weight": 1}]},
	"citations":  {"weight": 3, "prior": 30, "measures": [{"signal": "citations", "map": "linear", "from": 0, "to": 100, "weight": 0.5}]},
	"engagement": {"weight": 2, "prior": 10, "measures": [{"signal": "commits", "map": "linear", "from": 0, "to": 100, "weight": 7}]}}}}}`

func TestComposite(t *testing.T) {
	fact := func(name string, n float64) record.Fact { return record.Fact{Name: name, Number: n} }
	status := func(s string, e *record.Entity) *record.Entity { e.Status = s; return e }
	for name, c := range map[string]struct {
		minimum string
		entity  *record.Entity
		want    string // composite, adoption, citations, engagement
		cover   float64
		cap     bool
	}{
		"all":                {"0.5", tool(fact("citations", 50), fact("commits", 10), fact("forks", 40), stars(80)), "52.0 70.0 50.0 10.0", 1, false},
		"priors":             {"0.5", tool(stars(80)), "43.5 65.0 null null", 0.5, false},
		"zero is known":      {"0.5", tool(stars(0)), "13.5 5.0 null null", 0.5, false},
		"at the minimum":     {"0.5", tool(fact("citations", 50), fact("commits", 10)), "27.0 null 50.0 10.0", 0.5, false},
		"below the minimum":  {"0.51", tool(stars(80)), "null 65.0 null null", 0.5, false},
		"far below":          {"0.5", tool(fact("commits", 10)), "null null null 10.0", 0.2, false},
		"nothing":            {"0.5", tool(), "null null null null", 0, false},
		"nothing, no bound":  {"0", tool(), "null null null null", 0, false},
		"little, no bound":   {"0", tool(fact("commits", 0)), "19.0 null null 0.0", 0.2, false},
		"half up":            {"0.5", tool(fact("forks", 0.2), stars(80)), "41.0 60.1 null null", 0.5, false}, // 60.05 and 41.025
		"deprecated":         {"0.5", status("deprecated", tool(stars(80))), "40.0 65.0 null null", 0.5, true},
		"deprecated, at it":  {"0.5", status("deprecated", tool(stars(70.6666))), "40.0 58.0 null null", 0.5, false},
		"deprecated, below":  {"0.5", status("deprecated", tool(stars(50))), "32.3 42.5 null null", 0.5, false},
		"deprecated, null":   {"0.5", status("deprecated", tool()), "null null null null", 0, false},
		"withdrawn":          {"0.5", status("withdrawn", tool(stars(80))), "43.5 65.0 null null", 0.5, false},
		"no formula":         {"0.5", &record.Entity{Type: "model", Signals: tool(stars(80)).Signals}, "null null null null", 0, false},
		"of no type we know": {"0.5", &record.Entity{Type: "robot", Signals: tool(stars(80)).Signals}, "null null null null", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, fmt.Sprintf(whole, c.minimum))
			s, x := f.Scores(c.entity, at("2026-11-01")), f.Explain(c.entity, at("2026-11-01"))
			var got []string
			for _, n := range []record.Score{s.Composite, s.Adoption, s.Citations, s.Engagement} {
				got = append(got, string(n.AppendJSON(nil)))
			}
			if strings.Join(got, " ") != c.want || s.Quality.Known() || s.Freshness.Known() {
				t.Errorf("%s, want %s", got, c.want)
			}
			if x.Coverage != c.cover || (x.Cap != nil) != c.cap || x.Composite != s.Composite || x.FormulaVersion != "7" || x.AsOf != "2026-11-01T00:00:00Z" {
				t.Errorf("explained as %+v", x)
			}
			if x.Ranked != (s.Composite.Known() && c.entity.Status != "withdrawn") || (x.Reason == nil) != x.Ranked || (x.Uncapped != nil) != s.Composite.Known() {
				t.Errorf("ranked %v, %v, %v", x.Ranked, x.Reason, x.Uncapped)
			}
		})
	}
	// Rounding errors in binary fractions must not matter.
	f := parse(t, strings.NewReplacer(`"weight": 5`, `"weight": 0.1`, `"weight": 3,`, `"weight": 0.2,`, `"weight": 2`, `"weight": 0.3`).Replace(fmt.Sprintf(whole, "0.5")))
	if s := f.Scores(tool(fact("commits", 10)), at("2026-11-01")); !s.Composite.Known() {
		t.Error("0.3 is not half of 0.1 + 0.2 + 0.3")
	}
	// A dimension with too little data is unknown, and the reason states that.
	little := strings.Replace(fmt.Sprintf(whole, "0.5"), `"prior": 20,`, `"prior": 20, "minimumCoverage": 0.75,`, 1)
	f = parse(t, little)
	for _, c := range []struct {
		entity *record.Entity
		want   string // adoption, composite
		cover  float64
	}{
		{tool(stars(80)), "65.0 43.5", 0.75},
		{tool(fact("forks", 80)), "null null", 0.25},
		{tool(fact("forks", 80), fact("citations", 50), fact("commits", 10)), "null 27.0", 0.25},
	} {
		s, x := f.Scores(c.entity, at("2026-11-01")), f.Explain(c.entity, at("2026-11-01"))
		d := x.Dimensions[0]
		if got := string(s.Adoption.AppendJSON(nil)) + " " + string(s.Composite.AppendJSON(nil)); got != c.want || d.Coverage != c.cover || d.MinimumCoverage != 0.75 {
			t.Errorf("%s, want %s: %+v", got, c.want, d)
		}
		if !x.Ranked && !strings.HasSuffix(*x.Reason, "minimum coverage; adoption is 25% known, but 75% is needed") {
			t.Errorf("the reason is %q", *x.Reason)
		}
	}
	empty := parse(t, `{"types": {"tool": {}}}`).Explain(tool(stars(1)), at("2026-11-01"))
	if empty.Ranked || empty.Reason == nil || empty.Dimensions == nil {
		t.Errorf("a formula without dimensions: %+v", empty)
	}
	if deep := parse(t, strings.Replace(fmt.Sprintf(whole, "0"), `"deprecatedCap": 40,`, "", 1)); deep.Scores(status("deprecated", tool(stars(100))), at("2026-11-01")).Composite != record.ScoreOf(51) {
		t.Error("a formula without a cap caps")
	}
}

func TestParseErrors(t *testing.T) {
	in := func(measure string) string { return fmt.Sprintf(one, measure) }
	const first = "types.tool.dimensions.adoption.measures.0"
	for text, want := range map[string]string{
		`{"types": {"robot": {}}}`:                                                                      "types.robot: unknown entity type (expected one of: model, tool)",
		`{"types": {"tool": null}}`:                                                                     "types.tool: is empty",
		`{"types": {"tool": {"dimensions": {"composite": {}}}}}`:                                        "types.tool.dimensions.composite: unknown dimension (expected one of: adoption,",
		`{"types": {"model": {"dimensions": {"quality": null}}}}`:                                       "types.model.dimensions.quality: is empty",
		`{"types": {"tool": {"dimensions": {"quality": {"weight": 1e16}}}}}`:                            "types.tool.dimensions.quality.weight: is too large",
		`{"types": {"tool": {"dimensions": {"quality": {"weight": -1}}}}}`:                              "types.tool.dimensions.quality.weight: must not be negative",
		`{"types": {"tool": {"dimensions": {"quality": {"prior": 101}}}}}`:                              "types.tool.dimensions.quality.prior: must be from 0 to 100",
		`{"types": {"tool": {"minimumCoverage": 2}}}`:                                                   "types.tool.minimumCoverage: must be from 0 to 1",
		`{"deprecatedCap": -1}`:                                                                         "deprecatedCap: must be from 0 to 100",
		in(`{"map": "log", "full": 1, "weight": 1}`):                                                    first + ": must name either a signal or a benchmark",
		in(`{"signal": "stars", "benchmark": "B", "map": "log", "full": 1, "weight": 1}`):               first + ": must name either a signal or a benchmark",
		`{"types": {"tool": {"dimensions": {"quality": {"minimumCoverage": 1.1}}}}}`:                    "types.tool.dimensions.quality.minimumCoverage: must be from 0 to 1",
		in(`{"signal": "stars", "variants": true, "map": "log", "full": 1, "weight": 1}`):               first + ": variants applies only to a benchmark",
		in(`{"signal": "Stars", "map": "log", "full": 1, "weight": 1}`):                                 first + `: unknown signal "Stars"`,
		in(`{"signal": "stars", "map": "log", "full": 1}`):                                              first + ": needs a weight above 0",
		in(`{"signal": "stars", "map": "log", "full": 1, "weight": -1}`):                                first + ": needs a weight above 0",
		in(`{"signal": "stars", "map": "log", "full": 1, "weight": 1, "staleAfter": -1}`):               first + ": staleAfter must not be negative",
		in(`{"signal": "stars", "map": "log", "full": 1, "weight": 1e16}`):                              first + ": contains a number that is too large",
		in(`{"signal": "stars", "map": "log", "full": 1e300, "weight": 1}`):                             first + ": contains a number that is too large",
		in(`{"benchmark": "B", "map": "linear", "from": -1e308, "to": 1, "weight": 1}`):                 first + ": contains a number that is too large",
		in(`{"benchmark": "B", "map": "linear", "from": 1, "to": 1e308, "weight": 1}`):                  first + ": contains a number that is too large",
		in(`{"signal": "released", "map": "age", "halfLife": 1e300, "weight": 1}`):                      first + ": contains a number that is too large",
		in(`{"signal": "stars", "map": "log", "weight": 1}`):                                            first + ": map log applies only to counts and requires full",
		in(`{"signal": "stars", "map": "log", "full": -1, "weight": 1}`):                                first + ": map log applies only to counts and requires full",
		in(`{"signal": "released", "map": "log", "full": 1, "weight": 1}`):                              first + ": map log applies only to counts and requires full",
		in(`{"benchmark": "B", "map": "log", "full": 1, "weight": 1}`):                                  first + ": map log applies only to counts and requires full",
		in(`{"signal": "stars", "map": "linear", "from": 1, "weight": 1}`):                              first + ": map linear applies only to numbers",
		in(`{"signal": "stars", "map": "linear", "to": 1, "weight": 1}`):                                first + ": map linear applies only to numbers",
		in(`{"signal": "stars", "map": "linear", "from": 1, "to": 1, "weight": 1}`):                     first + ": map linear applies only to numbers",
		in(`{"signal": "released", "map": "linear", "from": 0, "to": 1, "weight": 1}`):                  first + ": map linear applies only to numbers",
		in(`{"signal": "released", "map": "age", "weight": 1}`):                                         first + ": map age applies only to dates",
		in(`{"signal": "released", "map": "age", "halfLife": -1, "weight": 1}`):                         first + ": map age applies only to dates",
		in(`{"signal": "stars", "map": "age", "halfLife": 1, "weight": 1}`):                             first + ": map age applies only to dates",
		in(`{"benchmark": "B", "map": "age", "halfLife": 1, "weight": 1}`):                              first + ": map age applies only to dates",
		in(`{"signal": "stars", "map": "square", "weight": 1}`):                                         first + `: map must be log, linear or age, not "square"`,
		in(`{"signal": "stars", "map": "linear", "from": 0, "to": 1, "full": 1, "weight": 1}`):          first + ": full applies only to map log",
		in(`{"signal": "stars", "map": "log", "full": 1, "to": 1, "weight": 1}`):                        first + ": from and to apply only to map linear",
		in(`{"signal": "stars", "map": "log", "full": 1, "from": 1, "weight": 1}`):                      first + ": from and to apply only to map linear",
		in(`{"signal": "stars", "map": "log", "full": 1, "halfLife": 1, "weight": 1}`):                  first + ": halfLife applies only to map age",
		in(`{"signal": "stars", "map": "log", "full": 1, "weight": 1}, {"signal": "stars", "map": ""}`): "types.tool.dimensions.adoption.measures.1: needs a weight",
	} {
		_, mistakes, err := score.Parse(kinds.Default(), []byte(text))
		if err != nil || len(mistakes) != 1 || !strings.HasPrefix(mistakes[0].Error(), want) {
			t.Errorf("%s:\ngot  %v, %v\nwant %s", text, mistakes, err, want)
		}
		var wrong *kinds.Error
		if _, err := score.ParseChecked(kinds.Default(), []byte(text)); !errors.As(err, &wrong) || !reflect.DeepEqual(wrong, mistakes[0]) {
			t.Errorf("%s: Read gives %v", text, err)
		}
	}
	_, mistakes, err := score.Parse(kinds.Default(), []byte(`{"types": {"tool": {"dimensions": {"quality": null, "adoption": {"measures": [{}, {"map": "log"}]}}}, "model": null, "robot": null}}`))
	var paths []string
	for _, m := range mistakes {
		paths = append(paths, strings.Join(m.Path, "."))
	}
	if want := []string{"types.model", "types.robot", "types.tool.dimensions.adoption.measures.0",
		"types.tool.dimensions.adoption.measures.1", "types.tool.dimensions.quality"}; err != nil || !slices.Equal(paths, want) {
		t.Errorf("all mistakes at once: %v, %v", mistakes, err)
	}
	for _, text := range []string{"", "[]", `{"types": {"tool": {"dimension": {}}}}`, `{"deprecatedCap": "40"}`} {
		if _, mistakes, err := score.Parse(kinds.Default(), []byte(text)); err == nil || len(mistakes) > 0 || !strings.HasPrefix(err.Error(), "scoring file: ") {
			t.Errorf("%q gives %v, %v", text, mistakes, err)
		}
		if _, err := score.ParseChecked(kinds.Default(), []byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func defaultFormula(t *testing.T) *score.Formula {
	t.Helper()
	asJSON, problems := content.ParseScoring(kinds.Default(), "default.yaml", score.Default)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return parse(t, string(asJSON))
}

func TestDefault(t *testing.T) {
	f := defaultFormula(t)
	for _, typ := range kinds.Default().Names() {
		if f.Types[typ] == nil || len(f.Types[typ].Dimensions) == 0 {
			t.Errorf("nothing for type %s", typ)
		}
	}
	if again := parse(t, string(f.JSON())); !reflect.DeepEqual(again, f) {
		t.Error("JSON does not read back")
	}
}

// randomDate returns a day or a month around 2026.
func randomDate(rng *rand.Rand) string {
	d := time.Date(2021+rng.IntN(7), time.Month(1+rng.IntN(12)), 1+rng.IntN(31), 0, 0, 0, 0, time.UTC)
	return d.Format([]string{"2006-01", time.DateOnly}[rng.IntN(2)])
}

func randomEntity(rng *rand.Rand) *record.Entity {
	e := tool()
	e.Type, e.Status = kinds.Default().Names()[rng.IntN(2)], record.Statuses[rng.IntN(3)]
	for _, s := range kinds.Default().Signals {
		f := record.Fact{Name: s.Name, Number: math.Trunc(math.Exp(rng.Float64() * 25))}
		if s.IsDay() {
			f.Number, f.Day = 0, randomDate(rng)
		}
		if rng.IntN(4) > 0 {
			f.Date, f.Source = randomDate(rng), "https://example.org/"+s.Name
		}
		if rng.IntN(3) > 0 {
			e.Signals.Facts = append(e.Signals.Facts, f)
		}
	}
	for range rng.IntN(12) {
		b := record.Benchmark{Name: []string{"Aider Polyglot", "Terminal-Bench", "SWE-Bench Pro", "SWE-Bench Verified", "B", "Aider Polyglot (a)", "SWE-Bench Pro (b, c)"}[rng.IntN(7)], Value: rng.NormFloat64() * 60}
		if rng.IntN(2) == 0 {
			b.Date = randomDate(rng)
		}
		e.Signals.Benchmarks = append(e.Signals.Benchmarks, b)
	}
	return e
}

// randomFormula returns a formula with weights, priors and bounds that no person
// would use.
func randomFormula(rng *rand.Rand, t *testing.T) *score.Formula {
	f := parse(t, string(defaultFormula(t).JSON()))
	limit := rng.Float64() * 100
	f.DeprecatedCap = &limit
	for _, typ := range f.Types {
		typ.MinimumCoverage = rng.Float64()
		for _, d := range typ.Dimensions {
			d.Weight, d.Prior, d.MinimumCoverage = rng.ExpFloat64()+0.01, rng.Float64()*100, rng.Float64()*0.7
			for i := range d.Measures {
				m := &d.Measures[i]
				m.Weight, m.StaleAfter = rng.ExpFloat64()+0.01, float64(rng.IntN(2000))
				m.Variants = m.Benchmark != "" && rng.IntN(2) == 0
				if m.Map == "linear" && rng.IntN(2) == 0 {
					m.From, m.To = m.To, m.From
				}
			}
		}
	}
	return parse(t, string(f.JSON()))
}

func copyOf(e *record.Entity) *record.Entity {
	c := *e
	c.Signals.Facts, c.Signals.Benchmarks = slices.Clone(e.Signals.Facts), slices.Clone(e.Signals.Benchmarks)
	return &c
}

func TestScoresAreLocal(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	f := defaultFormula(t)
	before := string(f.JSON())
	asOf := at("2026-11-01")
	var list []*record.Entity
	var alone []record.Scores
	for range 500 {
		e := randomEntity(rng)
		list = append(list, e)
		alone = append(alone, parse(t, before).Scores(copyOf(e), asOf))
	}
	for range 3 {
		for _, i := range rng.Perm(len(list)) {
			untouched := copyOf(list[i])
			if got := f.Scores(list[i], asOf); got != alone[i] {
				t.Fatalf("among others %d has %+v, alone %+v", i, got, alone[i])
			}
			f.Explain(list[i], asOf)
			if !reflect.DeepEqual(list[i], untouched) {
				t.Fatalf("scoring changed the entity %d", i)
			}
		}
	}
	if string(f.JSON()) != before {
		t.Error("scoring changed the formula")
	}
}
