package audit_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
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

var likes = browser.Prefers

// eval runs a script in the page and returns its value. A promise is waited for.
func eval[T any](t testing.TB, tab *browser.Tab, format string, args ...any) T {
	t.Helper()
	return browser.Eval[T](t, tab, format, args...)
}

// unfold opens everything that can be opened on a page by a click.
const unfold = `for (const d of document.querySelectorAll('details')) d.open = true`

// complete is a proposal that is by the rules: fields and values.
var complete = []string{"name", "Polars", "provider", "Polars", "category", "tabular", "url", "https://github.com/pola-rs/polars",
	"description", "Data frames for structured data on one machine, with lazy queries that run in parallel."}

// typed is a script that fills in fields of the form for proposals: names and values.
func typed(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, `{ const e = document.querySelector('[data-propose] [name=%s]'); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true})) };`, pairs[i], pairs[i+1])
	}
	return b.String()
}

// clicked is a script that clicks what a selector finds, once it is there.
func clicked(selector string) string {
	return fmt.Sprintf(`{ const wait = setInterval(() => { const e = document.querySelector(%q); if (e) { clearInterval(wait); e.click() } }, 10) }`, selector)
}

// sent is a script that fills in fields of a form by its action, and sends it.
func sent(action string, pairs ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{ const form = document.querySelector('form[action="%s"]');`, action)
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, `form.querySelector('[name=%s]').value = %q;`, pairs[i], pairs[i+1])
	}
	return b.String() + `for (const e of form.querySelectorAll('[type=checkbox]')) e.checked = true; form.requestSubmit() }`
}
