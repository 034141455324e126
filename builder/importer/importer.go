// Package importer converts a catalogue (the rows of a CSV or JSONL file) to entity files,
// according to a mapping (mapping.Mapping). Every row has exactly one outcome, and every refused
// row has a reason. The importer writes only files that pass the validator in builder/content.
//
// All rows are read before the first file is written, so that slugs do not depend on the order of the
// rows, and a mapping with a mistake writes nothing.
package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/builder/plural"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/store"
)

// Options configures Run.
type Options struct {
	Input   string     // the catalogue: .csv, .tsv or .jsonl, optionally followed by .gz
	Data    []byte     // what Input contains; nil to read the file
	Mapping string     // the mapping file
	Content string     // the content folder; created if missing
	Kinds   *kinds.Set // nil for those that Content declares
	Date    string     // the default date of figures; "" means the date in the mapping

	Update bool // update existing files
	DryRun bool // write nothing to the content folder
	Strict bool // write nothing to the content folder if a row is refused

	Report  string // file for the outcome of every row, .json or .jsonl; "" if there is none
	Rejects string // file for the refused rows, in the format of the input; "" if there is none

	// Progress, if not nil, is called with the number of processed rows.
	Progress func(step string, done int)
}

// Check returns an error for invalid options. It is called before anything is read.
func (o Options) Check() error {
	delimiter, err := delimiterOf(o.Input)
	if err != nil {
		return err
	}
	if o.Rejects != "" {
		form := map[bool]string{true: ".jsonl", false: ".csv"}[delimiter == 0]
		other, err := delimiterOf(o.Rejects)
		if err != nil || (other == 0) != (delimiter == 0) || filepath.Ext(o.Rejects) == ".gz" {
			return fmt.Errorf("%s: refused rows are written in the format of the input; use a name ending in %s", o.Rejects, form)
		}
	}
	if ext := filepath.Ext(o.Report); o.Report != "" && ext != ".json" && ext != ".jsonl" {
		return fmt.Errorf("%s: the name of a report must end in .json or .jsonl", o.Report)
	}
	if _, err := time.Parse(time.DateOnly, o.Date); o.Date != "" && err != nil {
		return fmt.Errorf("invalid date %q; use YYYY-MM-DD", o.Date)
	}
	return nil
}

// job is a running import.
type job struct {
	Options
	mapping *mapping.Mapping
	drafter *drafter

	header []string // the columns of a CSV file
	rows   []*row
	unused []string // columns that the mapping does not use
	claims claims   // by the slugs that the entities get

	folder *content.Workspace
	coming map[string]bool // the addresses that references may name although no file has them yet
}

func start(ctx context.Context, o Options) (*job, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	declared := o.Kinds
	data, err := os.ReadFile(o.Mapping)
	if err == nil && declared == nil {
		declared, err = content.ReadKinds(o.Content)
	}
	if err != nil {
		return nil, err
	}
	m, problems := mapping.Parse(declared, filepath.ToSlash(o.Mapping), data)
	if m == nil {
		return nil, problems
	}
	j := &job{Options: o, mapping: m, drafter: newDrafter(declared, m, o.Date)}
	return j, j.read(ctx)
}

// Run imports a catalogue. Problems of the mapping are yamldoc.Problems, and nothing is written. If ctx is cancelled, all
// files written so far are complete, and another run continues the import.
func Run(ctx context.Context, o Options) (*Report, error) {
	j, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	if at := j.mapping.UndatedOffers(); at != nil && j.drafter.date == "" {
		return nil, yamldoc.Problems{at.Problem("needs the day on which the offers were read; set date in source or offersRead, or use --date", "")}
	}
	for _, path := range []string{o.Report, o.Rejects} {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	if err := j.decide(ctx); err != nil {
		return nil, err
	}
	report := j.newReport()
	report.Wrote = !o.DryRun && !(o.Strict && slices.ContainsFunc(j.rows, func(r *row) bool { return r.Outcome.Outcome == Refused }))
	for _, r := range j.rows {
		if err := ctx.Err(); err != nil && report.Wrote {
			return report, fmt.Errorf("interrupted after %s; the files written so far are complete; run the same command to continue", plural.Count(report.Rows, "row", "rows"))
		}
		if report.Wrote && r.data != nil {
			if err := content.WriteEntity(j.Content, r.draft.Type, r.draft.final, r.data); err != nil {
				return report, err
			}
		}
		report.count(&r.Outcome)
		j.progress("import", r)
	}
	if j.Report != "" {
		err = store.WriteFile(j.Report, j.reportFile(report))
	}
	if j.Rejects != "" {
		err = errors.Join(err, store.WriteFile(j.Rejects, j.rejectsFile()))
	}
	return report, err
}

func (j *job) progress(step string, r *row) {
	if j.Progress != nil && r.Row%256 == 0 {
		j.Progress(step, r.Row)
	}
}

// decide determines the outcomes of all rows. If rows refer to refused ones, it starts again without their addresses.
func (j *job) decide(ctx context.Context) (err error) {
	for again := true; again; again = j.leaveOut() {
		if j.folder, err = content.OpenWorkspace(j.Content); err != nil {
			return err
		}
		if j.coming == nil {
			j.coming = map[string]bool{}
			for key, rows := range j.claims {
				j.coming[key] = j.folder.Find(rows[0].draft.Type, rows[0].draft.final) == nil
			}
		}
		j.folder.Expect(j.coming)
		for _, r := range j.rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			j.settle(r)
			j.progress("check", r)
		}
	}
	return nil
}

// leaveOut removes the addresses of refused rows, and reports whether other rows refer to them.
func (j *job) leaveOut() bool {
	gone := map[string]bool{}
	for _, r := range j.rows {
		if d := r.draft; d != nil && r.Outcome.Outcome == Refused && j.coming[d.key()] {
			j.coming[d.key()], gone[d.key()] = false, true
		}
	}
	return slices.ContainsFunc(j.rows, func(r *row) bool {
		return r.draft != nil && r.Outcome.Outcome != Refused && slices.ContainsFunc(j.drafter.references(r.draft), func(key string) bool { return gone[key] })
	})
}

// ReadDrafts returns what the mapping makes of the rows that where selects, without checking whether they would be valid
// files. Problems of the mapping are yamldoc.Problems. It uses only Input, Data, Mapping, Date and Kinds.
func ReadDrafts(ctx context.Context, o Options) (list []*Draft, err error) {
	j, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, r := range j.rows {
		if r.draft != nil {
			r.draft.Unused = j.numbers(r)
			list = append(list, r.draft)
		}
	}
	return list, nil
}

func (j *job) numbers(r *row) map[string]float64 {
	list := map[string]float64{}
	for _, name := range j.unused {
		if x, err := strconv.ParseFloat(strings.TrimSpace(fmt.Sprint(r.fields.lookup(name))), 64); err == nil {
			list[name] = x
		}
	}
	return list
}

// claims has the first row that claims each address (type/slug) and, if there is one, the first one with other content.
type claims map[string][]*row

// add adds a row that has a type and a slug.
func (c claims) add(key string, r *row) {
	list := c[key]
	if r.draft.Type != "" && r.draft.Slug != "" && (list == nil || len(list) == 1 && !reflect.DeepEqual(list[0].draft.Fields, r.draft.Fields)) {
		c[key] = append(list, r)
	}
}

// read reads the input, and drafts what the mapping makes of its rows. Missing columns are yamldoc.Problems.
func (j *job) read(ctx context.Context) error {
	in, err := open(j.Input, j.Data, j.mapping.Input.Separator())
	if err != nil {
		return err
	}
	seen, plain := columns{}, claims{} // plain by the slugs that clash
	var inputs []float64               // input prices, in dollars for a million tokens
	j.header = in.names
	for r, err := range in.rows {
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return fmt.Errorf("%s: %w", j.Input, err)
		}
		j.rows = append(j.rows, r)
		j.progress("read", r)
		if j.header == nil {
			seen.add("", r.fields)
		}
		if r.Reasons == nil && j.drafter.all(j.mapping.Where, r.fields) {
			r.draft = j.drafter.draft(r.fields)
			inputs = append(inputs, r.draft.inputs...)
			plain.add(r.draft.Type+"/"+r.draft.Slug, r)
		}
	}
	j.claims = claims{}
	for _, r := range j.rows {
		if d := r.draft; d != nil {
			if d.final = d.Slug; d.clashSlug != "" && len(plain[d.key()]) > 1 {
				d.final = d.clashSlug
			}
			j.claims.add(d.key(), r)
		}
	}
	for _, name := range j.header {
		seen[name] = true
	}
	if problems := j.unknownColumns(seen); len(seen) > 0 && len(problems) > 0 {
		return problems
	}
	j.unused = seen.without(j.mapping)
	return j.wrongUnit(inputs)
}

// columns is the set of column names in the input. The entries of a list share the name of the list.
type columns map[string]bool

// maxColumns limits the memory used if the keys of objects are data instead of column names.
const maxColumns = 10000

// add adds the names in a value, which all begin with a prefix.
func (c columns) add(prefix string, v any) {
	switch v := v.(type) {
	case object:
		c.add(prefix, map[string]any(v))
	case map[string]any:
		for name, inner := range v {
			if len(c) < maxColumns {
				c[prefix+name] = true
			}
			c.add(prefix+name+".", inner)
		}
	case []any:
		for _, item := range v {
			c.add(prefix, item)
		}
	}
}

// withoutNumbers returns the name in columns of a column: links.0.url is links.url.
func withoutNumbers(name string) string {
	parts := strings.Split(name, ".")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return strings.Trim(p, "0123456789") == "" }), ".")
}

// unknownColumns returns problems for columns that the mapping uses but the input does not have.
func (j *job) unknownColumns(seen columns) (problems yamldoc.Problems) {
	names := slices.Sorted(maps.Keys(seen))
	for _, use := range j.mapping.Uses {
		if use.Optional || seen[use.Column] || seen[withoutNumbers(use.Column)] {
			continue
		}
		message := "no column " + yamldoc.Quote(use.Column) + " in " + j.Input
		suggestion := didyoumean.Name(use.Column, names)
		if delimiter := otherDelimiter(names); delimiter != "" {
			message += fmt.Sprintf("; its only column is %s: set the column separator in the mapping with input: {delimiter: %q}", yamldoc.Quote(names[0]), delimiter)
			suggestion = ""
		} else if len(names) > 0 && len(names) <= 40 {
			message += "; expected one of: " + strings.Join(names, ", ")
		}
		problems = append(problems, use.Place.Problem(message, suggestion))
	}
	return problems.With(nil)
}

// otherDelimiter guesses the column separator of a file that seems to have only one column, or returns "".
func otherDelimiter(names []string) string {
	for _, d := range []string{";", "\t", "|", ","} {
		if len(names) == 1 && strings.Contains(names[0], d) {
			return d
		}
	}
	return ""
}

// without lists the columns of which a mapping uses no part, or the outermost objects of them.
func (c columns) without(m *mapping.Mapping) (unused []string) {
	used := map[string]bool{}
	for _, use := range m.Uses {
		for _, name := range []string{use.Column, withoutNumbers(use.Column)} {
			for used[name] = true; strings.Contains(name, "."); used[name] = true {
				name = outer(name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if in := outer(name); name != "" && !used[name] && (in == "" || used[in] || !c[in]) {
			unused = append(unused, name)
		}
	}
	return unused
}

// outer returns the name of the object that encloses a column, or "".
func outer(name string) string { return name[:max(0, strings.LastIndexByte(name, '.'))] }
