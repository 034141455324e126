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
	s, _ := f.compute(e, asOf, false)
	return s
}

// Explain calculates and explains the scores that an entity has at a given time.
func (f *Formula) Explain(e *record.Entity, asOf time.Time) *Explanation {
	_, x := f.compute(e, asOf, true)
	return x
}

// compute implements Scores and Explain. A dimension is the weighted mean of its
// measures, where the prior replaces a measure without an observation, or null if the
// known measures' share of the weights is too small. The composite is the weighted mean
// of the dimensions, where the prior replaces a dimension that is null.
func (f *Formula) compute(e *record.Entity, asOf time.Time, explain bool) (record.Scores, *Explanation) {
	var s record.Scores
	x := &Explanation{Type: e.Type, Slug: e.Slug, Name: e.Name, FormulaVersion: f.Version,
		AsOf: asOf.UTC().Format(time.RFC3339), Dimensions: []DimensionScore{}}
	t := f.Types[e.Type]
	if t == nil {
		x.setUnranked("the scoring file has no formula for type " + e.Type)
		return s, x
	}
	x.MinimumCoverage = t.MinimumCoverage
	sums := t.dimensions(e, asOf, &s, x, explain)
	if sums.weights == 0 {
		x.setUnranked("the formula for type " + e.Type + " has no dimensions")
		return s, x
	}
	x.Coverage = sums.known / sums.weights
	if !reachesShare(sums.known, sums.weights, t.MinimumCoverage) {
		x.setUnranked("not enough data: the weights of the known dimensions are below the minimum coverage" + sums.partlyKnown)
		return s, x
	}
	if missing := f.missing(e, t, asOf); missing != "" {
		x.setUnranked(missing)
		return s, x
	}
	s.Composite = record.ScoreOf(f.applyCap(e, clip(sums.counted/sums.weights), x))
	x.Composite, x.Ranked = s.Composite, e.Status != record.Withdrawn
	if !x.Ranked {
		x.setUnranked("it is withdrawn, and withdrawn entities are not on any leaderboard")
	}
	return s, x
}

// missing returns what an entity lacks of what its formula needs, or "".
func (f *Formula) missing(e *record.Entity, t *TypeFormula, asOf time.Time) string {
	if t.Needs.Empty() {
		return ""
	}
	return t.Needs.Unmet("a score", f.Figures(e, asOf))
}

// totals holds the sums from which the composite is calculated.
type totals struct {
	counted     float64 // weight × counted value, over all dimensions
	weights     float64
	known       float64 // sum of the weights of the known dimensions
	partlyKnown string  // text about dimensions with some but not enough data, for the reason
}

// reachesShare reports whether the known weights reach the minimum share of all weights. It
// tolerates rounding errors, because weights such as 0.1 and 0.2 do not add up exactly. A
// known weight of zero is never enough.
func reachesShare(known, all, minimum float64) bool {
	return known > 0 && known/all >= minimum-1e-9
}

// dimensions computes every dimension and returns their totals.
func (t *TypeFormula) dimensions(e *record.Entity, asOf time.Time, s *record.Scores, x *Explanation, explain bool) (all totals) {
	for _, name := range DimensionNames {
		d := t.Dimensions[name]
		if d == nil {
			continue
		}
		p := DimensionScore{Name: name, Weight: d.Weight, Prior: d.Prior, Counted: d.Prior, MinimumCoverage: d.MinimumCoverage}
		value, coverage, measures := d.value(e, asOf, explain)
		p.Coverage = coverage
		if reachesShare(coverage, 1, d.MinimumCoverage) {
			p.Counted, p.Value = value, &value
			all.known += d.Weight
			s.Set(name, record.ScoreOf(value))
		} else if coverage > 0 {
			// Otherwise, leaving out good figures of a poor dimension would raise the composite.
			p.Counted = min(d.Prior, value)
		}
		if explain && coverage > 0 && p.Value == nil {
			all.partlyKnown += fmt.Sprintf("; %s is %.0f%% known, but %.0f%% is needed",
				name, math.Floor(100*coverage), math.Ceil(100*d.MinimumCoverage))
		}
		// The conversion keeps the compiler from fusing the multiplication with the addition:
		// the result would differ between processors.
		all.counted += float64(d.Weight * p.Counted)
		all.weights += d.Weight
		if explain {
			p.Score, p.Measures = s.Get(name), measures
			x.Dimensions = append(x.Dimensions, p)
		}
	}
	return all
}

// applyCap returns the composite of an entity, limited by the cap if it is
// deprecated.
func (f *Formula) applyCap(e *record.Entity, composite float64, x *Explanation) float64 {
	x.Uncapped = &composite
	if e.Status != record.Deprecated || f.DeprecatedCap == nil || *f.DeprecatedCap >= composite {
		return composite
	}
	x.Cap = f.DeprecatedCap
	return *f.DeprecatedCap
}

func (x *Explanation) setUnranked(reason string) { x.Reason = &reason }

// value returns the weighted mean of the measures, where the prior replaces a measure that is
// not counted, and the counted measures' share of the weights. Both are 0 if no measure is counted.
func (d *Dimension) value(e *record.Entity, asOf time.Time, explain bool) (value, coverage float64, list []MeasureValue) {
	var sum, weights, all float64
	for i := range d.Measures {
		m := &d.Measures[i]
		all += m.Weight
		o := m.observe(e, asOf)
		if o.state == Counted {
			sum += float64(m.Weight * o.score)
			weights += m.Weight
		} else {
			sum += float64(m.Weight * d.Prior)
		}
		if explain {
			list = append(list, o.explain(m))
		}
	}
	if weights == 0 {
		return 0, 0, list
	}
	return clip(sum / all), weights / all, list
}

// observation is an entity's value for a measure.
type observation struct {
	state        string
	score        float64
	number       float64
	day          string
	result       string // name of the benchmark result
	date, source string
	parts        []Part // of a sum
}

func (o *observation) explain(m *Measure) MeasureValue {
	v := MeasureValue{Name: m.Name(), State: o.state, Parts: o.parts, Measure: *m}
	if o.state == Missing {
		return v
	}
	v.Value = o.number
	if o.day != "" {
		v.Value = o.day
	}
	if o.state == Counted {
		v.Score = &o.score
	}
	v.Result, v.Date, v.Source = orNil(o.result), orNil(o.date), orNil(o.source)
	return v
}

// orNil returns a pointer to a text, or nil if it is empty.
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (m *Measure) observe(e *record.Entity, asOf time.Time) observation {
	o := observation{state: Missing}
	if m.Benchmark != "" {
		b, ok := m.latest(e.Signals.Benchmarks, asOf)
		if !ok {
			return o
		}
		o.number, o.result, o.date, o.source = b.Value, b.FoldedName(), b.Date, b.Source
	} else if !m.sum(e, asOf, &o) {
		f, ok := e.Signals.Fact(m.Signal)
		if !ok {
			return o
		}
		o.number, o.day, o.date, o.source = f.Number, f.Day, f.Date, f.Source
	}
	o.state = m.state(o.date, asOf)
	if o.state == Counted && o.day != "" && days(o.day, asOf) < 0 {
		o.state = Future
	}
	if o.state == Counted {
		o.score = m.score(o.number, o.age(asOf))
	}
	return o
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

// sum adds up the signals of a sum that count. It returns false if there are none. The sum has the
// date of its oldest part.
func (m *Measure) sum(e *record.Entity, asOf time.Time, o *observation) bool {
	for _, name := range m.Sum {
		f, ok := e.Signals.Fact(name)
		if !ok || m.state(f.Date, asOf) != Counted {
			continue
		}
		if f.Date != "" && (o.date == "" || f.Date < o.date) {
			o.date = f.Date
		}
		o.number += f.Number
		o.parts = append(o.parts, Part{name, f.Number, orNil(f.Date), orNil(f.Source)})
	}
	if len(o.parts) == 1 && o.parts[0].Source != nil {
		o.source = *o.parts[0].Source
	}
	return len(o.parts) > 0
}

// latest returns the newest result for a benchmark, or the best of several from
// the same day. Undated results count as the oldest. It returns a result from the
// future only if there are no other results.
func (m *Measure) latest(list []record.Benchmark, asOf time.Time) (best record.Benchmark, ok bool) {
	past := false // best is not from the future
	for i := range list {
		b := list[i]
		if !m.Accepts(&b) {
			continue
		}
		known := b.Date == "" || days(b.Date, asOf) >= 0
		newer := b.Date > best.Date || b.Date == best.Date && m.better(b.Value, best.Value)
		if !ok || known && !past || known == past && newer {
			best, ok, past = b, true, known
		}
	}
	return best, ok
}

// better reports whether a result is better than another one. Less is better if the measure
// says so.
func (m *Measure) better(a, b float64) bool {
	if m.From != nil && m.To != nil && *m.To < *m.From {
		return a < b
	}
	return a > b
}

// age returns the days from an observed date to the day of the observation, because later
// changes are unknown. Without that day, it returns the days to asOf.
func (o *observation) age(asOf time.Time) float64 {
	if o.day == "" {
		return 0
	}
	if o.date == "" {
		return days(o.day, asOf)
	}
	return days(o.day, asOf) - days(o.date, asOf)
}

// score maps a number, or the age of a date in days, to a score from 0 to 100.
func (m *Measure) score(v, age float64) float64 {
	switch m.Map {
	case "log":
		return clip(100 * math.Log1p(max(v, 0)) / math.Log1p(m.Full))
	case "linear":
		return clip(100 * (v - *m.From) / (*m.To - *m.From))
	default: // age
		return clip(100 * math.Exp2(-max(age, 0)/m.HalfLife))
	}
}

// days returns the number of days from a date to a time. It is negative if the date
// is later. A month is treated as its first day, so that an imprecise date never
// looks more recent than it is.
func days(date string, asOf time.Time) float64 {
	t, err := time.Parse(time.DateOnly, record.FirstDay(date))
	if err != nil {
		return 0 // cannot happen: dates in the content have been checked
	}
	day := time.Date(asOf.UTC().Year(), asOf.UTC().Month(), asOf.UTC().Day(), 0, 0, 0, 0, time.UTC)
	return math.Round(day.Sub(t).Hours() / 24)
}

func clip(x float64) float64 { return min(max(x, 0), 100) }
