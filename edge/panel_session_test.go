package edge

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/console"
	"kindex/edge/openapi"
	"kindex/edge/storage"
	"kindex/edge/webhook"
)

// panelled is an edge with the developer panel and a sign-in provider that the test controls.
type panelled struct {
	*hooked
	hub    *authtest.GitHub
	people int
}

func servePanel(t testing.TB, change ...func(*Options)) *panelled {
	t.Helper()
	p := &panelled{hub: authtest.StartGitHub(t)}
	p.hooked = serveHooked(t, t.TempDir()+"/kindex.db", append([]func(*Options){func(o *Options) {
		o.LimitAnonymous, o.LimitKey, o.Contact = 20, 100, "operator@example.org"
		o.SignIn = auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: p.hub.URL}}
	}}, change...)...)
	return p
}

var onePanel *panelled

// sharedPanel is like servePanel, for tests that change only what belongs to accounts of their own.
func sharedPanel(t testing.TB) *panelled {
	t.Helper()
	share(t, "the panel", func(t testing.TB) *served {
		onePanel = servePanel(t)
		return onePanel.served
	})
	return onePanel
}

// person is a user and the user's browser.
type person struct {
	t       *testing.T
	url     string
	jar     http.CookieJar
	account apikey.Account
	key     string // the account's first key
}

// signIn signs in a new user, whose account has a number in its name.
func (p *panelled) signIn(t *testing.T, name string) *person {
	t.Helper()
	p.people++
	name = fmt.Sprint(name, p.people)
	p.hub.Answer(http.StatusOK, fmt.Sprintf(`{"id": %d, "login": %q}`, p.people, name))
	jar := suite.Must(cookiejar.New(nil))(t)
	b := &person{t: t, url: p.url, jar: jar}
	a := visit(t, jar, http.MethodPost, p.url+"/signin/github", "Origin", p.url)
	if b.key = keyText.FindString(string(a.body)); b.key == "" {
		t.Fatalf("%s was not signed in: %d\n%s", name, a.status, a.body)
	}
	b.account = suite.Must(p.state.AccountNamed(t.Context(), name))(t)
	return b
}

var (
	keyText    = regexp.MustCompile(`kx_[0-9A-Za-z]{38}`)
	secretText = regexp.MustCompile(`whsec_[0-9A-Za-z+/=]{20,}`)
	tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)
	onceField  = regexp.MustCompile(`name="once" value="([^"]+)"`)
	faultText  = regexp.MustCompile(`<p class="field-fault"[^>]*>([^<]*)</p>`)
)

// send requests a page or sends a form. It does not follow redirects.
func (b *person) send(method, path string, form url.Values, header ...string) answer {
	b.t.Helper()
	if method == http.MethodPost {
		header = append([]string{"Content-Type", "application/x-www-form-urlencoded", "Origin", b.url}, header...)
	}
	return suite.Must(exchange(direct(b.jar), method, b.url+path, form.Encode(), header...))(b.t)
}

// open requests a page that must exist.
func (b *person) open(path string) string {
	b.t.Helper()
	a := b.send(http.MethodGet, path, nil).must(b.t, http.StatusOK)
	return string(a.body)
}

// token returns the form token of this session.
func (b *person) token() string {
	b.t.Helper()
	return field(b.t, tokenField, b.open("/developer/"))
}

func field(t *testing.T, shape *regexp.Regexp, page string) string {
	t.Helper()
	m := shape.FindStringSubmatch(page)
	suite.Require(t, m != nil, "no", shape, "in", page)
	return html.UnescapeString(m[1])
}

// submit sends a form with the session's token.
func (b *person) submit(path string, fields ...string) answer {
	b.t.Helper()
	form := url.Values{"token": {b.token()}}
	for pair := range slices.Chunk(fields, 2) {
		form.Add(pair[0], pair[1])
	}
	return b.send(http.MethodPost, path, form)
}

func (b *person) wantStatus(a answer, status int) string {
	b.t.Helper()
	a.must(b.t, status)
	return string(a.body)
}

func (b *person) wantRedirect(a answer, to string) {
	b.t.Helper()
	suite.Require(b.t, a.status == http.StatusSeeOther &&
		a.header.Get("Location") == to, a.status, "to", a.header.Get("Location"), "want 303 to", to)
}

// keysNow returns the IDs of the account's active keys.
func (p *panelled) keysNow(t *testing.T, b *person) []string {
	t.Helper()
	list := suite.Must(p.state.Keys(t.Context(), b.account.ID))(t)
	var ids []string
	for _, k := range list {
		ids = append(ids, k.ID)
	}
	return ids
}

func (p *panelled) hooksNow(t *testing.T, b *person) []webhook.Webhook {
	t.Helper()
	return suite.Must(p.state.Webhooks(t.Context(), b.account.ID))(t)
}

// use calls the API with a key and returns the status.
func (p *panelled) use(t *testing.T, key string) int {
	t.Helper()
	return p.ask(t, http.MethodGet, "/api/categories", "x-api-key", key).status
}

// work runs the server's background jobs until stop is called.
func work(t *testing.T, s *Server) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	wait := s.RunJobs(ctx)
	return func() { cancel(); wait() }
}

// TestPanelScopes: a key has the chosen scopes, and the list of keys shows them. If none is
// chosen, no key is created.
func TestPanelScopes(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann := p.signIn(t, "ann")
	if page := ann.open("/developer/"); strings.Count(page, " checked>") != len(apikey.AllScopes) || !strings.Contains(page, "<span>read, submit, webhooks, keys</span> <span>never expires</span>") {
		t.Errorf("%s", page)
	}
	page := ann.wantStatus(ann.submit("/developer/keys/", "name", "x", "expires", "90"), http.StatusBadRequest)
	got := field(t, faultText, page)
	suite.Holds(t, got == "Choose at least one." && strings.Contains(page, `<option value="90" selected>`) && !strings.Contains(page, " checked>"), got, page)
	for _, fields := range [][]string{{"scopes", "write"}, {"scopes", "read", "expires", "1000000"}, {"scopes", "read", "expires", "x"}, {"scopes", "read", "scopes", "read"}} {
		ann.wantStatus(ann.submit("/developer/keys/", append(fields, "name", "x")...), http.StatusBadRequest)
	}
	made := ann.wantStatus(ann.submit("/developer/keys/", "name", "reader", "scopes", "read", "expires", "30"), http.StatusOK)
	key := keyText.FindString(made)
	p.ask(t, "GET", keysPath, "x-api-key", key).want(t, http.StatusForbidden)
	suite.Contains(t, ann.open("/developer/"), "<span>read</span> <span>expires <time")
	list, err := p.state.Keys(t.Context(), ann.account.ID)
	suite.Require(t, err == nil && len(list) == 2, list, err)
	forgetScopes(t, p.served, list[0].ID)
	suite.Contains(t, ann.open("/developer/"), "created before scopes existed; has all scopes")
}

var olderEntries = regexp.MustCompile(`<a rel="next" href="([^"]*)"`)

// wholeLog returns all pages of a log, the newest first.
func wholeLog(t *testing.T, user *person, path string) string {
	t.Helper()
	all := ""
	for range 6 {
		page := user.open(path)
		all += page
		m := olderEntries.FindStringSubmatch(page)
		if m == nil {
			return all
		}
		path = html.UnescapeString(m[1])
	}
	t.Fatal("endless pages")
	return ""
}

// TestEveryActionHasAText: every action in the audit log has its own title in the panel, and is
// described in the API description.
func TestEveryActionHasAText(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann := p.signIn(t, "ann")
	for _, action := range storage.Actions {
		suite.Contains(t, string(openapi.YAML), string(action), action)
		suite.Check(t, p.state.Write(t.Context(), func(tx *storage.Tx) error {
			return tx.Audit(storage.AuditEntry{AccountID: ann.account.ID, Action: action})
		}))
	}
	titles := map[string]bool{}
	for _, m := range regexp.MustCompile(`<h3>([^<]+)</h3>`).FindAllStringSubmatch(wholeLog(t, ann, console.PanelLog), -1) {
		titles[m[1]] = true
	}
	suite.Equal(t, len(titles), len(storage.Actions), "actions have the titles")
}

// TestPanelAuditLog reads the account's own audit log page by page.
func TestPanelAuditLog(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann, eve := p.signIn(t, "ann"), p.signIn(t, "eve")
	made := ann.wantStatus(ann.submit("/developer/keys/", "name", `<b>"laptop"`, "scopes", "read"), http.StatusOK)
	page := ann.open(console.PanelLog)
	suite.ContainsAll(t, page, "<h3>Key created</h3>", "<h3>Signed in</h3>", "<h3>Account created</h3>",
		"on this website", "from 127.0.0.1", "&lt;b&gt;")
	suite.Lacks(t, page, keyText.FindString(made))
	suite.Lacks(t, page, "<b>")
	suite.Check(t, p.state.Write(t.Context(), func(tx *storage.Tx) (err error) {
		for i := 0; i < 2*console.EntriesPerPage && err == nil; i++ {
			err = tx.Audit(storage.AuditEntry{AccountID: ann.account.ID, Action: storage.WebhookRotated, Target: "wh_of_ann"})
		}
		return err
	}))
	entries := strings.Count(wholeLog(t, ann, console.PanelLog), `<li class="card">`)
	if _, count, err := p.state.AuditLog(t.Context(), ann.account.ID, 0, 1); err != nil || entries != count {
		t.Errorf("%d entries of %d: %v", entries, count, err)
	}
	suite.Lacks(t, eve.open(console.PanelLog), "wh_of_ann")
	for _, odd := range []string{"x", "-1", "99999999999999999999", "1'"} {
		if page := ann.open(console.PanelLog + "?before=" + odd); strings.Count(page, `<li class="card">`) != console.EntriesPerPage {
			t.Errorf("before=%s: %s", odd, page)
		}
	}
}
