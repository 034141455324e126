package score_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/exports/score"
)

func TestExplanationsRecompute(t *testing.T) {
	suite.InTest(t)
	rng := rand.New(rand.NewPCG(1, 2))
	f := defaultFormula(t)
	states := map[string]int{}
	ranked, free := 0, 0
	for i := range 2000 {
		if i%20 == 10 {
			f = randomFormula(rng, t)
		}
		e := randomEntity(rng)
		asOf := time.Unix(1609459200+rng.Int64N(220000000), 0)
		text := suite.Must(json.Marshal(f.Explain(e, asOf)))(t)
		got := recompute(t, f, e, text, states)
		want := f.Scores(e, asOf)
		if got != want {
			t.Fatalf("%s\ngives %+v, the scores are %+v", text, got, want)
		}
		for _, name := range record.ScoreNames {
			if s := want.Get(name); s.Float() < 0 || s.Float() > 100 {
				t.Fatalf("%s is %v", name, s)
			}
		}
		if want.Composite.Known() {
			ranked++
		}
		if bytes.Contains(text, []byte(`"cap":null`)) {
			free++
		}
	}
	if min(states[score.Counted], states[score.Missing], states[score.Stale], states[score.Future], states["too little"], states["sum"], ranked, 2000-ranked, free, 2000-free) < 50 {
		t.Errorf("too little happened: %v, %d ranked, %d without cap", states, ranked, free)
	}
}

// shown is an explanation as clients decode it.
type shown struct {
	AsOf                      string
	Composite, Uncapped, Cap  *float64
	Coverage, MinimumCoverage float64
	Ranked                    bool
	Dimensions                []struct {
		Name                      string
		Score, Value              *float64
		Weight, Prior, Counted    float64
		Coverage, MinimumCoverage float64
		Measures                  []shownMeasure
	}
}

type shownMeasure struct {
	Name, State string
	Score       *float64
	Value       any
	Result      *string
	Date        *string
	Parts       []struct {
		Signal string
		Value  float64
		Date   *string
	}
	Measure struct {
		Signal, Benchmark, Map                       string
		Sum                                          []string
		Variants                                     bool
		Full, From, To, HalfLife, Weight, StaleAfter float64
	}
}

// recompute calculates the scores from the JSON of an explanation alone, and checks every
// intermediate number.
func recompute(t *testing.T, f *score.Formula, e *record.Entity, text []byte, states map[string]int) (s record.Scores) {
	t.Helper()
	var x shown
	suite.Check(t, json.Unmarshal(text, &x))
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-9 {
			t.Fatalf("%s: %s is %v, want %v", text, what, got, want)
		}
	}
	round := func(v float64) record.Score {
		tenths := math.Floor(v*10 + 0.5)
		return record.ScoreOf(tenths / 10)
	}
	if len(x.Dimensions) != len(f.Types[e.Type].Dimensions) {
		t.Fatalf("%s: %d dimensions", text, len(x.Dimensions))
	}
	var sum, weights, known float64
	for _, d := range x.Dimensions {
		var dsum, dweights, dall float64
		for _, m := range d.Measures {
			states[m.State]++
			dall += m.Measure.Weight
			if name := resultOf(e, m); m.State != score.Missing && name != "" {
				if m.Result == nil || *m.Result != name {
					t.Fatalf("%s: %s used the result %v, want %s", text, m.Name, m.Result, name)
				}
			} else if m.Result != nil {
				t.Fatalf("%s: %s took a result", text, m.Name)
			}
			if want := stateOf(m, x.AsOf); m.State != want {
				t.Fatalf("%s: %s is %s, want %s", text, m.Name, m.State, want)
			}
			if m.State != score.Counted {
				if m.Score != nil {
					t.Fatalf("%s: %s has a score", text, m.Name)
				}
				dsum += m.Measure.Weight * d.Prior
				continue
			}
			near(m.Name, m.Score, scoreOf(m, x.AsOf))
			if len(m.Parts) > 0 {
				states["sum"]++
				near(m.Name+": the sum", ptr(m.Value), sumOf(e, m, x.AsOf))
			}
			dsum += m.Measure.Weight * *m.Score
			dweights += m.Measure.Weight
		}
		near(d.Name+".coverage", &d.Coverage, dweights/dall)
		counted := d.Prior
		if dweights > 0 && dweights/dall >= d.MinimumCoverage {
			near(d.Name, d.Value, dsum/dall)
			counted = *d.Value
			s.Set(d.Name, round(counted))
			known += d.Weight
			near(d.Name, d.Score, s.Get(d.Name).Float())
		} else if d.Score != nil || d.Value != nil {
			t.Fatalf("%s: %s has a score", text, d.Name)
		} else if dweights > 0 {
			counted = min(counted, dsum/dall)
			states["too little"]++
		}
		near(d.Name, &d.Counted, counted)
		sum += float64(d.Weight * counted)
		weights += d.Weight
	}
	near("coverage", &x.Coverage, known/weights)
	if known == 0 || known/weights < x.MinimumCoverage {
		if x.Ranked || x.Composite != nil || x.Uncapped != nil || x.Cap != nil {
			t.Fatalf("%s: it is ranked", text)
		}
		return s
	}
	near("uncapped", x.Uncapped, sum/weights)
	final := *x.Uncapped
	if e.Status == record.Deprecated && *f.DeprecatedCap < final {
		near("cap", x.Cap, *f.DeprecatedCap)
		final = *x.Cap
	} else if x.Cap != nil {
		t.Fatalf("%s: it is capped", text)
	}
	s.Composite = round(final)
	near("composite", x.Composite, s.Composite.Float())
	return s
}

// resultOf returns the name of the result that an explanation shows for a benchmark. It finds
// the result by its value and date among those that the measure may use.
func resultOf(e *record.Entity, m shownMeasure) string {
	for _, b := range e.Signals.Benchmarks {
		if m.Measure.Benchmark == "" || m.Value != b.Value || (m.Date == nil) != (b.Date == "") || m.Date != nil && *m.Date != b.Date {
			continue
		}
		base, variant, _ := strings.Cut(b.Name, " (")
		if b.Name == m.Measure.Benchmark || m.Measure.Variants && base == m.Measure.Benchmark && variant != "" {
			return b.Name
		}
	}
	return ""
}

// dayOf counts the days up to a date by the calendar, without times or time zones.
func dayOf(date string) float64 {
	if len(date) == 7 {
		date += "-01"
	}
	var y, m, d int
	if _, err := fmt.Sscanf(date[:10], "%d-%d-%d", &y, &m, &d); err != nil {
		panic(err)
	}
	lengths := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	leap := func(y int) bool { return y%4 == 0 && y%100 != 0 || y%400 == 0 }
	for year := 2000; year < y; year++ {
		d += 365
		if leap(year) {
			d++
		}
	}
	for month := range m - 1 {
		d += lengths[month]
		if month == 1 && leap(y) {
			d++
		}
	}
	return float64(d)
}

func stateOf(m shownMeasure, asOf string) string {
	day, isDay := m.Value.(string)
	switch {
	case m.Value == nil:
		return score.Missing
	case m.Date != nil && dayOf(*m.Date) > dayOf(asOf):
		return score.Future
	case m.Date != nil && m.Measure.StaleAfter > 0 && dayOf(asOf)-dayOf(*m.Date) > m.Measure.StaleAfter:
		return score.Stale
	case isDay && dayOf(day) > dayOf(asOf):
		return score.Future
	}
	return score.Counted
}

// ptr returns a number of an explanation, or nil if it is none.
func ptr(v any) *float64 {
	if n, ok := v.(float64); ok {
		return &n
	}
	return nil
}

// sumOf adds up the signals of a sum that count on a day.
func sumOf(e *record.Entity, m shownMeasure, asOf string) (sum float64) {
	for _, f := range e.Signals.Facts {
		age := 0.0
		if f.Date != "" {
			age = dayOf(asOf) - dayOf(f.Date)
		}
		if slices.Contains(m.Measure.Sum, f.Name) && age >= 0 && (m.Measure.StaleAfter == 0 || age <= m.Measure.StaleAfter) {
			sum += f.Number
		}
	}
	return sum
}

func scoreOf(m shownMeasure, asOf string) float64 {
	if m.Date != nil {
		asOf = *m.Date // later changes are unknown
	}
	var v float64
	switch x := m.Value.(type) {
	case float64:
		v = x
	case string:
		v = max(0, dayOf(asOf)-dayOf(x))
	}
	switch p := m.Measure; p.Map {
	case "log":
		v = 100 * math.Log(1+v) / math.Log(1+p.Full)
	case "linear":
		v = 100 * (v - p.From) / (p.To - p.From)
	case "age":
		v = 100 * math.Pow(0.5, v/p.HalfLife)
	}
	return math.Max(0, math.Min(100, v))
}

func TestMoreNeverScoresLess(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	f := defaultFormula(t)
	rose := 0
	for i := range 1000 {
		if i%50 == 25 {
			f = randomFormula(rng, t)
		}
		e, asOf := randomEntity(rng), time.Unix(1609459200+rng.Int64N(220000000), 0)
		e.Type = "tool"
		facts := e.Signals.Facts
		n := slices.IndexFunc(facts, func(f record.Fact) bool { return f.Name == "stars" })
		if n < 0 {
			continue
		}
		facts[n].Number = 0
		last := f.Scores(e, asOf)
		for range 20 {
			facts[n].Number += math.Trunc(1 + facts[n].Number*rng.Float64()*3)
			s := f.Scores(e, asOf)
			if s.Adoption.Compare(last.Adoption) < 0 || s.Composite.Compare(last.Composite) < 0 {
				t.Fatalf("with %v stars %+v, with fewer %+v", facts[n].Number, s, last)
			}
			if s.Composite.Compare(last.Composite) > 0 {
				rose++
			}
			last = s
		}
	}
	if rose < 100 {
		t.Errorf("stars raised a composite only %d times", rose)
	}
}

// TestGolden compares the explanations of a real tool and a real model. After an
// intended change: go test ./exports/score -run Golden -update
func TestGolden(t *testing.T) {
	c, problems, err := content.Load(suite.Content(t), nil)
	if n, _ := problems.Count(); err != nil || n > 0 {
		t.Fatal(err, problems)
	}
	f := parse(t, string(c.Scoring))
	all := []any{}
	for _, key := range []string{"model/claude-sonnet-4-6", "tool/catboost"} {
		i := slices.IndexFunc(c.Entities, func(e *record.Entity) bool { return e.Key() == key })
		if i < 0 {
			t.Fatalf("no entity %s", key)
		}
		text := suite.Must(json.Marshal(f.Explain(c.Entities[i], at("2026-11-01"))))(t)
		var x any
		suite.Check(t, json.Unmarshal(text, &x))
		all = append(all, rounded(x))
	}
	got := suite.Must(json.MarshalIndent(all, "", "  "))(t)
	got = append(got, '\n')
	suite.Golden(t, filepath.Join("testdata", "explain.golden.json"), got)
}

// rounded keeps nine decimals, because processors differ in the last digits.
func rounded(x any) any {
	switch v := x.(type) {
	case float64:
		return math.Round(v*1e9) / 1e9
	case []any:
		for i := range v {
			v[i] = rounded(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = rounded(v[k])
		}
	}
	return x
}
