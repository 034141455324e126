package site_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/getkin/kin-openapi/openapi3"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/edge/openapi"
)

// TestAPIDocs checks in a browser that the page lists every operation, accepts a key, and
// sends requests with it.
func TestAPIDocs(t *testing.T) {
	suite.InTest(t)
	e := edgetest.Start(t, edge.Options{LimitAnonymous: 20, LimitKey: 100})
	key := e.Key(t, "reader")
	p := &page{browser.Open(t, 1440, 1000)}
	const operation = `#operations-Entities-getEntity`
	p.Do(t, chromedp.Navigate(e.URL+"/docs/api"), chromedp.WaitVisible(operation))
	if listed, want := p.listed(t), operations(t); !slices.Equal(listed, want) {
		t.Errorf("the page lists %s\nthe description has %s", listed, want)
	}
	p.Do(t, chromedp.SendKeys(`.operation-filter-input`, "BADGE"), chromedp.WaitNotPresent(operation))
	if listed := p.listed(t); !slices.Equal(listed, []string{"getBadge"}) {
		t.Errorf("filtered, the page lists %s", listed)
	}
	p.Do(t, chromedp.SendKeys(`.operation-filter-input`, strings.Repeat("\b", len("BADGE"))), chromedp.WaitVisible(operation))
	p.Do(t,
		chromedp.Click(`.btn.authorize`),
		chromedp.WaitVisible(`.dialog-ux input[type=text]`),
		chromedp.SendKeys(`.dialog-ux input[type=text]`, key),
		chromedp.Click(`.dialog-ux .auth.btn-done, .dialog-ux button[type=submit]`),
		chromedp.Click(`.dialog-ux .close-modal`),
		chromedp.WaitNotPresent(`.dialog-ux`),
	)
	status, headers, body := p.execute(t, operation)
	if status != "200" || !strings.Contains(headers, "x-ratelimit-tier: authenticated") || !strings.Contains(body, `"slug": "pytorch"`) {
		t.Errorf("trying it out returns %s\n%s\n%s", status, headers, body)
	}
	// The request contains only the parameters that were filled in, even if the operation has
	// many.
	status, _, body = p.execute(t, `#operations-Entities-listEntities`)
	if status != "200" || !regexp.MustCompile(`"count": \d{3,}`).MatchString(body) {
		t.Errorf("listing gives %s\n%s", status, body)
	}
	if asked := p.Requests(); !slices.Contains(asked, "GET "+e.URL+"/api/entities") {
		t.Errorf("the page requested %q", asked)
	}
	p.CheckQuiet(t, e.URL)
	p.checkForgets(t, e.URL, operation)
	p.checkConfined(t)
}

// page is the API reference opened in a browser.
type page struct{ *browser.Tab }

// checkConfined checks that the policy blocks inline scripts and requests to other hosts, and
// that the browser reports both.
func (p *page) checkConfined(t *testing.T) {
	t.Helper()
	p.Do(t, chromedp.Evaluate[chromedp.Void](`fetch('https://elsewhere.example/').catch(() => {})`, chromedp.EvalAwaitPromise),
		chromedp.Evaluate[chromedp.Void](`{ const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s) }`))
	ran := browser.Run(t, p.Tab, chromedp.Evaluate[bool](`window.ran === true`))
	said := p.Said()
	for _, directive := range []string{"connect-src", "script-src"} {
		if !strings.Contains(strings.Join(said, "\n"), directive) || ran {
			t.Errorf("nothing violates %s; the console shows %q", directive, said)
		}
	}
}

// listed returns the operations that the page shows.
func (p *page) listed(t *testing.T) []string {
	t.Helper()
	names := browser.Run(t, p.Tab, chromedp.Evaluate[[]string](`[...document.querySelectorAll('.opblock')].map(e => e.id.split('-').pop())`))
	slices.Sort(names)
	return names
}

// checkForgets checks that the page does not store the API key that was entered.
func (p *page) checkForgets(t *testing.T, base, operation string) {
	t.Helper()
	p.Load(t, chromedp.Reload())
	p.Do(t, chromedp.WaitVisible(operation))
	kept := browser.Run(t, p.Tab, chromedp.Evaluate[int](`localStorage.length + sessionStorage.length + document.cookie.length`))
	_, headers, _ := p.execute(t, operation)
	if kept != 0 || !strings.Contains(headers, "x-ratelimit-tier: anonymous") {
		t.Errorf("%d items are stored; after a reload, the response has\n%s", kept, headers)
	}
	p.CheckQuiet(t, base)
}

// execute opens an operation and presses its Execute button.
func (p *page) execute(t *testing.T, operation string) (status, headers, body string) {
	t.Helper()
	response := operation + " .live-responses-table .response"
	p.Do(t,
		chromedp.Click(operation+" .opblock-summary-control"),
		chromedp.WaitVisible(operation+" .btn.execute"),
		chromedp.Click(operation+" .btn.execute"),
		chromedp.WaitVisible(response+" .headerline"),
	)
	text := func(selector string) string {
		return browser.Run(t, p.Tab, chromedp.Evaluate[string](fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.textContent.trim()).join('\n')`, response+selector)))
	}
	return text(" .response-col_status"), text(" .headerline"), text(" .highlight-code")
}

// operations returns the operation IDs in the API description.
func operations(t *testing.T) []string {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			names = append(names, op.OperationID)
		}
	}
	slices.Sort(names)
	return names
}

// screens is the folder in which TestAPIDocsLooks saves its screenshots.
var screens = os.Getenv("KINDEX_SCREENS")

// TestAPIDocsLooks checks that the page fits narrow and wide windows, that it has the same
// header as all pages, and that links to operations work. It also checks that the page is
// readable in the light and the dark theme, whether the theme was chosen by the user or by
// the system.
func TestAPIDocsLooks(t *testing.T) {
	suite.InTest(t)
	e := edgetest.Start(t, edge.Options{})
	p := &page{browser.Open(t, 1440, 1000)}
	other := map[string]string{"light": "dark", "dark": "light"}
	type view struct {
		system string
		width  int64
	}
	few := []view{{"light", 390}, {"dark", 1440}}
	for i, v := range suite.Pick(few, append(few, view{"light", 1440}, view{"dark", 390})) {
		p.Do(t,
			browser.Prefers("prefers-color-scheme", v.system),
			chromedp.EmulateViewport(v.width, 1000),
			chromedp.Navigate(e.URL+"/docs/"),
			chromedp.Evaluate[chromedp.Void](`localStorage.clear()`),
		)
		chosen := v.system
		if i > 0 && !suite.Soaking() { // a theme chosen on another page must apply when this page opens
			p.Do(t, chromedp.Click(`button.theme`))
			chosen = other[v.system]
		}
		p.open(t, e.URL)
		p.checkLook(t, chosen, v.width)
		if screens != "" {
			p.shoot(t, fmt.Sprintf("apidocs-%s-%d", chosen, v.width))
		}
		if suite.Soaking() {
			p.Do(t, chromedp.Navigate(e.URL+"/docs/"), chromedp.Click(`button.theme`))
			chosen = other[v.system]
			p.open(t, e.URL)
			p.checkLook(t, chosen, v.width)
		}
		// A theme chosen here applies immediately and also on other pages.
		p.Do(t, chromedp.Click(`button.theme`))
		p.settle(t)
		p.checkLook(t, other[chosen], v.width)
		p.Do(t, chromedp.Navigate(e.URL+"/docs/"))
		if scheme := p.scheme(t); scheme != other[chosen] {
			t.Errorf("%s was selected, but the next page is %s", other[chosen], scheme)
		}
	}
	p.CheckQuiet(t, e.URL)
}

const opened = `#operations-Entities-listEntities`

// open reloads the page at an operation.
func (p *page) open(t *testing.T, base string) {
	t.Helper()
	p.Do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(base+"/docs/api#/Entities/listEntities"), chromedp.WaitVisible(opened+" .btn.execute"))
}

// settle waits for colour transitions to end.
func (p *page) settle(t *testing.T) {
	t.Helper()
	p.Do(t, chromedp.Evaluate[chromedp.Void](`Promise.all(document.getAnimations().map(a => a.finished.catch(() => {})))`, chromedp.EvalAwaitPromise))
}

// scheme determines the theme of a page from its background.
func (p *page) scheme(t *testing.T) string {
	t.Helper()
	paper := browser.Run(t, p.Tab, chromedp.Evaluate[string](`getComputedStyle(document.body).backgroundColor`))
	return map[string]string{"rgb(22, 21, 19)": "dark", "rgb(251, 250, 247)": "light"}[paper]
}

// checkLook checks the colours, the width, the header and the footer of the page.
func (p *page) checkLook(t *testing.T, want string, width int64) {
	t.Helper()
	if scheme := p.scheme(t); scheme != want {
		t.Errorf("%d wide: the page is %q, want %s", width, scheme, want)
	}
	if beyond := browser.Run(t, p.Tab, chromedp.Evaluate[int](`document.documentElement.scrollWidth - window.innerWidth`)); beyond > 0 {
		t.Errorf("%s, %d wide: the page is %d wider than the window", want, width, beyond)
	}
	for _, text := range browser.Run(t, p.Tab, chromedp.Evaluate[[]string](faint)) {
		t.Errorf("%s, %d wide: low contrast: %s", want, width, text)
	}
	head := browser.Run(t, p.Tab, chromedp.Evaluate[string](`[
		document.querySelectorAll('h1').length, document.querySelector('.nav [aria-current]').textContent,
		document.querySelector('header.top').offsetHeight < 140, !!document.querySelector('footer.foot a[href="/docs/api"]'),
		getComputedStyle(document.querySelector('.swagger-ui .btn.execute')).minHeight,
	].join(' ')`))
	if head != "1 Docs true true 0px" {
		t.Errorf("%s, %d wide: the page around the operations is %s", want, width, head)
	}
}

// shoot takes screenshots of the page and of the key dialog.
func (p *page) shoot(t *testing.T, name string) {
	t.Helper()
	whole := browser.Run(t, p.Tab, chromedp.FullScreenshot(100))
	p.Do(t, chromedp.Click(`.btn.authorize`), chromedp.WaitVisible(`.dialog-ux input`))
	dialogue := browser.Run(t, p.Tab, chromedp.CaptureScreenshot())
	for suffix, data := range map[string][]byte{"": whole, "-key": dialogue} {
		if err := os.WriteFile(filepath.Join(screens, name+suffix+".png"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
