package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
	"kindex/cmd/kindex/operator"
	"kindex/edge/auth/authtest"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/edge/submission"
	"kindex/edge/submission/github/githubtest"
)

// contributor plays two people: one who proposes an entity on the website, and the
// operator, who has the commands, a checkout of the content and a forge.
type contributor struct {
	*testing.T
	tab    *browser.Tab
	url    string // the edge's address
	issuer string // the sign-in provider
	dir    string // the checkout
	out    string
	state  string
	forge  *githubtest.Server
	page   string // the submission's page in the panel
}

// proposed contains what the contributor types into the form. The licence has a typo.
const (
	proposedName = "Gradient Lantern"
	proposedPath = "/tool/gradient-lantern/"
	proposedText = "Shows where gradients vanish or explode while a network trains, layer by layer, in the terminal."
)

// TestContributor follows an entity from the form on the website through review and a new
// build to its own page. The edge is never restarted.
func TestContributor(t *testing.T) {
	suite.InTest(t)
	c := &contributor{T: t, dir: filepath.Dir(edgetest.Content(t, "ml-frameworks")), out: filepath.Join(t.TempDir(), "out")}
	c.state = filepath.Join(t.TempDir(), "kindex.db")
	c.publishContent()
	c.serve()
	c.tab = browser.Open(t, 1440, 900)
	c.fillIn()
	c.submit()
	c.review()
	c.build()
	c.tab.CheckQuiet(t, c.url)
	c.lookAround("/submit/", c.page, "/developer/submissions/", proposedPath)
	c.tab.CheckQuiet(t, c.url)
}

// lookAround opens pages on a phone at night (in make soak, also in the other combinations). It checks
// that each page has the right color scheme and is not wider than its window.
func (c *contributor) lookAround(paths ...string) {
	type view struct {
		scheme string
		width  int64
	}
	set := func(v view) {
		c.tab.Do(c, chromedp.EmulateViewport(v.width, 900), browser.Prefers("prefers-color-scheme", v.scheme))
	}
	night := view{"dark", 390}
	for _, v := range suite.Pick([]view{night}, []view{night, {"dark", 1440}, {"light", 390}}) {
		set(v)
		for _, path := range paths {
			c.tab.Load(c, chromedp.Navigate(c.url+path))
			for _, wide := range c.tab.Overflowing(c) {
				c.Errorf("%s, %v: wider than the window: %s", path, v, wide)
			}
			const lightness = `(c => (Number(c[0]) + Number(c[1]) + Number(c[2])) / 765)(getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g))`
			if dark := browser.Eval[bool](c, c.tab, lightness+" < 0.5"); dark != (v.scheme == "dark") {
				c.Errorf("%s, %v: wrong color scheme; page is dark: %v", path, v, dark)
			}
		}
	}
	set(view{"light", 1440})
}

// publishContent pushes the content to a forge and builds it.
func (c *contributor) publishContent() {
	bare := filepath.Join(c.TempDir(), "example", "index.git")
	c.git("init", "-q", "--bare", "-b", "main", bare)
	c.git("remote", "add", "origin", "file://"+bare)
	c.git("push", "-q", "origin", "main")
	c.forge = githubtest.Start(bare)
	c.Cleanup(func() {
		c.forge.Close()
		for _, wrong := range c.forge.Violations() {
			c.Errorf("the forge received an invalid request: %s", wrong)
		}
	})
	c.kindex("build", "--content", "content", "--out", c.out)
}

// serve starts kindex serve, with npm's oidc-provider for sign-in.
func (c *contributor) serve() {
	addr := suite.FreeAddress(c.T)
	c.url = "http://" + addr
	c.issuer = authtest.StartOIDC(c, c.url+"/signin/oidc/callback", map[string]string{"1001": "ada"})
	cmd := program("serve", "--dir", c.out, "--addr", addr, "--admin", "", "--state", c.state, "--url", c.url,
		"--signin-oidc-issuer", c.issuer, "--signin-oidc-client", authtest.Client)
	cmd.Env = append(cmd.Env, "KINDEX_SIGNIN_OIDC_SECRET="+authtest.ClientSecret)
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.Fatal(err)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil { // it has already ended
			c.Error(err)
		}
		if err := cmd.Wait(); err != nil || c.Failed() {
			c.Errorf("the edge ended with %v: %s", err, said.String())
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "serving ") {
		c.Fatalf("the edge printed %q: %v", line, err)
	}
}

// fillIn types a proposal, gets errors while typing, and fixes them.
func (c *contributor) fillIn() {
	c.tab.Load(c, chromedp.Navigate(c.url+"/"))
	c.tab.Load(c, chromedp.Click(`.nav .more summary`), chromedp.Click(`.nav a[href="/submit/"]`))
	c.tab.Do(c,
		chromedp.SendKeys(`#f-name`, proposedName),
		chromedp.SetValue(`#f-category`, "ml-frameworks"),
		chromedp.SendKeys(`#f-description`, proposedText),
		chromedp.SendKeys(`#f-tags`, "gradients, Python"),
		chromedp.SendKeys(`#f-url`, "lantern.example.org"),
		chromedp.SendKeys(`#f-license`, "MITT"),
		browser.Press("\t"),
	)
	c.written("license: MITT") // the text that was typed last
	for field, says := range map[string]string{"url": "https://", "license": "MIT", "tags": "python"} {
		c.tab.Until(c, `document.querySelector('[data-field=%s] li')?.textContent.includes(%q)`, field, says)
	}
	if ready := browser.Eval[bool](c, c.tab, `!document.querySelector('[data-ways]').hidden`); ready {
		c.Error("the form can be submitted although it has errors")
	}
	c.useSuggestion("license")
	c.written("license: MIT\n")
	c.useSuggestion("tags")
	c.written("tags: [gradients, python]")
	c.tab.Do(c, chromedp.Focus(`#f-url`), chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`), browser.Press("https://lantern.example.org/\t"))
	c.tab.Until(c, `document.querySelector('[data-says]').classList.contains('is-right') && !document.querySelector('[data-field] [aria-invalid]')`)
	file := browser.Eval[string](c, c.tab, `document.querySelector('[data-yaml]').innerText`)
	for _, line := range []string{"content/tool/gradient-lantern.yaml", "name: " + proposedName, "category: ml-frameworks", "license: MIT", "tags: [gradients, python]", "url: https://lantern.example.org/", proposedText} {
		if !strings.Contains(file, line) {
			c.Errorf("the file lacks %q: %s", line, file)
		}
	}
}

// useSuggestion clicks a suggestion's button from a script. A mouse click could miss the
// button, because messages that appear at the same moment shift the page.
func (c *contributor) useSuggestion(field string) {
	c.tab.Do(c, chromedp.Evaluate[chromedp.Void]("document.querySelector(`[data-field="+field+"] li button`).click()"))
}

// written waits until the displayed file contains a string.
func (c *contributor) written(text string) {
	c.Helper()
	c.tab.Until(c, `document.querySelector('[data-text]').textContent.includes(%q)`, text)
}

// submit signs in, checks that the form is still filled in, and submits it.
func (c *contributor) submit() {
	c.tab.Load(c, chromedp.Click(`[data-ways] a[href="/signin"]`))
	c.tab.SignIn(c, c.issuer, "1001", chromedp.Click(`form[action="/signin/oidc"] button`))
	c.tab.Load(c, chromedp.Click(`.nav .more summary`), chromedp.Click(`.nav a[href="/submit/"]`))
	c.tab.Until(c, `document.querySelector('#f-name').value === %q && document.querySelector('[data-says]').classList.contains('is-right')`, proposedName)
	res := c.tab.Load(c, chromedp.Click(`button[formaction="/submit/"]`))
	path, found := strings.CutPrefix(res.URL, c.url)
	if res.Status != http.StatusOK || !found || !strings.HasPrefix(path, "/developer/submissions/sub_") {
		c.Fatalf("submitted, %d at %s", res.Status, res.URL)
	}
	c.page = path
	c.checkState(submission.Pending)
}

// review accepts the submission, then reads and merges its pull request.
func (c *contributor) review() {
	var list []struct{ ID, Name, Account string }
	if err := json.Unmarshal([]byte(c.kindex("submissions", "list", "--status", "pending", "--json", "--state", c.state)), &list); err != nil || len(list) != 1 {
		c.Fatal(list, err)
	}
	one := list[0]
	if one.Name != proposedName || one.Account != "ada" || c.page != "/developer/submissions/"+one.ID+"/" {
		c.Fatalf("%+v waits for review; its page is %s", one, c.page)
	}
	forge := []string{"--state", c.state, "--forge", c.forge.URL, "--forge-repo", githubtest.Repository}
	c.kindex(append([]string{"submissions", "accept", one.ID, "--content", "content"}, forge...)...)
	pulls := c.forge.Pulls()
	if len(pulls) != 1 || pulls[0].Title != "Add tool/gradient-lantern" || !strings.Contains(pulls[0].Body, "1 created") {
		c.Fatalf("the forge has %+v", pulls)
	}
	c.checkState(submission.InReview)
	if link := browser.Eval[string](c, c.tab, `document.querySelector('main a[href*="/pull/"]').href`); link != "https://forge.example.org/example/index/pull/1" {
		c.Errorf("the page links to %s", link)
	}
	c.git("fetch", "-q", "origin", pulls[0].Head)
	c.git("merge", "-q", "--no-edit", "--no-ff", "FETCH_HEAD")
	c.git("push", "-q", "origin", "main")
	if err := c.forge.ClosePull(1, true); err != nil {
		c.Fatal(err)
	}
	c.kindex(append([]string{"submissions", "sync", "--dir", c.out}, forge...)...)
	c.checkState(submission.Accepted)
}

// build builds and publishes the content, which now contains the entity. The edge
// switches to the new build by itself.
func (c *contributor) build() {
	if status, _, err := get(c.url + proposedPath); err != nil || status != http.StatusNotFound {
		c.Errorf("before the build, the entity's page answers %d, %v", status, err)
	}
	c.kindex("build", "--content", "content", "--out", c.out)
	c.tab.Until(c, `fetch(location.href).then(a => a.text()).then(t => t.includes('state-published'))`)
	c.checkState(submission.Published)
	res := c.tab.Load(c, chromedp.Click(`main a[href="`+proposedPath+`"]`))
	if title := browser.Eval[string](c, c.tab, `document.querySelector('h1').innerText`); res.Status != http.StatusOK || title != proposedName {
		c.Errorf("%s answers %d: %s", res.URL, res.Status, title)
	}
	if said := browser.Eval[string](c, c.tab, `document.querySelector('.lead').innerText`); said != proposedText {
		c.Errorf("it says %q", said)
	}
	c.tab.Load(c, chromedp.Navigate(c.url+"/search/?q=lantern"))
	c.tab.Load(c, chromedp.Click(`#results a[href="`+proposedPath+`"]`))
}

// checkState checks the status shown on the submission's page.
func (c *contributor) checkState(want submission.Status) {
	c.Helper()
	c.tab.Load(c, chromedp.Navigate(c.url+c.page))
	if got := browser.Eval[string](c, c.tab, `document.querySelector('main [class*=state-]').textContent`); got != string(want) {
		c.Errorf("the panel shows the submission as %s, want %s", got, want)
	}
}

// kindex runs the program in the checkout and returns its output.
func (c *contributor) kindex(args ...string) string {
	c.Helper()
	cmd := program(args...)
	cmd.Env = append(cmd.Env, operator.ForgeToken+"="+githubtest.Token)
	return c.run(cmd)
}

func (c *contributor) git(args ...string) {
	c.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), programEnvironment...)
	c.run(cmd)
}

func (c *contributor) run(cmd *exec.Cmd) string {
	c.Helper()
	cmd.Dir = c.dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		c.Fatalf("%q: %v\n%s%s", cmd.Args, err, out.String(), said.String())
	}
	return out.String()
}
