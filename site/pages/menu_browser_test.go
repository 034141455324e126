package pages_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
)

// menuItems lists the labels of the visible menu items that lie within the window and are large
// enough for a finger or, on wide screens, for a pointer.
const menuItems = `[...document.querySelectorAll('header nav[aria-label=Main] a')].filter(a => a.checkVisibility({contentVisibilityAuto: true})).filter(a => {
  const b = a.getBoundingClientRect()
  return b.left >= 0 && b.right <= innerWidth && b.width > 20 && b.height >= 24 && document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2) === a
}).length`

// TestMenuFits checks that all items of the main menu can be reached at any width, without
// scrolling sideways and without scripts.
func TestMenuFits(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	_, _, address := bothSites(t, edgetest.Built(t))
	tab := browser.Open(t, 1200, 900)
	tab.Do(t, chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	for _, width := range []int64{320, 360, 390, 600, 831, 833, 1000, 1216, 1440} {
		tab.Do(t, chromedp.EmulateViewport(width, 844), chromedp.Navigate(address+"/tool/pytorch/"))
		if width < 832 {
			if shown := browser.Eval[int](t, tab, menuItems); shown != 0 {
				t.Errorf("at %d px, %d items are shown before the menu is opened", width, shown)
			}
			tab.Do(t, chromedp.Click(`header .menu summary`))
		}
		if shown := browser.Eval[int](t, tab, menuItems); shown != 9 {
			t.Errorf("at %d px, %d menu items can be reached, want 9", width, shown)
		}
		for _, wide := range tab.Overflowing(t) {
			t.Errorf("at %d px, wider than the window: %s", width, wide)
		}
		if width == 390 {
			high := browser.Eval[int](t, tab, `document.documentElement.scrollHeight`)
			if t.Logf("the page of PyTorch is %d px high on a phone", high); high > 6500 {
				t.Error("that is too high")
			}
		}
	}
}
