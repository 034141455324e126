package audit_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
)

// victim is a tab on a phone that opens pages with an attacker's strings.
type victim struct {
	*website
	tab     *browser.Tab
	dialogs atomic.Int64 // tabs that pages have opened
}

// visit opens the tab, and closes dialogs automatically.
func (w *website) visit(t testing.TB) *victim {
	t.Helper()
	v := &victim{website: w, tab: w.open(t, phone, false)}
	suite.Check(t, chromedp.Listen(v.tab, func(e any) {
		if _, ok := e.(*page.EventJavascriptDialogOpening); !ok {
			return
		}
		v.dialogs.Add(1)
		go func() {
			_ = chromedp.Do(v.tab, chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
				_, err := cdp.Call(ctx, to, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
				return err
			}))
		}()
	}))
	return v
}

// harm returns the effects of a page's strings, which should only be shown. It detects
// strings that run a script, widen the page beyond the window, cause a console message, or
// add building blocks that are not in known (unless known is nil).
func (v *victim) harm(t testing.TB, k kind, known words) (wrong []string) {
	t.Helper()
	before := len(v.tab.Said())
	v.reach(t, v.tab, k)
	v.tab.Do(t, chromedp.Evaluate[chromedp.Void](unfold))
	if eval[bool](t, v.tab, `'pwned' in window`) {
		wrong = append(wrong, "a script of the attacker has run")
	}
	for _, wide := range v.tab.Overflowing(t) {
		wrong = append(wrong, "beyond the window is "+wide)
	}
	for _, said := range v.tab.Said()[before:] {
		if !k.lacks || !strings.Contains(said, "Failed to load resource") {
			wrong = append(wrong, "the console says "+shortly(said))
		}
	}
	d := v.rendered(t, v.tab)
	wrong = append(append(wrong, d.faults()...), d.unborne(t)...)
	if known != nil {
		wrong = append(wrong, d.unlike(known)...)
	}
	return wrong
}

// bears checks in a browser that strings on pages are shown and have no other effect.
func (w *website) bears(t *testing.T, list []kind, known words) {
	v := w.visit(t)
	for _, k := range list {
		for _, f := range v.harm(t, k, known) {
			t.Errorf("%.100s: %s", k.name, f)
		}
	}
	if n := v.dialogs.Load(); n > 0 {
		t.Errorf("%d dialogs were opened", n)
	}
	asked := v.tab.Requests()
	for _, r := range asked {
		if _, address, _ := strings.Cut(r, " "); !strings.HasPrefix(address, w.URL+"/") && address != "about:blank" && !strings.HasPrefix(address, "data:") {
			t.Errorf("a page asks: %.200s", r)
		}
	}
	if len(asked) < len(list) {
		t.Errorf("%d pages requested %d URLs", len(list), len(asked))
	}
}
