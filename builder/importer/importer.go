// Package importer converts a catalogue (the rows of a CSV or JSONL file) to entity files,
// according to a mapping (mapping.Mapping). Every row has exactly one outcome, and every refused
// row has a reason. The importer writes only files that pass the validator in builder/content.
//
// All rows are read before the first file is written, so that slugs do not depend on the order of the
// rows, and a mapping with a mistake writes nothing.
package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/builder/plural"
	"kindex/exports/kinds"
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
	k, err := kindOf(o.Input)
	if err != nil {
		return err
	}
	if o.Rejects != "" {
		form := map[bool]string{true: ".jsonl", false: ".csv"}[k.jsonl]
		other, err := kindOf(o.Rejects)
		if err != nil || other.jsonl != k.jsonl || filepath.Ext(o.Rejects) == ".gz" {
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

// start reads the mapping and the input.
func start(ctx context.Context, o Options) (*job, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	declared, err := o.Kinds, error(nil)
	if declared == nil {
		declared, err = content.ReadKinds(o.Content)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(o.Mapping)
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

// Run imports a catalogue. If the mapping has problems, it returns them as yamldoc.Problems and
// writes nothing. If ctx is cancelled, all files written so far are complete, and another run
// continues the import.
func Run(ctx context.Context, o Options) (*Report, error) {
	j, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	if at := j.mapping.UndatedOffers(); at != nil && j.drafter.date == "" {
		return nil, yamldoc.Problems{j.mapping.Problem(*at, "needs the day on which the offers were read; set date in source or offersRead, or use --date", "")}
	}
	for _, path := range []string{o.Report, o.Rejects} {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	outcomes, err := j.decide(ctx)
	if err != nil {
		return nil, err
	}
	report := j.newReport()
	report.Wrote = !o.DryRun && !(o.Strict && slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Outcome == Refused }))
	for i := range outcomes {
		if err := ctx.Err(); err != nil && report.Wrote {
			return report, fmt.Errorf("interrupted after %s; the files written so far are complete; run the same command to continue", plural.Count(report.Rows, "row", "rows"))
		}
		if o := &outcomes[i]; report.Wrote && o.data != nil {
			if err := content.WriteEntity(j.Content, o.typ, o.slug, o.data); err != nil {
				return report, err
			}
		}
		report.count(&outcomes[i])
		j.progress("import", j.rows[i])
	}
	return report, j.writeOutputs(report, outcomes)
}

// progress reports progress after every 256 rows.
func (j *job) progress(step string, r *row) {
	if j.Progress != nil && r.number%256 == 0 {
		j.Progress(step, r.number)
	}
}

// decide returns the outcomes of all rows, in order. If rows refer to rows that are refused, it starts
// again without their addresses.
func (j *job) decide(ctx context.Context) (outcomes []Outcome, err error) {
	for again := true; again; again = j.leaveOut(outcomes) {
		if j.folder, err = content.OpenWorkspace(j.Content); err != nil {
			return nil, err
		}
		if j.coming == nil {
			j.coming = map[string]bool{}
			for key, c := range j.claims {
				j.coming[key] = j.folder.Find(c.draft.Type, c.draft.final) == nil
			}
		}
		j.folder.Expect(j.coming)
		outcomes = nil
		for _, r := range j.rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			outcomes = append(outcomes, j.settle(r))
			j.progress("check", r)
		}
	}
	return outcomes, nil
}

// leaveOut removes the addresses of refused rows from those that are coming, with those of the rows that
// refer to them, and so on. It reports whether there are such rows.
func (j *job) leaveOut(outcomes []Outcome) (again bool) {
	users := map[string][]*row{} // by what they refer to
	var refused []*row
	for i, r := range j.rows {
		if outcomes[i].Outcome == Refused {
			refused = append(refused, r)
		} else if r.draft != nil {
			for _, key := range j.drafter.references(r.draft) {
				users[key] = append(users[key], r)
			}
		}
	}
	for len(refused) > 0 {
		r := refused[0]
		refused = refused[1:]
		if r.draft != nil && j.coming[r.draft.key()] {
			j.coming[r.draft.key()] = false
			refused = append(refused, users[r.draft.key()]...)
			again = again || len(users[r.draft.key()]) > 0
		}
	}
	return again
}

// ReadDrafts calls yield for each row of Input that where selects, in order. It writes nothing,
// and does not check whether the drafts would be valid files. Problems of the mapping are
// returned as yamldoc.Problems. Of the options, it uses Input, Data, Mapping, Date and Kinds.
func ReadDrafts(ctx context.Context, o Options, yield func(*Draft) error) error {
	j, err := start(ctx, o)
	if err != nil {
		return err
	}
	for _, r := range j.rows {
		d := r.draft
		switch {
		case r.wrong != "":
			d = &Draft{Reasons: []Reason{{Message: r.wrong}}}
		case d == nil:
			continue // not selected
		}
		d.Row, d.Line, d.Unused = r.number, r.line, j.numbers(r)
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}

// numbers returns the numbers of a row in columns that the mapping does not use.
func (j *job) numbers(r *row) map[string]float64 {
	list := map[string]float64{}
	for _, name := range j.unused {
		v := r.fields.lookup(name)
		if n, ok := v.(json.Number); ok {
			v = n.String()
		}
		text, _ := v.(string)
		if x, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			list[name] = x
		}
	}
	return list
}
