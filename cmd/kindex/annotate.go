package main

import (
	"fmt"
	"io"
	"strings"

	"kindex/builder/actions"
	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
)

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

// workflowCommand formats one problem as an annotation.
func workflowCommand(p yamldoc.Problem) string {
	title := "kindex"
	if p.Field != "" {
		title += ": " + p.Field
	}
	return actions.Annotation{Severity: string(p.Severity), File: p.File, Line: p.Line, Column: p.Column, Title: title, Message: p.Text()}.Command()
}

// stepSummary returns the problems as Markdown.
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
