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

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
)

// The window sizes in which pages are checked.
const (
	phone   = 390
	desktop = 1440
	height  = 900
)

// open opens a tab, which may be signed in.
func (w *website) open(t testing.TB, width int64, signedIn bool) *browser.Tab {
	t.Helper()
	tab := browser.Open(t, width, height)
	if signedIn {
		w.signIn(t, tab)
	}
	return tab
}

// signIn sets the session cookie in a tab.
func (w *website) signIn(t testing.TB, tab *browser.Tab) {
	t.Helper()
	u := suite.Must(url.Parse(w.URL))(t)
	tab.Do(t, chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, network.SetCookie, network.SetCookieParams{Name: "kindex-session", Value: w.session, Domain: u.Hostname(), Path: "/"})
		return err
	}))
}

var likes = browser.Prefers

// eval runs a script in the page and returns its value, awaiting promises.
func eval[T any](t testing.TB, tab *browser.Tab, format string, args ...any) T {
	t.Helper()
	return browser.Eval[T](t, tab, format, args...)
}

// unfold is a script that expands everything that a click can expand: the menus of the header only on the
// home page, because they cover what is below them.
const unfold = `for (const d of document.querySelectorAll(location.pathname === '/' ? 'details' : 'main details')) d.open = true`

// complete is a valid proposal: field names and values.
var complete = []string{"name", "Polars", "provider", "Polars", "category", "data-processing", "url", "https://github.com/pola-rs/polars",
	"description", "Data frames for structured data on one machine, with lazy queries that run in parallel."}

// typed returns a script that fills in fields of the proposal form.
func typed(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, `{ const e = document.querySelector('[data-propose] [name="%s"]'); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true})) };`, pairs[i], pairs[i+1])
	}
	return b.String()
}

// clicked returns a script that clicks an element once it exists.
func clicked(selector string) string {
	return fmt.Sprintf(`{ const wait = setInterval(() => { const e = document.querySelector(%q); if (e) { clearInterval(wait); e.click() } }, 10) }`, selector)
}

// sent returns a script that fills in and submits the form with the given action.
func sent(action string, pairs ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{ const form = document.querySelector('form[action="%s"]');`, action)
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, `form.querySelector('[name=%s]').value = %q;`, pairs[i], pairs[i+1])
	}
	return b.String() + `for (const e of form.querySelectorAll('[type=checkbox]')) e.checked = true; form.requestSubmit() }`
}
