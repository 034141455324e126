package audit_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/edge/webhook"
)

// developer is a user whose programs call the API.
type developer struct {
	*testing.T
	tab      *browser.Tab
	scripts  bool // the browser runs scripts
	edge     *edgetest.Edge
	content  string
	issuer   string
	receiver *edgetest.Receiver
}

// TestDeveloper follows a developer who proposes an entity, signs in, creates a key and sets up a webhook.
func TestDeveloper(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	d := &developer{T: t, content: edgetest.Content(t, "ml-frameworks"), receiver: edgetest.NewReceiver(t)}
	out := filepath.Join(t.TempDir(), "out")
	edgetest.Build(t, d.content, out)
	d.edge, d.issuer = serveSignIn(t, edge.Options{Dir: out, LimitAnonymous: 20, LimitKey: 100, Guard: d.receiver.Guard,
		WebhookSchedule: webhook.Schedule{20 * time.Millisecond}, WebhookPoll: 10 * time.Millisecond})
	d.tab, d.scripts = browser.Open(t, desktop, height), true
	d.draft()
	d.signIn("1001", "zoe-o-neil")
	d.submit()
	d.key()
	hook := d.makeWebhook()
	d.testWebhook(hook)
	d.replay(hook)
	d.tab.CheckQuiet(t, d.edge.URL)
	d.withoutScripts()
}

const draftedText = "Shows where gradients vanish or explode while a network trains, layer by layer, in the terminal."

// draft types a proposal, gets errors while typing, and fixes them.
func (d *developer) draft() {
	d.tab.Load(d, chromedp.Navigate(d.edge.URL+"/submit/"))
	d.tab.Do(d, chromedp.SendKeys(`#f-name`, "Gradient Compass"), chromedp.SetValue(`#f-category`, "ml-frameworks"), chromedp.SendKeys(`#f-description`, draftedText),
		chromedp.SendKeys(`#f-tags`, "gradients, Python"), chromedp.SendKeys(`#f-url`, "compass.example.org"), chromedp.SendKeys(`#f-license`, "MITT"), browser.Press("\t"))
	written := func(text string) {
		d.Helper()
		d.tab.Until(d, `document.querySelector('[data-text]').textContent.includes(%q)`, text)
	}
	written("license: MITT") // the text that was typed last
	for field, says := range map[string]string{"url": "https://", "license": "MIT", "tags": "python"} {
		d.tab.Until(d, `document.querySelector('[data-field=%s] li')?.textContent.includes(%q)`, field, says)
	}
	if ready := browser.Eval[bool](d, d.tab, `!document.querySelector('[data-ways]').hidden`); ready {
		d.Error("the form can be submitted although it has errors")
	}
	for field, text := range map[string]string{"license": "license: MIT\n", "tags": "tags: [gradients, python]"} {
		// A mouse click could miss the button, because messages that appear at the same moment shift the page.
		d.tab.Do(d, chromedp.Evaluate[chromedp.Void]("document.querySelector(`[data-field="+field+"] li button`).click()"))
		written(text)
	}
	d.tab.Do(d, chromedp.Focus(`#f-url`), chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`), browser.Press("https://compass.example.org\t"))
	d.tab.Until(d, `document.querySelector('[data-says]').classList.contains('is-right') && !document.querySelector('[data-field] [aria-invalid]')`)
	for _, line := range []string{"content/tool/gradient-compass.yaml", "name: Gradient Compass", "category: ml-frameworks", "url: https://compass.example.org", draftedText} {
		suite.Contains(d, d.text(`[data-yaml]`), line)
	}
}

// submit checks that the form is still filled in after signing in, and submits it.
func (d *developer) submit() {
	d.tab.Load(d, chromedp.Click(`.nav .more summary`), chromedp.Click(`.nav a[href="/submit/"]`))
	d.tab.Until(d, `document.querySelector('#f-name').value === "Gradient Compass" && document.querySelector('[data-says]').classList.contains('is-right')`)
	res := d.tab.Load(d, chromedp.Click(`button[formaction="/submit/"]`))
	if path := strings.TrimPrefix(res.URL, d.edge.URL); res.Status != http.StatusOK || !strings.HasPrefix(path, "/developer/submissions/sub_") || !strings.Contains(d.text(`main`), "pending") {
		d.Fatalf("submitted, %d at %s: %s", res.Status, res.URL, d.text(`main`))
	}
	d.tab.Load(d, chromedp.Navigate(d.edge.URL+"/developer/"))
}

// serveSignIn starts an edge that uses the npm package oidc-provider for sign-in.
func serveSignIn(t *testing.T, o edge.Options) (e *edgetest.Edge, issuer string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	issuer = authtest.StartOIDC(t, "http://"+server.Listener.Addr().String()+"/signin/oidc/callback", map[string]string{"1001": "Zoë O'Neil", "1002": "Max"})
	o.SignIn = auth.Options{OIDC: auth.OIDC{Issuer: issuer, Client: authtest.Client, Secret: authtest.ClientSecret}}
	return edgetest.StartOn(t, server, o), issuer
}

// signIn starts on the page for developers, signs in with the provider, and sees the
// first key.
func (d *developer) signIn(subject, account string) {
	d.tab.Load(d, chromedp.Navigate(d.edge.URL+"/developer/"))
	d.tab.Load(d, chromedp.Click(`main a[href="/signin"]`))
	res := d.tab.SignIn(d, d.issuer, subject, chromedp.Click(`form[action="/signin/oidc"] button`))
	if first := d.secret(`^kx_\w{38}$`); res.Status != http.StatusOK || d.ask(first) != http.StatusOK {
		d.Errorf("signed in, %d at %s; the first key gets %d", res.Status, res.URL, d.ask(first))
	}
	d.tab.Load(d, chromedp.Click(`//a[contains(., "I have copied it")]`))
	suite.Equal(d, d.text(`form[action="/signout"] strong`), account, "the account")
}

// key creates a key and checks that it is shown only once. It then sends requests with the
// key, checks the usage, and revokes the key.
func (d *developer) key() {
	before := d.used()
	d.tab.Do(d, chromedp.SendKeys(`#name`, "laptop"))
	d.tab.Load(d, chromedp.Click(`form[action="/developer/keys/"] button`))
	key := d.secret(`^kx_\w{38}$`)
	d.tab.Load(d, chromedp.Click(`//a[contains(., "I have copied it")]`))
	if page := d.text(`main`); strings.Contains(page, key) || !strings.Contains(page, key[:7]+"…"+key[len(key)-4:]) {
		d.Errorf("the key is shown again, or not masked:\n%s", page)
	}
	for range 3 {
		if status := d.ask(key); status != http.StatusOK {
			d.Fatalf("with the key, the API returns %d", status)
		}
	}
	d.tab.Load(d, chromedp.Reload())
	if now := d.used(); now != before+3 {
		d.Errorf("after three requests, the panel counts %v, want %v", now, before+3)
	}
	d.tab.Load(d, chromedp.Click(`//li[contains(., "laptop")]//a[contains(., "Revoke")]`))
	d.tab.Load(d, chromedp.Click(`//button[contains(., "Revoke")]`))
	if list := d.text(`ul.panel-cards`); strings.Contains(list, "laptop") {
		d.Errorf("the revoked key is still listed:\n%s", list)
	}
	suite.Equal(d, d.ask(key), http.StatusUnauthorized, "the revoked key")
}

// hook is a webhook created in the panel.
type hook struct {
	path   string
	verify *standardwebhooks.Webhook
}

// makeWebhook creates a webhook, whose secret is shown only once.
func (d *developer) makeWebhook() hook {
	d.tab.Load(d, chromedp.Click(`main nav a[href="/developer/webhooks/"]`))
	d.tab.Do(d, chromedp.SendKeys(`#url`, d.receiver.URL+"/hook"))
	d.tab.Do(d, chromedp.Evaluate[chromedp.Void](`for (const box of document.querySelectorAll('[name=events]')) if (box.checked !== (box.value === 'entity.updated')) box.click()`))
	d.tab.Load(d, chromedp.Click(`form[action="/developer/webhooks/"] button`))
	secret := d.secret(`^whsec_`)
	verify := suite.Must(standardwebhooks.NewWebhook(secret))(d)
	d.tab.Load(d, chromedp.Click(`//a[contains(., "I have copied it")]`))
	if page := d.text(`main`); strings.Contains(page, secret) {
		d.Errorf("the secret is shown again:\n%s", page)
	}
	return hook{browser.Eval[string](d, d.tab, `location.pathname`), verify}
}

// came waits for the next delivery and verifies its signature.
func (d *developer) came(h hook) (x edgetest.Delivery, kind string) {
	d.Helper()
	select {
	case x = <-d.receiver.Came:
	case <-time.After(patience):
		d.Fatal("nothing was delivered")
	}
	if err := h.verify.Verify(x.Body, x.Header); err != nil {
		d.Errorf("the signature: %v", err)
	}
	var said struct{ Event string }
	if err := json.Unmarshal(x.Body, &said); err != nil {
		d.Errorf("%v: %s", err, x.Body)
	}
	return x, said.Event
}

// testWebhook sends a test, and checks in the panel that it has arrived.
func (d *developer) testWebhook(h hook) {
	d.tab.Load(d, chromedp.Click(`form[action$="/test/"] button`))
	if _, kind := d.came(h); kind != webhook.TestEvent {
		d.Errorf("the test event is a %q", kind)
	}
	d.shows(`document.querySelector('#deliveries .delivery .state').textContent === 'succeeded'`)
}

// shows waits until the panel shows that a pending delivery is complete. If scripts are
// disabled, it reloads the page.
func (d *developer) shows(condition string) {
	d.Helper()
	for !d.scripts && browser.Eval[bool](d, d.tab, `document.querySelector('[data-reload]') !== null`) {
		d.tab.Load(d, chromedp.Click(`[data-reload]`))
	}
	d.tab.Until(d, "%s", condition)
}

// replay publishes a build and has the receiver reject its events, then replays them once
// the receiver accepts them.
func (d *developer) replay(h hook) {
	d.receiver.Answer(http.StatusInternalServerError)
	d.publish()
	first, kind := d.came(h)
	second, _ := d.came(h)
	event := first.Header.Get("webhook-id")
	if kind != "entity.updated" || first.Status != http.StatusInternalServerError || event == "" || second.Header.Get("webhook-id") != event || !strings.Contains(string(first.Body), `"pytorch"`) {
		d.Errorf("received %+v, then %+v: %s", first.Header, second.Header, first.Body)
	}
	d.tab.Load(d, chromedp.Reload())
	d.tab.Until(d, `document.querySelector('#deliveries .delivery .state').textContent === 'failed'`)
	if log := d.text(`#deliveries .delivery`); !strings.Contains(log, "entity.updated") || !strings.Contains(log, "2 attempts") || !strings.Contains(log, "responded with 500") || !strings.Contains(log, event) {
		d.Errorf("the log has %q", log)
	}
	d.receiver.Answer(http.StatusNoContent)
	d.tab.Load(d, chromedp.Click(`#deliveries .delivery form button`))
	again, kind := d.came(h)
	if kind != "entity.updated" || again.Header.Get("webhook-id") != event || again.Status != http.StatusNoContent || string(again.Body) != string(first.Body) {
		d.Errorf("replayed, %s arrives as %+v: %s", event, again.Header, again.Body)
	}
	d.shows(`document.querySelector('#deliveries .delivery').innerText.includes('replayed') && document.querySelector('#deliveries .delivery .state').textContent === 'succeeded'`)
}

// publish changes an entity and publishes a build that contains the change.
func (d *developer) publish() {
	d.Helper()
	path := filepath.Join(d.content, "tool", "pytorch.yaml")
	text := suite.Must(os.ReadFile(path))(d)
	now := regexp.MustCompile(`(?m)^version: .*$`).ReplaceAll(text, []byte("version: 99.1.0"))
	if slices.Equal(now, text) {
		d.Fatal("PyTorch has no version")
	}
	suite.Check(d, os.WriteFile(path, now, 0o644))
	edgetest.Commit(d, filepath.Dir(d.content), 0)
	edgetest.Build(d, d.content, d.edge.Dir)
	suite.Check(d, d.edge.Reload())
}

// secret returns the secret shown on a page, and checks that it can be copied.
func (d *developer) secret(shape string) string {
	d.Helper()
	secret := d.text(`#secret`)
	if !regexp.MustCompile(shape).MatchString(secret) {
		d.Fatalf("%q is shown:\n%s", secret, d.text(`main`))
	}
	if !d.scripts { // the user copies the secret manually
		return secret
	}
	d.tab.Do(d, chromedp.Click(`[data-copy]`))
	d.tab.Until(d, `document.querySelector('[data-copy]').textContent === 'Copied' || getSelection().toString().trim() === document.querySelector('#secret').textContent`)
	return secret
}

func (d *developer) text(selector string) string {
	d.Helper()
	return browser.Eval[string](d, d.tab, `document.querySelector(%q).innerText`, selector)
}

// used returns the number of today's requests that the panel shows.
func (d *developer) used() float64 {
	d.Helper()
	return number(d, d.text(`.use-numbers strong`))
}

// ask sends a request with a key to the API, like a client program.
func (d *developer) ask(key string) int {
	d.Helper()
	req := suite.Must(http.NewRequestWithContext(d.Context(), http.MethodGet, d.edge.URL+"/api/entities?limit=1", nil))(d)
	req.Header.Set("x-api-key", key)
	res := suite.Must(http.DefaultClient.Do(req))(d)
	res.Body.Close()
	return res.StatusCode
}
