// Package browser opens pages in Chromium for tests.
package browser

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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
)

// Tab is a browser tab and a record of its activity.
type Tab struct {
	context.Context
	mu         sync.Mutex
	requests   []string // method and address of each request
	consoleLog []string // console messages: errors, warnings, policy violations
}

// shared is the browser process that is shared by all tests of a binary that calls Main.
var shared struct {
	sync.Mutex
	wanted bool
	context.Context
	stop func()
}

// Main runs the tests of a package, stops the browser, and then calls the given functions. The
// tabs share one Chromium process, but each has its own cookies and storage. Call it from
// TestMain. Without Main, every tab runs in a process of its own.
func Main(m *testing.M, stop ...func()) {
	shared.wanted = true
	code := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	for _, s := range stop {
		s()
	}
	os.Exit(code)
}

// Open opens a Chromium tab that can connect only to loopback.
func Open(t testing.TB, width, height int64) *Tab {
	t.Helper()
	Program(t)
	ctx, cancel := process(t)
	t.Cleanup(cancel)
	b := &Tab{Context: ctx}
	suite.Check(t, chromedp.Listen(ctx, b.note))
	b.Do(t, chromedp.EmulateViewport(width, height), focused)
	return b
}

// process returns an unused tab. If the tests share a process, the tab belongs to that process,
// which is started for the first tab; otherwise, it belongs to a new process.
func process(t testing.TB) (context.Context, func()) {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.wanted && shared.Context != nil {
		return chromedp.NewContext(shared.Context, chromedp.WithNewBrowserContext())
	}
	ctx, stop := launch(t)
	if !shared.wanted {
		return ctx, stop
	}
	shared.Context, shared.stop = ctx, stop
	suite.Check(t, chromedp.Do(ctx)) // the process lives as long as this context
	return chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
}

// Stranger is the host name of an attacker, which resolves to 127.0.0.1. No other name resolves.
const Stranger = "stranger.example"

// launch starts a separate Chromium process. It returns the context and a function that stops
// the process and removes its files.
func launch(t testing.TB) (context.Context, func()) {
	t.Helper()
	tmp := suite.Must(os.MkdirTemp("", "kindex-chromium-"))(t)
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(find()),
		chromedp.Env("TMPDIR="+tmp),                  // Chromium leaves files in it
		chromedp.Flag("proxy-server", "127.0.0.1:1"), // for everything except loopback
		chromedp.Flag("proxy-bypass-list", Stranger),
		chromedp.Flag("host-resolver-rules", "MAP "+Stranger+" 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-component-update", true),
		// Pages live for moments: optimizing their scripts takes longer than it saves.
		chromedp.Flag("js-flags", "--no-opt --no-maglev"),
		// Desktop browsers partition the cache by site; the headless shell does so only
		// with this flag.
		chromedp.Flag("enable-features", "NetworkService,NetworkServiceInProcess,SplitCacheByNetworkIsolationKey"),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium has no sandbox for root
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(ctx)
	return ctx, func() { cancel(); stop(); _ = os.RemoveAll(tmp) }
}

// focused makes a tab behave as if it had the focus, regardless of other open tabs.
var focused = chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
	_, err := cdp.Call(ctx, tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return err
})

func (b *Tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.Method+" "+e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.consoleLog = append(b.consoleLog, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		if slices.Contains([]string{"error", "warning", "assert"}, string(e.Type)) {
			var words []string
			for _, arg := range e.Args {
				words = append(words, string(arg.Value)+arg.Description)
			}
			b.consoleLog = append(b.consoleLog, strings.Join(words, " "))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.consoleLog = append(b.consoleLog, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// Do runs the steps in order.
func (b *Tab) Do(t testing.TB, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	Run(t, b, chromedp.Steps(steps...))
}

// Run runs an action and returns its result.
func Run[T any](t testing.TB, b *Tab, action chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		b.fail(t, err)
	}
	return v
}

// Requests returns the method and address of each request so far.
func (b *Tab) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// Said returns the console messages: errors, warnings and policy violations.
func (b *Tab) Said() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.consoleLog)
}

func (b *Tab) fail(t testing.TB, err error) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	t.Fatalf("%v\nconsole: %q\nrequests: %q", err, b.consoleLog, b.requests)
}

// CheckQuiet fails the test if something went wrong on the page, or if the page requested
// anything outside base, which has the form http://host:port.
func (b *Tab) CheckQuiet(t testing.TB, base string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.consoleLog) > 0 {
		t.Errorf("console: %q", b.consoleLog)
	}
	for _, r := range b.requests {
		_, address, _ := strings.Cut(r, " ")
		if address == "about:blank" {
			continue
		}
		if u, err := url.Parse(address); err != nil || u.Scheme != "data" && u.Scheme+"://"+u.Host != base {
			t.Errorf("the page requested %s", r)
		}
	}
}

// programs lists the names under which Chromium is installed. The headless shell is tried first:
// it has the same engine but no desktop UI, and tests take little more than half as long with it.
var programs = []string{"chromium-headless-shell", "headless-shell", "headless_shell", "chromium", "chromium-browser", "google-chrome"}

// find returns the path of Chromium, or "" if it is not installed.
var find = sync.OnceValue(func() string {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
})

// Program returns the path of Chromium. If it is not installed, it skips the test, or fails
// it if CI is set.
func Program(t testing.TB) string {
	t.Helper()
	if find() == "" {
		suite.Missing(t, "Chromium")
	}
	return find()
}
