package audit_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/getkin/kin-openapi/openapi3"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/edge/openapi"
)

// TestAPIDocs checks in a browser that the API reference lists every operation, accepts a key and
// sends requests with it, and that it is readable in a narrow window in the theme of the system, and in
// a wide one in the theme that was chosen. The page is loaded only once, because that takes seconds.
func TestAPIDocs(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	e := edgetest.Start(t, edge.Options{Dir: part.build(t), LimitKey: 100})
	key := e.Key(t, "reader")
	p := &apiDocs{browser.Open(t, phone, height)}
	withAxe(t, p.Tab)
	p.Do(t, browser.Prefers("prefers-color-scheme", "dark"), chromedp.Navigate(e.URL+"/docs/api#/Entities/listEntities"), chromedp.WaitVisible(linked+" .btn.execute"))
	p.checkLook(t, "dark", phone)
	p.Do(t, chromedp.EmulateViewport(desktop, height), chromedp.Click(`button.theme`))
	// Colours change slowly.
	p.Do(t, chromedp.Evaluate[chromedp.Void](`Promise.all(document.getAnimations().map(a => a.finished.catch(() => {})))`, chromedp.EvalAwaitPromise))
	p.checkLook(t, "light", desktop)
	if listed, want := p.listed(t), operations(t); !slices.Equal(listed, want) {
		t.Errorf("the page lists %s\nthe description has %s", listed, want)
	}
	// Capitals do not matter to the filter.
	p.Do(t, chromedp.Focus(`.operation-filter-input`), inserted("BADGE"), chromedp.WaitNotPresent(linked))
	if listed := p.listed(t); !slices.Equal(listed, []string{"getBadge"}) {
		t.Errorf("filtered, the page lists %s", listed)
	}
	// With few operations, the page renders everything that follows faster.
	p.Do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector('.operation-filter-input').select()`), inserted("listEntities"), chromedp.WaitVisible(linked))
	p.authorize(t, key)
	status, headers, body := p.execute(t)
	if status != "200" || !strings.Contains(headers, "x-ratelimit-tier: authenticated") || !regexp.MustCompile(`"count": \d{2,}`).MatchString(body) {
		t.Errorf("trying it out returns %s\n%s\n%s", status, headers, body)
	}
	// The request contains only the parameters that were filled in: none of many.
	if asked := p.Requests(); !slices.Contains(asked, "GET "+e.URL+"/api/entities") {
		t.Errorf("the page requested %q", asked)
	}
	// The page forgets the key when it is closed.
	suite.Equal(t, eval[string](t, p.Tab, `JSON.stringify([localStorage, sessionStorage, document.cookie])`), `[{"theme":"light"},{},""]`)
	p.CheckQuiet(t, e.URL)
	p.checkConfined(t)
	// The theme that was chosen here applies on other pages.
	p.Do(t, chromedp.Navigate(e.URL+"/docs/"))
	p.checkScheme(t, "light")
}

// apiDocs is the API reference opened in a browser.
type apiDocs struct{ *browser.Tab }

// linked is the operation that a link opens. Each operation that is opened takes seconds.
const linked = `#operations-Entities-listEntities`

// authorize enters a key in the dialog for it.
func (p *apiDocs) authorize(t *testing.T, key string) {
	t.Helper()
	const field = `.dialog-ux input[type=text]`
	p.Do(t, chromedp.Click(`.btn.authorize`), chromedp.WaitVisible(field), chromedp.Focus(field), inserted(key),
		chromedp.Click(`.dialog-ux .auth.btn-done, .dialog-ux button[type=submit]`),
		chromedp.Click(`.dialog-ux .close-modal`), chromedp.WaitNotPresent(`.dialog-ux`))
}

// inserted enters text at once: the page renders all operations again after each change.
func inserted(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, input.InsertText, input.InsertTextParams{Text: text})
		return err
	})
}

// listed returns the operations that the page shows.
func (p *apiDocs) listed(t *testing.T) []string {
	t.Helper()
	names := browser.Run(t, p.Tab, chromedp.Evaluate[[]string](`[...document.querySelectorAll('.opblock')].map(e => e.id.split('-').pop())`))
	slices.Sort(names)
	return names
}

// execute presses the Execute button of the linked operation.
func (p *apiDocs) execute(t *testing.T) (status, headers, body string) {
	t.Helper()
	const response = linked + " .live-responses-table .response"
	p.Do(t, chromedp.Click(linked+" .btn.execute"), chromedp.WaitVisible(response+" .headerline"))
	text := func(selector string) string {
		return browser.Run(t, p.Tab, chromedp.Evaluate[string](fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.textContent.trim()).join('\n')`, response+selector)))
	}
	return text(" .response-col_status"), text(" .headerline"), text(" .highlight-code")
}

// operations returns the operation IDs in the API description.
func operations(t *testing.T) []string {
	t.Helper()
	doc := suite.Must(openapi3.NewLoader().LoadFromData(openapi.YAML))(t)
	var names []string
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			names = append(names, op.OperationID)
		}
	}
	slices.Sort(names)
	return names
}

// checkScheme determines the theme of a page from its background.
func (p *apiDocs) checkScheme(t *testing.T, want string) {
	t.Helper()
	paper := eval[string](t, p.Tab, `getComputedStyle(document.body).backgroundColor`)
	suite.Equal(t, map[string]string{"rgb(22, 21, 19)": "dark", "rgb(251, 250, 247)": "light"}[paper], want)
}

// checkLook checks the colours, the width, the header and the footer of the page.
func (p *apiDocs) checkLook(t *testing.T, want string, width int64) {
	t.Helper()
	p.checkScheme(t, want)
	if beyond := browser.Run(t, p.Tab, chromedp.Evaluate[int](`document.documentElement.scrollWidth - window.innerWidth`)); beyond > 0 {
		t.Errorf("%s, %d wide: the page is %d wider than the window", want, width, beyond)
	}
	for _, wrong := range violations(t, p.Tab, true, contrasts) {
		t.Errorf("%s, %d wide: %s", want, width, wrong)
	}
	head := browser.Run(t, p.Tab, chromedp.Evaluate[string](`[
		document.querySelectorAll('h1').length, document.querySelector('.nav [aria-current]').textContent,
		document.querySelector('header.top').offsetHeight < 140, !!document.querySelector('footer.foot a[href="/docs/api"]'),
		getComputedStyle(document.querySelector('.swagger-ui .btn.execute')).minHeight,
	].join(' ')`))
	suite.Equal(t, head, "1 Docs true true 0px", width)
}

// checkConfined checks that the policy blocks inline scripts and requests to other hosts, and
// that the browser reports both.
func (p *apiDocs) checkConfined(t *testing.T) {
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
