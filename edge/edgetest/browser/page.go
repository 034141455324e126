package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is the time limit for anything done in a browser, so that no test waits forever. It
// is far longer than even a slow machine needs.
const patience = 5 * time.Minute

// Load runs steps that make the browser navigate. Once the page has loaded, it returns the
// response after the last redirect.
func (b *Tab) Load(t testing.TB, steps ...chromedp.Action[chromedp.Void]) *network.Response {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(b, patience, errors.New("no page was loaded"))
	defer cancel()
	res, err := chromedp.RunResponse(ctx, steps...)
	if err != nil {
		b.fail(t, errors.Join(err, context.Cause(ctx)))
	}
	return res
}

// Until waits until a JavaScript expression is true. If the value of the expression is a promise,
// Until waits until the promise resolves to true. It keeps waiting if the browser loads another
// page.
func (b *Tab) Until(t testing.TB, format string, args ...any) {
	t.Helper()
	condition := fmt.Sprintf(format, args...)
	ctx, cancel := context.WithTimeout(b, patience)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("(async () => Boolean(await ("+condition+")))()", chromedp.EvalAwaitPromise))
		if is {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			page, _ := chromedp.Run(b, chromedp.Evaluate[string]("location.href + '\\n' + (document.querySelector('main') ?? document.body).innerText.slice(0, 4000)"))
			b.fail(t, fmt.Errorf("timed out waiting until %s is true (%w)\n%s", condition, err, page))
		}
	}
}

// Eval runs a script in the page and returns its value. If the value is a promise, Eval waits
// for it.
func Eval[T any](t testing.TB, b *Tab, format string, args ...any) T {
	t.Helper()
	return Run(t, b, chromedp.Evaluate[T](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
}

// Press presses keys one after the other; keys can also be constants from package kb. Unlike
// with chromedp.KeyEvent, a page can prevent a key's default action.
func Press(keys string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		for _, r := range keys {
			k, ok := kb.Keys[r]
			if !ok {
				return fmt.Errorf("no key produces %q", r)
			}
			e := input.DispatchKeyEventParams{Type: kb.KeyDown, Key: k.Key, Code: k.Code, Text: k.Text, UnmodifiedText: k.Unmodified,
				NativeVirtualKeyCode: k.Native, WindowsVirtualKeyCode: k.Windows}
			if k.Shift {
				e.Modifiers = int64(kb.ModifierShift)
			}
			if _, err := cdp.Call(ctx, tab, input.DispatchKeyEvent, e); err != nil {
				return err
			}
			e.Type, e.Text, e.UnmodifiedText = kb.KeyUp, "", ""
			if _, err := cdp.Call(ctx, tab, input.DispatchKeyEvent, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Prefers sets a media feature for the page: for example, it can set "prefers-color-scheme" to
// "dark".
func Prefers(pairs ...string) chromedp.Action[chromedp.Void] {
	var list []*emulation.MediaFeature
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: list})
		return err
	})
}

// Overflowing returns the elements that make the page wider than its window.
func (b *Tab) Overflowing(t testing.TB) []string {
	t.Helper()
	return Eval[[]string](t, b, `(() => {
  if (document.documentElement.scrollWidth <= innerWidth) return []
  const held = e => e && (getComputedStyle(e).overflowX !== 'visible' || held(e.parentElement))
  const list = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth + 0.5 && !held(e.parentElement))
  return ['all, ' + document.documentElement.scrollWidth].concat(list.slice(0, 3).map(e => e.outerHTML.slice(0, 160)))
})()`)
}

// SignIn clicks the link to npm oidc-provider (see package authtest), signs in there, and returns
// the service's final response. SignIn removes its requests to the provider from the tab's record
// of requests. Pages must not send any other requests to the provider.
func (b *Tab) SignIn(t testing.TB, issuer, subject string, press ...chromedp.Action[chromedp.Void]) *network.Response {
	t.Helper()
	before := len(b.Requests())
	b.Load(t, press...)
	b.Do(t, chromedp.SendKeys(`input[name=login]`, subject), chromedp.SendKeys(`input[name=password]`, "whatever"))
	b.Load(t, chromedp.Click(`button[type=submit]`))
	res := b.Load(t, chromedp.Click(`button[type=submit]`)) // consent
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests[:before], slices.DeleteFunc(b.requests[before:], func(r string) bool { return strings.Contains(r, " "+issuer+"/") })...)
	return res
}
