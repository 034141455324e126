package audit_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/exports"
)

// This file checks what only the scripts of a static site do: they search, compare and sort.

// sameTable is a script that returns the differences between the comparison on the page and that
// of a page with the given text.
const sameTable = `(text => {
  const page = new DOMParser().parseFromString(text, 'text/html');
  const read = d => [...d.querySelectorAll('table[data-comparison] tr')].map(r => [r.dataset.field, 'same' in r.dataset, ...[...r.cells].map(c =>
    [c.tagName, c.className, c.colSpan, c.scope, c.dataset.key, c.textContent.replace(/\s+/g, ' ').trim(), [...c.querySelectorAll('a')].map(a => a.getAttribute('href').replace(location.origin, '')).join(' '),
      c.querySelector('.bar-fill')?.getAttribute('width')].join('|'))].join(' ‖ '));
  const want = read(page), got = read(document);
  if (!want.length) return 'the edge shows no table';
  if (document.querySelector('h1').textContent !== page.querySelector('h1').textContent) return document.querySelector('h1').textContent;
  for (let i = 0; i < Math.max(want.length, got.length); i++) if (want[i] !== got[i]) return 'shows ' + got[i] + ' where the edge shows ' + want[i];
  return '';
})(%s)`

// comparesAlike checks that the script of a static site shows the same comparisons as an edge, those of an index of
// kinds of its own too.
func (w *website) comparesAlike(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	edgetest.Build(t, suite.Workshop(t), out)
	own := file(t, out)
	own.alike(t, own.open(t, desktop, false), out, [][]string{
		{"glaze/celadon", "glaze/tenmoku", "glaze/majolica"}, {"kiln/large", "kiln/small"}, {"material/feldspar", "material/silica", "material/whiting"}, {"glaze/celadon", "kiln/large"},
	})
	withdrawn, unranked := someEntities(t, part.build(t))
	tab := w.open(t, desktop, false)
	w.alike(t, tab, part.build(t), [][]string{
		{"tool/pytorch", "tool/tensorflow", withdrawn}, {unranked, "tool/flax-nnx"}, {"tool/keras"},
		{"model/priced", "model/priced-old", "model/priced-3", "tool/priced-kit"},
	})
	facts := eval[string](t, tab, `document.querySelector('[data-comparison] [data-group=facts]').textContent`)
	for _, want := range []string{"$2.00 input, $10.00 output", "Successor", "31 Dec 2026", "Archived", "671B", "37B"} {
		suite.Contains(t, facts, want)
	}
	tab.CheckQuiet(t, w.URL)
	// Unknown entities are reported.
	w.reach(t, tab, kind{path: "/compare/?e=tool/kras&e=tool/keras", until: compared(1) + ` && document.querySelector('.compare-notice')`})
}

// alike compares comparisons of the static site of a build with those of an edge.
func (w *website) alike(t *testing.T, tab *browser.Tab, out string, comparisons [][]string) {
	served := edgetest.Start(t, edge.Options{Dir: out})
	other := &website{Edge: served, URL: served.URL}
	for _, keys := range comparisons {
		path := "/compare/?e=" + strings.Join(keys, "&e=")
		w.reach(t, tab, kind{path: path, until: compared(len(keys))})
		text := suite.Must(json.Marshal(string(other.get(t, path, false).body)))(t)
		suite.Equal(t, eval[string](t, tab, sameTable, text), "", keys)
	}
}

// someEntities returns an entity that was withdrawn and one without a score.
func someEntities(t *testing.T, out string) (withdrawn, unranked string) {
	t.Helper()
	b := suite.Must(exports.OpenCurrent(out))(t)
	defer b.Close()
	for o := range uint32(b.Len()) {
		e := b.Entity(o)
		if e.Status == "withdrawn" {
			withdrawn = e.Key()
		}
		if !e.Scores.Composite.Known() && len(e.Signals.Facts) > 0 {
			unranked = e.Key()
		}
	}
	if withdrawn == "" || unranked == "" {
		t.Fatalf("withdrawn %q, without a score %q", withdrawn, unranked)
	}
	return withdrawn, unranked
}

// sortsRows sorts the rows of a leaderboard on a phone, and opens another one with the menu of
// categories.
func (w *website) sortsRows(t *testing.T) {
	tab := w.open(t, phone, false)
	tab.Do(t, chromedp.Navigate(w.URL+"/leaderboards/ml-frameworks/"), chromedp.Evaluate[chromedp.Void](`{ const menu = document.querySelector('.phone-sort select'); menu.value = [...menu.options].find(o => o.textContent === 'Freshness').value; menu.dispatchEvent(new Event('change')) }`))
	sorted := eval[[]int](t, tab, `[...document.querySelectorAll('.list td[data-score=freshness]')].filter(c => c.checkVisibility()).map(c => Number(c.dataset.value))`)
	for i := range sorted {
		if len(sorted) < 20 || i > 0 && sorted[i] > sorted[i-1] {
			t.Fatalf("rows sorted by freshness show %v", sorted)
		}
	}
	if by := eval[string](t, tab, `[...document.querySelectorAll('[aria-sort]')].map(h => h.dataset.score + h.getAttribute('aria-sort')).join()`); by != "freshnessdescending" {
		t.Errorf("the sorted heading is %q", by)
	}
	want := eval[string](t, tab, `document.querySelectorAll('.choose:not([data-days]) a')[1].textContent`)
	tab.Do(t, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('.choose:not([data-days]) a')[1].click()`))
	settled(t, tab, `location.pathname != '/leaderboards/ml-frameworks/' && document.querySelector('.page-head .crumbs')`)
	if got := eval[string](t, tab, `document.querySelector('h1').textContent + ' ' + location.pathname`); !strings.Contains(got, want) || !strings.Contains(got, "/leaderboards/") {
		t.Errorf("%s in the menu opens %s", want, got)
	}
	tab.CheckQuiet(t, w.URL)
}

// boundsRequests opens URLs with thousands of filters or of entities to compare, as an attacker
// might to keep a browser busy, and checks that the scripts apply the same limits as an edge.
func (w *website) boundsRequests(t *testing.T) {
	tab := w.open(t, desktop, false)
	var same, other, keys strings.Builder
	for i := range 4000 {
		same.WriteString("&tag=python")
		fmt.Fprintf(&other, "&tag=t%d", i)
		fmt.Fprintf(&keys, "&e=tool/none-%d", i)
	}
	chips := func(query string) string {
		tab.Do(t, chromedp.Navigate(w.URL+"/search/?q=tensor"+query), chromedp.WaitVisible(`.chosen-chip`))
		return eval[string](t, tab, `document.querySelectorAll('.chosen-chip').length + ' ' + document.querySelectorAll('#results > .quiet[role=status]').length`)
	}
	if got := chips(same.String()); got != "1 0" {
		t.Errorf("one tag, 4,000 times: %q, want one chip and no notice", got)
	}
	if got := chips(other.String()); got != "20 1" {
		t.Errorf("4,000 tags: %q, want 20 chips and a notice about the rest", got)
	}
	tab.Do(t, chromedp.Navigate(w.URL+"/compare/?e=tool/pytorch"+keys.String()+"&add="+strings.Repeat("x", 9000)), chromedp.WaitVisible(`#comparison:not([aria-busy]) table`))
	said := eval[string](t, tab, `document.querySelectorAll('.compare-notice').length + ' ' + document.querySelector('#add').value.length`)
	if said != "17 100" { // 15 unknown entities, the note that more were requested, and the name to add
		t.Errorf("4,001 to compare: %q", said)
	}
	w.searchesOddWords(t, tab)
}

// searchesOddWords filters the search by the names of properties that every JavaScript object
// has. TestHostile searches for markup.
func (w *website) searchesOddWords(t *testing.T, tab *browser.Tab) {
	t.Helper()
	before := len(tab.Said())
	for _, word := range []string{"constructor", "__proto__"} {
		query := "category=" + word + "&type=" + word + "&sort=" + word + "&q=" + word
		tab.Do(t, chromedp.Navigate(w.URL+"/search/?"+query), chromedp.WaitVisible(`.chosen-chip`))
		said := eval[string](t, tab, `[...document.querySelectorAll('.chosen-chip')].map(e => e.textContent.replace(' ×', '')).join('|') + '|' +
			document.querySelectorAll('[aria-current]:not(header *)').length`)
		// No sort order is selected if nothing was found.
		if want := word + "|" + word + "|0"; said != want {
			t.Errorf("filtered by %s: %q, want %q", word, said, want)
		}
	}
	if said := tab.Said()[before:]; len(said) > 0 {
		t.Errorf("the console shows %q", said)
	}
}
