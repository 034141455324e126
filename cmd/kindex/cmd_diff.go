package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kindex/builder/diff/gitdiff"
	"kindex/builder/gitlog"
	"kindex/cmd/kindex/cli"
)

type diffOptions struct {
	content  string
	asOf     cli.AsOf
	exitCode bool
}

const aboutDiff = `Diff compares two states of a content folder in a git repository and shows how the index
would change: entities, fields, scores, ranks, the formula, categories, possible
duplicates, and whether a build would be refused because it deletes too much.

A..B compares two commits, A...B compares B with the merge base like a pull request, A
compares a commit with the working tree, and HEAD is the default. Both sides are scored
as of the same time, each with its own scoring.yaml. Problems in B are printed as by
validate, with exit code 1. --format markdown writes a comment for a pull request; the
members of --json are in site/docs/cli.md.`

func diffCommand() *cobra.Command {
	var o diffOptions
	c := &cobra.Command{
		Use: "diff [DIR] [A..B | A...B | A]", Short: "Show how a branch or uncommitted edits would change the index",
		Long: aboutDiff,
		Example: `  kindex diff
  kindex diff main...HEAD --format markdown
  kindex diff v1..v2 --as-of 2026-07-01 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := cli.TakeContentBefore(cmd, &o.content, args)
			if err == nil && len(args) > 1 {
				err = cli.Usage(fmt.Errorf("%q is not a content folder; see %s --help", args[0], cmd.CommandPath()))
			}
			if err != nil {
				return err
			}
			return runDiff(cmd, o, strings.Join(args, ""))
		},
	}
	f := c.Flags()
	cli.ContentFlag(f, &o.content)
	cli.AsOfFlag(f, &o.asOf, "")
	cli.FormatFlags(c, "text", "markdown", "json")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 if anything differs")
	return c
}

func runDiff(cmd *cobra.Command, o diffOptions, arg string) error {
	asOf := o.asOf.Time()
	if err := gitlog.CheckSparse(cmd.Context(), o.content); err != nil {
		return err
	}
	ahead, err := gitlog.CommitsAhead(cmd.Context(), o.content, asOf)
	if err != nil {
		return err
	}
	for _, a := range ahead {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %v\n", a)
	}
	d, err := gitdiff.Compare(cmd.Context(), o.content, arg, asOf)
	if err != nil {
		return err
	}
	switch w := cmd.OutOrStdout(); cli.Format(cmd) {
	case "json":
		err = cli.PrintIndentedJSON(w, d)
	case "markdown":
		_, err = io.WriteString(w, d.Markdown())
	default:
		d.WriteText(w, cli.Painter(w))
	}
	if err == nil && o.exitCode && d.Changed {
		err = cli.ErrReported
	}
	return err
}
