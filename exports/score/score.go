package score

import (
	"fmt"
	"math"
	"time"

	"kindex/exports/record"
)

// Explanation shows how the scores of an entity were calculated. Its numbers are
// not rounded, so that the scores can be recalculated from it.
type Explanation struct {
	Type            string           `json:"type"`
	Slug            string           `json:"slug"`
	Name            string           `json:"name"`
	FormulaVersion  string           `json:"formulaVersion"`
	AsOf            string           `json:"asOf"` // RFC 3339 UTC
	Composite       record.Score     `json:"composite"`
	Uncapped        *float64         `json:"uncapped"` // composite before the cap, null if there is not enough data
	Cap             *float64         `json:"cap"`      // the cap that was applied, null if none was
	Coverage        float64          `json:"coverage"` // known dimensions' share of the weights, 0 to 1
	MinimumCoverage float64          `json:"minimumCoverage"`
	Ranked          bool             `json:"ranked"`
	Reason          *string          `json:"reason"` // why the entity is not ranked, null if it is ranked
	Dimensions      []DimensionScore `json:"dimensions"`
}

// DimensionScore explains one dimension.
type DimensionScore struct {
	Name            string         `json:"name"`
	Score           record.Score   `json:"score"`
	Value           *float64       `json:"value"`    // score before rounding
	Weight          float64        `json:"weight"`   // weight in the composite
	Prior           float64        `json:"prior"`    // value that counts where nothing is known
	Counted         float64        `json:"counted"`  // value that was used: Value or Prior
	Coverage        float64        `json:"coverage"` // counted measures' share of the weights, 0 to 1
	MinimumCoverage float64        `json:"minimumCoverage"`
	Measures        []MeasureValue `json:"measures"`
}

// The states of a measure.
const (
	Counted = "counted"
	Missing = "missing" // the entity has no such signal
	Stale   = "stale"   // observed too long before the as-of time
	Future  = "future"  // observed after the as-of time
)

// MeasureValue explains one measure.
type MeasureValue struct {
	Name    string   `json:"name"`
	State   string   `json:"state"`           // counted, missing, stale or future
	Score   *float64 `json:"score"`           // 0 to 100, null unless counted
	Result  *string  `json:"result"`          // name of the benchmark result that was used, null for a signal
	Value   any      `json:"value"`           // the observation: a number, a date or null
	Date    *string  `json:"date"`            // when the value was observed; for a sum, the oldest part
	Source  *string  `json:"source"`          // where the value was read; null for a sum of several
	Parts   []Part   `json:"parts,omitempty"` // the signals of a sum
	Measure Measure  `json:"measure"`

	benchmark *record.Benchmark // the result, nil for a signal
}

// Part is a signal in a sum.
type Part struct {
	Signal string  `json:"signal"`
	Value  float64 `json:"value"`
	Date   *string `json:"date"`
	Source *string `json:"source"`
}

// Scores calculates the scores that an entity has at a given time.
func (f *Formula) Scores(e *record.Entity, asOf time.Time) record.Scores {
	x := f.Explain(e, asOf)
	s := record.Scores{Composite: x.Composite}
	for _, d := range x.Dimensions {
		s.Set(d.Name, d.Score)
	}
	return s
}

// Explain calculates and explains the scores that an entity has at a given time. The composite is the weighted mean
// of the dimensions, where the prior replaces a dimension that is null.
func (f *Formula) Explain(e *record.Entity, asOf time.Time) *Explanation {
	x := &Explanation{Type: e.Type, Slug: e.Slug, Name: e.Name, FormulaVersion: f.Version,
		AsOf: asOf.UTC().Format(time.RFC3339), Dimensions: []DimensionScore{}}
	t := f.Types[e.Type]
	if t == nil {
		x.setUnranked("the scoring file has no formula for type " + e.Type)
		return x
	}
	x.MinimumCoverage = t.MinimumCoverage
	var counted, weights, known float64
	partlyKnown := "" // text about dimensions with some but not enough data
	for _, name := range DimensionNames {
		d := t.Dimensions[name]
		if d == nil {
			continue
		}
		p := d.explain(name, e, asOf)
		x.Dimensions = append(x.Dimensions, p)
		if p.Value != nil {
			known += d.Weight
		} else if p.Coverage > 0 {
			partlyKnown += fmt.Sprintf("; %s is %.0f%% known, but %.0f%% is needed",
				name, math.Floor(100*p.Coverage), math.Ceil(100*d.MinimumCoverage))
		}
		// The conversion keeps the compiler from fusing the multiplication with the addition:
		// the result would differ between processors.
		counted += float64(d.Weight * p.Counted)
		weights += d.Weight
	}
	if weights == 0 {
		x.setUnranked("the formula for type " + e.Type + " has no dimensions")
		return x
	}
	x.Coverage = known / weights
	if !reachesShare(x.Coverage, t.MinimumCoverage) {
		x.setUnranked("not enough data: the weights of the known dimensions are below the minimum coverage" + partlyKnown)
	} else if missing := t.Needs.Unmet("a score", x.Figures()); missing != "" {
		x.setUnranked(missing)
	} else {
		x.rank(e, f.DeprecatedCap, clip(counted/weights))
	}
	return x
}

// rank sets the composite, limited by the cap if the entity is deprecated.
func (x *Explanation) rank(e *record.Entity, limit *float64, composite float64) {
	x.Uncapped = &composite
	x.Composite = record.ScoreOf(composite)
	if e.Status == record.Deprecated && limit != nil && *limit < composite {
		x.Cap, x.Composite = limit, record.ScoreOf(*limit)
	}
	if x.Ranked = e.Status != record.Withdrawn; !x.Ranked {
		x.setUnranked("it is withdrawn, and withdrawn entities are not on any leaderboard")
	}
}

func (x *Explanation) setUnranked(reason string) { x.Reason = &reason }

// Figures returns the observations that count in the composite: the counted measures of the dimensions that are
// known and have a weight.
func (x *Explanation) Figures() (list []MeasureValue) {
	for _, d := range x.Dimensions {
		for _, v := range d.Measures {
			if v.State == Counted && d.Value != nil && d.Weight > 0 {
				list = append(list, v)
			}
		}
	}
	return list
}

// reachesShare reports whether a share of the weights reaches a minimum. It tolerates rounding errors, because
// weights such as 0.1 and 0.2 do not add up exactly. A share of zero is never enough.
func reachesShare(share, minimum float64) bool { return share > 0 && share >= minimum-1e-9 }

// explain calculates the dimension of an entity: the weighted mean of its measures, where the prior replaces a
// measure without an observation, or null if the known measures' share of the weights is too small.
func (d *Dimension) explain(name string, e *record.Entity, asOf time.Time) DimensionScore {
	p := DimensionScore{Name: name, Weight: d.Weight, Prior: d.Prior, Counted: d.Prior, MinimumCoverage: d.MinimumCoverage}
	var sum, known, all float64
	for i := range d.Measures {
		m := &d.Measures[i]
		v, score := m.observe(e, asOf), d.Prior
		if v.Score != nil {
			score = *v.Score
			known += m.Weight
		}
		sum += float64(m.Weight * score)
		all += m.Weight
		p.Measures = append(p.Measures, v)
	}
	if known == 0 {
		return p
	}
	value := clip(sum / all)
	if p.Coverage = known / all; reachesShare(p.Coverage, d.MinimumCoverage) {
		p.Score, p.Value, p.Counted = record.ScoreOf(value), &value, value
	} else {
		// Otherwise, leaving out good figures of a poor dimension would raise the composite.
		p.Counted = min(d.Prior, value)
	}
	return p
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// observe returns an entity's value for the measure.
func (m *Measure) observe(e *record.Entity, asOf time.Time) MeasureValue {
	v := MeasureValue{Name: m.Name(), State: Missing, Measure: *m}
	var f record.Fact
	if m.Benchmark != "" {
		b := m.latest(e.Signals.Benchmarks, asOf)
		if b == nil {
			return v
		}
		v.benchmark, v.Result = b, orNil(b.FoldedName())
		f = record.Fact{Number: b.Value, Date: b.Date, Source: b.Source}
	} else if f, v.Parts = m.sum(e, asOf); v.Parts == nil {
		var known bool
		if f, known = e.Signals.Fact(m.Signal); !known {
			return v
		}
	}
	v.Value, v.Date, v.Source = f.Number, orNil(f.Date), orNil(f.Source)
	if f.Day != "" {
		v.Value = f.Day
	}
	v.State = m.state(f.Date, asOf)
	if v.State == Counted && f.Day != "" && days(f.Day, asOf) < 0 {
		v.State = Future
	}
	if v.State == Counted {
		v.Score = new(m.score(&f, asOf))
	}
	return v
}

// state returns the state of an observation of a day, which is "" if it has none.
func (m *Measure) state(date string, asOf time.Time) string {
	if date == "" {
		return Counted
	}
	switch age := days(date, asOf); {
	case age < 0:
		return Future
	case m.StaleAfter > 0 && age > m.StaleAfter:
		return Stale
	}
	return Counted
}

// sum adds up the signals of a sum that count. Without parts, there are none. The sum has the
// date of its oldest part.
func (m *Measure) sum(e *record.Entity, asOf time.Time) (total record.Fact, parts []Part) {
	for _, name := range m.Sum {
		f, ok := e.Signals.Fact(name)
		if !ok || m.state(f.Date, asOf) != Counted {
			continue
		}
		if f.Date != "" && (total.Date == "" || f.Date < total.Date) {
			total.Date = f.Date
		}
		total.Number += f.Number
		total.Source = f.Source
		parts = append(parts, Part{name, f.Number, orNil(f.Date), orNil(f.Source)})
	}
	if len(parts) > 1 {
		total.Source = ""
	}
	return total, parts
}

// latest returns the newest result for a benchmark, or the best of several from
// the same day. Undated results count as the oldest. It returns a result from the
// future only if there are no other results, and nil if there is none at all.
func (m *Measure) latest(list []record.Benchmark, asOf time.Time) (best *record.Benchmark) {
	past := false // best is not from the future
	for i := range list {
		b := &list[i]
		if !m.Accepts(b) {
			continue
		}
		known := b.Date == "" || days(b.Date, asOf) >= 0
		if best == nil || known && !past || known == past && (b.Date > best.Date || b.Date == best.Date && m.better(b.Value, best.Value)) {
			best, past = b, known
		}
	}
	return best
}

// better reports whether a result is better than another one. Less is better if the measure
// says so.
func (m *Measure) better(a, b float64) bool {
	if m.From != nil && m.To != nil && *m.To < *m.From {
		return a < b
	}
	return a > b
}

// score maps a number, or the age of a date, to a score from 0 to 100. The age is that on the day of the
// observation, because later changes are unknown, or without that day, at asOf.
func (m *Measure) score(f *record.Fact, asOf time.Time) float64 {
	switch m.Map {
	case "log":
		return clip(100 * math.Log1p(max(f.Number, 0)) / math.Log1p(m.Full))
	case "linear":
		return clip(100 * (f.Number - *m.From) / (*m.To - *m.From))
	default: // age
		age := days(f.Day, asOf)
		if f.Date != "" {
			age -= days(f.Date, asOf)
		}
		return clip(100 * math.Exp2(-max(age, 0)/m.HalfLife))
	}
}

// days returns the number of days from a date to a time. It is negative if the date
// is later. A month is treated as its first day, so that an imprecise date never
// looks more recent than it is.
func days(date string, asOf time.Time) float64 {
	n, _ := record.DaysApart(date, asOf.UTC().Format(time.DateOnly)) // dates in the content have been checked
	return float64(n)
}

func clip(x float64) float64 { return min(max(x, 0), 100) }
