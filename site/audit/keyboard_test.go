package audit_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"kindex/edge/edgetest/browser"
)

// focused describes what has the focus: its text and place in the document, whether
// it can be seen that it has, and whether it can be seen at all.
const focusedScript = `(async () => {
  await new Promise(requestAnimationFrame) // it is scrolled to where it is in the next frame
  const e = document.activeElement
  if (!e || e === document.body || e === document.documentElement) return null
  const s = getComputedStyle(e), r = e.getBoundingClientRect()
  const ring = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1 && s.outlineColor !== 'transparent'
  const at = document.elementFromPoint(r.left + Math.min(r.width / 2, 20), r.top + r.height / 2)
  return {at: [...document.querySelectorAll('*')].indexOf(e), html: e.outerHTML.slice(0, 120), ring,
    seen: r.width > 1 && r.height > 1 && r.bottom > 0 && r.top < innerHeight && (e.contains(at) || at?.contains(e) || e.tagName === 'MAIN')}
})()`

// controlsScript lists what can be used on a page. Of radio buttons of a name one is
// reached by Tab, the others by arrows.
const controlsScript = `(() => {
  const all = [...document.querySelectorAll('*')], radios = new Set()
  return all.filter(e => e.matches('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"], audio[controls], iframe')
    && !e.disabled && e.tabIndex >= 0 && e.checkVisibility({visibilityProperty: true}) && !e.closest('[inert]')
    && !(e.type === 'radio' && (radios.has(e.name) || !radios.add(e.name)))).map(e => ({at: all.indexOf(e), html: e.outerHTML.slice(0, 120)}))
})()`

// focus is what the keyboard has reached.
type focus struct {
	At   int
	HTML string
	Ring bool
	Seen bool
}

// focusNow is what has the focus, nil for nothing.
func focusNow(t testing.TB, tab *browser.Tab) *focus {
	t.Helper()
	var f *focus
	if err := json.Unmarshal(eval[json.RawMessage](t, tab, "%s", focusedScript), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// mostStops bounds how often Tab is pressed.
const mostStops = 500

// byKeyboard reaches every control of the kinds of pages that have some of their own
// with Tab, and sees where it is each time.
func (w *website) byKeyboard(t *testing.T) {
	for _, signedIn := range []bool{false, true} {
		tab := w.open(t, desktop, signedIn)
		tab.Do(t, likes("prefers-reduced-motion", "reduce"))
		for _, k := range kinds {
			if k.signedIn != signedIn || !k.keyboard || !w.there(t, k) {
				continue
			}
			tab.Do(t, chromedp.Navigate(w.URL+k.path), chromedp.Evaluate[chromedp.Void](unfold+`; document.activeElement?.blur(); scrollTo(0, 0); getSelection().collapse(document.body, 0)`))
			w.tabThrough(t, tab, k)
		}
	}
}

func (w *website) tabThrough(t *testing.T, tab *browser.Tab, k kind) {
	t.Helper()
	reached := map[int]bool{}
	outside := 0 // behind the last, the focus leaves the page and comes again at its top
	for range mostStops {
		tab.Do(t, chromedp.KeyEvent(kb.Tab))
		f := focusNow(t, tab)
		if f == nil {
			if outside++; outside > 2 {
				break
			}
			continue
		}
		if reached[f.At] {
			break
		}
		reached[f.At] = true
		if !f.Ring || !f.Seen {
			t.Errorf("%s: the focus is seen: %t, where it is: %t, on %s", k.name, f.Ring, f.Seen, f.HTML)
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
	if len(reached) < 10 {
		t.Errorf("%s: Tab reaches %d controls", k.name, len(reached))
	}
}

// findsByKeyboard finds an entity by a misspelt name without a mouse.
func (w *website) findsByKeyboard(t *testing.T) {
	tab := w.open(t, desktop, false)
	tab.Do(t, chromedp.Navigate(w.URL+"/"), chromedp.KeyEvent(kb.Tab))
	if f := focusNow(t, tab); f == nil || !strings.Contains(f.HTML, `href="#main"`) || !f.Seen {
		t.Errorf("the first that Tab reaches is %+v", f)
	}
	tab.Do(t, chromedp.KeyEvent(kb.Enter))
	if f := focusNow(t, tab); f == nil || !strings.HasPrefix(f.HTML, "<main") {
		t.Errorf("skipping leads to %+v", f)
	}
	tab.Do(t, slash)
	if f := focusNow(t, tab); f == nil || !strings.HasPrefix(f.HTML, "<input") {
		t.Fatalf("a slash leads to %+v", f)
	}
	tab.Do(t, chromedp.KeyEvent("pytrch"), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(`.hits .row-name`))
	// As one types on, results follow, and what one has come to can be shared.
	tab.Do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector('.hits').dataset.old = 1`), chromedp.WaitVisible(`#q:focus`),
		chromedp.KeyEvent(kb.End), chromedp.KeyEvent(" "), chromedp.KeyEvent("lightning"), chromedp.WaitNotPresent(`.hits[data-old]`))
	settled(t, tab, `location.search === '?q=pytrch+lightning' && document.activeElement.id === 'q'`)
	tab.Do(t, chromedp.KeyEvent(strings.Repeat(kb.Backspace, len(" lightning"))))
	settled(t, tab, `location.search === '?q=pytrch' && document.querySelector('.hits .row-name').textContent === 'PyTorch'`)
	tab.Do(t, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp))
	if f := focusNow(t, tab); f == nil || !strings.Contains(f.HTML, "/tool/pytorch/") || !f.Ring {
		t.Errorf("arrows lead to %+v", f)
	}
	tab.Do(t, chromedp.KeyEvent(kb.Enter))
	settled(t, tab, `location.pathname === '/tool/pytorch/'`)
	tab.Do(t, chromedp.Evaluate[chromedp.Void](`history.back()`))
	settled(t, tab, `location.search === '?q=pytrch' && document.querySelector('#q').value === 'pytrch'`)
	tab.CheckQuiet(t, w.URL)
}

// slash presses the key as people do: what is not to be typed is not. The keys of
// chromedp type their letter in any case.
var slash = chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
	key := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Code: "Slash", Text: "/", WindowsVirtualKeyCode: 191}
	_, err := cdp.Call(ctx, tab, input.DispatchKeyEvent, key)
	if err == nil {
		key.Type, key.Text = input.DispatchKeyEventTypeKeyUp, ""
		_, err = cdp.Call(ctx, tab, input.DispatchKeyEvent, key)
	}
	return err
})

// settled waits until a condition holds on the page.
func settled(t testing.TB, tab *browser.Tab, condition string) {
	t.Helper()
	held := eval[bool](t, tab, `(async () => {
  for (let i = 0; i < 250; i++) {
    try { if (document.readyState === 'complete' && (%s)) return true } catch { }
    await new Promise(next => setTimeout(next, 20))
  }
  return false
})()`, condition)
	if !held {
		t.Fatalf("it never is that %s\nat %s: %s", condition, eval[string](t, tab, `location.href`), eval[string](t, tab, `document.body.innerText.slice(0, 500)`))
	}
}

// switchesTheme switches between light and dark by keyboard, and finds it again.
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
		t.Errorf("the page is %s, switched %s, and the next one %s", light, dark, kept)
	}
	tab.Do(t, chromedp.Focus(`.theme`), chromedp.KeyEvent(" "), chromedp.Reload())
	if again := paper(); again != light {
		t.Errorf("switched back, it is %s, not %s", again, light)
	}
	// Who has chosen nothing has what the system has.
	other := w.open(t, phone, false)
	other.Do(t, likes("prefers-color-scheme", "dark"), chromedp.Navigate(w.URL+"/"))
	if system := eval[string](t, other, `getComputedStyle(document.body).backgroundColor`); system != dark {
		t.Errorf("by a dark system, the page is %s, not %s", system, dark)
	}
	said := slices.Concat(tab.Said(), other.Said())
	if len(said) > 0 {
		t.Errorf("the console says %q", said)
	}
}
