package audit_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
)

// menuItems is a script that counts the visible menu items that lie within the window and are
// large enough for a finger or, on wide screens, for a pointer.
const menuItems = `[...document.querySelectorAll('header nav[aria-label=Main] a')].filter(a => a.checkVisibility({contentVisibilityAuto: true})).filter(a => {
  const b = a.getBoundingClientRect()
  return b.left >= 0 && b.right <= innerWidth && b.width > 20 && b.height >= 24 && document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2) === a
}).length`

// menuFits checks that all items of the main menu can be reached at any width, without
// scrolling sideways and without scripts.
func (w *website) menuFits(t *testing.T) {
	tab := w.open(t, desktop, false)
	tab.Do(t, withoutScripts)
	for _, width := range suite.Pick([]int64{320, 703, 705, 993}, []int64{320, 360, 390, 600, 703, 705, 820, 991, 993, 1216, 1440}) {
		tab.Do(t, chromedp.EmulateViewport(width, 844), chromedp.Navigate(w.URL+"/tool/pytorch/"))
		menu, before := ".more", 6 // items that are shown before the menu is opened
		if width < 704 {
			menu, before = ".menu", 0
		}
		if shown := eval[int](t, tab, "%s", menuItems); shown != before {
			t.Errorf("at %d px, %d items are shown before the menu is opened, want %d", width, shown, before)
		}
		if high := eval[int](t, tab, `document.querySelector('.top').offsetHeight`); width < 704 && high > 72 {
			t.Errorf("at %d px, the header is %d px high", width, high)
		}
		tab.Do(t, chromedp.Click(`header `+menu+` summary`))
		const want = 12
		if shown := eval[int](t, tab, "%s", menuItems); shown != want {
			t.Errorf("at %d px, %d menu items can be reached, want %d", width, shown, want)
		}
		for _, wide := range tab.Overflowing(t) {
			t.Errorf("at %d px, wider than the window: %s", width, wide)
		}
		if width == 320 {
			high := eval[int](t, tab, `document.documentElement.scrollHeight`)
			if t.Logf("the page of PyTorch is %d px high on a phone", high); high > 7500 {
				t.Error("that is too high")
			}
		}
	}
}

// readsOnSmallScreens checks that a phone shows what an offer costs and what is wrong with a filter, that no
// usual name is broken on a tablet, and that the browser's own button for emptying the search lies beside the magnifier.
func (w *website) readsOnSmallScreens(t *testing.T) {
	tab := w.open(t, desktop, false)
	tab.Do(t, chromedp.EmulateViewport(390, 844), chromedp.Navigate(w.URL+"/prices/"))
	if hidden := eval[string](t, tab, `[...document.querySelectorAll('.list tbody :is(.p11, .p12, .p2):not(.none)')].filter(c => {
  const b = c.getBoundingClientRect()
  return b.left < 0 || b.right > innerWidth || b.width < 20 || !c.checkVisibility()
}).map(c => c.closest('tr').innerText).join('; ')`); hidden != "" {
		t.Errorf("on a phone, prices are not shown: %.500s", hidden)
	}
	for query, want := range map[string]bool{"?minContext=100k": false, "?minContext=big": true} {
		tab.Do(t, chromedp.Navigate(w.URL+"/models/"+query))
		tab.Until(t, `document.readyState === 'complete'`)
		if open := eval[bool](t, tab, `document.querySelector('.filters').open`); open != want {
			t.Errorf("on a phone, the filters of %s are open: %t, want %t", query, open, want)
		}
	}
	tab.Do(t, chromedp.EmulateViewport(820, 1180), chromedp.Navigate(w.URL+"/leaderboards/ml-frameworks/"))
	if broken := eval[string](t, tab, `[...document.querySelectorAll('.b-name > a bdi')].flatMap(e => [...e.firstChild.data.matchAll(/[^\s-]+/g)].filter(m => {
  const r = document.createRange()
  r.setStart(e.firstChild, m.index)
  r.setEnd(e.firstChild, m.index + m[0].length)
  return r.getClientRects().length > 1
}).map(m => m[0])).join(' ')`); broken != "" {
		t.Errorf("on a tablet, these words are broken: %s", broken)
	}
	for _, width := range []int64{390, 1440} {
		tab.Do(t, chromedp.EmulateViewport(width, 844))
		if free := eval[bool](t, tab, `(() => {
  const i = document.querySelector('#find'), b = document.querySelector('.find button').getBoundingClientRect(), box = i.getBoundingClientRect()
  return box.right - parseFloat(getComputedStyle(i).paddingRight) <= b.left + 1
})()`); !free {
			t.Errorf("at %d px, the text of the search goes on under the magnifier", width)
		}
	}
}
