package audit_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
	"kindex/site/pages"
)

// axe is axe-core, installed by npm ci --prefix site. It is required in CI.
var axe = sync.OnceValues(func() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	script, err := os.ReadFile(filepath.Join(filepath.Dir(wd), "node_modules", "axe-core", "axe.min.js"))
	return string(script), err
})

// withAxe loads axe-core into the page. The browser's debugger can do this regardless of the
// page's Content-Security-Policy.
func withAxe(t testing.TB, tab *browser.Tab) {
	t.Helper()
	script, err := axe()
	if errors.Is(err, fs.ErrNotExist) {
		suite.Missing(t, "axe-core")
	}
	if err != nil {
		t.Fatal(err)
	}
	tab.Do(t, chromedp.Evaluate[chromedp.Void](script+";0"))
}

// fewerRows is a script that removes all rows of a list but the first eight. make test runs it
// before axe, because templates render all rows in the same way.
const fewerRows = `for (const e of document.querySelectorAll('main tbody > tr:nth-child(n+9), main ul > li:nth-child(n+9), main ol > li:nth-child(n+9)')) e.remove()`

// violations returns axe's findings: each violated rule, with the elements that violate it.
func violations(t testing.TB, tab *browser.Tab) []string {
	t.Helper()
	return eval[[]string](t, tab, "%s", `axe.run({runOnly: {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}, resultTypes: ['violations'], preload: false}).then(r => r.violations.flatMap(v =>
  v.nodes.slice(0, 4).map(n => v.id + ' (' + v.help + '): ' + n.html.slice(0, 160) + ' – ' + n.any.concat(n.all, n.none).map(c => c.message).join('; ').slice(0, 240))))`)
}

// looks opens every kind of page in narrow and wide windows, in light and dark. It checks
// that axe finds nothing, that nothing overflows the window, that the console is empty,
// and that the page contacts no other host.
func (w *website) looks(t *testing.T) {
	const tabs = 2
	for part := range tabs {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for _, signedIn := range w.people() {
				tab := w.open(t, desktop, signedIn)
				for i, k := range w.kinds(t) {
					if k.signedIn == signedIn && i%tabs == part && !w.passedOver(k) && w.there(t, k) {
						w.look(t, tab, k, i)
					}
				}
			}
		})
	}
}

// movingScript lists elements with animations or transitions.
const movingScript = `document.getAnimations().map(a => a.effect?.target?.outerHTML?.slice(0, 120) ?? 'something').concat(
  [...document.querySelectorAll('*')].filter(e => ['', '::before', '::after'].some(part => {
    const s = getComputedStyle(e, part || null)
    return Math.max(...s.transitionDuration.split(',').map(parseFloat)) > 0 || s.animationName !== 'none' || s.scrollBehavior === 'smooth'
  })).slice(0, 3).map(e => e.outerHTML.slice(0, 120)))`

// view describes a window in which a page is checked, and whether axe checks it there.
type view struct {
	width  int64
	scheme string
	axe    bool
}

// views returns the views of a kind of page. Together they cover both widths and both colour
// schemes. Except in make soak, axe checks a kind in only one view, and the next kind in the other
// one; a static site's pages that use the same templates as an edge have a single view.
func (w *website) views(k kind, i int) []view {
	few := []view{{desktop, "light", i%2 == 0}, {phone, "dark", i%2 == 1}}
	if w.static() && k.at == alike {
		few = []view{{desktop, "light", true}}
	}
	return suite.Pick(few, []view{{desktop, "light", true}, {desktop, "dark", true}, {phone, "dark", true}, {phone, "light", true}})
}

// passedOver reports whether this run skips a kind. Except in make soak, it skips a static
// site's pages that look the same on an edge and have no controls of their own.
func (w *website) passedOver(k kind) bool {
	return w.static() && k.at == alike && !k.keyboard && !suite.Soaking()
}

// people returns the kinds of visitors to a website: signed-out and signed-in.
func (w *website) people() []bool {
	if w.static() {
		return []bool{false}
	}
	return []bool{false, true}
}

// reach opens a page in the state described by its kind.
func (w *website) reach(t testing.TB, tab *browser.Tab, k kind) {
	t.Helper()
	tab.Do(t, chromedp.Navigate(w.URL+k.path))
	if k.do != "" {
		tab.Do(t, chromedp.Evaluate[chromedp.Void](w.named(k.do)))
	}
	if k.until != "" {
		settled(t, tab, k.until)
	}
}

// rendered returns the page in a tab as rendered by its scripts.
func (w *website) rendered(t testing.TB, tab *browser.Tab) *document {
	t.Helper()
	page := eval[struct{ Address, HTML string }](t, tab, `({address: location.href, html: '<!doctype html>' + document.documentElement.outerHTML})`)
	d := &document{status: http.StatusOK, header: http.Header{}, body: []byte(page.HTML), unnamed: w.unnamed}
	if !w.static() { // the policy is in a header, which scripts cannot see
		d.header.Set("Content-Security-Policy", pages.Policy)
	}
	var err error
	if d.url, err = url.Parse(page.Address); err != nil {
		t.Fatal(err)
	}
	if d.root, err = html.Parse(bytes.NewReader(d.body)); err != nil {
		t.Fatal(err)
	}
	return d
}

func (v view) set(t testing.TB, tab *browser.Tab) {
	t.Helper()
	tab.Do(t, chromedp.EmulateViewport(v.width, height), likes("prefers-color-scheme", v.scheme, "prefers-reduced-motion", "reduce"))
}

// look checks one page, which is the kind at index i of a table.
func (w *website) look(t *testing.T, tab *browser.Tab, k kind, i int) {
	before, asked := len(tab.Said()), len(tab.Requests())
	tab.Do(t, chromedp.EmulateViewport(desktop, height), likes("prefers-color-scheme", "light", "prefers-reduced-motion", "reduce"))
	w.reach(t, tab, k)
	if k.until != "" { // the crawl checks the page as it was sent; look checks it after its scripts have changed it
		for _, f := range w.rendered(t, tab).faults() {
			t.Errorf("%s, as rendered by scripts: %s", k.name, f)
		}
	}
	withAxe(t, tab)
	tab.Do(t, chromedp.Evaluate[chromedp.Void](unfold))
	views := w.views(k, i)
	for _, view := range views {
		view.set(t, tab)
		for _, wide := range tab.Overflowing(t) {
			t.Errorf("%s, %d wide: overflowing the window: %s", k.name, view.width, wide)
		}
	}
	if !suite.Soaking() {
		tab.Do(t, chromedp.Evaluate[chromedp.Void](fewerRows))
	}
	for _, view := range views {
		view.set(t, tab)
		for _, moving := range eval[[]string](t, tab, "%s", movingScript) {
			t.Errorf("%s: %s moves despite reduced motion", k.name, moving)
		}
		if !view.axe {
			continue
		}
		for _, v := range violations(t, tab) {
			t.Errorf("%s, %s, %d wide: %s", k.name, view.scheme, view.width, v)
		}
	}
	for _, said := range tab.Said()[before:] {
		if k.status == 0 && k.do == "" && !(k.lacks && w.static()) || !strings.Contains(said, "Failed to load resource") { // an error response for the page itself
			t.Errorf("%s: the console shows %s", k.name, said)
		}
	}
	for _, asked := range tab.Requests()[asked:] {
		if _, address, _ := strings.Cut(asked, " "); !strings.HasPrefix(address, w.URL+"/") && !strings.HasPrefix(asked, "GET data:") && asked != "GET about:blank" {
			t.Errorf("%s: the page requests %s", k.name, asked)
		}
	}
}

// axeLooks checks that axe and the other checks for pages detect faults.
func (w *website) axeLooks(t *testing.T) {
	tab := w.open(t, phone, false)
	tab.Do(t, chromedp.Navigate(w.URL+"/"))
	withAxe(t, tab)
	tab.Do(t, chromedp.Evaluate[chromedp.Void](`{
  const main = document.querySelector('main')
  for (const [name, set] of [['img', e => e.src = 'data:,'], ['button', e => e.className = 'x'], ['p', e => { e.textContent = 'faint'; e.style.color = '#ddd'; e.style.background = '#fff' }], ['div', e => { e.style.width = '2000px'; e.style.height = '1px' }]]) {
    const e = document.createElement(name); set(e); main.append(e)
  }
}`))
	found := strings.Join(violations(t, tab), "\n")
	for _, rule := range []string{"image-alt", "button-name", "color-contrast"} {
		if !strings.Contains(found, rule) {
			t.Errorf("axe does not find %s:\n%s", rule, found)
		}
	}
	tab.Do(t, chromedp.Evaluate[chromedp.Void](`{
  const s = new CSSStyleSheet(); s.replaceSync('footer { transition: color 2s }'); document.adoptedStyleSheets.push(s)
}`))
	if moving := eval[[]string](t, tab, "%s", movingScript); !slices.ContainsFunc(moving, func(m string) bool { return strings.HasPrefix(m, "<footer") }) {
		t.Errorf("found moving elements %q", moving)
	}
	if len(tab.Overflowing(t)) == 0 {
		t.Error("the element wider than the window is not found")
	}
}
