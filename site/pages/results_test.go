package pages_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// TestResultsOfABenchmark checks what the pages of benchmarks say of the results that name them.
func TestResultsOfABenchmark(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"kinds.yaml": "fields:\n  direction: {type: enum, values: {higher: Higher is better, lower: Lower is better}, title: Direction}\n" +
			"  aliases: {type: list, of: text, title: Also called}\n" +
			"kinds:\n  cook: {title: Cook, plural: Cooks, blocks: [results]}\n  benchmark: {title: Contest, plural: Contests, fields: [direction, aliases]}\n",
		"benchmark/burns.yaml": "name: Burnt Pans\ncategory: contests\ndescription: Counts the pans that a cook burns.\ndirection: lower\naliases: [Pans]\n",
		"benchmark/taste.yaml": "name: Taste\ncategory: contests\ndescription: How a dish tastes.\n",
		"benchmark/empty.yaml": "name: Nobody\ncategory: contests\ndescription: A contest that nobody entered.\n",
	}
	for i := range 30 {
		value := (i*7)%30 + 1
		files[fmt.Sprintf("cook/c%02d.yaml", i)] = fmt.Sprintf(`name: Cook %d
category: cooks
description: One of thirty cooks.
signals:
  benchmarks:
    - {name: Pans, value: %[2]d, metric: pans, dataset: eggs, harness: gas, variant: hot, by: independent, publisher: Guild, date: 2026-01-%02[3]d, source: "https://guild.example/%[1]d"}
    - {name: burnt pans, value: %[2]d.5, version: "2", date: 2026-01, source: https://guild.example/two}
    - {name: Taste, value: %[1]d, by: maker, date: 2026-02-%02[3]d, source: https://guild.example/taste}
`, i, value, i%28+1)
	}
	files["cook/c07.yaml"] = strings.Replace(files["cook/c07.yaml"], "signals:", "status: withdrawn\nsignals:", 1)
	e := edgetest.Start(t, edge.Options{Dir: builtOf(t, files), LimitAnonymous: 100})

	page := fetch(t, e.URL+"/benchmark/burns/").body
	groups := strings.Split(cut(t, page, `<section id="results"`, "</section>"), "<h3>")
	if len(groups) != 3 || !strings.HasPrefix(groups[1], "eggs <span class=\"unit\">pans<") || !strings.HasPrefix(groups[2], "Version 2<") {
		t.Fatalf("the groups are not by part and version:\n%s", groups)
	}
	rows := regexp.MustCompile(`<th scope="row"><a href="/cook/c(\d+)/">.*?<td class="n num">([\d.]+)`).FindAllStringSubmatch(groups[1], -1)
	for i, r := range rows {
		want := i + 1 // the best has 1, and the cook with 20 is withdrawn
		if want >= 20 {
			want++
		}
		if r[2] != fmt.Sprint(want) {
			t.Fatalf("row %d is %v, want %d", i, r[1:], want)
		}
	}
	if len(rows) != 29 || strings.Contains(page, `href="/cook/c07/"`) {
		t.Errorf("%d results, want the 29 of listed entries", len(rows))
	}
	for _, want := range []string{">gas, hot<", ">independent, Guild<", `<time datetime="2026-01-01">`, `<a href="https://guild.example/0"`, "Table of more results: eggs", "9 more results"} {
		suite.Contains(t, groups[1], want)
	}
	if strings.Contains(cut(t, page, "<main", "</main>"), `class="chip" href="/cook/`) {
		t.Error("the entries with results are listed twice")
	}

	page = html.UnescapeString(cut(t, fetch(t, e.URL+"/benchmark/taste/").body, `<section id="results"`, "</section>"))
	if first := regexp.MustCompile(`href="/cook/c(\d+)/"`).FindStringSubmatch(page); first == nil || first[1] != "27" || !strings.Contains(page, "newest are first") {
		t.Errorf("the first of results without a direction is %v, not the newest:\n%s", first, page)
	}
	if page := fetch(t, e.URL+"/benchmark/empty/").body; strings.Contains(page, `id="results"`) {
		t.Error("there is a list of no results")
	}
	md := fetch(t, e.URL+"/api/entity/benchmark/burns.md").body
	if !strings.Contains(md, "## Results, eggs, pans\n") || !strings.Contains(md, "| [Cook 0](<"+e.URL+"/cook/c00/>) | 1 | 2026-01-01 | <https://guild.example/0> | gas, hot | independent, Guild |") {
		t.Errorf("the Markdown lacks the results:\n%s", md)
	}
}

// cut returns the part of a text from a mark to the next end.
func cut(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, from)
	part, _, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatalf("no %s … %s in %s", from, to, text)
	}
	return part
}
