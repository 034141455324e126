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
	"kindex/builder/actions"
	"kindex/builder/collect"
	"kindex/builder/content/yamldoc"
	"kindex/builder/gitlog"
	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
)

func validateCommand() *cobra.Command {
	var strict bool
	c := &cobra.Command{
		Use: "validate [DIR]", Short: "Check a content folder",
		Long: `Validate reads every file of a content folder and prints all problems, each as
file:line:column: field: message. It exits with 1 if there are errors or, with --strict,
warnings or notes. --format github prints workflow commands that make GitHub Actions show
each problem at its line in a pull request, and appends a table to $GITHUB_STEP_SUMMARY.`,
		Example: `  kindex validate content
  kindex validate --strict --format github content`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runValidate(cmd, cmp.Or(strings.Join(args, ""), "content"), strict)
		},
	}
	cli.FormatFlags(c, "text", "json", "github")
	c.Flags().BoolVar(&strict, "strict", false, "exit with 1 for warnings and notes too")
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

func runValidate(cmd *cobra.Command, dir string, strict bool) error {
	l, problems, failed := builder.LoadContent(dir, nil)
	failed = errors.Join(failed, gitlog.CheckSparse(cmd.Context(), dir))
	c := &checked{Problems: append(yamldoc.Problems{}, problems...), dir: dir}
	if failed != nil {
		c.Problems = yamldoc.Problems{{File: dir, Severity: yamldoc.Error, Message: failed.Error()}}
	} else {
		c.Entities, c.categories = len(l.Entities), len(l.Categories)
	}
	if c.Errors, c.Warnings = c.Problems.Count(); c.Errors == 0 {
		if err := c.note(cmd.Context(), l); err != nil {
			return err
		}
	}
	var err error
	switch w := cmd.OutOrStdout(); {
	case cli.Format(cmd) == "json":
		err = cli.PrintIndentedJSON(w, c)
	case cli.Format(cmd) == "github":
		err = annotate(w, c)
	case failed == nil:
		printChecked(w, c)
	}
	if err = errors.Join(failed, err); err == nil && (c.Errors > 0 || strict && (c.Warnings > 0 || len(c.Notes) > 0)) {
		err = cli.ErrReported
	}
	return err
}

// note adds what is no problem of a file: boards that a build would not publish today, figures that kindex collect
// keeps nobody current, and commits from the future.
func (c *checked) note(ctx context.Context, l *builder.Loaded) error {
	for _, b := range l.RankBoards(cli.AsOf{}.Time()) {
		if note := b.Note(); note != "" {
			c.Notes = append(c.Notes, note)
		}
	}
	unwritten, err := collectNotes(l, c.dir)
	if err != nil {
		return err
	}
	ahead, err := gitlog.CommitsAhead(ctx, c.dir, time.Now())
	for _, a := range ahead {
		unwritten = append(unwritten, a.String())
	}
	for _, text := range unwritten {
		c.Notes = append(c.Notes, "note: "+text)
	}
	return err
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
	o := collectOptions{Options: collect.Options{Content: dir}}
	sources, err := o.openSources(l.Kinds, config)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		if s.Problem != nil {
			notes = append(notes, fmt.Sprintf("collect.yaml: %s: %v", s.Name, s.Problem))
		}
	}
	return append(notes, config.Unwritten(l.Measures(), sources)...), nil
}

func (c *checked) noProblems() string {
	return fmt.Sprintf("%s: %s and %s, no problems", c.dir,
		plural.Count(c.Entities, "entity", "entities"), plural.Count(c.categories, "category", "categories"))
}

// annotate prints the problems as GitHub Actions workflow commands and appends a table to the
// summary of the step. GitHub shows at most ten errors and ten warnings per step, but the
// summary and the log contain all of them.
func annotate(w io.Writer, c *checked) error {
	for _, p := range c.Problems {
		fmt.Fprintln(w, workflowCommand(p))
	}
	for _, note := range c.Notes {
		fmt.Fprintln(w, note) // slugs and numbers only, so it is no workflow command
	}
	if len(c.Problems) == 0 {
		fmt.Fprintln(w, strings.ReplaceAll(c.noProblems(), "\n", " "))
	} else {
		fmt.Fprintf(w, "%s, %s\n", plural.Count(c.Errors, "error", "errors"), plural.Count(c.Warnings, "warning", "warnings"))
	}
	return actions.AppendSummary(stepSummary(c))
}

func workflowCommand(p yamldoc.Problem) string {
	title := "kindex"
	if p.Field != "" {
		title += ": " + p.Field
	}
	return actions.Annotation{Severity: string(p.Severity), File: p.File, Line: p.Line, Column: p.Column, Title: title, Message: p.Text()}.Command()
}

func stepSummary(c *checked) string {
	if len(c.Problems) == 0 {
		return "### kindex validate\n\n" + actions.Markdown(c.noProblems()) + "\n\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### kindex validate\n\n%s: %s, %s\n", actions.Markdown(c.dir), plural.Count(c.Errors, "error", "errors"), plural.Count(c.Warnings, "warning", "warnings"))
	actions.AddTable(&b, "| Location | Field | Problem", len(c.Problems), func(i int) []string {
		p := c.Problems[i]
		place := actions.RepositoryPath(p.File)
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, p.Line, p.Column)
		}
		return []string{string(p.Severity), place, p.Field, p.Text()}
	}, "problems are in the log.")
	return b.String() + "\n"
}
