package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kindex/builder/actions"
	"kindex/builder/plural"
	"kindex/exports/safetext"
)

// Formats are the formats of reports.
var Formats = []string{"text", "json", "markdown", "github", "sarif"}

// Write writes the report in one of Formats. version is that of the program.
func (r *Report) Write(w io.Writer, format, version string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "markdown":
		_, err := io.WriteString(w, r.markdown())
		return err
	case "github":
		return r.writeGitHub(w)
	case "sarif":
		return writeJSON(w, r.sarif(version))
	}
	_, err := io.WriteString(w, r.text())
	return err
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// summary returns the counts in a sentence.
func (r *Report) summary() string {
	s := fmt.Sprintf("%s in %s: %d known, %d unknown", plural.Count(r.Entries, "package", "packages"), plural.Count(r.Files, "file", "files"), r.Known, r.Unknown)
	if r.Unreadable > 0 {
		s += fmt.Sprintf(", %d unreadable", r.Unreadable)
	}
	for _, rule := range Rules {
		if n := r.Issues[rule]; n > 0 {
			if rule == License {
				rule = "with a licence that is ruled out"
			}
			s += fmt.Sprintf(", %d %s", n, rule)
		}
	}
	return s
}

// location returns a file with its line, if that is known.
func location(file string, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return file
}

// used returns an identifier with the version that is used, which a package URL contains.
func used(id, version string) string {
	if version == "" || strings.HasPrefix(id, "pkg:") && strings.Contains(id, "@"+version) {
		return id
	}
	return id + " " + version
}

// latest returns the latest known version with its date.
func (m *Match) latest() string {
	if m.Version == nil {
		return "unknown"
	}
	if m.VersionDate == nil {
		return *m.Version
	}
	return *m.Version + " (" + *m.VersionDate + ")"
}

// maintained returns the maintenance with the day when it was read.
func (m *Match) maintained() string {
	switch {
	case m.Maintenance == nil:
		return "unknown"
	case m.MaintenanceAsOf == nil:
		return *m.Maintenance
	}
	return *m.Maintenance + " (" + *m.MaintenanceAsOf + ")"
}

func (m *Match) license() string {
	if m.License == nil {
		return "unknown"
	}
	return *m.License
}

func (m *Match) retirement() (day, successor string) {
	if m.Lifecycle == nil {
		return "", ""
	}
	return text(m.Lifecycle.Retires), text(m.Lifecycle.ReplacedBy)
}

// messages returns the issues of a finding as one text.
func (f *Finding) messages() string {
	var list []string
	for _, issue := range f.Issues {
		list = append(list, issue.Message)
	}
	return strings.Join(list, "; ")
}

// text returns the report for a terminal. No line starts with text from a file, because
// GitHub Actions could take it for a workflow command.
func (r *Report) text() string {
	var b strings.Builder
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&b, "%-4s %s  %s = %s%s\n", f.Verdict, safetext.Escape(location(f.File, f.Line)), safetext.Escape(used(f.ID, f.Used)), safetext.Escape(f.Entity.Key()), safetext.Escape(f.weaker()))
		fmt.Fprintf(&b, "     latest %s, %s, maintenance %s, licence %s\n", safetext.Escape(f.Entity.latest()), f.Entity.Status,
			safetext.Escape(f.Entity.maintained()), safetext.Escape(f.Entity.license()))
		for _, issue := range f.Issues {
			fmt.Fprintf(&b, "     %s: %s\n", issue.Rule, safetext.Escape(issue.Message))
		}
	}
	b.WriteString(r.rest())
	fmt.Fprintf(&b, "%s, as of %s\n", r.summary(), r.AsOf)
	return b.String()
}

// rest returns the lines about what is unknown or unreadable.
func (r *Report) rest() string {
	var b strings.Builder
	for _, u := range r.Missing {
		fmt.Fprintf(&b, "?    %s  %s %s\n", safetext.Escape(location(u.File, u.Line)), safetext.Escape(used(u.ID, u.Used)), safetext.Escape(u.reason()))
	}
	for _, u := range r.Unread {
		fmt.Fprintf(&b, "!    %s  unreadable: %s\n", safetext.Escape(location(u.File, u.Line)), safetext.Escape(u.Reason))
	}
	return b.String()
}

// weaker returns what was left out of a name to find the entity, or "".
func (f *Finding) weaker() string {
	switch {
	case f.Match != "weaker":
		return ""
	case len(f.Dropped) == 0:
		return " (in another spelling)"
	}
	return " (without " + strings.Join(f.Dropped, ", ") + ")"
}

// reason returns why a package is unknown, with entities that may have been meant.
func (u *Unknown) reason() string {
	if u.Note != "" {
		return u.Note
	}
	var keys []string
	for _, s := range u.Suggestions {
		keys = append(keys, s.Type+"/"+s.Slug)
	}
	if len(keys) == 0 {
		return "is not in the index"
	}
	return "is not in the index; similar: " + strings.Join(keys, ", ")
}

// markdown returns the report as a document, which is cut at the length that GitHub accepts.
func (r *Report) markdown() string {
	var b strings.Builder
	md := actions.Markdown
	fmt.Fprintf(&b, "### kindex audit\n\n%s, as of %s\n", md(r.summary()), r.AsOf)
	rows := func(head string, n int, row func(i int) string) {
		if n == 0 {
			return
		}
		b.WriteString(head)
		for i := range n {
			line := row(i)
			if b.Len()+len(line) > actions.MaxSummary {
				fmt.Fprintf(&b, "\n%d more are left out.\n", n-i)
				return
			}
			b.WriteString(line)
		}
	}
	rows("\n| | Location | Used | Entity | Latest | Status | Maintenance | Licence | Retires | Successor | Issues |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
		len(r.Findings), func(i int) string {
			f := &r.Findings[i]
			retires, successor := f.Entity.retirement()
			cells := []string{f.Verdict.String(), location(f.File, f.Line), used(f.ID, f.Used), f.Entity.Key() + f.weaker(), f.Entity.latest(), f.Entity.Status,
				f.Entity.maintained(), f.Entity.license(), retires, successor, f.messages()}
			for j := range cells {
				cells[j] = md(cells[j])
			}
			return "| " + strings.Join(cells, " | ") + " |\n"
		})
	rows("\n| Unreadable | Reason |\n|---|---|\n", len(r.Unread), func(i int) string {
		return "| " + md(location(r.Unread[i].File, r.Unread[i].Line)) + " | " + md(r.Unread[i].Reason) + " |\n"
	})
	rows("\n| Unknown | Location | Reason |\n|---|---|---|\n", len(r.Missing), func(i int) string {
		u := &r.Missing[i]
		return "| " + md(used(u.ID, u.Used)) + " | " + md(location(u.File, u.Line)) + " | " + md(u.reason()) + " |\n"
	})
	return b.String()
}

// writeGitHub writes an annotation for each issue and for what is unreadable, what is unknown as text,
// and the report to the summary of the step.
func (r *Report) writeGitHub(w io.Writer) error {
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, issue := range f.Issues {
			a := actions.Annotation{Severity: "warning", File: f.File, Line: f.Line, Title: "kindex: " + issue.Rule,
				Message: safetext.Escape(fmt.Sprintf("%s (%s, %s): %s", used(f.ID, f.Used), f.Entity.Name, f.Entity.Key(), issue.Message))}
			if issue.Fails {
				a.Severity = "error"
			}
			if _, err := fmt.Fprintln(w, a.Command()); err != nil {
				return err
			}
		}
	}
	for _, u := range r.Unread {
		a := actions.Annotation{Severity: "error", File: u.File, Line: u.Line, Title: "kindex: unreadable", Message: safetext.Escape(u.Reason)}
		if _, err := fmt.Fprintln(w, a.Command()); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "%s%s, as of %s\n", r.rest(), r.summary(), r.AsOf); err != nil {
		return err
	}
	return actions.AppendSummary(r.markdown() + "\n")
}
