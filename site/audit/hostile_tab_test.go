package audit_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kindex/edge/edgetest/browser"
)

// victim is a tab on a phone, in which an attacker's words are looked at.
type victim struct {
	*website
	tab     *browser.Tab
	dialogs atomic.Int64 // that pages have opened
}

// visit opens the tab, whose dialogs are closed as they come.
func (w *website) visit(t testing.TB) *victim {
	t.Helper()
	v := &victim{website: w, tab: w.open(t, phone, false)}
	if err := chromedp.Listen(v.tab, func(e any) {
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
	}); err != nil {
		t.Fatal(err)
	}
	return v
}

// harm is what comes of the words on a page, beside that they are said: one of them
// runs, makes the page wider than the window, makes the browser complain, or became
// something that is not among known, unless that is nil.
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
		met := words{}
		met.add(k.name, d)
		wrong = append(wrong, met.unlike(known)...)
	}
	return wrong
}

// bears opens pages in a browser: no word comes to more than that it is said.
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
		t.Errorf("%d pages have asked for %d addresses", len(list), len(asked))
	}
}
