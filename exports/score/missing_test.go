package score_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/score"
)

// TestMissingNeverRaises leaves out figures, one at a time, of random entities. If a figure maps
// above the prior of its dimension, leaving it out must not raise a score.
func TestMissingNeverRaises(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	f := defaultFormula(t)
	fell, unranked := 0, 0
	for i := range 3000 {
		if i%20 == 10 {
			f = randomFormula(rng, t)
		}
		e, asOf := randomEntity(rng), time.Unix(1609459200+rng.Int64N(220000000), 0)
		e.Signals.Benchmarks = slices.CompactFunc(e.Signals.Benchmarks, func(x, y record.Benchmark) bool { return x.Name == y.Name })
		for _, g := range f.Explain(e, asOf).Figures() {
			d, m := dimensionOf(f.Explain(e, asOf), &g.Measure)
			if *m.Score < d.Prior {
				continue
			}
			without := copyOf(e)
			without.Signals.Facts = slices.DeleteFunc(without.Signals.Facts, func(f record.Fact) bool {
				return f.Name == g.Measure.Signal || slices.Contains(g.Measure.Sum, f.Name)
			})
			without.Signals.Benchmarks = slices.DeleteFunc(without.Signals.Benchmarks, func(b record.Benchmark) bool { return m.Result != nil && accepted(m, b) })
			with, less := f.Scores(e, asOf), f.Scores(without, asOf)
			for _, name := range record.ScoreNames {
				if less.Get(name).Compare(with.Get(name)) > 0 {
					t.Fatalf("without %s, which maps to %g, above the prior %g, %s rises from %v to %v", m.Name, *m.Score, d.Prior, name, with.Get(name), less.Get(name))
				}
			}
			switch {
			case with.Composite.Known() && !less.Composite.Known():
				unranked++
			case less.Composite.Compare(with.Composite) < 0:
				fell++
			}
		}
	}
	if fell < 300 || unranked < 30 {
		t.Errorf("only %d scores fell, and %d vanished", fell, unranked)
	}
}

// dimensionOf returns where an explanation shows a measure.
func dimensionOf(x *score.Explanation, of *score.Measure) (score.DimensionScore, score.MeasureValue) {
	for _, d := range x.Dimensions {
		for _, m := range d.Measures {
			if m.Name == of.Name() && m.Measure.Weight == of.Weight {
				return d, m
			}
		}
	}
	panic(of.Name() + " is not explained")
}

// accepted reports whether a measure could use a result, so that all of them are left out.
func accepted(m score.MeasureValue, b record.Benchmark) bool {
	only := &record.Entity{Type: "model", Signals: record.Signals{Benchmarks: []record.Benchmark{b}}}
	f := &score.Formula{Types: map[string]*score.TypeFormula{"model": {Dimensions: map[string]*score.Dimension{"quality": {Weight: 1, Measures: []score.Measure{m.Measure}}}}}}
	return f.Explain(only, at("2100-01-01")).Dimensions[0].Measures[0].State != score.Missing
}

// TestMissing checks what counts for a missing measure, at every coverage.
func TestMissing(t *testing.T) {
	const formula = `{"version": "1", "types": {"tool": {"dimensions": {"adoption": {
		"weight": 1, "prior": 20, "minimumCoverage": 0.5, "measures": [
			{"signal": "stars", "map": "linear", "from": 0, "to": 10, "weight": 3, "staleAfter": 30},
			{"signal": "forks", "map": "linear", "from": 0, "to": 10, "weight": 1}]},
		"engagement": {"weight": 1, "prior": 20, "measures": [
			{"signal": "contributors", "map": "linear", "from": 0, "to": 10, "weight": 1}]}}}}}`
	f := parse(t, formula)
	fact := func(name string, n float64, date string) record.Fact {
		return record.Fact{Name: name, Number: n, Date: date}
	}
	for name, c := range map[string]struct {
		facts []record.Fact
		want  string
	}{
		"all":                      {[]record.Fact{fact("stars", 10, ""), fact("forks", 0, ""), fact("contributors", 5, "")}, "75.0 62.5"},
		"one missing":              {[]record.Fact{fact("stars", 10, ""), fact("contributors", 5, "")}, "80.0 65.0"},
		"a poor one missing":       {[]record.Fact{fact("stars", 1, ""), fact("contributors", 5, "")}, "12.5 31.3"},
		"old readings count":       {[]record.Fact{fact("forks", 0, "2006-01-01"), fact("stars", 10, "2026-03-02")}, "75.0 47.5"},
		"stale is missing":         {[]record.Fact{fact("stars", 10, "2026-02-28"), fact("forks", 9, ""), fact("contributors", 5, "")}, " 35.0"},
		"too little, and poor":     {[]record.Fact{fact("forks", 0, ""), fact("contributors", 5, "")}, " 32.5"},
		"too little, and good":     {[]record.Fact{fact("forks", 10, ""), fact("contributors", 5, "")}, " 35.0"},
		"no figure of a dimension": {[]record.Fact{fact("stars", 10, ""), fact("forks", 0, "")}, "75.0 47.5"},
	} {
		s := f.Scores(tool(c.facts...), at("2026-03-31"))
		suite.Equal(t, s.Adoption.String()+" "+s.Composite.String(), c.want, name)
	}
}

// TestSum checks a measure of several signals together.
func TestSum(t *testing.T) {
	f := parse(t, fmt.Sprintf(one, `{"signal": "downloads", "sum": ["pypiDownloads", "npmDownloads"], "map": "linear", "from": 0, "to": 100, "weight": 1, "staleAfter": 30}`))
	for name, c := range map[string]struct {
		facts   []record.Fact
		want    float64
		parts   int
		date    string
		source  bool
		missing bool
	}{
		"both":               {[]record.Fact{{Name: "npmDownloads", Number: 20, Date: "2026-03-30", Source: "n"}, {Name: "pypiDownloads", Number: 10, Date: "2026-03-20", Source: "p"}, {Name: "downloads", Number: 90}}, 30, 2, "2026-03-20", false, false},
		"one":                {[]record.Fact{{Name: "pypiDownloads", Number: 10, Date: "2026-03-20", Source: "p"}, {Name: "downloads", Number: 90}}, 10, 1, "2026-03-20", true, false},
		"one is stale":       {[]record.Fact{{Name: "npmDownloads", Number: 20, Date: "2026-01-30"}, {Name: "pypiDownloads", Number: 10, Date: "2026-03-20", Source: "p"}}, 10, 1, "2026-03-20", true, false},
		"one was read later": {[]record.Fact{{Name: "npmDownloads", Number: 20, Date: "2026-05-30"}, {Name: "downloads", Number: 90, Source: "s"}}, 90, 0, "", true, false},
		"only stated":        {[]record.Fact{{Name: "downloads", Number: 90, Date: "2026-03-01", Source: "s"}}, 90, 0, "2026-03-01", true, false},
		"totals":             {[]record.Fact{{Name: "condaDownloads", Number: 90}, {Name: "dockerPulls", Number: 90}, {Name: "huggingfaceDownloads", Number: 90}}, 0, 0, "", false, true},
	} {
		x := f.Explain(tool(c.facts...), at("2026-03-31"))
		m := x.Dimensions[0].Measures[0]
		if c.missing != (m.State == score.Missing) || m.Name != "downloads" {
			t.Errorf("%s: %+v", name, m)
			continue
		}
		if c.missing {
			continue
		}
		if *m.Score != c.want || m.Value != c.want || len(m.Parts) != c.parts || (m.Source != nil) != c.source || (m.Date == nil) != (c.date == "") || m.Date != nil && *m.Date != c.date {
			t.Errorf("%s: %+v", name, m)
		}
	}
	sum := parse(t, fmt.Sprintf(one, `{"sum": ["pypiDownloads", "npmDownloads"], "map": "log", "full": 100, "weight": 1}`))
	if m := sum.Explain(tool(record.Fact{Name: "downloads", Number: 9}), at("2026-03-31")).Dimensions[0].Measures[0]; m.State != score.Missing || m.Name != "pypiDownloads + npmDownloads" {
		t.Errorf("a sum without a signal: %+v", m)
	}
}

// TestBestOfADay checks that of several results of a day, the best counts, also where less is better.
func TestBestOfADay(t *testing.T) {
	e := &record.Entity{Type: "model", Signals: record.Signals{Benchmarks: []record.Benchmark{
		{Name: "Errors", Value: 8, Date: "2026-03-01"}, {Name: "Errors", Value: 6, Date: "2026-03-01"}, {Name: "Errors", Value: 7, Date: "2026-03-01"},
		{Name: "Errors", Value: 1, Date: "2026-02-01"}}}}
	for measure, want := range map[string]float64{`"from": 10, "to": 0`: 6, `"from": 0, "to": 10`: 8} {
		f := parse(t, `{"types": {"model": {"dimensions": {"quality": {"weight": 1, "prior": 0, "measures": [{"benchmark": "Errors", "map": "linear", `+measure+`, "weight": 1}]}}}}}`)
		suite.Equal[any](t, f.Explain(e, at("2026-03-31")).Dimensions[0].Measures[0].Value, want, measure)
	}
}

// TestNeeds checks scores that need certain measures, or results of several sources.
func TestNeeds(t *testing.T) {
	const formula = `{"types": {"model": {"needs": %s, "dimensions": {"quality": {"weight": 1, "prior": 0, "measures": [
		{"benchmark": "A", "source": "Lab", "map": "linear", "from": 0, "to": 10, "weight": 1},
		{"benchmark": "A Agent", "variants": true, "source": "lab", "map": "linear", "from": 0, "to": 10, "weight": 1},
		{"benchmark": "B", "variants": true, "map": "linear", "from": 0, "to": 10, "weight": 1}]}}}}}`
	model := func(list ...record.Benchmark) *record.Entity {
		return &record.Entity{Type: "model", Signals: record.Signals{Benchmarks: list}}
	}
	a, agent := record.Benchmark{Name: "A", Value: 10}, record.Benchmark{Name: "A Agent", Harness: "X", Value: 10}
	b, own := record.Benchmark{Name: "B", Value: 10}, record.Benchmark{Name: "B", By: record.ByMaker, Value: 10}
	for _, c := range []struct {
		needs  string
		entity *record.Entity
		reason string // "" if there is a score
	}{
		{`{"sources": 2}`, model(a, b), ""},
		{`{"sources": 2}`, model(a, agent), "a score needs benchmark results from at least 2 independent sources, and it has 1: Lab"},
		{`{"sources": 1}`, model(own), "a score needs benchmark results from at least 1 independent source, and it has none"},
		{`{"measures": ["A"]}`, model(a), ""},
		{`{"measures": ["A", "B"]}`, model(a), "a score needs figures for A and B, and it has none for B"},
		{`{"sources": 1, "measures": ["A"]}`, model(b), "a score needs figures for A, and it has none for A"},
	} {
		f := parse(t, fmt.Sprintf(formula, c.needs))
		s, x := f.Scores(c.entity, at("2026-03-31")), f.Explain(c.entity, at("2026-03-31"))
		if s.Composite.Known() != (c.reason == "") || x.Ranked != s.Composite.Known() || !s.Quality.Known() || x.Reason != nil && *x.Reason != c.reason {
			t.Errorf("%s: %+v, %+v", c.needs, s, x)
		}
	}
	for needs, want := range map[string]string{
		`{"measures": ["C"]}`: `types.model.needs: the formula has no measure "C"`,
		`{"sources": -1}`:     "types.model.needs: sources must not be negative",
	} {
		if _, mistakes, err := score.Parse(kinds.Default(), fmt.Appendf(nil, formula, needs)); err != nil || len(mistakes) != 1 || mistakes[0].Error() != want {
			t.Errorf("%s: %v, %v", needs, mistakes, err)
		}
	}
}

// TestAgeAtReading checks that a date ages up to the day on which it was read.
func TestAgeAtReading(t *testing.T) {
	f := parse(t, fmt.Sprintf(one, `{"signal": "lastRelease", "map": "age", "halfLife": 10, "weight": 1}`))
	for _, test := range []struct {
		day, read string
		want      float64
	}{
		{"2026-03-01", "2026-03-11", 50}, {"2026-03-11", "2026-03-11", 100}, {"2026-03-21", "", 50},
		{"2026-03-12", "2026-03-11", 100}, // in the future when it was read
	} {
		e := tool(record.Fact{Name: "lastRelease", Day: test.day, Date: test.read})
		if got := f.Scores(e, at("2026-03-31")).Composite; got != record.ScoreOf(test.want) {
			t.Errorf("released on %s, read on %q: %v, want %v", test.day, test.read, got, test.want)
		}
	}
}
