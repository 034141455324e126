package main

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder/diff/gitdiff"
	"kindex/exports/didyoumean"
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

func runDiff(cmd *cobra.Command, o diffOptions, arg string) error {
	if !slices.Contains(diffFormats, o.format) {
		return usageError{unknownName("format", o.format, diffFormats, didyoumean.Name(o.format, diffFormats))}
	}
	asOf, err := parseAsOf(o.asOf, time.Now())
	if err != nil {
		return err
	}
	setGC(batchGCPercent, defaultMemoryMiB)
	d, err := gitdiff.Compare(cmd.Context(), o.content, arg, asOf)
	if err != nil {
		return err
	}
	switch w := cmd.OutOrStdout(); o.format {
	case "json":
		err = d.WriteJSON(w)
	case "markdown":
		_, err = io.WriteString(w, d.Markdown())
	default:
		d.WriteText(w, painter(w))
	}
	if err == nil && o.exitCode && d.Changed {
		err = quietError{exitProblem}
	}
	return err
}
