package collect

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"kindex/builder/plural"
	"kindex/exports/quality"
	"kindex/exports/safetext"
)

// maxListed is the maximum number of lines of each list in a readable report. The JSON form
// has them all.
const maxListed = 50

// WriteJSON writes the whole report.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteMarkdown writes the report for a pull request. Everything that comes from a source is in
// code spans, in which forges make neither links nor mentions.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## Figures as of %s\n\n%s\n\n", r.Day, r.summary())
	b.WriteString("| Source | Covers | Offers | Asked | Answered | Kept | Unchanged | Changed | New date | Older | Stopped | Failed | Requests | Waited |\n")
	b.WriteString("| --- |" + strings.Repeat(" ---: |", 13) + "\n")
	for _, s := range r.Sources {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %v |\n", code(s.Name), s.Covers, s.Offers, s.Asked, s.Answered, s.Kept,
			s.Unchanged, s.Changed, s.Redated, s.Older, s.Stopped, s.Failed, s.Requests, s.Waited.Round(time.Second))
	}
	for _, s := range r.Sources {
		if s.Error != "" {
			fmt.Fprintf(&b, "\n%s ended early: %s\n", code(s.Name), code(s.Error))
		}
		for _, to := range s.Redirects {
			fmt.Fprintf(&b, "\n%s redirects %s to %s, which was not followed.\n", code(s.Name), code(to.From), code(to.To))
		}
	}
	stopped := func(s quality.Stopped) string {
		return fmt.Sprintf("%s %s: %s instead of %s (%s): %s", code(s.Entity), code(s.Name), shownValue(s.Found), shownValue(s.Held), code(s.Source), code(s.Reason))
	}
	list(&b, "Stopped by a guard", "The old figures are kept. To let one through: `kindex collect --accept TYPE/SLUG:NAME`.", r.Stopped, stopped)
	list(&b, "Accepted by hand", "A guard would have stopped these.", r.Accepted, stopped)
	list(&b, "Largest changes", "For scores and ranks, see `kindex diff`.", r.Changes, func(c Change) string {
		return fmt.Sprintf("%s %s: %s → %s (%s)", code(c.Entity), code(c.Name), shownValue(c.Old), shownValue(c.New), code(c.Source))
	})
	problem := func(p Problem) string { return fmt.Sprintf("%s: %s", code(p.Entity), code(p.Reason)) }
	list(&b, "No longer found", "Nothing was changed.", r.Gone, problem)
	list(&b, "Not answered", "The next run asks again.", r.Failed, problem)
	list(&b, "Files that could not be changed", "", r.Refused, problem)
	_, err := io.WriteString(w, bounded(b.String()))
	return err
}

// maxMarkdown is the maximum size of a Markdown report in bytes. GitHub accepts 65,536 characters
// as the text of a pull request, to which a workflow adds lines of its own.
const maxMarkdown = 60_000

// bounded leaves out the last lines of a report that is too long.
func bounded(text string) string {
	if len(text) <= maxMarkdown {
		return text
	}
	return text[:strings.LastIndexByte(text[:maxMarkdown], '\n')+1] + "\nThe rest is too long for a pull request; the JSON report has everything.\n"
}

func (r *Report) summary() string {
	verb := "changed"
	if r.DryRun {
		verb = "would change (dry run)"
	}
	return fmt.Sprintf("%s %s; %s, %s stopped by guards.", plural.Count(r.Files, "file", "files"), verb,
		plural.Count(len(r.Changes), "new figure", "new figures"), plural.Count(len(r.Stopped), "figure", "figures"))
}

func list[T any](b *strings.Builder, title, hint string, items []T, line func(T) string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s (%d)\n\n", title, len(items))
	if hint != "" {
		b.WriteString(hint + "\n\n")
	}
	for _, item := range items[:min(len(items), maxListed)] {
		b.WriteString("- " + line(item) + "\n")
	}
	if n := len(items) - maxListed; n > 0 {
		fmt.Fprintf(b, "- and %d more\n", n)
	}
}

// code returns a code span with a text on one line. The text cannot end the span, and a | cannot
// end the cell of a table.
func code(s string) string {
	s = safetext.Shorten(safetext.OneLine(safetext.Strip(s)), 300)
	s = strings.NewReplacer("`", "'", "|", "¦").Replace(s)
	if strings.TrimSpace(s) == "" {
		return "–"
	}
	return "`" + s + "`"
}

func shownValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case float64:
		return number(v)
	}
	return code(fmt.Sprint(v))
}

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, s := range r.Sources {
		fmt.Fprintf(&b, "%s: %d covered, %d asked, %d answered, %d kept from earlier runs, %d failed; %d unchanged, %d changed, %d with a new date only, %d older than in the file, %d stopped; %s, %v waited\n",
			s.Name, s.Covers, s.Asked, s.Answered, s.Kept, s.Failed, s.Unchanged, s.Changed, s.Redated, s.Older, s.Stopped,
			plural.Count(s.Requests, "request", "requests"), s.Waited.Round(time.Second))
		if s.Error != "" {
			fmt.Fprintf(&b, "%s: ended early: %s\n", s.Name, s.Error)
		}
		for _, to := range s.Redirects {
			fmt.Fprintf(&b, "%s: redirects %s to %s, which was not followed\n", s.Name, to.From, to.To)
		}
	}
	text(&b, r.Stopped, func(s quality.Stopped) string {
		return fmt.Sprintf("stopped: %s %s = %v (%s): %s", s.Entity, s.Name, textValue(s.Found), s.Source, s.Reason)
	})
	problem := func(kind string) func(Problem) string {
		return func(p Problem) string { return fmt.Sprintf("%s: %s: %s", kind, p.Entity, p.Reason) }
	}
	text(&b, r.Gone, problem("gone"))
	text(&b, r.Failed, problem("failed"))
	text(&b, r.Refused, problem("refused"))
	b.WriteString(r.summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func text[T any](b *strings.Builder, items []T, line func(T) string) {
	for _, item := range items[:min(len(items), maxListed)] {
		b.WriteString(safetext.Escape(line(item)) + "\n")
	}
	if n := len(items) - maxListed; n > 0 {
		fmt.Fprintf(b, "and %d more\n", n)
	}
}

func textValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case float64:
		return number(v)
	}
	return fmt.Sprint(v)
}
