package audit_test

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/edge/edgetest"
)

// kind is a kind of page, with one that stands for all of them.
type kind struct {
	name, path string
	status     int    // 0: 200
	signedIn   bool   // the page is seen by who is signed in
	do, until  string // a script that brings it into another state, and the condition that it is
	keyboard   bool   // it has controls that no other kind has
}

// kinds are all kinds of pages. TestWebsite fails where links lead to a page of a
// shape that none of them has.
var kinds = []kind{ // DAY is one that leaderboards are kept of; for the others, see website.fill
	{name: "home", path: "/", keyboard: true},
	{name: "search", path: "/search/?q=gradient+boosting&type=tool", keyboard: true},
	{name: "search-all", path: "/search/"},
	{name: "search-nothing", path: "/search/?q=qqqqzzzz"},
	{name: "tool", path: "/tool/pytorch/", keyboard: true},
	{name: "model", path: "/model/claude-opus-4-8/"},
	{name: "leaderboard", path: "/leaderboards/all/", keyboard: true},
	{name: "leaderboard-by", path: "/leaderboards/ml-frameworks/type-tool/by-adoption/"},
	{name: "leaderboard-at", path: "/leaderboards/all/at-DAY/"},
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
	{name: "capabilities", path: "/capabilities/"},
	{name: "capability", path: "/capabilities/gpu/"},
	{name: "type", path: "/tool/"},
	{name: "type-model", path: "/model/"},
	{name: "type-further", path: "/tool/all/page-2/"},
	{name: "entity-at", path: "/tool/pytorch/at-" + daysAgo(10) + "/"},
	{name: "history", path: "/tool/pytorch/history/"},
	{name: "letter", path: "/tags/all/letter-p/"},
	{name: "scoring", path: "/docs/scoring/"},
	{name: "data", path: "/data/", keyboard: true},
	{name: "docs", path: "/docs/"},
	{name: "guide", path: "/docs/agents/"},
	{name: "submit", path: "/submit/", keyboard: true},
	{name: "submit-wrong", path: "/submit/", do: typed("name", "PyTorch", "url", "pytorch.org"), until: `document.querySelector('[aria-invalid=true]') && document.querySelector('[data-likes] a')`},
	{name: "submit-complete", path: "/submit/", do: typed(complete...), until: `document.querySelector('[data-text]').textContent.includes('pola-rs')`},
	{name: "compare-suggesting", path: "/compare/?e=tool/pytorch", do: `{ const e = document.querySelector('#add'); e.focus(); e.value = 'tens'; e.dispatchEvent(new Event('input', {bubbles: true})) }`, until: `document.querySelector('[data-suggestions]:not([hidden]) a')`},
	{name: "not-found", path: "/tool/pytrch/", status: http.StatusNotFound},
	{name: "nowhere", path: "/leaderbords/", status: http.StatusNotFound},
	{name: "gone", path: "/" + goneTool + "/", status: http.StatusGone},
	{name: "signin", path: "/signin"},
	{name: "key-made", path: "/developer/", signedIn: true, do: sent("/developer/keys/", "name", "laptop"), until: `/kx_[0-9A-Za-z]{38}/.test(document.body.textContent)`},
	{name: "webhook-made", path: "/developer/webhooks/", signedIn: true, do: sent("/developer/webhooks/", "url", "RECEIVER/more"), until: `document.body.textContent.includes('whsec_')`},
	{name: "webhook-refused", path: "/developer/webhooks/", signedIn: true, do: sent("/developer/webhooks/", "url", "http://127.0.0.1/"), until: `document.querySelector('[role=alert], [aria-invalid=true]')`},
	{name: "webhooks", path: "/developer/webhooks/", signedIn: true},
	{name: "webhook", path: "/developer/webhooks/WEBHOOK/", signedIn: true},
	{name: "webhook-delete", path: "/developer/webhooks/WEBHOOK/delete/", signedIn: true},
	{name: "submission", path: "/developer/submissions/SUBMISSION/", signedIn: true},
	{name: "key-revoke", path: "/developer/keys/KEY/revoke/", signedIn: true},
	{name: "submissions", path: "/developer/submissions/", signedIn: true},
	{name: "developer", path: "/developer/", signedIn: true, keyboard: true},
}

// daysAgo is a day in addresses.
func daysAgo(n int) string { return edgetest.Today().AddDate(0, 0, -n).Format(time.DateOnly) }

// kinds are those of the table, with the day.
func (w *website) kinds(t testing.TB) []kind {
	t.Helper()
	d := w.get(t, "/leaderboards/all/", false)
	day := regexp.MustCompile(`/at-(\d{4}-\d\d-\d\d)/`).FindSubmatch(d.body)
	if day == nil {
		t.Error("the leaderboard leads to no earlier day")
		return kinds
	}
	list := slices.Clone(kinds)
	for i := range list {
		list[i].path = strings.Replace(list[i].path, "DAY", string(day[1]), 1)
		list[i].path = w.named(list[i].path)
	}
	return list
}

// named puts the ids of the account into a path of the table.
func (w *website) named(path string) string {
	for stands, id := range w.ids {
		path = strings.Replace(path, stands, id, 1)
	}
	return path
}

// there tells whether there is such a page as it should be; TestWebsite/crawl says
// where there is not.
func (w *website) there(t *testing.T, k kind) bool {
	t.Helper()
	d := w.get(t, k.path, k.signedIn)
	return d.status == cmp.Or(k.status, http.StatusOK)
}

// choices begin the parts of addresses that choose a form of a page.
var choices = []string{"at", "by", "category", "event", "letter", "page", "sort", "type", "window"}

// shape is what addresses of a kind have in common.
func shape(path string) string {
	path, query, _ := strings.Cut(path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, p := range parts {
		name, _, chosen := strings.Cut(p, "-")
		switch {
		case i == 0:
		case chosen && slices.Contains(choices, name) && (i > 1 || parts[0] == "changes" || parts[0] == "trending"):
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
