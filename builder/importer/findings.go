package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/exports/safetext"
)

// findings are what was found in rows, once for each kind of problem.
type findings struct {
	list   []*finding
	byKind map[string]*finding
	rest   int // problems of further kinds
}

// finding is a problem that rows have in common.
type finding struct {
	times    int
	examples []string // the problems of the first rows
	values   []string // the first different values
	others   []string // some rows but the first, preferably those with different values
}

// particular matches what differs between messages about the same problem: quoted values, addresses and numbers.
var particular = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+/\S+|\[?[0-9][0-9.,]*`)

// add adds what was found in a row. prefix is put before the reason.
func (f *findings) add(input string, o *Outcome, prefix string, r Reason) {
	kind := strings.Join([]string{particular.ReplaceAllString(r.Message, "#"), particular.ReplaceAllString(r.Field, "#"), r.Column}, "\n")
	value := ""
	if r.Value != "" {
		value = yamldoc.Quote(r.Value)
	} else if at := particular.FindStringIndex(r.Message); at != nil && at[0] == 0 {
		value = r.Message[:at[1]]
	}
	known := f.byKind[kind]
	if known == nil && len(f.list) == maxListed {
		f.rest++
		return
	}
	if known == nil {
		if f.byKind == nil {
			f.byKind = map[string]*finding{}
		}
		known = &finding{}
		f.list, f.byKind[kind] = append(f.list, known), known
	}
	if known.times++; len(known.examples) < maxExamples {
		known.examples = append(known.examples, fmt.Sprintf("%s:%d: row %d: %s%s", input, o.Line, o.Row, prefix, r))
	}
	row := fmt.Sprintf("row %d", o.Row)
	isNew := value != "" && len(known.values) < maxValues && !slices.Contains(known.values, value)
	if isNew {
		known.values = append(known.values, value)
		if r.Suggestion != "" {
			value += ", perhaps " + yamldoc.Quote(r.Suggestion)
		}
		row += " (" + value + ")"
	}
	if known.times > 1 && len(known.others) < maxValues && (isNew || len(known.others) < maxExamples) {
		known.others = append(known.others, row)
	}
}

// findings prints each finding: all examples or, if more rows have it, one and some others. It reports whether
// it left out rows.
func (p *textPrinter) findings(f *findings, paint func(string) string) (all bool) {
	all = f.rest == 0
	for _, x := range f.list {
		lines := x.examples
		if x.times > len(lines) {
			others := strings.Join(x.others, ", ")
			if rest := x.times - 1 - len(x.others); rest > 0 {
				others, all = fmt.Sprintf("%s and %d more", others, rest), false
			}
			lines = []string{lines[0], "  also " + safetext.Escape(others)}
		}
		for _, line := range lines {
			p.line("%s", paint(line))
		}
	}
	if f.rest > 0 {
		p.line("… and %s", plural.Count(f.rest, "more problem", "more problems"))
	}
	return all
}
