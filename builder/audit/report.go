package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
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
	return s + ", as of " + r.AsOf
}

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

// orUnknown returns a text with the day that it is of, if that is known.
func orUnknown(s, day text) string {
	if s != "" && day != "" {
		return string(s + " (" + day + ")")
	}
	return string(cmp.Or(s, "unknown"))
}

func (m *Match) latest() string { return orUnknown(m.Version, m.VersionDate) }

func (m *Match) maintained() string { return orUnknown(m.Maintenance, m.MaintenanceAsOf) }

func (f *Finding) messages() string {
	var list []string
	for _, issue := range f.Issues {
		list = append(list, issue.Message)
	}
	return strings.Join(list, "; ")
}

// line writes a line whose parts can be from strangers.
func line(b *strings.Builder, format string, parts ...any) {
	b.WriteString(safetext.Escape(fmt.Sprintf(format, parts...)) + "\n")
}

// text returns the report for a terminal. No line starts with text from a file, because
// GitHub Actions could take it for a workflow command.
func (r *Report) text() string {
	var b strings.Builder
	for i := range r.Findings {
		f := &r.Findings[i]
		line(&b, "%-4s %s  %s = %s%s", f.Verdict, location(f.File, f.Line), used(f.ID, f.Used), f.Entity.Key(), f.weaker())
		line(&b, "     latest %s, %s, maintenance %s, licence %s", f.Entity.latest(), f.Entity.Status, f.Entity.maintained(), orUnknown(f.Entity.License, ""))
		for _, issue := range f.Issues {
			line(&b, "     %s: %s", issue.Rule, issue.Message)
		}
	}
	return b.String() + r.rest()
}

// rest returns the lines about what is unknown or unreadable, and the summary.
func (r *Report) rest() string {
	var b strings.Builder
	for _, u := range r.Missing {
		line(&b, "?    %s  %s %s", location(u.File, u.Line), used(u.ID, u.Used), u.reason())
	}
	for _, u := range r.Unread {
		line(&b, "!    %s  unreadable: %s", location(u.File, u.Line), u.Reason)
	}
	return b.String() + r.summary() + "\n"
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
	const leftOut = "are left out."
	var b strings.Builder
	fmt.Fprintf(&b, "### kindex audit\n\n%s\n", actions.Markdown(r.summary()))
	actions.AddTable(&b, "| Location | Used | Entity | Latest | Status | Maintenance | Licence | Retires | Successor | Issues", len(r.Findings), func(i int) []string {
		f := &r.Findings[i]
		end := f.Entity.lifecycle()
		return []string{string(f.Verdict), location(f.File, f.Line), used(f.ID, f.Used), f.Entity.Key() + f.weaker(), f.Entity.latest(), f.Entity.Status,
			f.Entity.maintained(), orUnknown(f.Entity.License, ""), string(end.Retires), string(end.ReplacedBy), f.messages()}
	}, leftOut)
	actions.AddTable(&b, "Unreadable | Reason", len(r.Unread), func(i int) []string {
		return []string{location(r.Unread[i].File, r.Unread[i].Line), r.Unread[i].Reason}
	}, leftOut)
	actions.AddTable(&b, "Unknown | Location | Reason", len(r.Missing), func(i int) []string {
		u := &r.Missing[i]
		return []string{used(u.ID, u.Used), location(u.File, u.Line), u.reason()}
	}, leftOut)
	return b.String()
}

type note struct {
	rule, level string // warning, error or, for what is unknown, note
	file        string
	line        int
	message     string
	about       string // what it is about, wherever that is in the file
}

const unreadable = "unreadable"

// notes lists the issues, what is unreadable and what is unknown.
func (r *Report) notes() (list []note) {
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, issue := range f.Issues {
			n := note{issue.Rule, "warning", f.File, f.Line, fmt.Sprintf("%s (%s, %s): %s", used(f.ID, f.Used), f.Entity.Name, f.Entity.Key(), issue.Message),
				safetext.Escape(f.ID) + " " + f.Entity.Key()}
			if issue.Fails {
				n.level = "error"
			}
			list = append(list, n)
		}
	}
	for _, u := range r.Unread {
		list = append(list, note{unreadable, "error", u.File, u.Line, u.Reason, safetext.Escape(u.Reason)})
	}
	for i := range r.Missing {
		u := &r.Missing[i]
		list = append(list, note{level: "note", file: u.File, line: u.Line, message: used(u.ID, u.Used) + " " + u.reason()})
	}
	return list
}

// writeGitHub writes an annotation for each issue and for what is unreadable, what is unknown as text,
// and the report to the summary of the step.
func (r *Report) writeGitHub(w io.Writer) error {
	var b strings.Builder
	for _, n := range r.notes() {
		if n.level != "note" {
			a := actions.Annotation{Severity: n.level, File: n.file, Line: n.line, Title: "kindex: " + n.rule, Message: safetext.Escape(n.message)}
			b.WriteString(a.Command() + "\n")
		}
	}
	if _, err := io.WriteString(w, b.String()+r.rest()); err != nil {
		return err
	}
	return actions.AppendSummary(r.markdown() + "\n")
}

var ruleTexts = map[string]string{
	Retired:    "The tool or model has been withdrawn, or its retirement date has been reached.",
	Retiring:   "The tool or model will be retired.",
	Deprecated: "The tool or model is deprecated.",
	Archived:   "The repository is archived.",
	Dormant:    "The repository has had no commit for more than a year.",
	License:    "The licence is ruled out by the policy.",
	unreadable: "A part of a file cannot be read, so that the audit is incomplete.",
}

type object = map[string]any

// sarif returns the issues and what is unreadable as results of a SARIF log, and what is unknown as
// notifications (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
func (r *Report) sarif(version string) object {
	rules := append(slices.Clone(Rules), unreadable)
	described := make([]object, len(rules))
	for i, rule := range rules {
		described[i] = object{"id": rule, "shortDescription": object{"text": ruleTexts[rule]}}
	}
	results, unknown := []object{}, []object{}
	for _, n := range r.notes() {
		at := object{"artifactLocation": object{"uri": sarifURI(n.file)}}
		if n.line > 0 {
			at["region"] = object{"startLine": n.line}
		}
		result := object{"level": n.level, "message": object{"text": links.Replace(safetext.Escape(n.message))}, "locations": []object{{"physicalLocation": at}}}
		if n.level == "note" {
			unknown = append(unknown, result)
			continue
		}
		result["ruleId"], result["ruleIndex"] = n.rule, slices.Index(rules, n.rule)
		// The line is not part of the fingerprint: it changes with every edit above it.
		result["partialFingerprints"] = object{"kindex/v1": n.rule + " " + n.about}
		results = append(results, result)
	}
	return object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{{
		"tool":        object{"driver": object{"name": "kindex", "version": version, "rules": described}},
		"columnKind":  "unicodeCodePoints",
		"invocations": []object{{"executionSuccessful": true, "toolExecutionNotifications": unknown}},
		"results":     results,
	}}}
}

// links escapes the brackets of links, which texts can contain (section 3.11.6).
var links = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)

// sarifURI returns a file's URI: relative to the repository if the file is in it.
func sarifURI(file string) string {
	u := url.URL{Path: actions.RepositoryPath(file)}
	if filepath.IsAbs(u.Path) {
		u.Scheme = "file"
	}
	return u.String()
}
