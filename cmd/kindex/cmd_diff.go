package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder/diff"
	"kindex/builder/gitlog"
	"kindex/exports/didyoumean"
	"kindex/exports/jsonenc"
	"kindex/indexes"
)

// The formats that diff prints in.
var diffFormats = []string{"text", "markdown", "json"}

type diffOptions struct {
	content, asOf, format string
	exitCode              bool
}

const aboutDiff = `Diff compares two states of a content folder that lies in a git repository, and
tells what the second would make of the index of the first: entities created,
updated and deleted with each field, scores and ranks old and new, changes of the
formula and of the categories, possible duplicates of what is new, and whether a
build would be refused because too much vanishes.

A..B compares two commits, A...B compares B with the commit at which it left A, as
a pull request does, A compares a commit with the working tree, and nothing
compares HEAD with it. Scores of both sides are as of the same time, each by its
own scoring.yaml.

What is wrong with B is printed as validate prints it, and the exit code is 1. Of
an A with errors, what can be read is compared.

--format markdown is for a comment on a pull request. It is cut where GitHub
would refuse it.

--format json prints one document:
  from, to        revision as given and commit; null for the working tree
  asOf, changed   the time of the scores; false where nothing differs
  before, after   how many entities, ranked, categories; version of the formula
  counts          created, updated, renamed (updated too), deleted, touched
  entities        event, type, slug, name, formerSlug, category, leadsTo (of a
                  deleted one: what its address leads to), fields {field, old,
                  new} as in the changelog, touched (signals with only another
                  date or source, formerly), composite {old, new}, ranks {all,
                  category} {old, new}
  movedByOthers   how many others have another rank: all, categories
  formula         null where it is the same, else old, new, sameVersion, scored,
                  moved, fromNull, toNull, and the largest moves
  categories      event, slug, fields
  index           fields of index.yaml
  duplicates      entity, other, reasons {kind, value}; kind is repository, url,
                  name, nearName or similar
  shrink          deleted, of, share, refused
  notes           what to know about the comparison
Old and new are null where there is no value. An event is entity.created,
entity.updated, entity.deleted, or entity.touched where nothing differs that
counts as a change.`

func diffCommand() *cobra.Command {
	var o diffOptions
	c := &cobra.Command{
		Use: "diff [A..B | A...B | A]", Short: "What would this branch do to the index?",
		Long: aboutDiff,
		Example: `  kindex diff
  kindex diff main...HEAD --format markdown
  kindex diff v1..v2 --as-of 2026-07-01 --format json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runDiff(cmd, o, strings.Join(args, "")) },
	}
	f := c.Flags()
	f.StringVar(&o.content, "content", "content", "the content folder")
	f.StringVar(&o.asOf, "as-of", "", "compute scores as of this day, YYYY-MM-DD, or RFC 3339 time (default today 00:00 UTC, or SOURCE_DATE_EPOCH)")
	f.StringVar(&o.format, "format", "text", "how to print: text, markdown or json")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 where anything differs")
	// The error is for a flag that does not exist, or has a completion already.
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(diffFormats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// Report is a comparison with what was compared. As JSON it is the document
// of --format json.
type Report struct {
	From Ref `json:"from"`
	To   Ref `json:"to"`
	*diff.Comparison
	Notes []string `json:"notes"`
}

// Ref is one of the two that are compared.
type Ref struct {
	Name   jsonenc.OptionalString `json:"revision"` // "" for the working tree
	Commit jsonenc.OptionalString `json:"commit"`

	parted bool // the commit is the one at which the other left it
}

func (r Ref) String() string {
	switch {
	case r.Commit == "":
		return "the working tree"
	case r.parted:
		return fmt.Sprintf("%s at %.12s", r.Name, string(r.Commit))
	}
	return string(r.Name)
}

func runDiff(cmd *cobra.Command, o diffOptions, arg string) error {
	if !slices.Contains(diffFormats, o.format) {
		return usageError{unknownName("format", o.format, diffFormats, didyoumean.Name(o.format, diffFormats))}
	}
	asOf, err := parseAsOf(o.asOf, time.Now())
	if err != nil {
		return err
	}
	collectSeldom(oncePercent, defaultMemoryMiB)
	d, err := compareRevisions(cmd.Context(), o.content, arg, asOf)
	if err != nil {
		return err
	}
	switch w := cmd.OutOrStdout(); o.format {
	case "json":
		err = d.writeJSON(w)
	case "markdown":
		_, err = io.WriteString(w, d.markdown())
	default:
		d.writeText(w)
	}
	if err == nil && o.exitCode && d.Changed {
		err = quietError{exitProblem}
	}
	return err
}

// compareRevisions loads and compares the two sides that an argument names.
func compareRevisions(ctx context.Context, dir, arg string, asOf time.Time) (*Report, error) {
	location, err := gitlog.FindLocation(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer location.Close() // what stays is the system's to remove
	d := &Report{Notes: []string{}}
	if err := d.resolve(ctx, location, arg); err != nil {
		return nil, err
	}
	_, err = d.compare(ctx, location, dir, asOf)
	return d, err
}

// compare loads and compares the two revisions, and returns the second as it was
// compared.
func (d *Report) compare(ctx context.Context, location *gitlog.Location, dir string, asOf time.Time) (after diff.Revision, err error) {
	to, err := loadRevision(ctx, location, d.To, dir)
	if err != nil {
		return after, err
	}
	if n, _ := to.problems.Count(); n > 0 {
		return after, to.problems
	}
	if to.failed != nil {
		return after, to.failed
	}
	from, err := loadRevision(ctx, location, d.From, dir)
	if err != nil {
		return after, err
	}
	if from.loaded == nil && to.loaded == nil {
		return after, errors.Join(from.failed, fmt.Errorf("neither %s nor %s has a folder %s with content", d.From, d.To, dir))
	}
	d.note(dir, from, to)
	before, after := from.completedBy(to), to.completedBy(from)
	d.Comparison = diff.Compare(before, after, asOf, indexes.Words)
	d.noteRenames()
	return after, nil
}

// resolve finds the commits that an argument names.
func (d *Report) resolve(ctx context.Context, location *gitlog.Location, arg string) error {
	from, to, direct := strings.Cut(arg, "..")
	merged := false
	if direct {
		to, merged = strings.CutPrefix(to, ".")
	}
	for _, r := range []struct {
		name string
		into *Ref
		want bool
	}{{from, &d.From, true}, {to, &d.To, direct}} {
		if !r.want {
			continue
		}
		if r.name == "" {
			r.name = "HEAD"
		}
		hash, err := location.Commit(ctx, r.name)
		if err != nil {
			return err
		}
		*r.into = Ref{Name: jsonenc.OptionalString(r.name), Commit: jsonenc.OptionalString(hash)}
	}
	if !merged {
		return nil
	}
	base, err := location.MergeBase(ctx, string(d.From.Commit), string(d.To.Commit))
	if err != nil {
		return fmt.Errorf("%s: %w", arg, err)
	}
	d.From.parted = base != string(d.From.Commit)
	d.From.Commit = jsonenc.OptionalString(base)
	return nil
}

// note says what a reader must know of the sides.
func (d *Report) note(dir string, from, to *loadedRevision) {
	for _, s := range []struct {
		*loadedRevision
		Ref
		effect string
	}{{from, d.From, "created"}, {to, d.To, "deleted"}} {
		if s.absent {
			d.Notes = append(d.Notes, fmt.Sprintf("%s has no folder %s: everything is %s", s.Ref, dir, s.effect))
		}
	}
	if from.failed != nil && !from.absent {
		d.Notes = append(d.Notes, fmt.Sprintf("%s holds nothing to compare with, everything is created: %v", d.From, from.failed))
	}
	if n, _ := from.problems.Count(); n > 0 {
		first := slices.IndexFunc(from.problems, isError)
		d.Notes = append(d.Notes, fmt.Sprintf("%s has %s, the first of them %v; what can be read of it is compared",
			d.From, counted(n, "error"), from.problems[first]))
	}
}

func (d *Report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return errors.Join(errors.New("the comparison cannot be written"), err)
	}
	return nil
}
