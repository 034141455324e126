package audit_test

import (
	"net/http"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
	"kindex/edge/edgetest/browser"
)

// withoutScripts takes the same steps in a browser that does not run scripts, and proposes an
// entity.
func (d *developer) withoutScripts() {
	d.tab.Do(d, withoutScripts, chromedp.Navigate(d.edge.URL+"/developer/"))
	d.scripts = false
	d.key()
	hook := d.makeWebhook()
	d.testWebhook(hook)
	if suite.Soaking() { // delivering again is a form like that for the test
		d.replayTest(hook)
	}
	d.propose()
	d.correct()
	d.tab.CheckQuiet(d, d.edge.URL)
	d.tab.Do(d, chromedp.EmulateViewport(phone, height))
	for _, path := range []string{"/developer/", "/developer/webhooks/", hook.path, "/developer/submissions/", "/submit/"} {
		d.tab.Load(d, chromedp.Navigate(d.edge.URL+path))
		waiting(d, d.tab, path)
		for _, wide := range d.tab.Overflowing(d) {
			d.Errorf("%s, without scripts: overflowing the window: %s", path, wide)
		}
	}
}

// replayTest sends a test that the receiver rejects, and replays it once the receiver
// accepts it.
func (d *developer) replayTest(h hook) {
	d.receiver.Answer(http.StatusInternalServerError)
	d.tab.Load(d, chromedp.Click(`form[action$="/test/"] button`))
	first, _ := d.came(h)
	d.shows(`document.querySelector('#deliveries .delivery .state').textContent === 'failed'`)
	suite.Contains(d, d.text(`#deliveries .delivery`), "responded with 500", "the log")
	d.receiver.Answer(http.StatusNoContent)
	d.tab.Load(d, chromedp.Click(`#deliveries .delivery form button`))
	for again, _ := d.came(h); again.Status != http.StatusNoContent; again, _ = d.came(h) {
		if again.Header.Get("webhook-id") != first.Header.Get("webhook-id") { // again must be another attempt at the first delivery
			d.Fatalf("received %+v", again.Header)
		}
	}
	d.shows(`document.querySelector('#deliveries .delivery').innerText.includes('replayed') && document.querySelector('#deliveries .delivery .state').textContent === 'succeeded'`)
}

// remarked returns the fields whose messages are also exposed to screen readers.
const remarked = `[...document.querySelectorAll('[data-field]')].filter(f => f.querySelector('.remark.is-wrong')?.checkVisibility() && f.querySelector('[aria-invalid=true]')).map(f => f.dataset.field)`

// propose fills in the form, sees the errors next to the fields, corrects them, sees the
// file, and submits it.
func (d *developer) propose() {
	d.tab.Load(d, chromedp.Click(`.nav .more summary`), chromedp.Click(`.nav a[href="/submit/"]`))
	d.tab.Do(d, chromedp.SendKeys(`#f-name`, "Gradient Lantern"), chromedp.SendKeys(`#f-url`, "lantern.example.org"), chromedp.SendKeys(`#f-license`, "MITT"),
		chromedp.SendKeys(`#f-description`, "Shows where gradients vanish or explode while a network trains."))
	d.tab.Load(d, chromedp.Click(`[data-check]`))
	if wrong := browser.Eval[[]string](d, d.tab, remarked); !slices.Equal(wrong, []string{"category", "url"}) {
		d.Errorf("after sending two mistakes, the messages are on %q:\n%s", wrong, d.text(`main`))
	}
	if says := d.text(`[data-says]`); !strings.HasPrefix(says, "Please correct: Category, Address.") {
		d.Errorf("it says %q", says)
	}
	suite.Contains(d, d.text(`[data-field=license] .remark.is-worth`), "MITT", "the message on the licence")
	d.tab.Load(d, chromedp.Click(`[data-field=license] li button`))
	if kept := browser.Eval[[]string](d, d.tab, `['name', 'url', 'license'].map(n => document.querySelector('#f-' + n).value)`); !slices.Equal(kept, []string{"Gradient Lantern", "lantern.example.org", "MIT"}) {
		d.Errorf("the fields contain %q", kept)
	}
	d.tab.Do(d, chromedp.SetValue(`#f-category`, "ml-frameworks"), chromedp.SetValue(`#f-url`, "https://lantern.example.org/"))
	d.tab.Load(d, chromedp.Click(`[data-check]`))
	if wrong := browser.Eval[[]string](d, d.tab, remarked); len(wrong) > 0 {
		d.Errorf("after fixing them, there are messages on %q", wrong)
	}
	file := d.text(`[data-yaml]`)
	for _, line := range []string{"content/tool/gradient-lantern.yaml", "name: Gradient Lantern", "category: ml-frameworks", "license: MIT\n", "url: https://lantern.example.org/"} {
		suite.Contains(d, file+"\n", line, file)
	}
	res := d.tab.Load(d, chromedp.Click(`button[formaction]`))
	if path := strings.TrimPrefix(res.URL, d.edge.URL); res.Status != http.StatusOK || !strings.HasPrefix(path, "/developer/submissions/sub_") || !strings.Contains(d.text(`main`), "name: Gradient Lantern") {
		d.Errorf("after submitting, %s returns %d: %s", path, res.Status, d.text(`main`))
	}
}

// correct changes an existing entity from its page: a mistake in a figure first, then with its source.
func (d *developer) correct() {
	d.tab.Load(d, chromedp.Navigate(d.edge.URL+"/tool/pytorch/"))
	d.tab.Load(d, chromedp.Click(`a[href*="/submit/?e="]`))
	d.tab.Do(d, chromedp.SetValue(`#f-license`, "MIT"), chromedp.SetValue(`#f-figure`, "stars"), chromedp.SetValue(`#f-figure-value`, "99000"))
	d.tab.Load(d, chromedp.Click(`[data-check]`))
	if wrong := browser.Eval[[]string](d, d.tab, remarked); !slices.Equal(wrong, []string{"figure.source"}) {
		d.Errorf("without a source, the messages are on %q:\n%s", wrong, d.text(`main`))
	}
	d.tab.Do(d, chromedp.SetValue(`#f-figure-source`, "https://github.com/pytorch/pytorch"))
	d.tab.Load(d, chromedp.Click(`[data-check]`))
	const changes = "license: MIT\nsignals:\n  stars: {value: 99000, source: https://github.com/pytorch/pytorch}"
	suite.Equal(d, strings.TrimSpace(d.text(`[data-text]`)), changes, "what changes")
	res := d.tab.Load(d, chromedp.Click(`button[formaction]`))
	if path := strings.TrimPrefix(res.URL, d.edge.URL); res.Status != http.StatusOK || !strings.HasPrefix(path, "/developer/submissions/sub_") || !strings.Contains(d.text(`main`), changes) {
		d.Errorf("after submitting, %s returns %d: %s", path, res.Status, d.text(`main`))
	}
}
