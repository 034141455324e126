package score_test

import (
	"fmt"
	"math"
	"testing"

	"kindex/exports/record"
)

// TestTrust checks that an old reading loses weight to the prior, but that its age never makes an
// entity unranked.
func TestTrust(t *testing.T) {
	const formula = `{"version": "1", "types": {"tool": {"minimumCoverage": 1, "dimensions": {"adoption": {
		"weight": 1, "prior": 20, "minimumCoverage": 1, "measures": [
			{"signal": "stars", "map": "linear", "from": 0, "to": 10, "weight": 3, "trustHalfLife": 30},
			{"signal": "forks", "map": "linear", "from": 0, "to": 10, "weight": 1}]}}}}}`
	f := parse(t, formula)
	read := func(date string) *record.Entity {
		return tool(record.Fact{Name: "stars", Number: 10, Date: date}, record.Fact{Name: "forks", Number: 0, Date: date})
	}
	for _, test := range []struct {
		date  string
		trust float64
	}{
		{"2026-03-31", 1}, {"2026-03-01", 0.5}, {"2026-01-30", 0.25}, {"", 1}, {"2006-03-31", 0},
	} {
		x := f.Explain(read(test.date), at("2026-03-31"))
		m := x.Dimensions[0].Measures[0]
		want := (3*(100*test.trust+20*(1-test.trust)) + 0) / 4
		if math.Abs(*m.Trust-test.trust) > 1e-6 || math.Abs(*x.Dimensions[0].Value-want) > 1e-6 || !x.Ranked || x.Dimensions[0].Coverage != 1 {
			t.Errorf("read on %q: trust %v, value %v, coverage %v, ranked %v; want trust %v, value %v", test.date,
				*m.Trust, *x.Dimensions[0].Value, x.Dimensions[0].Coverage, x.Ranked, test.trust, want)
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
