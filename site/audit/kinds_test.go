package audit_test

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/edge/edgetest"
)

// kind is a kind of page, represented by one page.
type kind struct {
	name, path string
	at         place
	status     int    // HTTP status; 0 means 200
	signedIn   bool   // the page requires signing in
	do, until  string // a script that changes the state of the page, and the condition to wait for
	keyboard   suits  // the page has controls that no other kind has
	like       string // a kind with the same template; make test only looks at the states that scripts bring about
	lacks      bool   // on a static site, the page's scripts request a file that does not exist
}

// place states where a kind of page exists: on the website of an edge, on a static site, or
// on both.
type place int

const (
	alike  place = iota // on both, rendered from the same templates
	twice               // on both, but different
	served              // only on an edge
	filed               // only on a static site
)

// suits states which suites reach every control of a kind with the keyboard. make test leaves
// plain links, forms and copy buttons to make soak.
type suits int

const (
	noSuite suits = iota
	inTest
	inSoak
)

// on reports whether a kind exists in a place.
func (k kind) on(w *website) bool {
	return k.at != filed && !w.static() || k.at != served && w.static()
}

// found is a condition that becomes true when a search shows its results, whether on an edge
// or on a static site.
const found = `document.querySelector('#results .results-count')`

// compared returns a condition that becomes true when the given number of columns are
// compared.
func compared(n int) string {
	return fmt.Sprintf(`document.querySelectorAll('[data-comparison] thead th[data-key]').length === %d`, n)
}

// kinds lists all kinds of pages. TestWebsite fails if a link leads to a page whose shape
// is unknown.
var kinds = []kind{ // DAY stands for a day with leaderboards; for the other placeholders, see website.ids
	{name: "home", path: "/", keyboard: inTest},
	{name: "search", path: "/search/?q=gradient+boosting&type=tool", at: twice, until: found, keyboard: inTest},
	{name: "search-all", path: "/search/", at: twice, until: found, like: "search"},
	{name: "search-near", path: "/search/?q=pytrch&type=model&category=ml-frameworks", at: twice, until: found + ` && document.querySelector('.near a')`},
	{name: "search-nothing", path: "/search/?q=qqqqzzzz", at: twice, until: found + ` && document.querySelector('.hits .empty')`, like: "search"},
	{name: "search-chosen", path: "/search/?q=neural", at: twice, do: clicked(`.facets a[href*="tag="]`), until: found + ` && document.querySelector('.chosen-chip')`, like: "search"},
	{name: "tool", path: "/tool/pytorch/", keyboard: inTest},
	{name: "model", path: "/model/MODEL/", like: "tool"},
	{name: "priced", path: "/model/priced/"},
	{name: "retiring", path: "/model/priced-old/", like: "priced"},
	{name: "quality", path: "/quality/"},
	{name: "boards", path: "/leaderboards/"},
	{name: "board", path: "/leaderboards/train-models/", keyboard: inSoak, like: "leaderboard"},
	{name: "board-at", path: "/leaderboards/train-models/at-DAY/", at: served, like: "leaderboard"},
	{name: "leaderboard", path: "/leaderboards/ml-frameworks/", keyboard: inTest},
	{name: "leaderboard-by", path: "/leaderboards/ml-frameworks/type-tool/by-adoption/", at: served, like: "leaderboard"},
	{name: "leaderboard-at", path: "/leaderboards/ml-frameworks/at-DAY/", like: "leaderboard"},
	{name: "compare-empty", path: "/compare/", at: twice},
	{name: "compare", path: "/compare/?e=tool/pytorch&e=tool/tensorlayer", at: twice, until: compared(2), keyboard: inTest},
	{name: "compare-models", path: "/compare/?e=model/MODEL&e=model/OTHER&e=tool/pytorch", at: twice, until: compared(3), like: "compare"},
	{name: "compare-unknown", path: "/compare/?e=tool/pytrch&add=tensor", at: twice, until: `document.querySelectorAll('.compare-notice').length === 2`, lacks: true, like: "compare-empty"},
	{name: "prices", path: "/prices/", at: twice, keyboard: inSoak},
	{name: "prices-wrong", path: "/prices/?model=MODL&maxInput=cheap&calculate=MODEL&input=12000&cached=9000&output=800&mode=batch", at: served, like: "prices"},
	{name: "prices-filtered", path: "/prices/?modality=image&maxInput=2&sort=output", at: served, like: "prices"},
	{name: "prices-cost", path: "/prices/?calculate=priced&input=300000&cached=4000&cacheWrite=5000&output=500&requests=12", at: served},
	{name: "prices-unknown", path: "/prices/?calculate=priced&input=10&cacheWrite=5&mode=batch", at: served, like: "prices-cost"},
	{name: "trending", path: "/trending/"},
	{name: "changes", path: "/changes/", keyboard: inSoak},
	{name: "changes-month", path: "/changes/2026-11/", like: "changes"},
	{name: "changes-event", path: "/changes/event-updated/", like: "changes"},
	{name: "categories", path: "/categories/"},
	{name: "category", path: "/categories/ml-frameworks/"},
	{name: "providers", path: "/providers/"},
	{name: "provider", path: "/providers/google/"},
	{name: "tags", path: "/tags/", like: "providers"},
	{name: "tag", path: "/tags/python/", like: "provider"},
	{name: "capabilities", path: "/capabilities/", like: "providers"},
	{name: "capability", path: "/capabilities/gpu/", like: "provider"},
	{name: "list", path: "/tools/", keyboard: inTest},
	{name: "list-models", path: "/models/", like: "list"},
	{name: "list-further", path: "/tools/page-2/", at: served, like: "list"},
	{name: "list-filtered", path: "/models/?modality=image&minContext=200k&maxInput=%241,5&sort=-input", at: served, like: "list"},
	{name: "list-wrong", path: "/models/?name=nobody&minContext=big", at: served, like: "list"},
	{name: "entity-at", path: "/tool/pytorch/at-" + daysAgo(10) + "/", at: served},
	{name: "history", path: "/tool/pytorch/history/", at: served},
	{name: "values-further", path: "/tags/all/part-2/", at: served, like: "providers"},
	{name: "scoring", path: "/docs/scoring/"},
	{name: "data", path: "/data/", keyboard: inSoak},
	{name: "docs", path: "/docs/"},
	{name: "guide", path: "/docs/agents/", like: "docs"},
	{name: "submit", path: "/submit/", at: twice, keyboard: inTest},
	{name: "correct", path: "/submit/?e=tool/pytorch", at: served, keyboard: inSoak, like: "submit"},
	{name: "correct-checked", path: "/submit/?e=tool/pytorch", at: served, do: typed("version", "99.1"), until: `document.querySelector('[data-text]').textContent.includes('99.1')`, like: "submit-complete"},
	{name: "correct-wrong", path: "/submit/?e=tool/pytorch", at: served, do: typed("url", "pytorch.org"), until: `document.querySelector('[aria-invalid=true]')`, like: "submit-wrong"},
	{name: "submit-wrong", path: "/submit/", at: served, do: typed("name", "PyTorch", "url", "pytorch.org"), until: `document.querySelector('[aria-invalid=true]') && document.querySelector('[data-likes] a')`},
	{name: "submit-complete", path: "/submit/", at: served, do: typed(complete...), until: `document.querySelector('[data-text]').textContent.includes('pola-rs')`},
	{name: "compare-suggesting", path: "/compare/?e=tool/pytorch", at: twice, do: `{ const e = document.querySelector('#add'); e.focus(); e.value = 'tens'; e.dispatchEvent(new Event('input', {bubbles: true})) }`, until: `document.querySelector('[data-suggestions]:not([hidden]) a')`},
	{name: "not-found", path: "/tool/pytrch/", at: served, status: http.StatusNotFound},
	{name: "nowhere", path: "/leaderbords/", at: served, status: http.StatusNotFound, like: "not-found"},
	{name: "nowhere-file", path: "/404.html", at: filed},
	{name: "gone", path: "/" + goneTool + "/", status: http.StatusGone, like: "not-found"},
	{name: "signin", path: "/signin", at: served},
	{name: "developers", path: "/developer/", at: twice},
	{name: "key-made", path: "/developer/", at: served, signedIn: true, do: sent("/developer/keys/", "name", "laptop"), until: `/kx_[0-9A-Za-z]{38}/.test(document.body.textContent)`},
	{name: "webhook-made", path: "/developer/webhooks/", at: served, signedIn: true, do: sent("/developer/webhooks/", "url", "RECEIVER/more"), until: `document.body.textContent.includes('whsec_')`, like: "key-made"},
	{name: "webhook-refused", path: "/developer/webhooks/", at: served, signedIn: true, do: sent("/developer/webhooks/", "url", "http://127.0.0.1/"), until: `document.querySelector('[role=alert], [aria-invalid=true]')`, like: "webhooks"},
	{name: "webhooks", path: "/developer/webhooks/", at: served, signedIn: true},
	{name: "webhook", path: "/developer/webhooks/WEBHOOK/", at: served, signedIn: true},
	{name: "webhook-delete", path: "/developer/webhooks/WEBHOOK/delete/", at: served, signedIn: true, like: "key-revoke"},
	{name: "submission", path: "/developer/submissions/SUBMISSION/", at: served, signedIn: true},
	{name: "key-revoke", path: "/developer/keys/KEY/revoke/", at: served, signedIn: true},
	{name: "submissions", path: "/developer/submissions/", at: served, signedIn: true},
	{name: "audit-log", path: "/developer/log/", at: served, signedIn: true},
	{name: "developer", path: "/developer/", at: served, signedIn: true, keyboard: inTest},
}

// daysAgo returns a day in the form used in URLs.
func daysAgo(n int) string { return edgetest.Today().AddDate(0, 0, -n).Format(time.DateOnly) }

// kinds returns the kinds in the table, with the day filled in.
func (w *website) kinds(t testing.TB) []kind {
	t.Helper()
	d := w.get(t, "/leaderboards/ml-frameworks/", false)
	day := regexp.MustCompile(`/at-(\d{4}-\d\d-\d\d)/`).FindSubmatch(d.body)
	if day == nil {
		t.Error("the leaderboard links to no earlier day")
		return kinds
	}
	list := slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return !k.on(w) })
	for i := range list {
		list[i].path = strings.Replace(list[i].path, "DAY", string(day[1]), 1)
		list[i].path = w.named(list[i].path)
		if w.static() {
			list[i].status = 0 // a static site serves such a page with status 200; only its text shows the actual status
		}
	}
	return list
}

// named replaces the placeholders in a path of the table with the website's IDs.
func (w *website) named(path string) string {
	for stands, id := range w.ids {
		path = strings.Replace(path, stands, id, 1)
	}
	return path
}

// there reports whether the page has the expected status. Missing pages are reported by
// TestWebsite/crawl.
func (w *website) there(t *testing.T, k kind) bool {
	t.Helper()
	d := w.get(t, k.path, k.signedIn)
	return d.status == cmp.Or(k.status, http.StatusOK)
}

// choices lists the prefixes of path segments that select a view of a page.
var choices = []string{"at", "by", "category", "event", "page", "part", "sort", "type", "window"}

// shape returns what the paths of all pages of a kind have in common.
func shape(path string) string {
	path, query, _ := strings.Cut(path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, p := range parts {
		name, _, chosen := strings.Cut(p, "-")
		switch {
		case i == 0:
		case chosen && slices.Contains(choices, name) && (i > 1 || slices.Contains([]string{"changes", "trending", "prices", "models", "tools"}, parts[0])):
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

// base returns the first segment of a path, and how many of the remaining segments are not
// choices.
func base(path string) string {
	path, _, _ = strings.Cut(shape(path), "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return slices.Contains(choices, p) }), "/")
}

// checkKinds fails if a page of an unknown kind was found.
func (w *website) checkKinds(t *testing.T, met []string) {
	t.Helper()
	known := map[string]bool{}
	for _, k := range w.kinds(t) {
		known[base(k.path)] = true
	}
	for _, path := range met {
		if b := base(path); !known[b] {
			known[b] = true
			t.Errorf("%s is of an unknown kind; add it to the table of kinds", path)
		}
	}
}
