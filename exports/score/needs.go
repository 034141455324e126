package score

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kindex/exports/record"
)

// Needs states what must be known about an entity for a score, or for a place on a board. Empty
// fields state nothing.
type Needs struct {
	// Sources is the minimum number of sources of the counted benchmark results; see Sources.
	Sources int `json:"sources,omitempty"`
	// Measures are the measures that must count, by their Key.
	Measures []string `json:"measures,omitempty"`
}

// Validate returns a message about what is wrong with needs in a formula, or "".
func (n *Needs) Validate(t *TypeFormula) string {
	if n.Sources < 0 {
		return "sources must not be negative"
	}
	keys := map[string]bool{}
	for _, d := range t.Dimensions {
		if d != nil {
			for i := range d.Measures {
				keys[d.Measures[i].Key()] = true
			}
		}
	}
	for _, key := range n.Measures {
		if !keys[key] {
			return fmt.Sprintf("the formula has no measure %q", key)
		}
	}
	return ""
}

// Sentence returns the needs in words, or "" if there are none.
func (n *Needs) Sentence() string {
	var parts []string
	if n.Sources > 0 {
		parts = append(parts, n.sources())
	}
	if len(n.Measures) > 0 {
		parts = append(parts, "figures for "+list(n.Measures))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Needs " + strings.Join(parts, " and ") + "."
}

func (n *Needs) sources() string {
	if n.Sources == 1 {
		return "benchmark results from at least 1 independent source"
	}
	return fmt.Sprintf("benchmark results from at least %d independent sources", n.Sources)
}

func list(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// Unmet returns what figures lack of the needs of something, as a sentence without a period, or
// "" if they meet them.
func (n *Needs) Unmet(of string, figures []MeasureValue) string {
	var missing []string
	for _, key := range n.Measures {
		if !slices.ContainsFunc(figures, func(f MeasureValue) bool { return f.Measure.Key() == key }) {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		return fmt.Sprintf("%s needs figures for %s, and it has none for %s", of, list(n.Measures), list(missing))
	}
	if n.Sources == 0 {
		return ""
	}
	found := Sources(figures)
	switch {
	case len(found) >= n.Sources:
		return ""
	case len(found) == 0:
		return fmt.Sprintf("%s needs %s, and it has none", of, n.sources())
	}
	return fmt.Sprintf("%s needs %s, and it has %d: %s", of, n.sources(), len(found), strings.Join(found, ", "))
}

// Sources returns the sources of the benchmark results among figures, sorted: the publisher of a
// result or, if none is named, that of its measure or its benchmark. Results by the model's maker
// do not count.
func Sources(figures []MeasureValue) []string {
	spelling := map[string]string{}
	for _, f := range figures {
		b := f.benchmark
		if b == nil || b.By == record.ByMaker {
			continue
		}
		benchmark, _, _ := strings.Cut(b.Name, " (") // details do not make another source
		name := cmp.Or(b.Publisher, f.Measure.Source, benchmark)
		if key := record.Fold(name); spelling[key] == "" {
			spelling[key] = name
		}
	}
	return slices.Sorted(maps.Values(spelling))
}
