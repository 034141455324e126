// Package actions formats what GitHub Actions shows: workflow commands, which annotate
// lines of files, and the Markdown of summaries.
package actions

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"kindex/exports/safetext"
)

// Annotation is a message about a line of a file.
type Annotation struct {
	Severity string // error, warning or notice
	File     string // ignored if Line is 0: GitHub can only annotate lines
	Line     int
	Column   int // 0 if unknown
	Title    string
	Message  string
}

// Command returns the workflow command of an annotation, which is a single line
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
func (a Annotation) Command() string {
	var properties []string
	add := func(name, value string) { properties = append(properties, name+"="+Property.Replace(value)) }
	if a.Line > 0 {
		add("file", RepositoryPath(a.File))
		add("line", fmt.Sprint(a.Line))
	}
	if a.Line > 0 && a.Column > 0 {
		add("col", fmt.Sprint(a.Column))
	}
	add("title", a.Title)
	return fmt.Sprintf("::%s %s::%s", a.Severity, strings.Join(properties, ","), Data.Replace(a.Message))
}

// Data and Property escape the data and a property of a command. A command is a single line,
// so line breaks are escaped. A percent sign starts an escape sequence; a colon or comma
// ends a property.
var (
	Data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	Property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// RepositoryPath returns a file's path in the form GitHub uses: with slashes, relative to
// the root of the repository ($GITHUB_WORKSPACE, or else the working directory). The path
// of a file outside the repository is returned unchanged.
func RepositoryPath(file string) string {
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

// AppendSummary appends Markdown to the summary of the step, if there is one: the file
// $GITHUB_STEP_SUMMARY.
func AppendSummary(markdown string) error {
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // GitHub chose this file and reads it after the step
	if err == nil {
		_, err = io.WriteString(f, markdown)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	return nil
}

var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// Markdown escapes a string so that Markdown shows it verbatim and on one line, even in a
// table cell.
func Markdown(s string) string {
	var b strings.Builder
	for _, r := range safetext.Escape(lineBreaks.Replace(s)) {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|&~$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// AddTable adds a table to a summary, unless it has no rows: the titles of its columns, with | between them, and
// n rows. If these are too long for a summary, it adds how many more there are, and what rest says of them.
func AddTable(b *strings.Builder, titles string, n int, row func(i int) []string, rest string) {
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s |\n%s|\n", titles, strings.Repeat("|---", 1+strings.Count(titles, "|")))
	for i := range n {
		cells := row(i)
		for j := range cells {
			cells[j] = Markdown(cells[j])
		}
		line := "| " + strings.Join(cells, " | ") + " |\n"
		if b.Len()+len(line) > maxSummary {
			fmt.Fprintf(b, "\n%d more %s\n", n-i, rest)
			return
		}
		b.WriteString(line)
	}
}
