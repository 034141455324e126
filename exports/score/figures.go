package score

import (
	"time"

	"kindex/exports/record"
)

// Figure is an observation that counts in a composite score.
type Figure struct {
	Measure *Measure
	Date    string            // when it was observed: YYYY-MM-DD, YYYY-MM, or "" if unknown
	Result  *record.Benchmark // the benchmark result, nil for a signal
}

// Figures returns the observations that count in the composite score of an entity: the
// counted measures of the dimensions that are known and have a weight.
func (f *Formula) Figures(e *record.Entity, asOf time.Time) (list []Figure) {
	t := f.Types[e.Type]
	if t == nil {
		return nil
	}
	for _, name := range DimensionNames {
		d := t.Dimensions[name]
		if d == nil || d.Weight == 0 {
			continue
		}
		if _, coverage, _ := d.value(e, asOf, false); !reachesShare(coverage, 1, d.MinimumCoverage) {
			continue
		}
		for i := range d.Measures {
			m := &d.Measures[i]
			o := m.observe(e, asOf)
			if o.state != Counted {
				continue
			}
			figure := Figure{Measure: m, Date: o.date}
			if m.Benchmark != "" {
				result, _ := m.latest(e.Signals.Benchmarks, asOf)
				figure.Result = &result
			}
			list = append(list, figure)
		}
	}
	return list
}
