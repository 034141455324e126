package main

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"kindex/builder/actions"
	"kindex/builder/content/yamldoc"
	"kindex/builder/suite"
	"kindex/exports/safetext"
)

// The escape sequences, in the order in which the runner decodes them: the percent sign
// comes last.
var (
	runnerData     = []string{"%0D", "\r", "%0A", "\n", "%25", "%"}
	runnerProperty = []string{"%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%"}
)

func unescape(s string, pairs []string) string {
	for i := 0; i < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, pairs[i], pairs[i+1])
	}
	return s
}

// readCommand parses a workflow command the way the runner does.
func readCommand(t *testing.T, line string) (name string, properties map[string]string, data string) {
	t.Helper()
	rest, ok := strings.CutPrefix(line, "::")
	head, data, ok2 := strings.Cut(rest, "::")
	name, list, ok3 := strings.Cut(head, " ")
	if !ok || !ok2 || !ok3 || strings.ContainsAny(line, "\r\n") {
		t.Fatalf("not a one-line command: %q", line)
	}
	properties = map[string]string{}
	for p := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(p, "=")
		if _, twice := properties[key]; !ok || twice {
			t.Fatalf("property %q of %q", p, line)
		}
		properties[key] = unescape(value, runnerProperty)
	}
	return name, properties, unescape(data, runnerData)
}

// FuzzWorkflowCommand checks that, whatever a contributor writes, every problem becomes
// exactly one command, and the runner decodes that command to the original text.
func FuzzWorkflowCommand(f *testing.F) {
	f.Add("content/tool/a.yaml", "tags[2]", "is not a slug", "a-b")
	f.Add("content/tool/a,line=1::b.yaml", "a::error::b", "50% of 100%25 %0A\n::stop-commands::x", "\r\n::add-mask::y")
	f.Add("a%3Ab%2C%25", "%", "%%0D", ",:")
	f.Fuzz(func(t *testing.T, file, field, message, suggestion string) {
		p := yamldoc.Problem{File: "x/" + file, Line: 3, Column: 7, Severity: yamldoc.Warning, Field: field, Message: message, Suggestion: suggestion}
		name, properties, data := readCommand(t, workflowCommand(p))
		if name != "warning" || data != p.Text() {
			t.Errorf("command %q, data %q instead of %q", name, data, p.Text())
		}
		title := "kindex: " + field
		if field == "" {
			title = "kindex"
		}
		want := map[string]string{"file": actions.RepositoryPath(p.File), "line": "3", "col": "7", "title": title}
		suite.Equal(t, fmt.Sprint(properties), fmt.Sprint(want), "properties")
		if got := unescape(actions.Data.Replace(message), runnerData); got != message {
			t.Errorf("data %q reads back as %q", message, got)
		}
		if got := unescape(actions.Property.Replace(message), runnerProperty); got != message {
			t.Errorf("property %q reads back as %q", message, got)
		}
	})
}

// FuzzMarkdownText checks that an escaped string stays in its table cell and contains no
// markup.
func FuzzMarkdownText(f *testing.F) {
	f.Add("a\r\nb\x02\u200bc")
	f.Add("a | b\n| c <img src=x> [d](e) `f` \\| ![g](h) **i** &amp; ~~j~~ $k$")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return // not text
		}
		got := actions.Markdown(s)
		var plain strings.Builder
		escaped := false
		for _, r := range got {
			switch {
			case r == '\\' && !escaped:
				escaped = true
				continue
			case !escaped && strings.ContainsRune("`*_{}[]<>()#+!|&~$\r\n", r):
				t.Fatalf("%q is markup in %q", r, got)
			}
			escaped = false
			plain.WriteRune(r)
		}
		// Invisible characters are shown as escapes.
		if want := safetext.Escape(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)); plain.String() != want || escaped {
			t.Errorf("%q is shown as %q", want, plain.String())
		}
	})
}

// TestStepSummarySize checks that the summary stays below 1 MiB, because GitHub drops
// larger summaries entirely.
func TestStepSummarySize(t *testing.T) {
	suite.WithoutRace(t)
	c := &checked{dir: "content"}
	for i := range 20_000 {
		c.Problems = append(c.Problems, yamldoc.Problem{File: fmt.Sprintf("content/tool/e%d.yaml", i), Line: 1, Column: 1,
			Severity: yamldoc.Error, Field: "description", Message: strings.Repeat("is <too> long ", 10)})
	}
	c.Errors, c.Warnings = c.Problems.Count()
	s := stepSummary(c)
	rows := strings.Count(s, "\n| error |")
	if len(s) > 1<<20 || rows < 1000 || rows >= 20_000 {
		t.Errorf("%d rows in %d bytes", rows, len(s))
	}
	if want := fmt.Sprintf("\n\n%d more problems are in the log.\n", 20_000-rows); !strings.Contains(s, want) {
		t.Errorf("the summary does not end with %q: …%s", want, s[len(s)-200:])
	}
}
