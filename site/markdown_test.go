package site_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/site"
)

// fill returns a page in which every string is s and every external URL is u.
func fill(s, u string) *site.Page {
	score := 41.25
	e := &record.Entity{Type: "tool", Slug: "example", Name: s, Provider: s, Description: s, Category: s, Version: s,
		PricingModel: s, License: s, URL: u, Tags: []string{s, s}, Capabilities: []string{s}, AddedDate: s, LastUpdated: s,
		Status: record.Deprecated, Links: []record.Link{{Name: "repository", URL: u}}}
	e.Scores.Composite, e.Scores.Adoption = record.ScoreOf(71.2), record.ScoreOf(82)
	e.Signals.Facts = []record.Fact{{Name: "stars", Number: 81000, Date: s, Source: u}, {Name: "lastRelease", Day: s, Source: u}}
	e.Signals.Benchmarks = []record.Benchmark{{Name: s, Value: 71.25, Date: s, Source: u}}
	in, out := record.PriceOf(1_250_000), record.PriceOf(10_000_000)
	e.IDs = []record.ID{{Namespace: "example-hub", Value: s}, {Namespace: "github", Value: s}, {Namespace: "github", Value: s}, {Namespace: "maven", Value: s}}
	e.Lifecycle = &record.Lifecycle{Deprecated: s, Retires: s, ReplacedBy: "tool/other", Source: u}
	e.Maintenance = record.Maintenance{State: s, AsOf: s}
	e.Values = record.ValuesOf(kinds.Default(), map[string]any{"family": s, "openWeights": false, "knowledge": s, "reasoning": true,
		"modalities": map[string]any{"input": []string{s, s}, "output": []string{s}},
		"parameters": map[string]any{"total": 70e9, "active": 7e9}, "reasoningEfforts": []string{s}})
	e.Price = record.PriceSummary{Input: in, Output: out, Blended: pricing.Blend(in, out), Provider: "acme", Date: s}
	e.Offers = []record.Offer{
		{Provider: "acme", ID: s, Prices: record.Prices{record.InputPrice: in, record.OutputPrice: out}, Context: 400_000, OutputLimit: 128_000,
			Tiers: []record.Tier{{Over: 200_000, Prices: record.Prices{record.InputPrice: out}}},
			Modes: []record.Mode{{Name: s, Prices: record.Prices{record.InputPrice: in, record.OutputPrice: in}}}, Date: s, Source: u},
		{Provider: s, ID: s, Deprecated: true, Source: u},
		{Provider: s, ID: s, Free: true, Prices: record.Prices{record.InputPrice: record.PriceOf(0), record.OutputPrice: record.PriceOf(0)}, Date: s}}
	hub := &ids.Namespace{Name: "example-hub", Title: s, Page: "https://hub.example.org/{id}"}
	change := &record.Change{Event: record.Updated, Timestamp: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		Fields: []record.FieldChange{{Field: s, Old: []byte(s), New: []byte("null")}}}
	return &site.Page{Entity: e, Category: s, Base: "https://kindex.example.org", Build: "20261101-0123456789abcdef", AsOf: "2026-11-01",
		Providers: pricing.Providers{{Slug: "acme", Name: s}},
		Namespace: func(name string) *ids.Namespace {
			if name == hub.Name {
				return hub
			}
			return ids.Find(name)
		},
		Board: s, Rank: 3, Ranked: 40, Formula: s, Total: 12, Changes: []*record.Change{change},
		Scores: []site.Dimension{{Name: "adoption", Score: record.ScoreOf(82), Weight: 5, Measures: []site.Measure{
			{Name: s, State: "counted", Score: &score}, {Name: s, State: "stale"}, {Name: s, State: "missing"}}}, {Name: "quality", Weight: 1.5}},
		Alternatives: []site.Similar{{Type: "tool", Slug: "other", Name: s, Similarity: 0.5, Reasons: []string{s, s}}},
		Related:      []site.Similar{{Type: "tool", Slug: "companion", Name: s, Similarity: 0.4, Reasons: []string{s}}}}
}

func examplePage() *site.Page {
	p := fill("Example", "https://example.org/?a=1&b=2")
	e := p.Entity
	e.Provider, e.License, e.Version, e.AddedDate, e.LastUpdated = "Example & Co.", "Apache-2.0", "2.1 (beta)", "2026-01-02", "2026-11-01"
	e.Description = "Trains and runs neural networks in C++ and C#, on one machine or many."
	e.Tags, e.Capabilities, e.Status = []string{"python", "neural-networks"}, []string{"training"}, record.Active
	e.Signals.Facts[0].Date, e.Signals.Facts[1].Date, e.Signals.Facts[1].Day = "2026-11-01", "2026-10-31", "2026-10-30"
	e.Signals.Benchmarks[0].Name, e.Signals.Benchmarks[0].Date = "SWE_bench (v1)", "2026-10"
	e.IDs = []record.ID{{Namespace: "example-hub", Value: "example/1"}, {Namespace: "github", Value: "a/b"}, {Namespace: "github", Value: "a/c"}, {Namespace: "maven", Value: "org.example:x"}}
	e.Lifecycle.Deprecated, e.Lifecycle.Retires = "2026-09-01", "2026-12-11"
	e.Maintenance = record.Maintenance{State: record.Slow, AsOf: "2026-10-31"}
	for path, v := range map[string]any{"family": "example", "modalities.input": []string{"text", "image"}, "modalities.output": []string{"text"},
		"knowledge": "2025-01", "reasoningEfforts": []string{"low", "high"}} {
		e.Values.Set(kinds.Default().Field(path), v)
	}
	e.Price.Date = "2026-10-30"
	e.Signals.Facts = append(e.Signals.Facts, record.Fact{Name: "contextTokens", Number: 400_000, Date: "2026-10-30"}, record.Fact{Name: "outputTokens", Number: 128_000})
	for i, o := range []string{"example-2", "old|example", "example:free"} {
		e.Offers[i].ID, e.Offers[i].Date = o, "2026-10-30"
	}
	e.Offers[1].Provider, e.Offers[2].Provider, e.Offers[0].Modes[0].Name = "zeta", "unknown-router", "batch"
	p.Providers = pricing.Providers{{Slug: "acme", Name: "Acme & Sons"}, {Slug: "zeta", Name: "Zeta"}}
	p.Category, p.Board, p.Formula = "Machine-learning frameworks", "ML frameworks", "2026.2"
	p.Scores[0].Measures[0].Name, p.Scores[0].Measures[1].Name = "stars", "downloads"
	p.Alternatives[0].Name, p.Alternatives[0].Reasons = "Other", []string{"same category: Machine-learning frameworks"}
	p.Related[0].Name, p.Related[0].Reasons = "Companion", []string{"both tagged example"}
	p.Changes[0].Fields = []record.FieldChange{
		{Field: "version", Old: []byte(`"2.0"`), New: []byte(`"2.1 (beta)"`)},
		{Field: "description", Old: []byte("null"), New: []byte(`"` + e.Description + `"`)},
	}
	p.Changes[0].Fields = append(p.Changes[0].Fields,
		record.FieldChange{Field: "offers.acme/example-2%2E1.input", Old: []byte("1.25"), New: []byte("1.1")},
		record.FieldChange{Field: "offers.zeta/x", Old: []byte("null"), New: e.Offers[0].AppendJSON(nil)})
	created := *p.Changes[0]
	created.Event, created.Timestamp = record.Created, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	p.Changes, p.Total = append(p.Changes, &created), 2
	return p
}

func TestMarkdown(t *testing.T) {
	suite.Golden(t, "testdata/entity.md", site.Markdown(examplePage()))

	least := &site.Page{Entity: &record.Entity{Type: "model", Slug: "bare", Name: "Bare", Category: "other", Status: record.Withdrawn},
		Category: "Other", Build: "20261101-0123456789abcdef", AsOf: "2026-11-01", Formula: "2026.2", Past: true,
		Unranked: "the formula for type model has no dimensions"}
	suite.Golden(t, "testdata/bare.md", site.Markdown(least))

	hostile := fill("# 1. `a` *b* _c_ <b>&amp;</b> [x](javascript:y) ![i](z) | ~d~ $e$ \\ \u202eevil\r\n\n- item\n***\n", "javascript:alert(1)")
	suite.Golden(t, "testdata/hostile.md", site.Markdown(hostile))
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
		p := fill("Name", "")
		p.Entity.Description = text
		lines := strings.Split(string(site.Markdown(p)), "\n")
		got := ""
		if lines[2] != "- Type: tool" {
			got = lines[2]
		}
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
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
		doc := string(site.Markdown(fill(s, u)))
		probe := fill("Name", "")
		probe.Entity.Description = s
		if strings.Contains(string(site.Markdown(probe)), "# Name\n\n- Type") {
			return // nothing in it is visible, so its lines are omitted
		}
		plainURL := "x"
		switch {
		case onTheWeb(u):
			plainURL = "https://example.org/"
		case !strings.Contains(string(site.Markdown(fill("Name", u))), "- Address: "):
			plainURL = "" // nothing in it is visible
		}
		plain := fill("x", plainURL)
		if len(s) > 60 { // changes do not show long values
			plain.Changes[0].Fields[0].Old = []byte(strings.Repeat("x", 61))
		}
		if got, want := shape(doc), shape(string(site.Markdown(plain))); got != want {
			t.Errorf("%q and %q change the structure of\n%s\nfrom\n%s\nto\n%s", s, u, doc, want, got)
		}
	})
}

func TestLLMs(t *testing.T) {
	e := examplePage().Entity
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

func ExampleAddress() {
	fmt.Println(site.Address("https://kindex.example.org", "tool", "pytorch"))
	// Output: https://kindex.example.org/api/entity/tool/pytorch.md
}
