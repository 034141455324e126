package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/site/pages"
)

// filed returns a tab and the URL of a static site, whose scripts search and compare.
func filed(t *testing.T) (*browser.Tab, string) {
	t.Helper()
	suite.InTest(t)
	if !pages.Searchable() {
		suite.NotRun(t, "MiniSearch is missing; make site/pages/npm/minisearch.js fetches it")
	}
	_, _, address := bothSites(t, edgetest.Built(t))
	return browser.Open(t, 1200, 900), address
}

// TestStaticSiteAskedForTooMuch opens URLs with thousands of filters or of entities to
// compare, as an attacker might to keep a browser busy, and checks that the scripts apply
// the same limits as the server.
func TestStaticSiteAskedForTooMuch(t *testing.T) {
	t.Parallel()
	tab, address := filed(t)
	var same, other, keys strings.Builder
	for i := range 4000 {
		same.WriteString("&tag=python")
		fmt.Fprintf(&other, "&tag=t%d", i)
		fmt.Fprintf(&keys, "&e=tool/none-%d", i)
	}
	chips := func(query string) string {
		tab.Do(t, chromedp.Navigate(address+"/search/?q=tensor"+query), chromedp.WaitVisible(`.chosen-chip`))
		return browser.Run(t, tab, chromedp.Evaluate[string](`document.querySelectorAll('.chosen-chip').length + ' ' + document.querySelectorAll('#results > .quiet[role=status]').length`))
	}
	if got := chips(same.String()); got != "1 0" {
		t.Errorf("one tag, 4,000 times: %q, want one chip and no notice", got)
	}
	if got := chips(other.String()); got != "20 1" {
		t.Errorf("4,000 tags: %q, want 20 chips and a notice about the rest", got)
	}
	tab.Do(t, chromedp.Navigate(address+"/compare/?e=tool/pytorch"+keys.String()+"&add="+strings.Repeat("x", 9000)), chromedp.WaitVisible(`#comparison:not([aria-busy]) table`))
	said := browser.Run(t, tab, chromedp.Evaluate[string](`document.querySelectorAll('.compare-notice').length + ' ' + document.querySelector('#add').value.length`))
	if said != "17 100" { // 15 unknown entities, the note that more were requested, and the name to add
		t.Errorf("4,001 to compare: %q", said)
	}
}

// TestSearchOfStaticSiteByOddWords filters the search of a static site by odd words, such
// as the names of properties that every JavaScript object has.
func TestSearchOfStaticSiteByOddWords(t *testing.T) {
	t.Parallel()
	tab, address := filed(t)
	for _, word := range []string{"constructor", "toString", "__proto__", "<img src=x>", "javascript:alert(1)"} {
		query := "category=" + word + "&type=" + word + "&sort=" + word + "&q=" + word
		tab.Do(t, chromedp.Navigate(address+"/search/?"+query), chromedp.WaitVisible(`.chosen-chip`))
		said := browser.Run(t, tab, chromedp.Evaluate[string](`[...document.querySelectorAll('.chosen-chip')].map(e => e.textContent.replace(' ×', '')).join('|') + '|' +
			document.querySelectorAll('[aria-current]:not(header *)').length + document.querySelectorAll('main img').length`))
		// The type is capitalized, and no sort order is selected if nothing was found.
		if want := strings.ToUpper(word[:1]) + word[1:] + "|" + word + "|00"; said != want {
			t.Errorf("filtered by %s: %q, want %q", word, said, want)
		}
	}
	tab.CheckQuiet(t, address)
}
