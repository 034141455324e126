package board

import (
	"maps"
	"slices"
	"strings"

	"kindex/exports/score"
)

// Variant is a board with one weight of its formula changed.
type Variant struct {
	Weight string  // the weight: a dimension, or a dimension and a measure
	Factor float64 // what it was multiplied by
	*Board
}

// Variants returns the board with each weight lowered and raised by a fifth, one at a time. It leaves out
// weights that have no effect because there is nothing to weigh them against.
func (b *Board) Variants() (list []Variant) {
	t := b.TypeFormula()
	names := slices.DeleteFunc(slices.Clone(score.DimensionNames), func(name string) bool { return t.Dimensions[name] == nil })
	for _, name := range names {
		if len(names) > 1 {
			list = append(list, b.variants(name, name, func(d *score.Dimension) *float64 { return &d.Weight })...)
		}
		measures := t.Dimensions[name].Measures
		for i := range measures {
			if len(measures) > 1 {
				list = append(list, b.variants(name+": "+strings.TrimPrefix(measures[i].Name(), "benchmark: "), name, func(d *score.Dimension) *float64 { return &d.Measures[i].Weight })...)
			}
		}
	}
	return list
}

// variants returns the board with a weight in a dimension lowered and raised by a fifth.
func (b *Board) variants(what, dimension string, weight func(*score.Dimension) *float64) (list []Variant) {
	for _, factor := range []float64{0.8, 1.2} {
		t := *b.TypeFormula()
		d := *t.Dimensions[dimension]
		d.Measures = slices.Clone(d.Measures)
		*weight(&d) *= factor
		t.Dimensions = maps.Clone(t.Dimensions)
		t.Dimensions[dimension] = &d
		changed, formula := *b, *b.formula
		formula.Types = map[string]*score.TypeFormula{b.Type: &t}
		changed.Formula, changed.formula = &t, &formula
		list = append(list, Variant{what, factor, &changed})
	}
	return list
}
