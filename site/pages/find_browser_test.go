package pages_test

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/site/pages"
)

// TestSearchOfStaticSiteByOddWords narrows the search of a static site down by words
// that every object of JavaScript has a value of.
func TestSearchOfStaticSiteByOddWords(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	t.Parallel()
	if !pages.Searchable() {
		if os.Getenv("CI") != "" {
			t.Fatal("MiniSearch is needed: make site/pages/npm/minisearch.js")
		}
		t.Skip("NOT RUN: there is no MiniSearch; make site/pages/npm/minisearch.js fetches it")
	}
	_, _, address := bothSites(t, edgetest.Built(t))
	tab := browser.Open(t, 1200, 900)
	for _, word := range []string{"constructor", "toString", "__proto__", "<img src=x>", "javascript:alert(1)"} {
		query := "category=" + word + "&type=" + word + "&sort=" + word + "&q=" + word
		tab.Do(t, chromedp.Navigate(address+"/search/?"+query), chromedp.WaitVisible(`.chosen-chip`))
		said := browser.Run(t, tab, chromedp.Evaluate[string](`[...document.querySelectorAll('.chosen-chip')].map(e => e.textContent.replace(' ×', '')).join('|') + '|' +
			document.querySelectorAll('[aria-current]:not(header *)').length + document.querySelectorAll('main img').length`))
		// The type begins with a capital letter, and no order is chosen where nothing is found.
		if want := strings.ToUpper(word[:1]) + word[1:] + "|" + word + "|00"; said != want {
			t.Errorf("narrowed down by %s: %q, want %q", word, said, want)
		}
	}
	tab.CheckQuiet(t, address)
}
