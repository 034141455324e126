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

// annotate prints what was found as workflow commands of GitHub Actions
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions),
// and appends a summary for people to the file $GITHUB_STEP_SUMMARY, if that is
// set. GitHub shows ten errors and ten warnings of a step; the summary and the
// log have them all.
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
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // GitHub names the file, and its own steps read it
	if err == nil {
		_, err = io.WriteString(f, stepSummary(c))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	return nil
}

// workflowCommand is one problem as an annotation. A problem of the whole
// folder names no file, as GitHub annotates lines of files only.
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

// A command ends with its line, so what its data and its properties hold must
// not end one. The percent sign begins an escape; colon and comma end a
// property.
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// repositoryPath names a file as GitHub does: from the root of the repository,
// which is $GITHUB_WORKSPACE, else the working directory, with slashes. A file
// elsewhere keeps the name it has.
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

// maxSummary is less than the MiB above which GitHub drops a summary.
const maxSummary = 900 << 10

// stepSummary is what was found as Markdown.
func stepSummary(c *checked) string {
	if len(c.Problems) == 0 {
		return "### kindex validate\n\n" + markdownText(c.noProblems()) + "\n\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### kindex validate\n\n%s: %s, %s\n\n| | Place | Field | What is wrong |\n|---|---|---|---|\n", markdownText(c.dir),
		plural.Count(c.Errors, "error", "errors"), plural.Count(c.Warnings, "warning", "warnings"))
	for i, p := range c.Problems {
		place := repositoryPath(p.File)
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, p.Line, p.Column)
		}
		row := fmt.Sprintf("| %s | %s | %s | %s |\n", p.Severity, markdownText(place), markdownText(p.Field), markdownText(p.Text()))
		if b.Len()+len(row) > maxSummary {
			fmt.Fprintf(&b, "\n%d more are in the log.\n", len(c.Problems)-i)
			break
		}
		b.WriteString(row)
	}
	b.WriteByte('\n')
	return b.String()
}

var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// markdownText writes a text so that Markdown shows it as it is, on one line, in
// a cell of a table too.
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
