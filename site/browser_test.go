package site_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// page is a tab of a browser, and what went on in it.
type page struct {
	context.Context
	mu       sync.Mutex
	requests []string // methods and addresses
	said     []string // on the console: errors, warnings, breaches of the policy
}

// browser opens a tab of Chromium, which reaches loopback alone. In CI a machine
// without Chromium is a failure.
func browser(t *testing.T, width, height int64) *page {
	t.Helper()
	if !installed("chromium", "chromium-browser", "google-chrome", "headless-shell") {
		if os.Getenv("CI") != "" {
			t.Fatal("chromium is needed")
		}
		t.Skip("NOT RUN: there is no chromium; make test-tools installs it")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.Flag("proxy-server", "127.0.0.1:1"), // for all but loopback
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-component-update", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it has none for root
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, end := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(end)
	p := &page{Context: ctx}
	if err := chromedp.Listen(ctx, p.note); err != nil {
		t.Fatal(err)
	}
	p.do(t, chromedp.EmulateViewport(width, height))
	return p
}

// note writes down what the browser tells.
func (p *page) note(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.Method+" "+e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.said = append(p.said, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		if slices.Contains([]string{"error", "warning", "assert"}, string(e.Type)) {
			var words []string
			for _, arg := range e.Args {
				words = append(words, string(arg.Value)+arg.Description)
			}
			p.said = append(p.said, strings.Join(words, " "))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.said = append(p.said, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// do takes steps one after the other.
func (p *page) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p, steps...); err != nil {
		p.fail(t, err)
	}
}

// run returns what an action gives.
func run[T any](t *testing.T, p *page, action chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(p, action)
	if err != nil {
		p.fail(t, err)
	}
	return v
}

func (p *page) fail(t *testing.T, err error) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Fatalf("%v\nthe console said %q\nthe page asked for %q", err, p.said, p.requests)
}

// checkQuiet: nothing went wrong on the page, and all that it asked for is here.
func (p *page) checkQuiet(t *testing.T, base string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) > 0 {
		t.Errorf("the console says %q", p.said)
	}
	for _, r := range p.requests {
		_, address, _ := strings.Cut(r, " ")
		if u, err := url.Parse(address); err != nil || u.Scheme != "data" && u.Scheme+"://"+u.Host != base {
			t.Errorf("the page asks for %s", r)
		}
	}
}

func installed(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	})
}

// faint is a program for a page: which texts that are shown have a contrast below 4.5
// (WCAG 2.2, success criterion 1.4.3), each kind once, disabled controls excepted.
const faint = `(() => {
  const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return {rgb: m.slice(0, 3), a: m.length > 3 ? m[3] : 1}; };
  const luminance = rgb => {
    const [r, g, b] = rgb.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (top, below) => top.rgb.map((v, i) => v * top.a + below[i] * (1 - top.a));
  const behind = e => {
    if (!e) return [255, 255, 255];
    const c = parse(getComputedStyle(e).backgroundColor);
    return c.a === 1 ? c.rgb : over(c, behind(e.parentElement));
  };
  const found = {};
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || e.matches('input, select, textarea, option');
    if (!own || e.disabled || !e.checkVisibility({opacityProperty: true, visibilityProperty: true}) || e.closest('svg')) continue;
    const below = behind(e), ink = over(parse(getComputedStyle(e).color), below);
    const [a, b] = [luminance(ink), luminance(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found[e.tagName + '.' + e.className] = e.textContent.trim().slice(0, 30) + ' (' + ratio.toFixed(1) + ')';
  }
  return Object.entries(found).map(([k, v]) => k + ': ' + v);
})()`
