package pages_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
	"kindex/site/pages"
)

// bothSites serves the static site of a build at the root, and the pages of an edge under
// /edge/.
func bothSites(t *testing.T, out string) (static, edge *pages.Site, address string) {
	t.Helper()
	static, edge = siteOf(t, out, pages.Options{Static: true}), siteOf(t, out, pages.Options{Root: "/edge/"})
	serve := func(s *pages.Site) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", pages.Policy)
			if a, ok := pages.Asset(strings.TrimPrefix(r.URL.Path, "/assets/")); ok {
				w.Header().Set("Content-Type", a.MediaType)
				_, _ = w.Write(a.Data)
				return
			}
			a, err := s.Get(pages.Request{Path: r.URL.Path, Query: r.URL.Query()})
			switch {
			case err != nil:
				t.Error(err)
				w.WriteHeader(http.StatusInternalServerError)
			case a.Location != "":
				http.Redirect(w, r, a.Location, a.Status)
			default:
				w.Header().Set("Content-Type", a.MediaType)
				w.WriteHeader(a.Status)
				_, _ = w.Write(a.Body)
			}
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", serve(static))
	mux.Handle("/edge/", http.StripPrefix("/edge", serve(edge)))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return static, edge, server.URL
}

// sameTable returns the differences between the comparison on the page and that of the
// edge.
const sameTable = `(async () => {
  const page = new DOMParser().parseFromString(await (await fetch('/edge/compare/' + location.search)).text(), 'text/html');
  const read = d => [...d.querySelectorAll('table[data-comparison] tr')].map(r => [r.dataset.field, 'same' in r.dataset, ...[...r.cells].map(c =>
    [c.tagName, c.className, c.colSpan, c.scope, c.dataset.key, c.textContent.replace(/\s+/g, ' ').trim(), [...c.querySelectorAll('a')].map(a => a.getAttribute('href').replace(location.origin, '').replace('/edge/', '/')).join(' '),
      c.querySelector('.bar-fill')?.getAttribute('width')].join('|'))].join(' ‖ '));
  const want = read(page), got = read(document);
  if (!want.length) return 'the edge shows no table';
  if (document.querySelector('h1').textContent !== page.querySelector('h1').textContent) return document.querySelector('h1').textContent;
  for (let i = 0; i < Math.max(want.length, got.length); i++) if (want[i] !== got[i]) return 'shows ' + got[i] + ' where the edge shows ' + want[i];
  return '';
})()`

// TestComparisonOfStaticSite checks that the script of a static site shows the same
// comparisons as the edge.
func TestComparisonOfStaticSite(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	static, _, address := bothSites(t, pastBuild(t))
	tab := browser.Open(t, 1200, 900)
	var withdrawn, unranked string
	for o := range uint32(static.Build.Len()) {
		e, err := static.Build.Entity(o)
		if err != nil {
			t.Fatal(err)
		}
		if e.Status == "withdrawn" {
			withdrawn = e.Key()
		}
		if !e.Scores.Composite.Known() && len(e.Signals.Facts) > 0 {
			unranked = e.Key()
		}
	}
	for _, keys := range [][]string{
		{"model/claude-opus-4-7", "model/gpt-5-5", "model/claude-opus-4-5", "model/claude-opus-4-6"},
		{"tool/pytorch", "tool/tensorflow", withdrawn}, {unranked, "tool/scipy"}, {"tool/scipy"},
	} {
		tab.Do(t, chromedp.Navigate(address+"/compare/?e="+strings.Join(keys, "&e=")), chromedp.WaitVisible(`table[data-comparison]`))
		if differs := browser.Run(t, tab, chromedp.Evaluate[string](sameTable, chromedp.EvalAwaitPromise)); differs != "" {
			t.Errorf("%v: %s", keys, differs)
		}
	}
	// Add a suggested name with the keyboard only, and hide equal rows.
	tab.Do(t, chromedp.SendKeys(`#add`, "pytor"), chromedp.WaitVisible(`.suggestions a`), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter),
		chromedp.WaitVisible(`th[data-key="tool/pytorch"]`), chromedp.Click(`.differences input`))
	if hidden := browser.Run(t, tab, chromedp.Evaluate[bool](`[...document.querySelectorAll('[data-comparison] tr[data-field]')].every(r => r.checkVisibility() === !('same' in r.dataset))
		&& document.querySelectorAll('[data-comparison] tr[data-same]').length > 0`)); !hidden {
		t.Error("rows that are the same are not folded, or others are")
	}
	tab.CheckQuiet(t, address)
	// Unknown entities are reported.
	tab.Do(t, chromedp.Navigate(address+"/compare/?e=tool/scipi&e=tool/scipy"), chromedp.WaitVisible(`.compare-notice`), chromedp.WaitVisible(`table[data-comparison]`))
}

// TestBoardsInBrowser tests the slider for days, using the keyboard, the menu of categories,
// and the sorting of rows on a static site.
func TestBoardsInBrowser(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	static, edge, address := bothSites(t, pastBuild(t))
	tab := browser.Open(t, 390, 800)
	days := edge.Build.Archive().Snapshots()
	at := "at-" + days[len(days)-3] + "/"
	for _, site := range []string{"/edge", ""} {
		tab.Do(t, chromedp.Navigate(address+site+"/leaderboards/all/"), chromedp.Focus(`input[type=range]`), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft),
			chromedp.WaitVisible(`.past-note`))
		got := browser.Run(t, tab, chromedp.Evaluate[string](`location.pathname + ' ' + document.activeElement.type + ' ' + document.activeElement.getAttribute('aria-valuetext') + ' ' + document.querySelector('.slider output').textContent`))
		day := browser.Run(t, tab, chromedp.Evaluate[string](`document.querySelector('.past-note strong').textContent.replace('As of ', '').replace('.', '')`))
		if want := fmt.Sprintf("%s/leaderboards/all/%s range %s %s", site, at, day, day); got != want {
			t.Errorf("two steps to the left open %q, want %q", got, want)
		}
		tab.Do(t, chromedp.Click(`.past-note a`), chromedp.WaitNotPresent(`.past-note`), chromedp.WaitVisible(`.slider`))
		if beyond := browser.Run(t, tab, chromedp.Evaluate[int](`document.documentElement.scrollWidth - innerWidth`)); beyond > 0 {
			t.Errorf("%s: the page is %d pixels wider than a phone", site, beyond)
		}
	}
	tab.Do(t, chromedp.Evaluate[chromedp.Void](`{ const menu = [...document.querySelectorAll('.chooser select')].at(-1); menu.value = 'freshness'; menu.dispatchEvent(new Event('change')) }`))
	sorted := browser.Run(t, tab, chromedp.Evaluate[[]int](`[...document.querySelectorAll('.board td[data-score=freshness]')].filter(c => c.checkVisibility()).map(c => Number(c.dataset.value))`))
	for i := range sorted {
		if len(sorted) != 50 || i > 0 && sorted[i] > sorted[i-1] {
			t.Fatalf("rows sorted by freshness show %v", sorted)
		}
	}
	if by := browser.Run(t, tab, chromedp.Evaluate[string](`[...document.querySelectorAll('[aria-sort]')].map(h => h.dataset.score + h.getAttribute('aria-sort')).join()`)); by != "freshnessdescending" {
		t.Errorf("the sorted heading is %q", by)
	}
	tab.Do(t, chromedp.Evaluate[chromedp.Void](`{ const menu = document.querySelector('.chooser select'); menu.selectedIndex = 1; menu.dispatchEvent(new Event('change')) }`),
		chromedp.WaitVisible(`.page-head .crumbs`))
	if got, want := browser.Run(t, tab, chromedp.Location()), address+"/leaderboards/"+static.Categories[0].Slug+"/"; got != want {
		t.Errorf("the first category of the menu opens %s, want %s", got, want)
	}
	tab.CheckQuiet(t, address)
}
