package pages

import (
	"fmt"
	"math"
	"slices"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/site/textfmt"
)

// scoringPage explains the scoring formula of the build.
type scoringPage struct {
	Version string
	AsOf    string
	Cap     string // maximum score of a deprecated entity, or "" if there is no cap
	Types   []scoredType
	File    string // path of the formula as JSON
}

// scoredType is the formula of a type.
type scoredType struct {
	Type       string
	Coverage   string // share of the weight that must be known for a rank
	Dimensions []scoredDimension
}

// scoredDimension is a dimension of a type.
type scoredDimension struct {
	Name          string
	Weight, Share string
	Prior         string
	Coverage      string // share of the weight that must be known, or "" if one measure is enough
	Measures      []scoredMeasure
	Stale         bool // at least one measure has an age limit
}

// scoredMeasure is a measure of a dimension.
type scoredMeasure struct {
	Name          string
	Note          string
	Weight, Share string
	How           string
	Stale         string
}

// scoring shows the formula that the scores of the build were calculated with.
func (r *request) scoring() (*page, error) {
	d := &scoringPage{Version: r.Formula.Version, AsOf: r.Build.Manifest.AsOf,
		File: "/data/" + r.Build.Manifest.ID + "/" + exports.ScoringFile}
	if c := r.Formula.DeprecatedCap; c != nil {
		d.Cap = textfmt.Count(*c)
	}
	for _, t := range record.Types {
		if f := r.Formula.Types[t]; f != nil {
			d.Types = append(d.Types, describeType(t, f))
		}
	}
	return &page{Template: "scoring", Title: "How scores are calculated", Data: d,
		Description: "The formula behind every score: the dimensions, weights and figures of this build."}, nil
}

// dimensionMeanings describes, in one sentence each, what the dimensions measure in any
// formula.
var dimensionMeanings = map[string]string{
	"adoption":   "How widely it is used, judged by counts such as stars, downloads or likes.",
	"quality":    "How well it performs, judged by published benchmark results.",
	"freshness":  "How recent its release is: the value fades as the release ages.",
	"citations":  "How much other work builds on it, judged by dependents and citations.",
	"engagement": "How many people work on it or with its code, judged by contributors and forks.",
}

// scores returns the scores that the formula of the build calculates for entities of the
// given types, starting with the composite. Pages leave out dimensions that the formula
// does not have.
func (s *Site) scores(types ...string) []string {
	if s.Formula == nil {
		return record.ScoreNames
	}
	return slices.DeleteFunc(slices.Clone(record.ScoreNames), func(name string) bool {
		return name != "composite" && !slices.ContainsFunc(types, func(t string) bool {
			f := s.Formula.Types[t]
			return f != nil && f.Dimensions[name] != nil
		})
	})
}

func describeType(typ string, f *score.TypeFormula) scoredType {
	t := scoredType{Type: typ, Coverage: textfmt.Percent(f.MinimumCoverage)}
	var all float64
	for _, d := range f.Dimensions {
		all += d.Weight
	}
	for _, name := range score.DimensionNames {
		d := f.Dimensions[name]
		if d == nil {
			continue
		}
		shown := scoredDimension{Name: name, Weight: textfmt.Count(d.Weight), Share: share(d.Weight, all), Prior: textfmt.Count(d.Prior)}
		if d.MinimumCoverage > 0 {
			shown.Coverage = textfmt.Percent(d.MinimumCoverage)
		}
		var weights float64
		for _, m := range d.Measures {
			weights += m.Weight
		}
		for _, m := range d.Measures {
			shown.Measures = append(shown.Measures, describeMeasure(m, weights))
			shown.Stale = shown.Stale || m.StaleAfter > 0
		}
		t.Dimensions = append(t.Dimensions, shown)
	}
	slices.SortStableFunc(t.Dimensions, func(a, b scoredDimension) int {
		x, y := f.Dimensions[a.Name].Weight, f.Dimensions[b.Name].Weight
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return t
}

func describeMeasure(m score.Measure, weights float64) scoredMeasure {
	d := scoredMeasure{Name: textfmt.Label(m.Signal), Weight: textfmt.Count(m.Weight), Share: share(m.Weight, weights)}
	if m.Benchmark != "" {
		d.Name, d.Note = m.Benchmark, "benchmark"
		if m.Variants {
			d.Note = "benchmark, variants included"
		}
	}
	switch m.Map {
	case "log":
		d.How = fmt.Sprintf("100 · ln(1 + x) / ln(1 + %[1]s): 0 earns 0, %[1]s or more earns 100", textfmt.Count(m.Full))
	case "linear":
		d.How = fmt.Sprintf("Linear: %s earns 0, %s earns 100", textfmt.Count(*m.From), textfmt.Count(*m.To))
	case "age":
		d.How = fmt.Sprintf("100 on the day itself, then halved every %s", daysLong(m.HalfLife))
	}
	if m.StaleAfter > 0 {
		d.Stale = daysLong(m.StaleAfter)
	}
	return d
}

// share formats a part of a whole as a percentage.
func share(part, whole float64) string {
	if whole == 0 {
		return textfmt.Percent(0)
	}
	return textfmt.Percent(part / whole)
}

// daysLong formats a number of days, also in years if it is whole years.
func daysLong(days float64) string {
	text := textfmt.Count(days) + " days"
	if days == 1 {
		text = "day"
	}
	if years := days / 365; days >= 365 && years == math.Trunc(years) {
		return text + " (" + textfmt.Plural(int(years), "year", "years") + ")"
	}
	return text
}
