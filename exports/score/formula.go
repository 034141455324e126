// Package score computes and explains the scores of an entity from its signals, a
// formula and a time. The computation is pure: the same input always produces the
// same scores, and other entities have no influence.
package score

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Formula is the content of a scoring file: it defines how scores are computed
// from signals.
type Formula struct {
	Version       string                  `json:"version"`
	DeprecatedCap *float64                `json:"deprecatedCap,omitempty"` // highest composite of a deprecated entity
	Types         map[string]*TypeFormula `json:"types"`
}

// TypeFormula is the formula for one type of entity.
type TypeFormula struct {
	// MinimumCoverage is the share of the weights, from 0 to 1, that known
	// dimensions must have. Below it, the composite is null.
	MinimumCoverage float64               `json:"minimumCoverage"`
	Dimensions      map[string]*Dimension `json:"dimensions"`
	Needs           Needs                 `json:"needs,omitzero"` // without it, the composite is null
}

// Dimension is a score that is part of the composite.
type Dimension struct {
	Weight float64 `json:"weight"` // weight in the composite
	// Prior is the value that counts for what is unknown: in the dimension for a measure without
	// an observation, and in the composite for a dimension that is null.
	Prior float64 `json:"prior"`
	// MinimumCoverage is the share of the weights, from 0 to 1, that known measures
	// must have. Below it, the dimension is null.
	MinimumCoverage float64   `json:"minimumCoverage"`
	Measures        []Measure `json:"measures"`
}

// Measure maps a signal, the sum of several signals or a benchmark to 0..100.
type Measure struct {
	Signal string `json:"signal,omitempty"`
	// Sum lists signals that count together, as far as they are known. If none of them is,
	// Signal counts instead.
	Sum       []string `json:"sum,omitempty"`
	Benchmark string   `json:"benchmark,omitempty"` // compared with Benchmark.FoldedName or, if By is set, with the name
	// Variants also accepts results with additional details: "B (2.1, Codex)" for the
	// benchmark "B (2.1)", and both for "B".
	Variants   bool     `json:"variants,omitempty"`
	Source     string   `json:"source,omitempty"`     // who publishes the benchmark, for results that name no publisher
	By         string   `json:"by,omitempty"`         // one of record.ResultBy; accepts only results by them, whoever published them
	Map        string   `json:"map"`                  // log, linear or age
	Full       float64  `json:"full,omitempty"`       // log: the value that earns 100
	From       *float64 `json:"from,omitempty"`       // linear: the value that earns 0
	To         *float64 `json:"to,omitempty"`         // linear: the value that earns 100
	HalfLife   float64  `json:"halfLife,omitempty"`   // age: days, up to the day of the observation
	Weight     float64  `json:"weight"`               // weight in the dimension
	StaleAfter float64  `json:"staleAfter,omitempty"` // in days; older observations are missing; 0 means never
}

// DimensionNames lists the scores that a formula may define: all except composite.
var DimensionNames = record.ScoreNames[1:]

// Restrict leaves out the types and the measures of signals that an index does not declare, and dimensions
// and types of which nothing is left.
func (f *Formula) Restrict(declared *kinds.Set) {
	for typ, t := range f.Types {
		k := declared.Kind(typ)
		if k == nil {
			delete(f.Types, typ)
			continue
		}
		for name, d := range t.Dimensions {
			for i := range d.Measures {
				m := &d.Measures[i]
				m.Sum = slices.DeleteFunc(m.Sum, func(name string) bool { return !k.HasSignal(name) })
			}
			d.Measures = slices.DeleteFunc(d.Measures, func(m Measure) bool {
				if m.Benchmark != "" {
					return !k.HasBlock(kinds.Results)
				}
				return m.Signal != "" && !k.HasSignal(m.Signal) || m.Signal == "" && len(m.Sum) == 0
			})
			if len(d.Measures) == 0 {
				delete(t.Dimensions, name)
			}
		}
		if len(t.Dimensions) == 0 {
			delete(f.Types, typ)
		}
	}
}

// Parse decodes a formula of an index from JSON and checks it. It returns all errors in the formula's
// fields as mistakes; err is set only if data cannot be decoded.
func Parse(declared *kinds.Set, data []byte) (f *Formula, mistakes []*kinds.Error, err error) {
	f = new(Formula)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(f); err != nil {
		return nil, nil, fmt.Errorf("scoring file: %w", err)
	}
	check := func(wrong bool, message string, path ...string) {
		if wrong {
			mistakes = append(mistakes, &kinds.Error{Path: path, Message: message})
		}
	}
	if c := f.DeprecatedCap; c != nil {
		check(*c < 0 || *c > 100, "must be from 0 to 100", "deprecatedCap")
	}
	for _, typ := range slices.Sorted(maps.Keys(f.Types)) {
		t := f.Types[typ]
		switch {
		case declared.Kind(typ) == nil:
			check(true, "unknown entity type (expected one of: "+strings.Join(declared.Names(), ", ")+")", "types", typ)
			continue
		case t == nil:
			check(true, "is empty", "types", typ)
			continue
		}
		check(t.MinimumCoverage < 0 || t.MinimumCoverage > 1, "must be from 0 to 1", "types", typ, "minimumCoverage")
		for _, dim := range slices.Sorted(maps.Keys(t.Dimensions)) {
			t.Dimensions[dim].check(declared, dim, func(wrong bool, message string, path ...string) {
				check(wrong, message, append([]string{"types", typ, "dimensions", dim}, path...)...)
			})
		}
		message := t.Needs.Validate(t)
		check(message != "", message, "types", typ, "needs")
	}
	return f, mistakes, nil
}

// check reports what is wrong with a dimension, with its path in the dimension.
func (d *Dimension) check(declared *kinds.Set, name string, add func(wrong bool, message string, path ...string)) {
	switch {
	case !slices.Contains(DimensionNames, name):
		add(true, "unknown dimension (expected one of: "+strings.Join(DimensionNames, ", ")+")")
		return
	case d == nil:
		add(true, "is empty")
		return
	}
	add(d.Weight < 0, "must not be negative", "weight")
	add(d.Weight > maxNumber, "is too large", "weight")
	add(d.Prior < 0 || d.Prior > 100, "must be from 0 to 100", "prior")
	add(d.MinimumCoverage < 0 || d.MinimumCoverage > 1, "must be from 0 to 1", "minimumCoverage")
	for i := range d.Measures {
		message := d.Measures[i].validate(declared)
		add(message != "", message, "measures", fmt.Sprint(i))
	}
}

// maxNumber is the largest number allowed in a formula, so that sums and products
// stay finite.
const maxNumber = 1e15

// ParseChecked decodes a formula that has already been checked, such as the formula
// in a build. It returns the first error of any kind.
func ParseChecked(declared *kinds.Set, data []byte) (*Formula, error) {
	f, mistakes, err := Parse(declared, data)
	if err == nil && len(mistakes) > 0 {
		err = mistakes[0]
	}
	return f, err
}

// validate returns a message about what is wrong with a measure, or "" if it is
// valid.
func (m *Measure) validate(declared *kinds.Set) string {
	if (m.Signal == "" && len(m.Sum) == 0) == (m.Benchmark == "") {
		return "must name either a signal or a benchmark"
	}
	signal := declared.Signal(m.Signal)
	switch {
	case m.Signal != "" && signal == nil:
		return fmt.Sprintf("unknown signal %q", m.Signal)
	case m.Source != "" && m.Benchmark == "":
		return "source applies only to a benchmark"
	case m.Variants && m.Benchmark == "":
		return "variants applies only to a benchmark"
	case m.By != "" && m.Benchmark == "":
		return "by applies only to a benchmark"
	case m.By != "" && !slices.Contains(record.ResultBy, m.By):
		return fmt.Sprintf("by %q is not one of %s", m.By, strings.Join(record.ResultBy, ", "))
	case m.Weight <= 0:
		return "needs a weight above 0"
	case m.StaleAfter < 0:
		return "staleAfter must not be negative"
	case m.Weight > maxNumber, m.Full > maxNumber, m.HalfLife > maxNumber, exceedsMax(m.From), exceedsMax(m.To):
		return "contains a number that is too large"
	}
	isDay := m.Signal != "" && signal.IsDay()
	if message := m.validateSum(declared, isDay); message != "" {
		return message
	}
	switch m.Map {
	case "log":
		if isDay || m.Benchmark != "" || m.Full <= 0 {
			return "map log applies only to counts and requires full, the value that earns 100"
		}
	case "linear":
		if isDay || m.From == nil || m.To == nil || *m.From == *m.To {
			return "map linear applies only to numbers and requires from and to, two different values that earn 0 and 100"
		}
	case "age":
		if !isDay || m.HalfLife <= 0 {
			return "map age applies only to dates and requires halfLife, in days"
		}
	default:
		return fmt.Sprintf("map must be log, linear or age, not %q", m.Map)
	}
	switch {
	case m.Map != "log" && m.Full != 0:
		return "full applies only to map log"
	case m.Map != "linear" && (m.From != nil || m.To != nil):
		return "from and to apply only to map linear"
	case m.Map != "age" && m.HalfLife != 0:
		return "halfLife applies only to map age"
	}
	return ""
}

// validateSum returns a message about what is wrong with the signals of a sum, or "".
func (m *Measure) validateSum(declared *kinds.Set, isDay bool) string {
	for i, name := range m.Sum {
		signal := declared.Signal(name)
		switch {
		case signal == nil:
			return fmt.Sprintf("unknown signal %q", name)
		case signal.IsDay() || isDay:
			return "sum applies only to counts"
		case name == m.Signal || slices.Contains(m.Sum[:i], name):
			return fmt.Sprintf("sum names %q twice", name)
		}
	}
	return ""
}

func exceedsMax(x *float64) bool { return x != nil && math.Abs(*x) > maxNumber }

// Accepts reports whether the measure uses a benchmark result.
func (m *Measure) Accepts(b *record.Benchmark) bool {
	plain := *b
	if m.By != "" {
		if b.By != m.By {
			return false
		}
		plain.By, plain.Publisher = "", ""
	}
	name := plain.FoldedName()
	if name == m.Benchmark || !m.Variants {
		return name == m.Benchmark
	}
	if inner, ok := strings.CutSuffix(m.Benchmark, ")"); ok {
		return strings.HasPrefix(name, inner+", ")
	}
	return strings.HasPrefix(name, m.Benchmark+" (")
}

// Name returns the name of the measure in an explanation.
func (m *Measure) Name() string {
	switch {
	case m.By != "":
		return "benchmark: " + m.Benchmark + ", by: " + m.By
	case m.Benchmark != "":
		return "benchmark: " + m.Benchmark
	case m.Signal == "":
		return strings.Join(m.Sum, " + ")
	}
	return m.Signal
}

// Key returns the name by which Needs refers to the measure.
func (m *Measure) Key() string {
	if m.Benchmark != "" {
		return m.Benchmark
	}
	return m.Name()
}

// JSON returns the formula in the canonical form that a build stores.
func (f *Formula) JSON() []byte {
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		panic(err) // numbers and strings can always be encoded
	}
	return append(b, '\n')
}

// Default is the scoring file used if the content has none.
//
//go:embed default.yaml
var Default []byte
