package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/exports/safetext"
)

// annotate prints the problems as GitHub Actions workflow commands
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions) and
// appends a summary to the file $GITHUB_STEP_SUMMARY, if set. GitHub shows at most ten
// errors and ten warnings per step, but the summary and the log contain all of them.
func annotate(w io.Writer, c *checked) error {
	for _, p := range c.Problems {
		fmt.Fprintln(w, workflowCommand(p))
	}
	if len(c.Problems) == 0 {
		fmt.Fprintln(w, strings.ReplaceAll(c.noProblems(), "\n", " "))
	} else {
		fmt.Fprintf(w, "%s, %s\n", plural.Count(c.Errors, "error", "errors"), plural.Count(c.Warnings, "warning", "warnings"))
	}
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // GitHub chose this file and reads it after the step
	if err == nil {
		_, err = io.WriteString(f, stepSummary(c))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	return nil
}

// workflowCommand formats one problem as an annotation. If the problem concerns the whole
// folder, the annotation names no file, because GitHub can only annotate lines of files.
func workflowCommand(p yamldoc.Problem) string {
	var properties []string
	add := func(name, value string) { properties = append(properties, name+"="+commandProperty.Replace(value)) }
	if p.Line > 0 {
		add("file", repositoryPath(p.File))
		add("line", fmt.Sprint(p.Line))
		add("col", fmt.Sprint(p.Column))
	}
	title := "kindex"
	if p.Field != "" {
		title += ": " + p.Field
	}
	add("title", title)
	return fmt.Sprintf("::%s %s::%s", p.Severity, strings.Join(properties, ","), commandData.Replace(p.Text()))
}

// A command is a single line, so line breaks in its data and properties are escaped. A
// percent sign starts an escape sequence; a colon or comma ends a property.
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// repositoryPath returns a file's path in the form GitHub uses: with slashes, relative to
// the root of the repository ($GITHUB_WORKSPACE, or else the working directory). The path
// of a file outside the repository is returned unchanged.
func repositoryPath(file string) string {
	root := os.Getenv("GITHUB_WORKSPACE")
	if root == "" {
		root = "."
	}
	root, err1 := filepath.Abs(root)
	full, err2 := filepath.Abs(filepath.FromSlash(file))
	rel, err3 := filepath.Rel(root, full)
	if errors.Join(err1, err2, err3) != nil || !filepath.IsLocal(rel) {
		return file
	}
	return filepath.ToSlash(rel)
}

// maxSummary is just below 1 MiB: GitHub drops larger summaries.
const maxSummary = 900 << 10

// stepSummary returns the problems as Markdown.
func stepSummary(c *checked) string {
	if len(c.Problems) == 0 {
		return "### kindex validate\n\n" + markdownText(c.noProblems()) + "\n\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### kindex validate\n\n%s: %s, %s\n\n| | Location | Field | Problem |\n|---|---|---|---|\n", markdownText(c.dir),
		plural.Count(c.Errors, "error", "errors"), plural.Count(c.Warnings, "warning", "warnings"))
	for i, p := range c.Problems {
		place := repositoryPath(p.File)
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, p.Line, p.Column)
		}
		row := fmt.Sprintf("| %s | %s | %s | %s |\n", p.Severity, markdownText(place), markdownText(p.Field), markdownText(p.Text()))
		if b.Len()+len(row) > maxSummary {
			fmt.Fprintf(&b, "\n%d more problems are in the log.\n", len(c.Problems)-i)
			break
		}
		b.WriteString(row)
	}
	b.WriteByte('\n')
	return b.String()
}

var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// markdownText escapes a string so that Markdown shows it verbatim and on one line, even in
// a table cell.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range safetext.Escape(lineBreaks.Replace(s)) {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|&~$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
