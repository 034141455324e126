package audit_test

import (
	"bytes"
	"context"
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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
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

// withAxe loads axe-core into every page that a tab opens from now on. The browser's debugger can do
// this regardless of a page's Content-Security-Policy, and sends and compiles the script only once.
func withAxe(t testing.TB, tab *browser.Tab) {
	t.Helper()
	script, err := axe()
	if errors.Is(err, fs.ErrNotExist) {
		suite.Missing(t, "axe-core")
	}
	suite.Check(t, err)
	tab.Do(t, chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
}

// fewerRows is a script that shortens lists, tables, menus and charts. make test runs it before
// axe, because templates render all rows in the same way.
const fewerRows = `for (const e of document.querySelectorAll('main tbody > tr:nth-child(n+5), main :is(ul, ol) > li:nth-child(n+5), main dl > :nth-child(n+9), main option:nth-child(n+5), main svg > :nth-child(n+9)')) e.remove()`

// The rules that axe checks on a page.
const (
	allRules  = `{type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}`
	contrasts = `{type: 'rule', values: ['color-contrast']}`
)

// violations returns axe's findings: each violated rule, with the elements that violate it. If
// whole is false, axe does not check the header and the footer, which all pages share.
func violations(t testing.TB, tab *browser.Tab, whole bool, rules string) []string {
	t.Helper()
	except := ""
	if !whole {
		except = `{exclude: [['header.top'], ['footer.foot']]}, `
	}
	return eval[[]string](t, tab, "%s", `axe.run(`+except+`{runOnly: `+rules+`, resultTypes: ['violations'], preload: false}).then(r => r.violations.flatMap(v =>
  v.nodes.slice(0, 4).map(n => v.id + ' (' + v.help + '): ' + n.html.slice(0, 160) + ' – ' + n.any.concat(n.all, n.none).map(c => c.message).join('; ').slice(0, 240))))`)
}

// looks opens every kind of page in narrow and wide windows, in light and dark. It checks
// that axe finds nothing, that nothing overflows the window, that the console is empty,
// and that the page contacts no other host. At the end, it checks that these checks find faults.
func (w *website) looks(t *testing.T) {
	for _, signedIn := range w.people() {
		l := w.looker(t, signedIn)
		for _, k := range w.kinds(t) {
			if k.signedIn == signedIn && !w.passedOver(k) && w.there(t, k) {
				l.look(t, k)
			}
		}
		if signedIn {
			l.findsFaults(t)
		}
	}
}

// looker looks at pages in a tab.
type looker struct {
	*website
	tab   *browser.Tab
	views []view
}

// looker opens a tab with the first of its views. Except in make soak, there are two, which cover
// both widths and both colour schemes.
func (w *website) looker(t *testing.T, signedIn bool) *looker {
	t.Helper()
	l := &looker{w, w.open(t, desktop, signedIn), suite.Pick([]view{{desktop, "light"}, {phone, "dark"}},
		[]view{{desktop, "light"}, {desktop, "dark"}, {phone, "dark"}, {phone, "light"}})}
	l.views[0].set(t, l.tab)
	withAxe(t, l.tab)
	return l
}

// movingScript lists elements with animations or transitions.
const movingScript = `document.getAnimations().map(a => a.effect?.target?.outerHTML?.slice(0, 120) ?? 'something').concat(
  [...document.querySelectorAll('*')].filter(e => ['', '::before', '::after'].some(part => {
    const s = getComputedStyle(e, part || null)
    return Math.max(...s.transitionDuration.split(',').map(parseFloat)) > 0 || s.animationName !== 'none' || s.scrollBehavior === 'smooth'
  })).slice(0, 3).map(e => e.outerHTML.slice(0, 120)))`

// view describes a window in which a page is checked.
type view struct {
	width  int64
	scheme string
}

// passedOver reports whether this run skips a kind. Except in make soak, it skips pages that are like
// others, unless scripts change them, and a static site's pages that look the same on an edge.
func (w *website) passedOver(k kind) bool {
	return (k.like != "" && (k.until == "" || w.static()) || w.static() && k.at == alike) && !suite.Soaking()
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
	d.url = suite.Must(url.Parse(page.Address))(t)
	d.root = suite.Must(html.Parse(bytes.NewReader(d.body)))(t)
	return d
}

func (v view) set(t testing.TB, tab *browser.Tab) {
	t.Helper()
	tab.Do(t, chromedp.EmulateViewport(v.width, height), likes("prefers-color-scheme", v.scheme, "prefers-reduced-motion", "reduce"))
}

// look opens one page in the current view and goes through the other views. Setting a view is as
// dear as loading a page, so the next page is opened in the last view. axe checks a page in that
// view and, in make soak, in all views. A page that is like another kind is checked in the current
// view only, and axe checks it in make soak.
func (l *looker) look(t *testing.T, k kind) {
	before, asked := len(l.tab.Said()), len(l.tab.Requests())
	l.reach(t, l.tab, k)
	if k.until != "" { // the crawl checks the page as it was sent; look checks it after its scripts have changed it
		for _, f := range l.rendered(t, l.tab).faults() {
			t.Errorf("%s, as rendered by scripts: %s", k.name, f)
		}
	}
	l.tab.Do(t, chromedp.Evaluate[chromedp.Void](unfold))
	views := l.views
	if k.like != "" {
		views = suite.Pick(views[:1], views)
	}
	for i, v := range views {
		if i > 0 {
			v.set(t, l.tab)
		}
		for _, wide := range l.tab.Overflowing(t) {
			t.Errorf("%s, %d wide: overflowing the window: %s", k.name, v.width, wide)
		}
		if suite.Soaking() {
			l.judge(t, k, v)
		}
	}
	slices.Reverse(views)
	if !suite.Soaking() && k.like == "" {
		l.tab.Do(t, chromedp.Evaluate[chromedp.Void](fewerRows))
		l.judge(t, k, l.views[0])
	}
	for _, said := range l.tab.Said()[before:] {
		if k.status == 0 && k.do == "" && !(k.lacks && l.static()) || !strings.Contains(said, "Failed to load resource") { // an error response for the page itself
			t.Errorf("%s: the console shows %s", k.name, said)
		}
	}
	for _, asked := range l.tab.Requests()[asked:] {
		if _, address, _ := strings.Cut(asked, " "); !strings.HasPrefix(address, l.URL+"/") && !strings.HasPrefix(asked, "GET data:") && asked != "GET about:blank" {
			t.Errorf("%s: the page requests %s", k.name, asked)
		}
	}
}

// judge checks that axe finds nothing on the current page, and that nothing on it moves.
func (l *looker) judge(t *testing.T, k kind, v view) {
	t.Helper()
	for _, moving := range eval[[]string](t, l.tab, "%s", movingScript) {
		t.Errorf("%s: %s moves despite reduced motion", k.name, moving)
	}
	for _, wrong := range violations(t, l.tab, k.path == "/" || suite.Soaking(), allRules) {
		t.Errorf("%s, %s, %d wide: %s", k.name, v.scheme, v.width, wrong)
	}
}

// findsFaults checks that axe and the other checks for pages detect faults.
func (l *looker) findsFaults(t *testing.T) {
	tab := l.tab
	tab.Do(t, likes("prefers-reduced-motion", "no-preference"), chromedp.Navigate(l.URL+"/"), chromedp.Evaluate[chromedp.Void](`{
  const main = document.querySelector('main')
  for (const [name, set] of [['img', e => e.src = 'data:,'], ['button', e => e.className = 'x'], ['p', e => { e.textContent = 'faint'; e.style.color = '#ddd'; e.style.background = '#fff' }], ['div', e => { e.style.width = '2000px'; e.style.height = '1px' }]]) {
    const e = document.createElement(name); set(e); main.append(e)
  }
}`))
	found := strings.Join(violations(t, tab, true, allRules), "\n")
	for _, rule := range []string{"image-alt", "button-name", "color-contrast"} {
		suite.Contains(t, found, rule)
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
