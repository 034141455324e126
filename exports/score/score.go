package score

import (
	"fmt"
	"math"
	"time"

	"kindex/exports/record"
)

// Explanation shows how the scores of one entity came about. Its numbers are
// not rounded, so that anybody can compute the scores again from it.
type Explanation struct {
	Type            string           `json:"type"`
	Slug            string           `json:"slug"`
	Name            string           `json:"name"`
	FormulaVersion  string           `json:"formulaVersion"`
	AsOf            string           `json:"asOf"` // RFC 3339 UTC
	Composite       record.Score     `json:"composite"`
	Uncapped        *float64         `json:"uncapped"` // composite before the cap, null where there is too little
	Cap             *float64         `json:"cap"`      // the cap that was applied, null for none
	Coverage        float64          `json:"coverage"` // share of the weights whose dimension is known, 0 to 1
	MinimumCoverage float64          `json:"minimumCoverage"`
	Ranked          bool             `json:"ranked"`
	Reason          *string          `json:"reason"` // why it is not ranked, null where it is
	Dimensions      []DimensionScore `json:"dimensions"`
}

// DimensionScore explains one dimension.
type DimensionScore struct {
	Name            string         `json:"name"`
	Score           record.Score   `json:"score"`
	Value           *float64       `json:"value"`    // the score before rounding
	Weight          float64        `json:"weight"`   // within the composite
	Prior           float64        `json:"prior"`    // what it counts as where it is null
	Counted         float64        `json:"counted"`  // the value or the prior
	Coverage        float64        `json:"coverage"` // share of the weights whose measure counts, 0 to 1
	MinimumCoverage float64        `json:"minimumCoverage"`
	Measures        []MeasureValue `json:"measures"`
}

// Why a measure counts or does not.
const (
	Counted = "counted"
	Missing = "missing" // the entity has no such signal
	Stale   = "stale"   // it was observed too long before the as-of time
	Future  = "future"  // it was observed after the as-of time
)

// MeasureValue explains one measure.
type MeasureValue struct {
	Name    string   `json:"name"`
	State   string   `json:"state"`  // counted, missing, stale or future
	Score   *float64 `json:"score"`  // 0 to 100, null unless counted
	Result  *string  `json:"result"` // the name of the benchmark result that was taken, null for a signal
	Value   any      `json:"value"`  // the observation: a number, a date or null
	Date    *string  `json:"date"`   // when it was observed
	Source  *string  `json:"source"` // where it was read
	Measure Measure  `json:"measure"`
}

// Scores computes the scores of an entity at a time.
func (f *Formula) Scores(e *record.Entity, asOf time.Time) record.Scores {
	s, _ := f.compute(e, asOf, false)
	return s
}

// Explain computes the scores of an entity at a time and shows how.
func (f *Formula) Explain(e *record.Entity, asOf time.Time) *Explanation {
	_, x := f.compute(e, asOf, true)
	return x
}

// compute is the one computation behind Scores and Explain. A dimension is the
// weighted mean of its known measures, unknown where they carry too little
// weight; the composite is the weighted mean of the dimensions, an unknown one
// counting with its prior.
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
		x.setUnranked("too little is known: the weights of the known dimensions are below the minimum coverage" + sums.partlyKnown)
		return s, x
	}
	s.Composite = record.ScoreOf(f.applyCap(e, clip(sums.counted/sums.weights), x))
	x.Composite, x.Ranked = s.Composite, e.Status != record.Withdrawn
	if !x.Ranked {
		x.setUnranked("it is withdrawn, and withdrawn entities are on no leaderboard")
	}
	return s, x
}

// totals are what the composite is made of.
type totals struct {
	counted     float64 // weight × what counts, over all dimensions
	weights     float64
	known       float64 // the weights of the known dimensions
	partlyKnown string  // names the dimensions that are known in part, but too little
}

// reachesShare reports whether the known weights reach the minimum share of all.
// Weights like 0.1 and 0.2 do not add up exactly: a share that differs from the
// minimum by that alone has reached it. Nothing is never enough.
func reachesShare(known, all, minimum float64) bool {
	return known > 0 && known/all >= minimum-1e-9
}

// dimensions scores every dimension and adds them up.
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
		} else if explain && coverage > 0 {
			all.partlyKnown += fmt.Sprintf("; of %s %.0f %% is known and %.0f %% is needed",
				name, math.Floor(100*coverage), math.Ceil(100*d.MinimumCoverage))
		}
		// The conversion keeps the compiler from fusing the multiplication
		// with the sum, which would differ between processors.
		all.counted += float64(d.Weight * p.Counted)
		all.weights += d.Weight
		if explain {
			p.Score, p.Measures = s.Get(name), measures
			x.Dimensions = append(x.Dimensions, p)
		}
	}
	return all
}

// applyCap is the composite of an entity, which for a deprecated one has a limit.
func (f *Formula) applyCap(e *record.Entity, composite float64, x *Explanation) float64 {
	x.Uncapped = &composite
	if e.Status != record.Deprecated || f.DeprecatedCap == nil || *f.DeprecatedCap >= composite {
		return composite
	}
	x.Cap = f.DeprecatedCap
	return *f.DeprecatedCap
}

func (x *Explanation) setUnranked(reason string) { x.Reason = &reason }

// value is the weighted mean of the measures that count, and the share of all
// weights that they carry: 0 if none does.
func (d *Dimension) value(e *record.Entity, asOf time.Time, explain bool) (value, coverage float64, list []MeasureValue) {
	var sum, weights, all float64
	for i := range d.Measures {
		m := &d.Measures[i]
		all += m.Weight
		o := m.observe(e, asOf)
		if o.state == Counted {
			sum += float64(m.Weight * o.score)
			weights += m.Weight
		}
		if explain {
			list = append(list, o.explain(m))
		}
	}
	if weights == 0 {
		return 0, 0, list
	}
	return clip(sum / weights), weights / all, list
}

// observation is what an entity has for a measure.
type observation struct {
	state        string
	score        float64
	number       float64
	day          string
	result       string // the name of a benchmark's result
	date, source string
}

func (o *observation) explain(m *Measure) MeasureValue {
	v := MeasureValue{Name: m.Name(), State: o.state, Measure: *m}
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
	if o.result != "" {
		v.Result = &o.result
	}
	if o.date != "" {
		v.Date = &o.date
	}
	if o.source != "" {
		v.Source = &o.source
	}
	return v
}

func (m *Measure) observe(e *record.Entity, asOf time.Time) observation {
	o := observation{state: Missing}
	if m.Benchmark != "" {
		b, ok := m.latest(e.Signals.Benchmarks, asOf)
		if !ok {
			return o
		}
		o.number, o.result, o.date, o.source = b.Value, b.Name, b.Date, b.Source
	} else {
		f, ok := e.Signals.Fact(m.Signal)
		if !ok {
			return o
		}
		o.number, o.day, o.date, o.source = f.Number, f.Day, f.Date, f.Source
	}
	o.state = Counted
	if o.date != "" {
		switch age := days(o.date, asOf); {
		case age < 0:
			o.state = Future
		case m.StaleAfter > 0 && age > m.StaleAfter:
			o.state = Stale
		}
	}
	if o.state == Counted && o.day != "" && days(o.day, asOf) < 0 {
		o.state = Future
	}
	if o.state == Counted {
		o.score = m.score(o.number, o.day, asOf)
	}
	return o
}

// latest is the newest result of a benchmark, the highest of one day, the
// undated ones last. One of the future is taken only where there is no other.
func (m *Measure) latest(list []record.Benchmark, asOf time.Time) (best record.Benchmark, ok bool) {
	past := false // best is not of the future
	for _, b := range list {
		if !m.accepts(b.Name) {
			continue
		}
		known := b.Date == "" || days(b.Date, asOf) >= 0
		newer := b.Date > best.Date || b.Date == best.Date && b.Value > best.Value
		if !ok || known && !past || known == past && newer {
			best, ok, past = b, true, known
		}
	}
	return best, ok
}

// score maps a value to 0..100.
func (m *Measure) score(v float64, day string, asOf time.Time) float64 {
	switch m.Map {
	case "log":
		return clip(100 * math.Log1p(max(v, 0)) / math.Log1p(m.Full))
	case "linear":
		return clip(100 * (v - *m.From) / (*m.To - *m.From))
	default: // age
		return clip(100 * math.Exp2(-max(days(day, asOf), 0)/m.HalfLife))
	}
}

// days is how many days a date lies before a time, negative if after it. A
// month counts as its first day, so that a vague date never flatters.
func days(date string, asOf time.Time) float64 {
	layout := time.DateOnly
	if len(date) == len("2006-01") {
		layout = "2006-01"
	}
	t, err := time.Parse(layout, date)
	if err != nil {
		return 0 // the content was checked; a record read back is as it was
	}
	day := time.Date(asOf.UTC().Year(), asOf.UTC().Month(), asOf.UTC().Day(), 0, 0, 0, 0, time.UTC)
	return math.Round(day.Sub(t).Hours() / 24)
}

func clip(x float64) float64 { return min(max(x, 0), 100) }
