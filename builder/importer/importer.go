// Package importer converts a catalogue (the rows of a CSV or JSONL file) to entity files,
// according to a mapping (mapping.Mapping). Every row has exactly one outcome, and every refused
// row has a reason. The importer writes only files that pass the validator in builder/content.
//
// The input is read twice: once to find the columns and slug clashes, and once to write the
// files. The slugs therefore do not depend on the order of the rows, and at most a few
// hundred rows are in memory at a time.
package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/builder/plural"
)

// Options configures Run.
type Options struct {
	Input   string // the catalogue: .csv, .tsv or .jsonl, optionally followed by .gz
	Mapping string // the mapping file
	Content string // the content folder; created if missing
	Date    string // the default date of figures; "" means the date in the mapping

	Update bool // update existing files
	DryRun bool // write nothing to the content folder
	Strict bool // write nothing to the content folder if a row is refused

	Report  string // file for the outcome of every row, .json or .jsonl; "" if there is none
	Rejects string // file for the refused rows, in the format of the input; "" if there is none

	// Progress, if not nil, is called with the number of processed rows.
	Progress func(step string, done int)
}

// batchSize is the number of rows processed together.
const batchSize = 256

// job is a running import.
type job struct {
	Options
	mapping   *mapping.Mapping
	drafter   *drafter
	firstPass *firstPass
}

// Run imports a catalogue. If the mapping has problems, it returns them as yamldoc.Problems and
// writes nothing. If ctx is cancelled, all files written so far are complete, and another run
// continues the import.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(o.Mapping)
	if err != nil {
		return nil, err
	}
	m, problems := mapping.Parse(filepath.ToSlash(o.Mapping), data)
	if m == nil {
		return nil, problems
	}
	j := &job{Options: o, mapping: m, drafter: newDrafter(m, o.Date)}
	if at := m.UndatedOffers(); at != nil && j.drafter.date == "" {
		return nil, yamldoc.Problems{m.Problem(*at, "needs the day on which the offers were read; set date in source or offersRead, or use --date", "")}
	}
	if j.firstPass, err = j.scan(ctx); err != nil {
		return nil, err
	}
	if o.Strict && !o.DryRun {
		trial, err := j.pass(ctx, trial)
		if err != nil || trial.Refused > 0 {
			return trial, err
		}
	}
	if o.DryRun {
		return j.pass(ctx, dry)
	}
	return j.pass(ctx, wet)
}

// rows calls work for each row of the input.
func (j *job) rows(ctx context.Context, work func([]*row) error) error {
	in, err := open(j.Input, j.mapping.Input.Delimiter)
	if err != nil {
		return err
	}
	defer in.Close()
	for {
		var list []*row
		for len(list) < batchSize && err == nil {
			var r *row
			if r, err = in.next(); err == nil {
				list = append(list, r)
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", j.Input, err)
		}
		if failed := ctx.Err(); failed != nil {
			return failed
		}
		if failed := work(list); failed != nil {
			return failed
		}
		if err != nil {
			return nil
		}
	}
}

// purpose defines what a pass through the rows may write.
type purpose int

const (
	wet   purpose = iota // write to the content folder
	dry                  // only report
	trial                // write nothing, and report only if a row is refused
)

// pass processes all rows once.
func (j *job) pass(ctx context.Context, why purpose) (report *Report, err error) {
	folder, err := content.OpenWorkspace(j.Content)
	if err != nil {
		return nil, err
	}
	out, err := j.openOutputs()
	if err != nil {
		return nil, err
	}
	report = j.newReport(folder, why == wet)
	defer func() {
		keep := err == nil && (why != trial || report.Refused > 0)
		if failed := out.close(report, keep); err == nil {
			err = failed
		}
	}()
	w := &writer{job: j, folder: folder, write: why == wet}
	err = j.candidates(ctx, folder, func(r *row, c *candidate) error {
		outcome, err := w.finish(c)
		if err != nil {
			return err
		}
		outcome.Row, outcome.Line = r.number, r.line
		report.count(outcome)
		if j.Progress != nil && report.Rows%batchSize == 0 {
			j.Progress("import", report.Rows)
		}
		return out.add(r, outcome)
	})
	if errors.Is(err, context.Canceled) && why == wet {
		return report, fmt.Errorf("interrupted after %s; the files written so far are complete; run the same command to continue", plural.Count(report.Rows, "row", "rows"))
	}
	return report, err
}

// candidates turns rows into files in memory, using all processors, and passes the files to
// finish in the order of the rows. While one batch is being written, it prepares the next one.
func (j *job) candidates(ctx context.Context, folder *content.Workspace, finish func(*row, *candidate) error) error {
	type made struct {
		rows       []*row
		candidates []*candidate
	}
	ready := make(chan made, 1)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(ready)
		return j.rows(ctx, func(list []*row) error {
			select {
			case ready <- made{list, j.batch(list, folder)}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	g.Go(func() error {
		for m := range ready {
			for i, c := range m.candidates {
				if err := finish(m.rows[i], c); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return g.Wait()
}

// batch creates the candidates of some rows.
func (j *job) batch(list []*row, folder *content.Workspace) []*candidate {
	out := make([]*candidate, len(list))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				out[i] = j.candidate(list[i], folder)
			}
		})
	}
	wg.Wait()
	return out
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
