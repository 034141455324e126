package pages_test

import (
	"strings"
	"testing"

	"kindex/edge/edgetest"
	"kindex/site/pages"
)

// TestSearchBegins checks that a search started from the list of all entities is sorted by
// relevance unless another order was chosen, and that a page without results suggests what to
// do next.
func TestSearchBegins(t *testing.T) {
	t.Parallel()
	s := siteOf(t, edgetest.Built(t), pages.Options{})
	const kept = `<input type="hidden" name="sort" value="name">`
	for query, want := range map[string]string{
		"":                           "highest score first",
		"type=tool":                  "highest score first",
		"q=pytorch":                  "results",
		"sort=name":                  kept,
		"q=pytorch&sort=name":        kept,
		"category=nowhere":           "Nothing matches all of the filters",
		"q=zzzzqqqqxxxx":             "Try fewer or different words",
		"category=nowhere&sort=name": kept,
	} {
		body := string(pageAt(t, s, "/search/?"+query).Body)
		if !strings.Contains(body, want) || want != kept && strings.Contains(body, `name="sort"`) || strings.Contains(query, "nowhere") && strings.Contains(body, "highest score first") {
			t.Errorf("/search/?%s lacks %q, keeps an order, or calls an empty list sorted:\n%s", query, want, body)
		}
	}
}

// TestSharedAddresses checks that pages that depend on the query, such as comparisons,
// have no og:url, because it would lead to the page without the query.
func TestSharedAddresses(t *testing.T) {
	t.Parallel()
	s := siteOf(t, edgetest.Built(t), pages.Options{Base: base})
	for address, want := range map[string]bool{"/tool/keras/": true, "/leaderboards/ml-frameworks/": true, "/compare/": true,
		"/compare/?e=tool/keras&e=tool/pytorch": false, "/search/?q=keras": false} {
		if got := strings.Contains(string(pageAt(t, s, address).Body), `<meta property="og:url"`); got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}
