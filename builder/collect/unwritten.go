package collect

import (
	"fmt"
	"slices"
	"strings"

	"kindex/exports/score"
)

// Unwritten checks collect.yaml against the measures of all formulas. It returns a note for each measure
// that no source in use writes and no exception names, and for each exception that is not needed.
func (c *Config) Unwritten(measures []score.Measure, sources []*Source) (notes []string) {
	needed := map[string]bool{}
	for _, m := range measures {
		key := m.Key()
		if needed[key] {
			continue
		}
		lacking := c.lacking(&m, sources)
		if lacking == "" {
			continue
		}
		needed[key] = true
		if c.Exceptions[key] == "" {
			notes = append(notes, fmt.Sprintf("collect.yaml: no source writes %s, which a formula reads; add one, or say why not under exceptions: %q: REASON", lacking, key))
		}
	}
	for _, key := range sortedKeys(c.Exceptions) {
		if !needed[key] {
			notes = append(notes, fmt.Sprintf("collect.yaml: exceptions: %q: no formula reads it, or a source writes it; remove it", key))
		}
	}
	slices.Sort(notes)
	return notes
}

// lacking returns what a measure reads and no source writes, or "".
func (c *Config) lacking(m *score.Measure, sources []*Source) string {
	names := m.Sum
	if len(names) == 0 {
		names = []string{m.Signal}
	}
	var missing []string
	for _, name := range names {
		if !slices.ContainsFunc(sources, func(s *Source) bool { return c.writes(s, name, m) }) {
			missing = append(missing, name)
		}
	}
	if m.Benchmark != "" && len(missing) > 0 {
		return fmt.Sprintf("%q", m.Benchmark)
	}
	return strings.Join(missing, " and ")
}

// writes reports whether a source in use has a signal or, if the measure is one of a benchmark, its
// results.
func (c *Config) writes(s *Source, signal string, m *score.Measure) bool {
	columns := c.columns(s)
	if !or(c.Sources[s.Name].Enabled, true) {
		return false
	}
	if m.Benchmark == "" {
		return hasColumn(columns, signal)
	}
	for i := range s.Results {
		if hasColumn(columns, ResultsColumn) && m.Accepts(&s.Results[i]) {
			return true
		}
	}
	return false
}
