package site_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/site"
)

// document returns a document in which every string is s and every external URL is u.
func document(s, u string) string {
	w := &site.Markdown{}
	w.Line("# " + site.Text(s))
	w.Line(site.Block(s))
	w.Section("List", []string{"Name: " + site.Text(s), site.Link(s, u), "Address: " + site.Autolink(u)})
	w.Table("Table", []string{"A", "B"}, [][]string{{site.Text(s), site.Autolink(u)}, {site.Link(s, "/path"), ""}})
	return w.String()
}

// TestMarkdownBeginnings checks that a description is rendered as a paragraph, whatever it
// starts with.
func TestMarkdownBeginnings(t *testing.T) {
	for text, want := range map[string]string{
		"1. one": "1\\. one", "12) two": "12\\) two", "1.5 times": "1.5 times", "2026": "2026", "7.": "7\\.", "- a": "\\- a", "+a": "\\+a",
		"> q": "\\> q", "# h": "\\# h", "=== ": "\\===", "--- ": "\\---", "\t code": "code", "a #": "a \\#", "C# and F#": "C# and F#",
		"~~~": "\\~\\~\\~", "```": "\\`\\`\\`", "<!-- c": "\\<!-- c", "a\\": "a\\\\", "café – naïve": "café – naïve", "👩\u200d💻 works": "👩\u200d💻 works",
		"a\u2028b\u0085c\x00d": "a b c d", "\xff\xfe": "",
	} {
		suite.Equal(t, site.Block(text), want, text)
	}
}

var (
	ownLink  = regexp.MustCompile(`\]\(</?[^<>\\` + "`" + `|\s]*>\)`)
	autolink = regexp.MustCompile(`(?i)<https?://[^<>\\` + "`" + `|\s]+>`)
	escaped  = regexp.MustCompile(`\\[!-/:-@\[-` + "`" + `{-~]`)
	meaning  = regexp.MustCompile("[\\\\`*_\\[\\]<|~&$\\p{Cc}\\p{Z}]|^#* |^ *([-+=>#]|[0-9]+[.)]( |$))| #+$")
)

// shape returns the structure of a Markdown document without its words: the special
// characters of each line, with each link as a single character.
func shape(doc string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(doc, "\n") {
		line = autolink.ReplaceAllString(ownLink.ReplaceAllString(line, "]\ue000"), "\ue001")
		line = escaped.ReplaceAllString(line, "x")
		if content, item := strings.CutPrefix(line, "- "); item {
			b.WriteString("- ")
			line = content
		}
		for _, m := range meaning.FindAllString(line, -1) {
			if m != " " {
				b.WriteString(m)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func onTheWeb(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// FuzzMarkdown checks that documents with arbitrary strings and URLs have the same
// structure as a document with plain ones.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"plain", "# h", "a | b", "`c`", "x\n\n- y", "<script>", "[a](b)", "1. a", "***", "&lt;", "\\", "a\\\\", "~~x~~", "|", "\u202e", "> q", "#", "a #"} {
		f.Add(s, "https://example.org/")
	}
	for _, u := range []string{"javascript:alert(1)", "https://example.org/>x", "https://example.org/a|b", "http://x/\\", "https://e.org/`", "HTTP://e.org/<b>", "https://[::1]/ \n"} {
		f.Add("text", u)
	}
	f.Fuzz(func(t *testing.T, s, u string) {
		if site.Text(s) == "" {
			return // nothing in it is visible
		}
		plainURL := "x"
		switch {
		case onTheWeb(u):
			plainURL = "https://example.org/"
		case strings.HasPrefix(u, "/"):
			return // one of the service's own
		case site.Autolink(u) == "":
			plainURL = ""
		}
		doc, plain := document(s, u), document("x", plainURL)
		if got, want := shape(doc), shape(plain); got != want {
			t.Errorf("%q and %q change the structure of\n%s\nfrom\n%s\nto\n%s", s, u, doc, want, got)
		}
	})
}

func TestLLMs(t *testing.T) {
	e := &record.Entity{Type: "tool", Slug: "example", Name: "Example", Description: "Trains and runs neural networks in C++ and C#, on one machine or many."}
	m := &site.Map{Base: "https://kindex.example.org", Leaders: []*record.Entity{e},
		Categories: []record.Category{{Slug: "nlp", Title: "Language", Description: "Reading & writing.", Count: 7}, {Slug: "other", Title: "Other", Count: 1}},
		Manifest: &store.Manifest{ID: "20261101-0123456789abcdef", Title: "kindex", Description: "Tools and models.", AsOf: "2026-11-01T00:00:00Z",
			Counts: store.Counts{Entities: 8, Ranked: 5, Categories: 2, Types: map[string]int{"tool": 5, "model": 3}}}}
	doc := site.LLMs(m)
	suite.Golden(t, "testdata/llms.txt", doc)
	checkLLMs(t, string(doc))

	m.Manifest.Title, m.Manifest.Description = "## a\n# b", "- x\n\n# y"
	m.Categories[0].Title, m.Leaders[0].Name, m.Leaders[0].Description = "](x", "]\n- y", "\n## z"
	checkLLMs(t, string(site.LLMs(m)))
	m.Manifest.Title, m.Manifest.Description, m.Limited = "kindex", "", true
	doc = site.LLMs(m)
	checkLLMs(t, string(doc))
	if !strings.Contains(string(doc), "\n> An index of models and tools.\n") || !strings.Contains(string(doc), "have a daily limit") {
		t.Errorf("without a description, and with a limit:\n%s", doc)
	}
	checkLLMs(t, string(site.LLMs(&site.Map{Manifest: &store.Manifest{}})))
}

// checkLLMs checks the format of llmstxt.org: one title, followed by a quotation, text,
// and sections that contain only lists of links and notes.
func checkLLMs(t *testing.T, doc string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(doc, "\n"), "\n")
	if !strings.HasPrefix(lines[0], "# ") || lines[1] != "" || !strings.HasPrefix(lines[2], "> ") {
		t.Errorf("it does not start with a title and a quotation:\n%s", doc)
	}
	item := regexp.MustCompile(`^- \[(\\.|[^\[\]\\])+\]\(<[^<>]*>\)(: .+)?$`)
	inSections := false
	for i, line := range lines[3:] {
		switch inSections = inSections || strings.HasPrefix(line, "## "); {
		case line == "" || strings.HasPrefix(line, "## ") || !inSections && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "-"):
		case !item.MatchString(line):
			t.Errorf("line %d is not a link with a note: %s", i+4, line)
		}
	}
	if sections := strings.Count(doc, "\n## "); sections < 3 || !strings.Contains(doc, "\n## Optional\n") {
		t.Errorf("it has %d sections:\n%s", sections, doc)
	}
}

func ExampleMarkdownURL() {
	fmt.Println(site.MarkdownURL("https://kindex.example.org", "tool", "pytorch"))
	// Output: https://kindex.example.org/api/entity/tool/pytorch.md
}
