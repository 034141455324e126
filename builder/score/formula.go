// Package score computes the scores of an entity from its signals, a formula
// and a point in time, and explains them. It is pure: the same input gives the
// same scores, and no other entity has a part in them.
package score

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kindex/exports"
)

// Formula is a scoring file: how signals become scores. It is data, reviewed
// like any other content.
type Formula struct {
	Version       string                  `json:"version"`
	DeprecatedCap *float64                `json:"deprecatedCap,omitempty"` // highest composite of a deprecated entity
	Types         map[string]*TypeFormula `json:"types"`
}

// TypeFormula is the formula for one type of entity.
type TypeFormula struct {
	// MinimumCoverage is the share of the dimension weights, 0 to 1, that must
	// be known; below it the composite is null.
	MinimumCoverage float64               `json:"minimumCoverage"`
	Dimensions      map[string]*Dimension `json:"dimensions"`
}

// Dimension is one of the scores below the composite.
type Dimension struct {
	Weight   float64   `json:"weight"` // within the composite
	Prior    float64   `json:"prior"`  // what it counts as where it is null
	Measures []Measure `json:"measures"`
}

// Measure maps one signal, or one benchmark, to 0..100.
type Measure struct {
	Signal     string   `json:"signal,omitempty"`
	Benchmark  string   `json:"benchmark,omitempty"`
	Map        string   `json:"map"`                  // log, linear or age
	Full       float64  `json:"full,omitempty"`       // log: the value that earns 100
	From       *float64 `json:"from,omitempty"`       // linear: the value that earns 0
	To         *float64 `json:"to,omitempty"`         // linear: the value that earns 100
	HalfLife   float64  `json:"halfLife,omitempty"`   // age: days
	Weight     float64  `json:"weight"`               // within the dimension
	StaleAfter float64  `json:"staleAfter,omitempty"` // days, 0 for never
}

// DimensionNames are the scores that a formula may define: all but composite.
var DimensionNames = exports.ScoreNames[1:]

// FieldError is a mistake in a formula and where it is.
type FieldError struct {
	Path    []string // from the root of the scoring file
	Message string
}

func (e *FieldError) Error() string { return strings.Join(e.Path, ".") + ": " + e.Message }

// Parse reads a formula from JSON and checks it. A mistake is a *FieldError.
func Parse(data []byte) (*Formula, error) {
	var f Formula
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("scoring file: %w", err)
	}
	for _, typ := range slices.Sorted(maps.Keys(f.Types)) {
		if !slices.Contains(exports.Types, typ) {
			return nil, &FieldError{[]string{"types", typ}, "is not a type of entity; known are " + strings.Join(exports.Types, ", ")}
		}
		for _, dim := range slices.Sorted(maps.Keys(f.Types[typ].Dimensions)) {
			d := f.Types[typ].Dimensions[dim]
			if !slices.Contains(DimensionNames, dim) {
				return nil, &FieldError{[]string{"types", typ, "dimensions", dim}, "is not a dimension; known are " + strings.Join(DimensionNames, ", ")}
			}
			for i := range d.Measures {
				if err := d.Measures[i].check(); err != "" {
					return nil, &FieldError{[]string{"types", typ, "dimensions", dim, "measures", fmt.Sprint(i)}, err}
				}
			}
		}
	}
	return &f, nil
}

// check tells what is wrong with a measure, "" for nothing.
func (m *Measure) check() string {
	if (m.Signal == "") == (m.Benchmark == "") {
		return "names either a signal or a benchmark"
	}
	signal, known := exports.SignalType(m.Signal)
	switch {
	case m.Signal != "" && !known:
		return m.Signal + " is not a signal"
	case m.Weight <= 0:
		return "needs a weight above 0"
	case m.StaleAfter < 0:
		return "staleAfter must not be negative"
	}
	isDay := m.Signal != "" && signal.Kind == exports.Day
	switch m.Map {
	case "log":
		if isDay || m.Benchmark != "" || m.Full <= 0 {
			return "map log is for counts and needs full, the value that earns 100"
		}
	case "linear":
		if isDay || m.From == nil || m.To == nil || *m.From == *m.To {
			return "map linear is for numbers and needs from and to, two different values that earn 0 and 100"
		}
	case "age":
		if !isDay || m.HalfLife <= 0 {
			return "map age is for dates and needs halfLife in days"
		}
	default:
		return fmt.Sprintf("map %q is not one of log, linear, age", m.Map)
	}
	switch {
	case m.Map != "log" && m.Full != 0:
		return "full belongs to map log"
	case m.Map != "linear" && (m.From != nil || m.To != nil):
		return "from and to belong to map linear"
	case m.Map != "age" && m.HalfLife != 0:
		return "halfLife belongs to map age"
	}
	return ""
}

// Name is what the measure is called in an explanation.
func (m *Measure) Name() string {
	if m.Benchmark != "" {
		return "benchmark: " + m.Benchmark
	}
	return m.Signal
}

// JSON is the formula in its canonical form, for a build to carry.
func (f *Formula) JSON() []byte {
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		panic(err) // numbers and texts always encode
	}
	return append(b, '\n')
}
