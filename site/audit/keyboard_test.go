package audit_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
)

// focused is a script that describes the focused element: its text, its position in the
// document, and whether it and its focus are visible.
const focusedScript = `(async () => {
  const e = document.activeElement
  if (!e || e === document.body || e === document.documentElement) return null
  // Wait for the next frame: by then, the page has scrolled to the element.
  if (e.getBoundingClientRect().bottom > innerHeight || e.getBoundingClientRect().top < 0) await new Promise(requestAnimationFrame)
  const s = getComputedStyle(e), r = e.getBoundingClientRect()
  const ring = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1 && s.outlineColor !== 'transparent'
  const at = document.elementFromPoint(Math.max(r.left, 0) + Math.min(r.width / 2, 20), (Math.max(r.top, 0) + Math.min(r.bottom, innerHeight)) / 2)
  return {at: [...document.querySelectorAll('*')].indexOf(e), html: e.outerHTML.slice(0, 120), ring,
    seen: r.width > 1 && r.height > 1 && r.bottom > 0 && r.top < innerHeight && (e.contains(at) || at?.contains(e) || e.tagName === 'MAIN')}
})()`

// controlsScript lists the controls on a page. Tab reaches one radio button of a group;
// arrow keys reach the others.
const controlsScript = `(() => {
  const all = [...document.querySelectorAll('*')], radios = new Set()
  return all.filter(e => e.matches('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"], audio[controls], iframe')
    && !e.disabled && e.tabIndex >= 0 && e.checkVisibility({visibilityProperty: true}) && !e.closest('[inert]')
    && !(e.type === 'radio' && (radios.has(e.name) || !radios.add(e.name)))).map(e => ({at: all.indexOf(e), html: e.outerHTML.slice(0, 120)}))
})()`

// focus describes the focused element.
type focus struct {
	At   int
	HTML string
	Ring bool
	Seen bool
}

// focusNow returns the focused element, or nil.
func focusNow(t testing.TB, tab *browser.Tab) *focus {
	t.Helper()
	var f *focus
	suite.Check(t, json.Unmarshal(eval[json.RawMessage](t, tab, "%s", focusedScript), &f))
	return f
}

// focusIs checks that the focus is on an element whose tag contains some text, and that it is
// visible except on the main part of a page.
func focusIs(t testing.TB, tab *browser.Tab, want string) {
	t.Helper()
	if f := focusNow(t, tab); f == nil || !strings.Contains(f.HTML, want) || !f.Ring && want != "<main" || !f.Seen {
		t.Errorf("the focus is on %+v, want it on %s", f, want)
	}
}

// maxStops limits how often Tab is pressed.
const maxStops = 500

// byKeyboard checks the kinds of pages that have their own controls. It reaches every control
// with the Tab key and checks that the focus is visible each time. Except in make soak, lists are shortened, and
// the header and the footer, which all pages share, are only on the home page.
func (w *website) byKeyboard(t *testing.T) {
	for _, signedIn := range w.people() {
		tab := w.open(t, desktop, signedIn)
		tab.Do(t, likes("prefers-reduced-motion", "reduce"))
		for _, k := range w.kinds(t) {
			if k.signedIn != signedIn || k.keyboard == noSuite || k.keyboard == inSoak && !suite.Soaking() || w.static() && k.at == alike || !w.there(t, k) {
				continue
			}
			w.reach(t, tab, k)
			if !suite.Soaking() {
				tab.Do(t, chromedp.Evaluate[chromedp.Void](fewerRows+`
					if (location.pathname !== '/') document.querySelectorAll('header.top, footer.foot').forEach(e => e.remove())`))
			}
			tab.Do(t, chromedp.Evaluate[chromedp.Void](`document.activeElement?.blur(); scrollTo(0, 0); getSelection().collapse(document.body, 0)`))
			w.tabThrough(t, tab, k)
		}
	}
}

func (w *website) tabThrough(t *testing.T, tab *browser.Tab, k kind) {
	t.Helper()
	reached := map[int]bool{}
	first, outside := -1, 0 // after the last control, the focus leaves the page and then returns to the top of the page
	for range maxStops {
		tab.Do(t, chromedp.KeyEvent(kb.Tab))
		f := focusNow(t, tab)
		if f == nil {
			if outside++; outside > 2 {
				break
			}
			continue
		}
		if f.At == first {
			break // full circle
		}
		if reached[f.At] {
			continue // another part of the same field, such as the month of a date
		}
		if reached[f.At] = true; first < 0 {
			first = f.At
		}
		if !f.Ring || !f.Seen {
			t.Errorf("%s: focus visible: %t, element visible: %t, on %s", k.name, f.Ring, f.Seen, f.HTML)
		}
	}
	missed := 0
	for _, c := range eval[[]focus](t, tab, "%s", controlsScript) {
		if !reached[c.At] {
			if missed++; missed <= 5 {
				t.Errorf("%s: Tab does not reach %s", k.name, c.HTML)
			}
		}
	}
	if len(reached) < 5 {
		t.Errorf("%s: Tab reaches %d controls", k.name, len(reached))
	}
}

// settled waits until a condition is true on this page or on the next one.
func settled(t testing.TB, tab *browser.Tab, condition string) {
	t.Helper()
	tab.Until(t, `document.readyState === 'complete' && (%s)`, condition)
}

// switchesTheme switches between the light and the dark theme with the keyboard, and checks
// that the choice is kept.
func (w *website) switchesTheme(t *testing.T) {
	tab := w.open(t, phone, false)
	tab.Do(t, likes("prefers-color-scheme", "light"), chromedp.Navigate(w.URL+"/"))
	paper := func() string {
		return eval[string](t, tab, `getComputedStyle(document.body).backgroundColor`)
	}
	light := paper()
	for range 40 {
		tab.Do(t, chromedp.KeyEvent(kb.Tab))
		if f := focusNow(t, tab); f != nil && strings.Contains(f.HTML, `class="theme"`) {
			break
		}
	}
	tab.Do(t, chromedp.KeyEvent(kb.Enter))
	dark := paper()
	tab.Do(t, chromedp.Navigate(w.URL+"/search/"))
	if kept := paper(); kept != dark || dark == light {
		t.Errorf("the page is %s, after switching %s, the next page %s", light, dark, kept)
	}
	tab.Do(t, chromedp.Focus(`.theme`), chromedp.KeyEvent(" "))
	tab.Load(t, chromedp.Reload())
	if again := paper(); again != light {
		t.Errorf("after switching back, it is %s, want %s", again, light)
	}
	// Without a choice, the system's theme applies.
	other := w.open(t, phone, false)
	other.Do(t, likes("prefers-color-scheme", "dark"), chromedp.Navigate(w.URL+"/"))
	if system := eval[string](t, other, `getComputedStyle(document.body).backgroundColor`); system != dark {
		t.Errorf("with a dark system, the page is %s, want %s", system, dark)
	}
	said := slices.Concat(tab.Said(), other.Said())
	if len(said) > 0 {
		t.Errorf("the console shows %q", said)
	}
}
