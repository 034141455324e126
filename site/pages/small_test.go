package pages_test

import (
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
