package pages_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/site/badge"
	"kindex/site/pages"
)

// plain returns the text of nodes with single spaces.
func plain(nodes []*node) (list []string) {
	for _, n := range nodes {
		list = append(list, strings.Join(strings.Fields(n.text()), " "))
	}
	return list
}

func byID(p *node, id string) *node {
	for _, n := range p.all(func(n *node) bool { return n.attr["id"] == id }) {
		return n
	}
	return &node{page: p.page}
}

// TestPricedPages reads pages of models that have offers and a history.
func TestPricedPages(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	content, out := edgetest.NewRepository(t), filepath.Join(t.TempDir(), "out")
	suite.Write(t, content, map[string]string{"collect-status.json": collectStatus})
	edgetest.Priced(t, content, [4]int{370, 60, 31, 0})
	edgetest.Build(t, content, out)
	s := siteOf(t, out, pages.Options{})
	t.Run("offers", func(t *testing.T) { checkOffers(t, s) })
	t.Run("history", func(t *testing.T) { checkPriceHistory(t, s) })
	t.Run("notices", func(t *testing.T) { checkNotices(t, s) })
	t.Run("edited", func(t *testing.T) { checkEditedPrice(t, out) })
	t.Run("badges", func(t *testing.T) { checkBadges(t, s) })
	t.Run("quality", func(t *testing.T) { checkQuality(t, s, out) })
}

// checkOffers checks the order of the offers, now and on an earlier day.
func checkOffers(t *testing.T, s *pages.Site) {
	p := parse(t, get(t, s, "/model/priced/").Body)
	table := p.all(inClass("offers"))[0]
	var rows []string
	for _, tr := range table.named("tr")[1:] {
		rows = append(rows, strings.Join(plain(tr.named("th")), "")+" | "+strings.Join(plain(tr.named("td")), " | "))
	}
	want := []string{
		"Acme maker priced-14 more detailsOutput up to 64,000 tokens$2.50 cache writeOver 200,000 input tokens: $4.00 input, $15.00 outputBatch: $1.00 input, $5.00 output | $2.00 | $10.00 | $0.20 | 1M | 21 Nov 2026acme.example",
		"Acme maker deprecated priced-1-preview | $2.00 | $10.00 | unknown | – | 21 Nov 2026acme.example",
		"Example Hub free acme/priced-1:free | $0.00 | $0.00 | unknown | 32.8k | 21 Nov 2026acme.example",
		"Example Cloud acme/priced-1 | $2.20 | $11.00 | unknown | – | 21 Nov 2026acme.example",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("the offers are\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	links := p.links()
	for _, to := range []string{"/prices/?model=priced", "/api/calendar?entity=model%2Fpriced", "https://huggingface.co/acme/priced-1", "https://arxiv.org/abs/1706.03762",
		"/api/entity/model/priced/signals?name=stars", "/badge/model/priced.svg?show=price"} {
		if !links[to] {
			t.Errorf("no link to %s", to)
		}
	}
	facts := strings.Join(plain(byID(p, "facts").named("div")), "\n")
	for _, fact := range []string{"Price$2.00 input, $10.00 output per million tokens, at Acme, as of 21 Nov 2026", "Context window1,000,000 tokens as of 21 Nov 2026", "Version1.0, released 21 Nov 2026 as of 21 Nov 2026",
		"Input modalitiestext, image", "Output modalitiestext", "Knowledge cutoffJan 2026", "Open weightsNo", "Parameters671B", "Active parameters37B", "ReasoningYes", "Reasoning effortslow, medium, high", "Familypriced"} {
		suite.Contains(t, facts, fact)
	}
	past := parse(t, get(t, s, "/model/priced/at-2026-10-01/").Body)
	if rows := past.all(inClass("offers"))[0].named("tr"); len(rows) != 3 || !strings.Contains(rows[1].text(), "$3.00") || past.links()["/prices/?model=priced"] {
		t.Errorf("on an earlier day there are the offers %q", plain(rows))
	}
}

// checkPriceHistory checks the changes of prices and the growth of figures.
func checkPriceHistory(t *testing.T, s *pages.Site) {
	p := parse(t, get(t, s, "/model/priced/").Body)
	section := byID(p, "price-history")
	var changes []string
	for _, tr := range section.named("table")[0].named("tr")[1:] {
		changes = append(changes, strings.Join(append(plain(tr.named("th")), plain(tr.named("td"))...), " | "))
	}
	want := []string{
		"21 Nov 2026 | Acme priced-1 | $2.00 | $10.00", "21 Nov 2026 | Acme priced-1-preview | $2.00 | $10.00", "21 Nov 2026 | Example Cloud acme/priced-1 | $2.20 | $11.00",
		"21 Oct 2026 | Example Cloud acme/priced-1 | no longer offered", "21 Oct 2026 | Example Hub acme/priced-1:free | $0.00 | $0.00", "22 Sep 2026 | Acme priced-1 | $3.00 | $15.00",
		"16 Nov 2025 | Acme priced-1 | $4.00 | $20.00", "16 Nov 2025 | Example Cloud acme/priced-1 | $4.50 | $21.00",
	}
	if !slices.Equal(changes, want) {
		t.Errorf("the prices changed\n%s\nwant\n%s", strings.Join(changes, "\n"), strings.Join(want, "\n"))
	}
	var paths []string
	for _, n := range section.named("path") {
		paths = append(paths, regexp.MustCompile(`[0-9.]+`).ReplaceAllString(n.attr["d"], ""))
	}
	suite.Equal(t, paths, []string{"M HVHVH", "M HVHVH"}, "the steps of the input and the output price")
	growth := map[string][]string{}
	for _, n := range byID(p, "figures").named("figure") {
		name, _, _ := strings.Cut(plain(n.named("figcaption"))[0], " (")
		growth[name] = nil
		for _, dl := range n.named("dl") {
			growth[name] = plain(dl.named("div"))
		}
	}
	for name, want := range map[string][]string{
		"Stars":        {"Last 7 daysunknown", "Last 30 days+400 (+22.2%) from 21 Oct 2026 to 21 Nov 2026", "Last 365 days+1,200 (+120%) from 16 Nov 2025 to 21 Nov 2026"},
		"Contributors": {"Last 7 daysunknown", "Last 30 daysno change from 21 Oct 2026 to 21 Nov 2026", "Last 365 daysno change from 16 Nov 2025 to 21 Nov 2026"},
		"Downloads":    nil, // they were missing for a month
	} {
		if got, ok := growth[name]; !ok || !slices.Equal(got, want) {
			t.Errorf("the growth of %s is %q, want %q", name, got, want)
		}
	}
	// The downloads were missing for a month: two lines.
	for _, n := range byID(p, "figures").named("figure") {
		if !strings.HasPrefix(n.text(), "Downloads") {
			continue
		}
		if d := n.named("path")[0].attr["d"]; strings.Count(d, "M") != 2 {
			t.Errorf("the chart of the downloads is %s", d)
		}
		return
	}
	t.Error("no chart of the downloads")
}

func checkNotices(t *testing.T, s *pages.Site) {
	for path, want := range map[string]string{
		"/model/priced-old/":               "Retires on 31 Dec 2026, in 40 days. Deprecated since 16 Nov 2025. Its successor is Priced One. Read the announcement",
		"/model/priced-old/at-2026-10-01/": "Retires on 31 Dec 2026, in 91 days. Deprecated since 16 Nov 2025. Its successor is Priced One. Read the announcement",
		"/tool/priced-kit/":                "Archived. Its repository is read-only, as of 16 Nov 2025.",
	} {
		p := parse(t, get(t, s, path).Body)
		notices := plain(p.all(func(n *node) bool { return n.attr["class"] == "entity-notice" }))
		if len(notices) != 1 || notices[0] != want {
			t.Errorf("%s: %q, want %q", path, notices, want)
		}
	}
	if !parse(t, get(t, s, "/model/priced-old/").Body).links()["/model/priced/"] {
		t.Error("the successor is not linked")
	}
}

// checkEditedPrice checks that pages of edits show the edited prices.
func checkEditedPrice(t *testing.T, out string) {
	b := suite.Must(exports.OpenCurrent(out))(t)
	defer b.Close()
	o, _, _ := b.Find("model", "priced")
	e := b.Entity(o)
	e.Offers[0].Prices[0], e.Offers[0].Prices[1] = e.Offers[0].Prices[1], e.Offers[0].Prices[0]
	e.Computed = b.Providers().Compute(e, "2026-11-21")
	s := siteOf(t, out, pages.Options{}, exports.Edit{Type: "model", Slug: "priced", Entity: e})
	if rows := plain(byID(parse(t, get(t, s, "/model/priced/").Body), "price-history").named("table")[0].named("tr")); !slices.ContainsFunc(rows, func(r string) bool {
		return strings.Contains(r, "21 Nov 2026") && strings.Contains(r, "priced-1$10.00$2.00")
	}) {
		t.Errorf("the price changed %q", rows)
	}
	if rows := rowsOf(htmlAt(t, s, "/models/")); !slices.ContainsFunc(rows, func(r [2]string) bool {
		return r[0] == "model/priced" && strings.Contains(r[1], "free")
	}) {
		t.Error("the list does not show the cheapest offer")
	}
	if got := rowsOf(htmlAt(t, s, "/prices/")); !slices.ContainsFunc(got, func(r [2]string) bool { return strings.Contains(r[1], `data-value="8000000"`) }) {
		t.Errorf("the prices do not show the edited one: %q", got)
	}
}

func checkBadges(t *testing.T, s *pages.Site) {
	for key, want := range map[string]string{
		"model/priced status": "active", "model/priced price": "$2 in, $10 out per 1M tokens", "model/priced-old price": "unknown",
		"model/priced-old status": "retires 2026-12-31", "tool/priced-kit status": "archived",
	} {
		address, show, _ := strings.Cut(key, " ")
		typ, slug, _ := strings.Cut(address, "/")
		o, _, _ := s.Build.Find(typ, slug)
		if got, _, err := badge.Describe(s.Build, s.Own, func(category string) string { return category }, o, show); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", key, got, err, want)
		}
	}
}
