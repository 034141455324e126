package importer

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fatih/color"

	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/plural"
	"kindex/exports/safetext"
	"kindex/exports/store"
)

// The possible outcomes of a row.
const (
	Written   = "written"   // a new file
	Updated   = "updated"   // an existing file was updated
	Unchanged = "unchanged" // a file or an earlier row already has the same content
	Exists    = "exists"    // a file with different content exists and was left alone
	Skipped   = "skipped"   // by where
	Refused   = "refused"
)

// Outcome describes what happened to one row.
type Outcome struct {
	Row      int      `json:"row"`  // counted from 1, without the header
	Line     int      `json:"line"` // line of the input on which the row starts
	Outcome  string   `json:"outcome"`
	File     string   `json:"file,omitempty"`
	SameAs   int      `json:"sameAs,omitempty"`  // the earlier row with the same content
	Differs  []string `json:"differs,omitempty"` // fields that differ from those of the existing file
	Reasons  []Reason `json:"reasons,omitempty"` // the reasons the row was refused
	Warnings []Reason `json:"warnings,omitempty"`

	Adjusted   []Adjustment `json:"adjusted,omitempty"`   // prices that were rounded or left out
	ZeroOffers int          `json:"zeroOffers,omitempty"` // offers whose input and output price is 0 and was left out

	data []byte // of the file to write; nil if there is none
}

// Reason describes one problem with a row.
type Reason struct {
	Field      string `json:"field"`  // field of the entity, or "" if the row cannot be read
	Column     string `json:"column"` // column that the field comes from, or ""
	Value      string `json:"value"`  // the original value, if a single value is the problem
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
}

// String returns the reason on one line:
// field (column name): message (did you mean "…"?)
func (r Reason) String() string {
	where := r.Field
	if column := "column " + r.Column; r.Column != "" {
		if strings.Contains(r.Column, ", ") {
			column = "columns " + r.Column
		}
		if where += " (" + column + ")"; r.Field == "" {
			where = column
		}
	}
	if where != "" {
		where += ": "
	}
	return safetext.Escape(where + yamldoc.Problem{Message: r.Message, Suggestion: r.Suggestion}.Text())
}

// The maximum numbers of rows, or kinds of problems, that a report lists for each outcome, of examples, and of
// different values. The file named by Options.Report lists all rows.
const (
	maxListed   = 50
	maxExamples = 3
	maxValues   = 7
)

// Report is the result of an import. Rows is the sum of the counts of the six outcomes.
type Report struct {
	Input   string `json:"input"`
	Mapping string `json:"mapping"`
	Content string `json:"content"`
	// Wrote is false if nothing was written to the content folder. The outcomes are
	// then hypothetical.
	Wrote  bool `json:"wrote"`
	Strict bool `json:"strict"`

	Rows      int `json:"rows"`
	Written   int `json:"written"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Exists    int `json:"exists"`
	Skipped   int `json:"skipped"`
	Refused   int `json:"refused"`
	Warnings  int `json:"warnings"`

	RoundedPrices int `json:"roundedPrices"` // prices that had more than six decimals
	ZeroPrices    int `json:"zeroPrices"`    // prices of 0 that were left out as unknown
	ZeroOffers    int `json:"zeroOffers"`    // offers at which both the input and the output price was one of them

	UnusedColumns []string      `json:"unusedColumns"` // columns of the input that the mapping does not use
	Credit        *store.Source `json:"credit"`        // missing entry for sources in index.yaml, or null

	Refusals []Outcome `json:"refusals"` // the first refused rows
	Warned   []Outcome `json:"warned"`   // the first rows with warnings
	Existing []Outcome `json:"existing"` // the first rows whose files already exist

	SourceDate string   `json:"-"`
	Unsourced  []string `json:"-"` // the signals whose source the mapping does not state
	Rounded    []string `json:"-"` // the first rounded prices
	Zero       []string `json:"-"` // the first prices of 0

	refusals, warnings, existing findings
}

func (j *job) newReport() *Report {
	none := func() findings { return findings{byKind: map[string]*finding{}} }
	r := &Report{refusals: none(), warnings: none(), existing: none(), Input: j.Input, Mapping: j.Mapping, Content: j.Content, Strict: j.Strict,
		UnusedColumns: append([]string{}, j.unused...), SourceDate: j.drafter.date,
		Refusals: []Outcome{}, Warned: []Outcome{}, Existing: []Outcome{}}
	for _, name := range slices.Sorted(maps.Keys(j.mapping.Signals.Figures)) {
		if j.mapping.Signals.Figures[name].Source == nil {
			r.Unsourced = append(r.Unsourced, name)
		}
	}
	s := j.mapping.Source
	if s == nil || slices.ContainsFunc(j.folder.Index.Sources, func(known store.Source) bool { return known.URL == s.URL }) {
		return r
	}
	r.Credit = &store.Source{Name: s.Name, URL: s.URL, License: s.License, Changes: s.Changes}
	if kind, ok := j.mapping.Type.Constant.(string); ok {
		r.Credit.Types = []string{kind}
	}
	return r
}

func (r *Report) count(o *Outcome) {
	r.Rows++
	*map[string]*int{Written: &r.Written, Updated: &r.Updated, Unchanged: &r.Unchanged,
		Exists: &r.Exists, Skipped: &r.Skipped, Refused: &r.Refused}[o.Outcome]++
	r.Warnings += len(o.Warnings)
	r.ZeroOffers += o.ZeroOffers
	for _, reason := range o.Reasons {
		r.refusals.add(r.Input, o, "", reason)
	}
	for _, warning := range o.Warnings {
		r.warnings.add(r.Input, o, "warning: ", warning)
	}
	if o.Outcome == Exists {
		differs := strings.TrimSuffix(" and differs in "+strings.Join(o.Differs, ", "), " and differs in ")
		r.existing.add(r.Input, o, "", Reason{Message: o.File + " exists" + differs})
	}
	for rows, listed := range map[*[]Outcome]bool{&r.Refusals: o.Outcome == Refused, &r.Warned: len(o.Warnings) > 0, &r.Existing: o.Outcome == Exists} {
		if listed && len(*rows) < maxListed {
			*rows = append(*rows, *o)
		}
	}
	for _, a := range o.Adjusted {
		n, list, example := &r.ZeroPrices, &r.Zero, o.File+": "+a.Field
		if a.Taken != "" {
			n, list, example = &r.RoundedPrices, &r.Rounded, fmt.Sprintf("%s: %s became %s", example, a.Value, a.Taken)
		}
		if *n++; len(*list) < maxExamples {
			*list = append(*list, example)
		}
	}
}

// WriteText prints the report in human-readable form.
func (r *Report) WriteText(w io.Writer, paint func(attribute color.Attribute, text string) string) error {
	p := &textPrinter{}
	all := p.findings(&r.refusals, func(text string) string { return paint(color.FgRed, text) })
	all = p.findings(&r.warnings, func(text string) string { return paint(color.FgYellow, text) }) && all
	if all = p.findings(&r.existing, func(text string) string { return text }) && all; !all {
		p.line("… --report FILE.jsonl lists all rows")
	}
	r.summary(p)
	r.credit(p)
	_, err := io.WriteString(w, p.String())
	return err
}

func (r *Report) summary(p *textPrinter) {
	p.line("%s: %s", r.Input, plural.Count(r.Rows, "row", "rows"))
	would := ""
	if !r.Wrote {
		would = "would be "
	}
	for _, line := range []struct {
		n      int
		always bool
		text   string
	}{
		{r.Written, true, would + "written to " + r.Content},
		{r.Updated, false, would + "updated"},
		{r.Unchanged, false, "unchanged"},
		{r.Exists, false, "left alone because a file already exists; --update updates the fields that the mapping defines"},
		{r.Skipped, false, "skipped by where"},
		{r.Refused, true, "refused"},
	} {
		if line.n > 0 || line.always {
			p.line("%8d %s", line.n, line.text)
		}
	}
	if r.Strict && !r.Wrote && r.Refused > 0 {
		p.line("nothing was written, since --strict does not allow refused rows")
	} else if !r.Wrote {
		p.line("nothing was written")
	}
	p.prices(r.RoundedPrices, r.Rounded, plural.Count(r.RoundedPrices, "price was", "prices were")+" rounded to six decimals")
	p.prices(r.ZeroPrices, r.Zero, fmt.Sprintf("%s left out as unknown, because the source does not say that they are free (%s 0 for both input and output)",
		plural.Count(r.ZeroPrices, "price of 0 was", "prices of 0 were"), plural.Count(r.ZeroOffers, "offer has", "offers have")))
	if r.Unsourced != nil && r.Written+r.Updated > 0 {
		p.line(`the mapping states no source of %s; add one to each: {value: COLUMN, source: {constant: "https://…"}}`, strings.Join(r.Unsourced, ", "))
	}
	if len(r.UnusedColumns) > 0 {
		p.line("columns that the mapping does not use: %s", strings.Join(r.UnusedColumns, ", "))
	}
}

// credit prints what to add to index.yaml and CREDITS.md if the source is not credited yet.
func (r *Report) credit(p *textPrinter) {
	if r.Credit == nil || r.Written+r.Updated == 0 {
		return
	}
	p.line("\nThe source is not credited yet. Add this to sources in %s/index.yaml:\n", strings.TrimSuffix(r.Content, "/"))
	p.line("%s", strings.TrimRight(yamlfmt.SourceYAML(*r.Credit), "\n"))
	p.line("\nand this to CREDITS.md, with the notices that the licence requires:\n")
	state := strings.TrimSuffix(", state of "+r.SourceDate, ", state of ")
	p.line("%s", strings.TrimSpace(fmt.Sprintf("- [%s](%s)%s, licence %s: %s. %s", r.Credit.Name, r.Credit.URL, state, r.Credit.License,
		plural.Count(r.Written+r.Updated, "file", "files"), r.Credit.Changes)))
}

type textPrinter struct{ strings.Builder }

func (p *textPrinter) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// prices prints a line and examples if n is not 0.
func (p *textPrinter) prices(n int, examples []string, text string) {
	if n == 0 {
		return
	}
	p.line("%s:", text)
	for _, example := range examples {
		p.line("  %s", safetext.Escape(example))
	}
	if more := n - len(examples); more > 0 {
		p.line("… and %d more; --report FILE.jsonl lists them all", more)
	}
}

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
	switch {
	case known == nil && len(f.list) == maxListed:
		f.rest++
		return
	case known == nil:
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

// findings prints each finding: all examples, or one and some other rows. It reports whether it left out rows.
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
