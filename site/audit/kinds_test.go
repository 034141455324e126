package audit_test

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/edge/edgetest"
)

// kind is a kind of page, with one that stands for all of them.
type kind struct {
	name, path string
	status     int  // 0: 200
	signedIn   bool // the page is seen by who is signed in
	keyboard   bool // it has controls that no other kind has
}

// kinds are all kinds of pages. TestWebsite fails where links lead to a page of a
// shape that none of them has.
var kinds = []kind{
	{name: "home", path: "/", keyboard: true},
	{name: "search", path: "/search/?q=gradient+boosting&type=tool", keyboard: true},
	{name: "search-all", path: "/search/"},
	{name: "search-nothing", path: "/search/?q=qqqqzzzz"},
	{name: "tool", path: "/tool/pytorch/", keyboard: true},
	{name: "model", path: "/model/claude-opus-4-8/"},
	{name: "leaderboard", path: "/leaderboards/all/", keyboard: true},
	{name: "leaderboard-by", path: "/leaderboards/ml-frameworks/type-tool/by-usability/"},
	{name: "leaderboard-at", path: "/leaderboards/all/at-" + daysAgo(10) + "/"},
	{name: "compare-empty", path: "/compare/"},
	{name: "compare", path: "/compare/?e=tool/pytorch&e=tool/tensorlayer", keyboard: true},
	{name: "compare-models", path: "/compare/?e=model/claude-opus-4-8&e=model/gpt-5-5&e=tool/pytorch"},
	{name: "trending", path: "/trending/"},
	{name: "changes", path: "/changes/", keyboard: true},
	{name: "changes-event", path: "/changes/event-updated/"},
	{name: "categories", path: "/categories/"},
	{name: "category", path: "/categories/ml-frameworks/"},
	{name: "providers", path: "/providers/"},
	{name: "provider", path: "/providers/google/"},
	{name: "tags", path: "/tags/"},
	{name: "tag", path: "/tags/python/"},
	{name: "data", path: "/data/", keyboard: true},
	{name: "docs", path: "/docs/"},
	{name: "guide", path: "/docs/agents/"},
	{name: "submit", path: "/submit/", keyboard: true},
	{name: "not-found", path: "/tool/pytrch/", status: http.StatusNotFound},
	{name: "nowhere", path: "/leaderbords/", status: http.StatusNotFound},
	{name: "gone", path: "/" + goneTool + "/", status: http.StatusGone},
	{name: "signin", path: "/signin"},
	{name: "developer", path: "/developer/", signedIn: true, keyboard: true},
}

// daysAgo is a day in addresses.
func daysAgo(n int) string { return edgetest.Today().AddDate(0, 0, -n).Format(time.DateOnly) }

// there tells whether there is such a page as it should be; TestWebsite/crawl says
// where there is not.
func (w *website) there(t *testing.T, k kind) bool {
	t.Helper()
	d := w.get(t, k.path, k.signedIn)
	return d.status == cmp.Or(k.status, http.StatusOK)
}

// choices begin the parts of addresses that choose a form of a page.
var choices = []string{"at", "by", "category", "event", "page", "type"}

// shape is what addresses of a kind have in common.
func shape(path string) string {
	path, query, _ := strings.Cut(path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, p := range parts {
		name, _, chosen := strings.Cut(p, "-")
		switch {
		case i == 0:
		case chosen && slices.Contains(choices, name) && (i > 1 || parts[0] == "changes"):
			parts[i] = name
		default:
			parts[i] = ":"
		}
	}
	var names []string
	for pair := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(pair, "="); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return "/" + strings.Join(parts, "/") + "?" + strings.Join(names, "&")
}

// base is the first part of a path, and how many follow that are no choices.
func base(path string) string {
	path, _, _ = strings.Cut(shape(path), "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return slices.Contains(choices, p) }), "/")
}

// checkKinds fails where a page was met that no kind stands for.
func checkKinds(t *testing.T, met []string) {
	t.Helper()
	known := map[string]bool{}
	for _, k := range kinds {
		known[base(k.path)] = true
	}
	for _, path := range met {
		if b := base(path); !known[b] {
			known[b] = true
			t.Errorf("%s is of no kind; add it to the table of kinds", path)
		}
	}
}
