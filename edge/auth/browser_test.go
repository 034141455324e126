package auth_test

import (
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// hanging is the timeout after which a request is assumed to hang.
const hanging = 3 * time.Minute

func TestMain(m *testing.M) {
	code := m.Run()
	storagetest.Stop()
	_ = os.RemoveAll(website.dir)
	os.Exit(code)
}

// service is a sign-in service on loopback, configured like that of the edge.
type service struct {
	url     string
	state   *storage.State
	log     *suite.Log
	ahead   *atomic.Int64 // how far its clock is ahead, in nanoseconds
	server  *httptest.Server
	handler atomic.Pointer[auth.Handler]
}

// serve starts a service that has no providers yet: they need to know its callback address.
func serve(t testing.TB, s *storage.State, secure bool) *service {
	t.Helper()
	v := &service{state: s, log: &suite.Log{}, ahead: new(atomic.Int64)}
	v.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if belongs(r) {
			v.developer(w, r, look{site(t), v.url})
			return
		}
		v.handler.Load().ServeHTTP(w, r)
	}))
	v.url = "http://" + v.server.Listener.Addr().String()
	if secure {
		v.server.StartTLS()
	} else {
		v.server.Start()
	}
	v.url = v.server.URL
	t.Cleanup(v.server.Close)
	return v
}

// offer creates the handler with the providers in the options.
func (v *service) offer(t testing.TB, o auth.Options) {
	t.Helper()
	o.URL, o.Store, o.Render = v.url, v.state, look{site(t), v.url}.render
	o.AllowStart, o.Address = func(*http.Request) bool { return true }, func(*http.Request) string { return "" }
	o.Log = slog.New(slog.NewTextHandler(v.log, nil))
	o.Now = func() time.Time { return time.Now().Add(time.Duration(v.ahead.Load())) }
	h := suite.Must(auth.New(o))(t)
	v.handler.Store(h)
}

// browser keeps cookies and sends Origin and Sec-Fetch headers, like real browsers.
type browser struct {
	t      testing.TB
	client *http.Client
}

func newBrowser(t testing.TB, v *service) *browser {
	t.Helper()
	jar := suite.Must(cookiejar.New(nil))(t)
	c := v.server.Client()
	return &browser{t, &http.Client{Transport: c.Transport, Jar: jar, Timeout: hanging,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// page is a response with its body.
type page struct {
	url    *url.URL
	status int
	header http.Header
	body   string
}

// want reports an error if the status is another one.
func (p page) want(t testing.TB, status int) page {
	t.Helper()
	suite.Equal(t, p.status, status, p.url, p.header, p.body)
	return p
}

// must is like want, but ends the test.
func (p page) must(t testing.TB, status int) page {
	t.Helper()
	if p.want(t, status); p.status != status {
		t.FailNow()
	}
	return p
}

// says reports an error if the body lacks a text, and lacks if it has one.
func (p page) says(t testing.TB, texts ...string) page {
	t.Helper()
	for _, text := range texts {
		suite.Contains(t, p.body, text, p.url)
	}
	return p
}

func (p page) lacks(t testing.TB, texts ...string) page {
	t.Helper()
	for _, text := range texts {
		suite.Lacks(t, p.body, text, p.url)
	}
	return p
}

// wantHeader reports an error if a header has another value.
func (p page) wantHeader(t testing.TB, name, value string) page {
	t.Helper()
	suite.Equal(t, p.header.Get(name), value, p.url, name)
	return p
}

// send sends one request and does not follow redirects.
func (b *browser) send(r *http.Request) page {
	b.t.Helper()
	res, err := b.client.Do(r)
	suite.Check(b.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	suite.Check(b.t, err)
	return page{r.URL, res.StatusCode, res.Header, string(body)}
}

func (b *browser) request(method, address string, form url.Values) *http.Request {
	b.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r := suite.Must(http.NewRequest(method, address, body))(b.t)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

// open requests an address and does not follow redirects.
func (b *browser) open(address string) page {
	b.t.Helper()
	return b.send(b.request(http.MethodGet, address, nil))
}

// submit sends a form as if it were on the page at the address from, and does not follow
// redirects.
func (b *browser) submit(from, address string, form url.Values) page {
	b.t.Helper()
	r := b.request(http.MethodPost, address, form)
	at := suite.Must(url.Parse(from))(b.t)
	r.Header.Set("Origin", at.Scheme+"://"+at.Host)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if at.Host != r.URL.Host {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	}
	return b.send(r)
}

// follow follows redirects until there are no more or the function until returns true.
func (b *browser) follow(p page, until func(*url.URL) bool) page {
	b.t.Helper()
	for range 20 {
		to := p.target(b.t)
		if to == nil || until != nil && until(to) {
			return p
		}
		p = b.open(to.String())
	}
	b.t.Fatalf("endless redirects at %s", p.url)
	return p
}

// target returns the target of a redirect, or nil for any other response.
func (p page) target(t testing.TB) *url.URL {
	t.Helper()
	if p.status < 300 || p.status > 399 {
		return nil
	}
	return suite.Must(p.url.Parse(p.header.Get("Location")))(t)
}

var (
	formShape  = regexp.MustCompile(`(?s)<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>`)
	inputShape = regexp.MustCompile(`<input[^>]*>`)
	named      = regexp.MustCompile(`\bname="([^"]*)"`)
	valued     = regexp.MustCompile(`\bvalue="([^"]*)"`)
	keyShape   = regexp.MustCompile(`kx_[0-9A-Za-z]{38}`)
)

// form returns a page's form whose action ends with the given suffix, with the values that it
// would send, or nil if there is none.
func (p page) form(t testing.TB, ending string) (action string, fields url.Values) {
	t.Helper()
	for _, m := range formShape.FindAllStringSubmatch(p.body, -1) {
		to, err := p.url.Parse(html.UnescapeString(m[1]))
		if err != nil || !strings.HasSuffix(to.Path, ending) {
			continue
		}
		fields = url.Values{}
		for _, input := range inputShape.FindAllString(m[2], -1) {
			if n := named.FindStringSubmatch(input); n != nil {
				value := ""
				if v := valued.FindStringSubmatch(input); v != nil {
					value = html.UnescapeString(v[1])
				}
				fields.Set(n[1], value)
			}
		}
		return to.String(), fields
	}
	return "", nil
}

// press sends the form whose action ends with the given suffix.
func (b *browser) press(p page, ending string, set ...string) page {
	b.t.Helper()
	to, fields := p.form(b.t, ending)
	suite.Require(b.t, fields != nil, p.url, p.status, "has no form for", ending)
	for i := 0; i < len(set); i += 2 {
		fields.Set(set[i], set[i+1])
	}
	return b.submit(p.url.String(), to, fields)
}

// begin starts a sign-in and returns the redirect to the provider.
func (b *browser) begin(v *service, provider string) page {
	b.t.Helper()
	return b.press(b.open(v.url+"/signin"), "/signin/"+provider)
}

// atCallback reports whether a redirect leads to the callback, and is used to stop there.
func (v *service) atCallback(to *url.URL) bool {
	return strings.HasPrefix(to.String(), v.url) && strings.HasSuffix(to.Path, "/callback")
}

// cookie returns the value of the cookie that the browser would send, or "" if there is none.
func (b *browser) cookie(address, name string) string {
	b.t.Helper()
	u := suite.Must(url.Parse(address))(b.t)
	for _, c := range b.client.Jar.Cookies(u) {
		if strings.TrimPrefix(c.Name, "__Host-") == name {
			return c.Value
		}
	}
	return ""
}

// signedIn returns the account that the browser is signed in to, or "" if there is none.
func (b *browser) signedIn(v *service) string {
	b.t.Helper()
	p := b.open(v.url + "/developer/")
	if p.status == http.StatusSeeOther && p.header.Get("Location") == "/signin" {
		return ""
	}
	m := regexp.MustCompile(`account <strong><bdi>([^<]*)</bdi></strong>`).FindStringSubmatch(p.body)
	suite.Require(b.t, p.status == http.StatusOK && m != nil, "/developer/", p.status)
	return m[1]
}

// owner identifies a key the same way as the API, and returns the name of its account.
func (v *service) owner(t testing.TB, key string) string {
	t.Helper()
	_, account, err := apikey.NewAuthenticator(v.state, time.Now).Identify(t.Context(), key)
	suite.Require(t, err == nil, "the key does not work", err)
	return account.Name
}

// accounts returns the names of all accounts.
func (v *service) accounts(t testing.TB) []string {
	t.Helper()
	list := suite.Must(v.state.Accounts(t.Context()))(t)
	names := []string{}
	for _, a := range list {
		names = append(names, a.Name)
	}
	return names
}
