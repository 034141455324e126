package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder"
	"kindex/builder/collect"
	"kindex/builder/collect/file"
	"kindex/builder/content/yamldoc"
	"kindex/builder/gitlog"
	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
)

// validateFormats lists the output formats of validate.
var validateFormats = []string{"text", "json", "github"}

type validateOptions struct {
	cli.FormatOptions
	strict bool
}

func validateCommand() *cobra.Command {
	var o validateOptions
	c := &cobra.Command{
		Use: "validate [DIR]", Short: "Check a content folder",
		Long: `Validate reads every file of a content folder and prints all problems, each as
file:line:column: field: message. It exits with 1 if there are errors or, with --strict,
warnings or notes. --format github prints workflow commands that make GitHub Actions show
each problem at its line in a pull request, and appends a table to $GITHUB_STEP_SUMMARY.`,
		Example: `  kindex validate content
  kindex validate --strict --format github content`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Choose(cmd.Flags(), validateFormats); err != nil {
				return err
			}
			return runValidate(cmd.Context(), cmd.OutOrStdout(), cmp.Or(strings.Join(args, ""), "content"), o)
		},
	}
	o.Flags(c, validateFormats, "output format: text, json or github")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit with 1 for warnings and notes too")
	return c
}

// checked is the result of checking a content folder. --format json prints it.
type checked struct {
	Problems yamldoc.Problems `json:"problems"`
	Errors   int              `json:"errors"`
	Warnings int              `json:"warnings"`
	Entities int              `json:"entities"` // those without an error
	Notes    []string         `json:"notes,omitempty"`

	dir        string
	categories int
}

func runValidate(ctx context.Context, w io.Writer, dir string, o validateOptions) error {
	l, problems, failed := builder.LoadContent(dir, nil)
	failed = errors.Join(failed, gitlog.CheckSparse(ctx, dir))
	c := &checked{Problems: problems, dir: dir}
	if failed != nil {
		c.Problems = yamldoc.Problems{{File: dir, Severity: yamldoc.Error, Message: failed.Error()}}
	} else {
		c.Entities, c.categories = len(l.Entities), len(l.Categories)
	}
	c.Errors, c.Warnings = c.Problems.Count()
	if failed == nil && c.Errors == 0 {
		if c.Notes, failed = boardNotes(l); failed != nil {
			return failed
		}
		unwritten, err := collectNotes(l, dir)
		if err != nil {
			return err
		}
		c.Notes = append(c.Notes, unwritten...)
		ahead, err := gitlog.CommitsAhead(ctx, dir, time.Now())
		if err != nil {
			return err
		}
		for _, a := range ahead {
			c.Notes = append(c.Notes, "note: "+a.String())
		}
	}
	var err error
	switch {
	case o.Format == "json":
		c.Problems = append(yamldoc.Problems{}, c.Problems...)
		err = cli.PrintIndentedJSON(w, c)
	case o.Format == "github":
		err = annotate(w, c)
	case failed == nil:
		printChecked(w, c)
	}
	switch {
	case err != nil || failed != nil:
		return errors.Join(failed, err)
	case c.Errors > 0 || o.strict && (c.Warnings > 0 || len(c.Notes) > 0):
		return cli.Quiet(cli.ExitProblem)
	}
	return nil
}

func printChecked(w io.Writer, c *checked) {
	for _, note := range c.Notes {
		fmt.Fprintln(w, note)
	}
	if len(c.Problems) > 0 {
		cli.PrintProblems(w, c.Problems)
		return
	}
	fmt.Fprintln(w, c.noProblems())
}

// boardNotes returns a note about each board that a build would not publish today.
func boardNotes(l *builder.Loaded) ([]string, error) {
	asOf, err := cli.ParseAsOf("", time.Now())
	if err != nil {
		return nil, err
	}
	boards, err := l.RankBoards(asOf)
	var notes []string
	for i := range boards {
		if note := boards[i].Note(); note != "" {
			notes = append(notes, note)
		}
	}
	return notes, err
}

// collectNotes returns notes about measures that kindex collect keeps nobody's figures current for. An index
// without collect.yaml has none.
func collectNotes(l *builder.Loaded, dir string) (notes []string, err error) {
	if l.Collect == nil {
		return nil, nil
	}
	config, err := collect.ParseConfig(l.Collect)
	if err != nil {
		return nil, err
	}
	sources := builtInSources(nil, config, "", "")
	for _, f := range config.Files {
		if err := locateList(dir, &f); err != nil {
			notes = append(notes, "note: "+err.Error())
			continue
		}
		s, err := file.New(l.Kinds, f, "")
		if err != nil {
			notes = append(notes, fmt.Sprintf("note: collect.yaml: %s: %v", f.Name, err))
		}
		sources = append(sources, s)
	}
	for _, note := range config.Unwritten(l.Measures(), sources) {
		notes = append(notes, "note: "+note)
	}
	return notes, nil
}

func (c *checked) noProblems() string {
	return fmt.Sprintf("%s: %s and %s, no problems", c.dir,
		plural.Count(c.Entities, "entity", "entities"), plural.Count(c.categories, "category", "categories"))
}
