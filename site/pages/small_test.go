package pages_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/site/pages"
)

// TestSmallIndex checks that the wording is right for an index of one tool and one day,
// without git.
func TestSmallIndex(t *testing.T) {
	t.Parallel()
	content, out := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(content, "tool"), 0o777); err != nil {
		t.Fatal(err)
	}
	one := "name: \"\\\"A\\\" & <b>B</b>\"\ncategory: tools\ndescription: What one index in all the world has, and nothing more.\n"
	if err := os.WriteFile(filepath.Join(content, "tool", "one.yaml"), []byte(one), 0o666); err != nil {
		t.Fatal(err)
	}
	edgetest.Build(t, content, out)
	served, files := siteOf(t, out, pages.Options{}), siteOf(t, out, pages.Options{Static: true})
	today := edgetest.Today().Format("2 Jan 2006")
	for _, c := range []struct {
		site *pages.Site
		path string
		says string
		not  string
	}{
		{served, "/", "<h1>Choose among tools by figures you can check</h1>", "git"},
		{served, "/", "your entries are checked as you type, and every", "Leading models"},
		{files, "/", "every proposal is reviewed in the open", "as you type"},
		{served, "/trending/", "Not enough history yet", "longer window"},
		{served, "/leaderboards/tools/at-2020-01-01/", "available only for " + today + ";", "from"},
		{served, "/trending/by-stars/", "Nothing has risen among the stars of entries", "Unknown"},
		{served, "/trending/by-x/", "Unknown “x”; expected one of: citations, ", ": ."},
		{served, "/search/?q=tools", `>tool · Tools</p>`, "Category:"},
		{served, "/leaderboards/tools/", "Nothing is ranked here", "Quality"},
		{served, "/compare/?e=tool/one", "Facts", "Quality"},
		{served, "/tool/one/at-2020-01-01/", "has data only for " + today + ".", "from"},
	} {
		_, main, _ := strings.Cut(string(pageAt(t, c.site, c.path).Body), "<main")
		main, _, _ = strings.Cut(main, "</main>")
		if !strings.Contains(main, c.says) || strings.Contains(main, c.not) {
			t.Errorf("%s: lacks %q, or has %q:\n%s", c.path, c.says, c.not, main)
		}
	}
}

// TestDimensionTitles checks that pages call the dimensions of a score as their kind does.
func TestDimensionTitles(t *testing.T) {
	t.Parallel()
	s := siteOf(t, builtOf(t, map[string]string{
		"kinds.yaml": "signals:\n  cooked: {type: count, title: Cooked, grows: true}\n  served: {type: count, title: Served, grows: true}\n" +
			"kinds:\n  dish:\n    title: Dish\n    plural: Dishes\n    signals: [cooked, served]\n    dimensions: {adoption: Use, engagement: Guests}\n",
		"scoring.yaml": "version: \"1\"\ntypes:\n  dish:\n    minimumCoverage: 0.5\n    dimensions:\n" +
			"      adoption: {weight: 2, prior: 10, measures: [{signal: cooked, map: log, full: 1000, weight: 1}]}\n" +
			"      engagement: {weight: 1, prior: 10, measures: [{signal: served, map: log, full: 1000, weight: 1}]}\n",
		"dish/soup.yaml": "name: Soup\ncategory: hot\ndescription: What is eaten with a spoon.\nsignals:\n  cooked: {value: 20, date: 2026-01-02, source: https://kitchen.example/}\n  served: {value: 90, date: 2026-01-02, source: https://kitchen.example/}\n",
		"dish/stew.yaml": "name: Stew\ncategory: hot\ndescription: What is eaten with bread.\nsignals:\n  cooked: {value: 10, date: 2026-01-02, source: https://kitchen.example/}\n  served: {value: 90, date: 2026-01-02, source: https://kitchen.example/}\n",
	}), pages.Options{})
	for _, path := range []string{"/dish/soup/", "/docs/scoring/", "/leaderboards/hot/type-dish/", "/compare/?e=dish/soup&e=dish/stew"} {
		_, main, _ := strings.Cut(string(pageAt(t, s, path).Body), "<main")
		if !strings.Contains(main, "Guests") || !strings.Contains(main, ">Use<") || strings.Contains(main, ">Adoption<") {
			t.Errorf("%s does not have the titles of the kind:\n%s", path, main)
		}
	}
}

// TestPluralOfAKind checks that pages use the declared plural of a kind.
func TestPluralOfAKind(t *testing.T) {
	t.Parallel()
	files := map[string]string{"kinds.yaml": "kinds:\n  dish: {title: Dish, plural: Dishes}\n  tool: {title: Tool, plural: Tools}\n"}
	for _, key := range []string{"dish/soup", "dish/stew", "tool/pan"} {
		files[key+".yaml"] = "name: " + key + "\ncategory: hot\ndescription: What is found in a kitchen.\n"
	}
	s := siteOf(t, builtOf(t, files), pages.Options{})
	for _, path := range []string{"/quality/", "/changes/", "/categories/"} {
		page := string(pageAt(t, s, path).Body)
		if !strings.Contains(page, ">Dishes") || strings.Contains(page, "dishs") || strings.Contains(page, "Dishs") {
			t.Errorf("%s does not have the plural:\n%s", path, page)
		}
	}
}

// TestValuesBesideAKind checks that a kind has the address of its list where a list of values would have the same.
func TestValuesBesideAKind(t *testing.T) {
	t.Parallel()
	s := siteOf(t, builtOf(t, map[string]string{
		"kinds.yaml":        "kinds:\n  dish: {title: Dish, plural: Dishes}\n  provider: {title: Provider, plural: Providers, description: Who cooks.}\n",
		"dish/soup.yaml":    "name: Soup\ncategory: hot\nprovider: Ann\ndescription: What is eaten with a spoon.\n",
		"dish/stew.yaml":    "name: Stew\ncategory: hot\nprovider: Bob\ndescription: What is eaten with bread.\n",
		"provider/ann.yaml": "name: Ann\ncategory: cooks\ndescription: Cooks at the harbour.\n",
	}), pages.Options{Base: "https://kitchen.example"})
	for path, c := range map[string]struct{ says, not string }{
		"/providers/":            {"Who cooks.", "Bob"},
		"/providers/all/part-1/": {`href="/providers/bob/"`, "Who cooks."},
		"/providers/bob/":        {"Stew", "Soup"},
		"/tags/":                 {`href="/providers/all/part-1/"`, `href="/providers/"`},
		"/sitemap/0.xml":         {"/providers/all/part-1/<", "/tags/all/"},
	} {
		_, main, ok := strings.Cut(string(pageAt(t, s, path).Body), "<main")
		if main, _, _ = strings.Cut(main, "</main>"); !ok {
			main = string(pageAt(t, s, path).Body)
		}
		if !strings.Contains(main, c.says) || strings.Contains(main, c.not) {
			t.Errorf("%s lacks %s, or has %s:\n%s", path, c.says, c.not, main)
		}
	}
}

// builtOf builds files of content and returns the output folder.
func builtOf(t *testing.T, files map[string]string) string {
	t.Helper()
	content, out := t.TempDir(), t.TempDir()
	for name, text := range files {
		path := filepath.Join(content, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	edgetest.Build(t, content, out)
	return out
}

// pageAt requests the page at a path with a query.
func pageAt(t *testing.T, s *pages.Site, address string) *pages.Answer {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Get(pages.Request{Path: u.Path, Query: u.Query()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestFigures checks thousands separators, whatever the decimals.
func TestFigures(t *testing.T) {
	t.Parallel()
	e := &record.Entity{Type: "tool", Slug: "figures", Name: "Figures", Category: "ml-frameworks", Description: "Has figures of all sizes."}
	for _, v := range []float64{-1234567.25, 1234.5, 0.000001234, 999.5, -12, 4096} {
		e.Signals.Benchmarks = append(e.Signals.Benchmarks, record.Benchmark{Name: "B", Value: v, Date: "2026-01-02", Source: "https://ada.example/"})
	}
	body := string(pageAt(t, siteOf(t, edgetest.Built(t), pages.Options{}, exports.Edit{Type: e.Type, Slug: e.Slug, Entity: e}), "/tool/figures/").Body)
	for _, want := range []string{"−1,234,567.25", "1,234.5", "0.000001234", "999.5", "−12", "4,096"} {
		if !strings.Contains(body, ">"+want+"<") && !strings.Contains(body, ">"+want+" ") {
			t.Errorf("nothing says %s", want)
		}
	}
}
