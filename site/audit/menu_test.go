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
	for _, width := range suite.Pick([]int64{320, 831, 833}, []int64{320, 360, 390, 600, 831, 833, 1000, 1216, 1440}) {
		tab.Do(t, chromedp.EmulateViewport(width, 844), chromedp.Navigate(w.URL+"/tool/pytorch/"))
		if width < 832 {
			if shown := eval[int](t, tab, "%s", menuItems); shown != 0 {
				t.Errorf("at %d px, %d items are shown before the menu is opened", width, shown)
			}
			tab.Do(t, chromedp.Click(`header .menu summary`))
		}
		if shown := eval[int](t, tab, "%s", menuItems); shown != 9 {
			t.Errorf("at %d px, %d menu items can be reached, want 9", width, shown)
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
