package audit_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"kindex/edge/edgetest/browser"
)

// The windows that pages are looked at in.
const (
	phone   = 390
	desktop = 1440
	height  = 900
)

// open opens a tab in which somebody is signed in, or nobody.
func (w *website) open(t testing.TB, width int64, signedIn bool) *browser.Tab {
	t.Helper()
	tab := browser.Open(t, width, height)
	if signedIn {
		w.signIn(t, tab)
	}
	return tab
}

// signIn gives a tab the cookie of who is signed in.
func (w *website) signIn(t testing.TB, tab *browser.Tab) {
	t.Helper()
	u, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	tab.Do(t, chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, network.SetCookie, network.SetCookieParams{Name: "kindex-session", Value: w.session, Domain: u.Hostname(), Path: "/"})
		return err
	}))
}

// likes makes the browser one that prefers something, as "prefers-color-scheme",
// "dark".
func likes(pairs ...string) chromedp.Action[chromedp.Void] {
	var list []*emulation.MediaFeature
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: list})
		return err
	})
}

// eval runs a script in the page and returns its value. A promise is waited for.
func eval[T any](t testing.TB, tab *browser.Tab, format string, args ...any) T {
	t.Helper()
	return browser.Run(t, tab, chromedp.Evaluate[T](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
}

// unfold opens everything that can be opened on a page by a click.
const unfold = `for (const d of document.querySelectorAll('details')) d.open = true`
