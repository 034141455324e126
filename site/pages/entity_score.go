package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// scoreExplanation explains how a score was calculated, formatted for a page.
type scoreExplanation struct {
	*score.Explanation
	Type    string // of the entity
	OnBoard bool   // it is the score on a board
	Parts   []dimension
	Total   string // the sum of the points, with two decimals; "" if there is no composite
	Weight  string // sum over all dimensions
	Hatched bool   // some dimension is unknown
	Limit   string // the cap that was applied, or "" if there is none
	Bar     template.HTML
}

// dimension is a dimension of an explained score.
type dimension struct {
	score.DimensionScore
	Title    string
	Class    string // CSS class d1 to d5, which sets the dimension's colour
	Points   string // points towards the composite, with two decimals
	Exact    float64
	Value    string // value of the dimension, or the prior if unknown
	Sum      string // calculation of the value from the measures, or "" if unknown
	Why      string // why the dimension is unknown
	Picture  template.HTML
	Measures []measure
	Missing  []string // names of measures without a figure
	Covered  string   // share of the weight that the counted measures have, or "" if none counts
}

// measure is a measure of a dimension with its figure.
type measure struct {
	figure
	State  string
	Why    string   // why it does not count
	Parts  []string // of a sum of several signals, in words
	Map    string   // how the figure is mapped to a score
	Score  string   // with two decimals, or "" if the measure does not count
	Weight string
}

// explain formats the explanation of a score of a type.
func (s *Site) explain(typ string, x *score.Explanation) *scoreExplanation {
	d := &scoreExplanation{Explanation: x, Type: typ}
	weights := 0.0
	for i := range x.Dimensions {
		weights += x.Dimensions[i].Weight
	}
	d.Weight = textfmt.Short(weights)
	var segments []chart.Segment
	for i := range x.Dimensions {
		p := s.explainPart(typ, &x.Dimensions[i], weights, x.AsOf)
		unknown := p.DimensionScore.Value == nil
		d.Parts, d.Hatched = append(d.Parts, p), d.Hatched || unknown
		segments = append(segments, chart.Segment{Width: p.Exact, Class: p.Class, Unknown: unknown})
	}
	d.Bar = chart.Stacked(segments)
	if x.Uncapped != nil {
		d.addUp(*x.Uncapped)
	}
	if x.Cap != nil {
		d.Limit = textfmt.Short(*x.Cap)
	}
	return d
}

// addUp rounds the points so that their sum is the total shown, and the total rounds to the
// score shown. Each rounded value differs from the exact one by less than 0.01.
func (d *scoreExplanation) addUp(uncapped float64) {
	total := int(math.Round(100 * uncapped))
	if shown := record.ScoreOf(uncapped); record.ScoreOf(float64(total)/100) != shown {
		total-- // 89.748 rounds to 89.75, but its score is 89.7
	}
	d.Total = twoDecimals(float64(total) / 100)
	left, order := total, make([]*dimension, len(d.Parts))
	for i := range d.Parts {
		order[i] = &d.Parts[i]
		left -= int(100 * d.Parts[i].Exact)
	}
	rest := func(p *dimension) float64 { return 100*p.Exact - math.Trunc(100*p.Exact) }
	slices.SortStableFunc(order, func(a, b *dimension) int { return cmp.Compare(rest(b), rest(a)) })
	for i, p := range order {
		p.Points = twoDecimals(float64(int(100*p.Exact)+left/len(order)+min(1, max(0, left%len(order)-i))) / 100)
	}
}

func (s *Site) explainPart(typ string, p *score.DimensionScore, weights float64, asOf string) dimension {
	d := dimension{DimensionScore: *p, Title: s.scoreLabel(typ, p.Name), Class: "d" + strconv.Itoa(slices.Index(record.ScoreNames, p.Name)), Value: twoDecimals(p.Counted)}
	if weights > 0 {
		d.Exact = p.Weight * p.Counted / weights
		d.Points = twoDecimals(d.Exact)
	}
	var terms []string
	all, rest := 0.0, 0.0
	for i := range p.Measures {
		m := &p.Measures[i]
		all += m.Measure.Weight
		rest += m.Measure.Weight
		if m.State == score.Missing {
			d.Missing = append(d.Missing, measureName(&m.Measure, s.label))
			continue
		}
		if m.Score != nil {
			terms = append(terms, textfmt.Short(m.Measure.Weight)+" × "+twoDecimals(*m.Score))
			rest -= m.Measure.Weight
		}
		d.Measures = append(d.Measures, s.explainMeasure(m, asOf))
	}
	if p.Coverage > 0 && p.Coverage < 1 {
		terms = append(terms, textfmt.Short(rest)+" × "+textfmt.Short(p.Prior))
		d.Covered = textfmt.Percent(p.Coverage)
	}
	switch {
	case p.Value != nil && len(terms) == 1:
		d.Sum = d.Value + ", from this figure"
	case p.Value != nil:
		d.Sum = "(" + strings.Join(terms, " + ") + ") ÷ " + textfmt.Short(all) + " = " + d.Value
	case p.Coverage > 0:
		d.Why = fmt.Sprintf("The known figures carry %s of this dimension’s weight; %s is needed.", textfmt.Percent(p.Coverage), textfmt.Percent(p.MinimumCoverage))
	default:
		d.Why = "There are no usable figures."
	}
	d.Picture = chart.Meter(p.Counted, d.Class, p.Value == nil)
	return d
}

func twoDecimals(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// measureName returns the name of a measure: its benchmark, or the names that a function gives its signals.
func measureName(m *score.Measure, label func(string) string) string {
	if m.Signal != "" || m.Benchmark != "" {
		return cmp.Or(m.Benchmark, label(m.Signal))
	}
	return strings.Join(each(m.Sum, label), " + ")
}

func (s *Site) explainMeasure(m *score.MeasureValue, asOf string) measure {
	d := measure{figure: readAt(orEmpty(m.Date), orEmpty(m.Source)), State: m.State, Weight: textfmt.Short(m.Measure.Weight)}
	if d.Name = measureName(&m.Measure, s.label); m.Result != nil {
		d.Name = *m.Result
	}
	var day string
	switch v := m.Value.(type) {
	case float64:
		d.Value = textfmt.Count(v)
	case string:
		day, d.Value = v, textfmt.DayOrUnknown(v)
	}
	if t := s.kinds().Signal(m.Measure.Signal); t != nil && !t.IsDay() {
		d.Unit = t.Unit
	}
	d.Map = mapping(&m.Measure)
	if m.Score != nil {
		d.Score = twoDecimals(*m.Score)
	}
	for _, p := range m.Parts {
		if len(m.Parts) > 1 {
			d.Parts = append(d.Parts, s.label(p.Signal)+" "+textfmt.Count(p.Value))
		}
	}
	switch {
	case m.State == score.Stale:
		d.Why = fmt.Sprintf("Too old to count: observed more than %s days before %s.", textfmt.Count(m.Measure.StaleAfter), textfmt.DayOrUnknown(asOf[:10]))
	case m.State == score.Future && day > asOf[:10]:
		d.Why = "Does not count: the date is after " + textfmt.DayOrUnknown(asOf[:10]) + "."
	case m.State == score.Future:
		d.Why = "Does not count yet: observed after " + textfmt.DayOrUnknown(asOf[:10]) + "."
	}
	return d
}

// mapping describes how a measure maps a figure to a score.
func mapping(m *score.Measure) string {
	switch m.Map {
	case "log":
		return "logarithmic: " + textfmt.Count(m.Full) + " or more earns 100"
	case "linear":
		return "linear: " + textfmt.Count(*m.From) + " earns 0, " + textfmt.Count(*m.To) + " earns 100"
	}
	return "100 on the day itself, then halved every " + textfmt.Count(m.HalfLife) + " days"
}

func orEmpty(s *string) string { return *cmp.Or(s, new(string)) }
