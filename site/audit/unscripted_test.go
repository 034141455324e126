package audit_test

import (
	"context"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
)

// withoutScripts disables the scripts of pages. Tests can still run scripts through the
// debugger.
var withoutScripts = chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
	_, err := cdp.Call(ctx, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
})

// findByForm finds PyTorch by a misspelt name, and filters the results with a link that
// shows how many will be left.
func (v *visitor) findByForm() {
	v.tab.Do(v, chromedp.SendKeys(`#find`, "pytrch"))
	v.follow("/search/?q=pytrch", browser.Press(kb.Enter))
	suite.Equal(v, v.text(`#results .hits a.row-name`), "PyTorch", "the first result")
	const link = `.facets a[href*="category=ml-frameworks"]`
	v.tab.Do(v, chromedp.Click(`.facets summary`))
	count := v.text(link + ` + .num`)
	v.follow("/search/?category=ml-frameworks&q=pytrch", chromedp.Click(link))
	if says, chosen := v.text(`.results-count`), v.text(`.chosen-chip bdi`); count == "" || !strings.HasPrefix(says, count+" result") || chosen == "" {
		v.Errorf("the link shows %q; the page shows %q, filtered by %q", count, says, chosen)
	}
	v.follow("/tool/pytorch/", chromedp.Click(`.hits a[href="/tool/pytorch/"]`))
}

// findByCategory opens the search page of a static site, which states that searching needs
// scripts, and follows the links that the page offers instead.
func (v *visitor) findByCategory() {
	v.tab.Do(v, chromedp.SendKeys(`#find`, "pytrch"))
	v.follow("/search/?q=pytrch", browser.Press(kb.Enter))
	v.toldOfScripts("Searching")
	v.follow("/categories/", chromedp.Click(`noscript a[href="/categories/"]`))
	v.follow("/categories/ml-frameworks/", chromedp.Click(`main a[href="/categories/ml-frameworks/"]`))
	v.follow("/tool/pytorch/", chromedp.Click(`main a[href="/tool/pytorch/"]`))
}

// standBeside opens the comparison page of a static site, which states that comparing needs
// scripts, and follows its link to the leaderboards.
func (v *visitor) standBeside() {
	v.follow("/compare/?e=tool/pytorch&e=", chromedp.Click(`#alternatives a[href*="/compare/"]`))
	v.toldOfScripts("Comparing")
	v.follow("/leaderboards/", chromedp.Click(`noscript a[href="/leaderboards/"]`))
	v.follow("/leaderboards/ml-frameworks/", chromedp.Click(`main a[href="/leaderboards/ml-frameworks/"]`))
	if now := v.standing(); !slices.Contains(now.Keys, "tool/pytorch") {
		v.Errorf("%s has %q", now.Path, now.Keys)
	}
}

// toldOfScripts checks that the page visibly states that something needs scripts.
func (v *visitor) toldOfScripts(what string) {
	v.Helper()
	if says := v.text(`main noscript`); !strings.HasPrefix(says, what) || !strings.Contains(says, "needs JavaScript") {
		v.Errorf("the page shows %q", says)
	}
}

// addByForm adds a third entity to a comparison by typing the entity's name.
func (v *visitor) addByForm(keys []string) {
	v.tab.Do(v, chromedp.SendKeys(`#add`, "keras"))
	v.follow("/compare/?e=tool/pytorch&e="+keys[1]+"&add=keras", browser.Press(kb.Enter))
	got := browser.Eval[[]string](v, v.tab, `[...document.querySelectorAll('[data-comparison] thead th[data-key]')].map(e => e.dataset.key)`)
	if want := append(slices.Clone(keys), "tool/keras"); !slices.Equal(got, want) {
		v.Errorf("the comparison shows %q, want %q", got, want)
	}
}

func (v *visitor) text(selector string) string {
	v.Helper()
	return browser.Eval[string](v, v.tab, `document.querySelector(%q).innerText.trim()`, selector)
}

// lookAtAll uses a phone to open pages, with and without an edge behind them. Each must be readable
// and contain nothing that needs scripts. On a static site, it opens those that an edge renders
// differently.
func (v *visitor) lookAtAll() {
	const paper = `getComputedStyle(document.body).backgroundColor`
	light := browser.Eval[string](v, v.tab, paper)
	v.tab.Do(v, chromedp.EmulateViewport(phone, 844), browser.Prefers("prefers-color-scheme", "dark"))
	if dark := browser.Eval[string](v, v.tab, paper); dark == light {
		v.Errorf("with a dark system, the page also has %s", dark)
	}
	paths := []string{"/search/?q=pytrch", "/compare/", "/prices/", "/submit/", "/developer/"}
	if v.served || suite.Soaking() {
		paths = append(paths, "/search/", "/trending/", "/providers/", "/tags/python/", "/data/", "/docs/", "/docs/scoring/")
		paths = append(paths, v.seen...)
	}
	for _, path := range paths {
		v.tab.Load(v, chromedp.Navigate(v.base+path))
		for _, wide := range v.tab.Overflowing(v) {
			v.Errorf("%s: overflowing the window: %s", path, wide)
		}
		waiting(v, v.tab, path)
	}
	v.tab.Do(v, chromedp.EmulateViewport(desktop, height), browser.Prefers("prefers-color-scheme", "light"))
}
