package edge

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/console"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
)

// signInEdge is an edge with sign-in through a fake GitHub that the test controls.
func signInEdge(t *testing.T, log io.Writer) (url string) {
	t.Helper()
	_, out := smallBuild(t, 3)
	hub := authtest.StartGitHub(t)
	return serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 5, LimitKey: 100, LogRequests: true,
		Log:    slog.New(slog.NewTextHandler(log, nil)),
		SignIn: auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: hub.URL}}}).url
}

// visit sends a request in the same way as a browser, with a cookie jar, and follows redirects.
func visit(t *testing.T, jar http.CookieJar, method, url string, header ...string) answer {
	t.Helper()
	return suite.Must(exchange(&http.Client{Jar: jar}, method, url, "", header...))(t)
}

// TestSignIn signs in on the website. The resulting key works under /api, but the session does
// not, since cookies are ignored there.
func TestSignIn(t *testing.T) {
	var log bytes.Buffer
	url := signInEdge(t, &log)
	jar := suite.Must(cookiejar.New(nil))(t)
	page := visit(t, jar, http.MethodPost, url+"/signin/github", "Origin", url)
	key := regexp.MustCompile(`kx_[0-9A-Za-z]{38}`).FindString(string(page.body))
	suite.Require(t, page.status == http.StatusOK && key != "", page.status)
	for range 10 {
		page = visit(t, jar, http.MethodGet, url+"/developer")
		suite.Require(t, page.status == http.StatusOK &&
			strings.Contains(string(page.body), "<strong><bdi>ann</bdi></strong>"), "/developer", page.status)
		if body := string(page.body); strings.Contains(body, key) || !strings.Contains(body, key[:7]+"…"+key[len(key)-4:]) {
			t.Fatalf("the panel shows the full key, or not the masked one:\n%s", body)
		}
	}
	for _, name := range []string{"Access-Control-Allow-Origin", "X-RateLimit-Limit", "X-Build"} {
		page.wantHeader(t, name, "")
	}
	visit(t, nil, http.MethodGet, url+"/api/developer/api-keys", "x-api-key", key).want(t, http.StatusOK).
		wantHeader(t, "X-RateLimit-Tier", "authenticated")
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/api/developer/api-keys", http.StatusUnauthorized},
		{http.MethodPost, "/api/developer/api-keys", http.StatusUnauthorized},
		{http.MethodDelete, "/api/developer/api-keys?id=key_x", http.StatusUnauthorized},
		{http.MethodGet, "/api/entities", http.StatusOK},
	} {
		visit(t, jar, c.method, url+c.path, "Origin", url, "Sec-Fetch-Site", "same-origin").want(t, c.status).
			wantHeader(t, "X-RateLimit-Tier", "anonymous").wantHeader(t, "Set-Cookie", "")
	}
	checkClosedToOthers(t, url)
	visit(t, jar, http.MethodHead, url+"/signin/github/callback?state=s&code=c").want(t, http.StatusMethodNotAllowed)
	checkQuietLog(t, log.String(), key)
}

// checkClosedToOthers requests the sign-in pages as if from pages of other origins, with and
// without a preflight request, and with unsupported methods.
func checkClosedToOthers(t *testing.T, url string) {
	t.Helper()
	const other = "https://evil.example"
	paths := []string{"/developer"}
	for _, r := range auth.Routes() {
		paths = append(paths, strings.Replace(r.Path, ":provider", "github", 1))
	}
	for _, r := range console.PanelRoutes() {
		paths = append(paths, r.Path)
	}
	for _, path := range paths {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodOptions} {
			for _, preflight := range []string{"", http.MethodPost} {
				a := visit(t, nil, method, url+path, "Origin", other, "Access-Control-Request-Method", preflight)
				for name := range a.header {
					if strings.HasPrefix(name, "Access-Control-") {
						t.Errorf("%s %s, preflight %q: %d, %s: %s", method, path, preflight, a.status, name, a.header.Get(name))
					}
				}
			}
		}
	}
	visit(t, nil, http.MethodGet, url+"/signin/github/else", "Origin", other).want(t, http.StatusNotFound).
		wantHeader(t, "Access-Control-Allow-Origin", "")
}

// checkQuietLog checks that the log does not contain the browser's secrets.
func checkQuietLog(t *testing.T, log, key string) {
	t.Helper()
	suite.Contains(t, log, `path=/signin/github/callback`, "the log lacks the sign-in")
	suite.Contains(t, log, `msg="signed in"`, "the log lacks the sign-in")
	suite.LacksAll(t, log, key, "code=", "state=", "kindex-session", authtest.ClientSecret, "gho_")
}

// TestNoSignIn: if the operator has not enabled sign-in, its pages do not exist. The page for
// developers explains how to get a key without it.
func TestNoSignIn(t *testing.T) {
	suite.InTest(t)
	s := serveFew(t, Options{LimitAnonymous: 20, LimitKey: 12345, Contact: "operator@example.org"})
	for _, path := range []string{"/signin", "/developer/webhooks/", "/signin/github/callback"} {
		s.ask(t, http.MethodGet, path).want(t, http.StatusNotFound)
	}
	for _, path := range []string{"/signout", "/signin/github", "/developer/keys/", "/developer/webhooks/"} {
		s.ask(t, http.MethodPost, path).want(t, http.StatusNotFound)
	}
	a := s.ask(t, http.MethodGet, "/developer/")
	body := string(a.body)
	suite.Equal(t, a.status, http.StatusOK, body)
	suite.Lacks(t, body, `"/signin"`, a.status)
	suite.ContainsAll(t, body, "operator@example.org", "12,345", `<strong class="num">20</strong>`)
}

// TestAttackSignInFlood has one user start to sign in. Then strangers in one network, or in many, start as
// many sign-ins as they may, from many addresses, of which each has a limit. The user must still be able to
// complete the sign-in, and the database keeps nothing of any of them.
func TestAttackSignInFlood(t *testing.T) {
	suite.InTest(t)
	hub := authtest.StartGitHub(t)
	state := storagetest.SQLite(t)
	s := serveForm(t, Options{State: state, SignIn: auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: hub.URL}}}, false)
	tables := func() string {
		report := suite.Must(state.Check(t.Context()))(t)
		return fmt.Sprint(report.Counts)
	}
	before := tables()
	jar := suite.Must(cookiejar.New(nil))(t)
	r := httptest.NewRequest(http.MethodPost, s.url+"/signin/github", nil)
	start := func(address string) *httptest.ResponseRecorder {
		r.RemoteAddr = address
		r.Header.Set("Origin", s.url)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	started := func(tries int64, address func(i int) string) (n int64) {
		for i := range tries {
			if start(address(int(i))).Code == http.StatusSeeOther {
				n++
			}
		}
		return n
	}
	suite.Equal(t, started(ratelimit.SignIn.Address+5, func(int) string { return "192.0.2.1:1" }), ratelimit.SignIn.Address, "of one address")
	own := start("203.0.113.1:1")
	jar.SetCookies(r.URL, own.Result().Cookies())
	for _, address := range []func(i int) string{
		func(i int) string { return fmt.Sprintf("198.51.100.%d:1", i%256) },
		func(i int) string { return fmt.Sprintf("[2001:db8:1:%x::1]:1", i/50) },
		func(i int) string { return fmt.Sprintf("[2001:db8:%x::1]:1", 2+i/50) },
	} {
		n := started(ratelimit.SignIn.Network+100, address)
		suite.Holds(t, n >= 600, "only", n, "of the strangers' sign-ins were started")
	}
	suite.Equal(t, tables(), before, "the database")
	visit(t, jar, http.MethodGet, own.Header().Get("Location")).want(t, http.StatusOK).
		lacks(t, "This sign-in has ended")
}
