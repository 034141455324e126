package edge

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/webhook"
)

// panelled is an edge with the developer panel and a sign-in provider that the test controls.
type panelled struct {
	*hooked
	hub    *authtest.GitHub
	people int
}

func servePanel(t *testing.T, change ...func(*Options)) *panelled {
	t.Helper()
	p := &panelled{hub: authtest.StartGitHub(t)}
	p.hooked = serveHooked(t, t.TempDir()+"/kindex.db", append([]func(*Options){func(o *Options) {
		o.LimitAnonymous, o.LimitKey, o.Contact = 20, 100, "operator@example.org"
		o.SignIn = auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: p.hub.URL}}
	}}, change...)...)
	return p
}

// person is a user and the user's browser.
type person struct {
	t       *testing.T
	url     string
	jar     http.CookieJar
	account apikey.Account
	key     string // the account's first key
}

// signIn signs in a new user.
func (p *panelled) signIn(t *testing.T, name string) *person {
	t.Helper()
	p.people++
	p.hub.Answer(http.StatusOK, fmt.Sprintf(`{"id": %d, "login": %q}`, p.people, name))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &person{t: t, url: p.url, jar: jar}
	a := visit(t, jar, http.MethodPost, p.url+"/signin/github", "Origin", p.url)
	if b.key = keyText.FindString(string(a.body)); b.key == "" {
		t.Fatalf("%s was not signed in: %d\n%s", name, a.status, a.body)
	}
	if b.account, err = p.state.AccountNamed(t.Context(), name); err != nil {
		t.Fatal(err)
	}
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
	r, err := http.NewRequest(method, b.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.url)
	}
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	client := &http.Client{Jar: b.jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, body}
}

// open requests a page that must exist.
func (b *person) open(path string) string {
	b.t.Helper()
	a := b.send(http.MethodGet, path, nil)
	if a.status != http.StatusOK {
		b.t.Fatalf("%s: %d, %v\n%s", path, a.status, a.header, a.body)
	}
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
	if m == nil {
		t.Fatalf("no %s in\n%s", shape, page)
	}
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
	if a.status != status {
		b.t.Fatalf("%d, want %d: %v\n%s", a.status, status, a.header, a.body)
	}
	return string(a.body)
}

func (b *person) wantRedirect(a answer, to string) {
	b.t.Helper()
	if a.status != http.StatusSeeOther || a.header.Get("Location") != to {
		b.t.Fatalf("%d to %q, want 303 to %s\n%s", a.status, a.header.Get("Location"), to, a.body)
	}
}

// keysNow returns the IDs of the account's active keys.
func (p *panelled) keysNow(t *testing.T, b *person) []string {
	t.Helper()
	list, err := p.state.Keys(t.Context(), b.account.ID)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, k := range list {
		ids = append(ids, k.ID)
	}
	return ids
}

func (p *panelled) hooksNow(t *testing.T, b *person) []webhook.Webhook {
	t.Helper()
	list, err := p.state.Webhooks(t.Context(), b.account.ID)
	if err != nil {
		t.Fatal(err)
	}
	return list
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
