package auth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/auth"
)

// TestHostileNames signs in people with names that attack the pages, the log and the
// database.
func TestHostileNames(t *testing.T) {
	suite.InTest(t)
	for i, login := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `{{.Key}}`, `javascript:alert(1)`,
		"a\r\nSet-Cookie: kindex-session=x", "nul\x00byte", "\u202egnp.exe", strings.Repeat("long", 5000), strings.Repeat("é", 300), "", "  ", "../../etc/passwd", "-rf", "😀", "a@b@c",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			a := attack(t, false)
			a.crafted.says = map[string]any{"preferred_username": login}
			b := newBrowser(t, a.service)
			p := b.open(a.answered(b, "oidc").String())
			panel := b.open(a.url + "/developer/")
			for _, shown := range []page{p, panel} {
				suite.Require(t, shown.status == http.StatusOK &&
					(shown.header.Values("Set-Cookie") == nil || len(shown.header.Values("Set-Cookie")) <= 2), shown.status, shown.header)
				suite.LacksAll(t, ownScripts.ReplaceAllString(shown.body, ""), "<script", "<img", "onmouseover='",
					"\x00", "\r\nSet-Cookie")
				suite.Holds(t, len(shown.body) <= 12<<10, "the page", len(shown.body), "bytes")
			}
			name := b.signedIn(a.service)
			suite.Holds(t, strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && name != "" &&
				name[0] != '-' && len(name) <= 64, "the account is named", name)
			suite.Equal(t, strings.Count(a.log.String(), "\n"), 1, "log lines", a.log)
		})
	}
}

// ownScripts are the website's scripts.
var ownScripts = regexp.MustCompile(`<script (type="module" )?src="/assets/[a-z]+\.[0-9a-f]{8}\.js"></script>`)

// TestHeaders checks that every kind of response has the headers that keep it private and
// isolated, and that cookies have the attributes that browsers enforce.
func TestHeaders(t *testing.T) {
	for _, secure := range []bool{false, true} {
		a := attack(t, secure)
		b := newBrowser(t, a.service)
		started := b.begin(a.service, "github")
		entered := b.open(b.follow(started, a.atCallback).target(t).String())
		pages := []page{started, entered, b.open(a.url + "/developer/"), b.open(a.url + "/signin"), newBrowser(t, a.service).open(a.url + "/signin"),
			b.open(a.url + "/signin/nobody/callback"), b.submit("https://evil.example", a.url+"/signout", url.Values{})}
		for _, p := range pages {
			csp := p.header.Get("Content-Security-Policy")
			suite.ContainsAll(t, csp, "default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'",
				"form-action 'self'")
			for _, kind := range []string{"script-src", "style-src", "img-src", "connect-src"} {
				suite.Contains(t, csp, kind+" 'self';", p.url.Path, "allows foreign resources")
			}
			p.lacks(t, "<style", " style=", "<script>", " onclick=")
			suite.Lacks(t, csp, "unsafe", p.url.Path)
			suite.Lacks(t, csp, "sha256-", p.url.Path)
			suite.Holds(t, p.header.Get("Cache-Control") == "no-store" &&
				p.header.Get("X-Content-Type-Options") == "nosniff" && p.header.Get("Referrer-Policy") != "" &&
				p.header.Get("Access-Control-Allow-Origin") == "", p.url.Path, p.header)
		}
		for _, p := range pages[:2] {
			for _, text := range p.header.Values("Set-Cookie") {
				c, err := http.ParseSetCookie(text)
				if err != nil || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.Secure != secure ||
					strings.HasPrefix(c.Name, "__Host-") != secure || c.Value != "" && len(c.Value) < 43 {
					t.Errorf("secure %v: %s: cookie %s (%v)", secure, p.url.Path, text, err)
				}
			}
		}
	}
}

// TestAddresses checks that service addresses at which sign-in would not be safe are refused.
func TestAddresses(t *testing.T) {
	good := auth.Options{URL: "https://index.example.org", GitHub: auth.GitHub{Client: "c", Secret: "s"}, OIDC: auth.OIDC{Issuer: "https://id.example.org", Client: "c", Secret: "s"}}
	suite.Check(t, good.Check())
	for name, c := range map[string]struct {
		change func(*auth.Options)
		want   string
	}{
		"no address":             {func(o *auth.Options) { o.URL = "" }, "--url"},
		"http":                   {func(o *auth.Options) { o.URL = "http://index.example.org" }, "https"},
		"looks like loopback":    {func(o *auth.Options) { o.URL = "http://localhost.example.org" }, "https"},
		"a path":                 {func(o *auth.Options) { o.URL = "https://example.org/index" }, "without a path"},
		"a user":                 {func(o *auth.Options) { o.URL = "https://a@example.org" }, "--url"},
		"no secret":              {func(o *auth.Options) { o.GitHub.Secret = "" }, "KINDEX_SIGNIN_GITHUB_SECRET"},
		"no client":              {func(o *auth.Options) { o.GitHub.Client = "" }, "--signin-github-client"},
		"no OpenID secret":       {func(o *auth.Options) { o.OIDC.Secret = "" }, "KINDEX_SIGNIN_OIDC_SECRET"},
		"no OpenID client":       {func(o *auth.Options) { o.OIDC.Client = "" }, "--signin-oidc-client"},
		"no issuer":              {func(o *auth.Options) { o.OIDC.Issuer = "" }, "--signin-oidc-issuer"},
		"issuer without https":   {func(o *auth.Options) { o.OIDC.Issuer = "http://id.example.org" }, "https"},
		"issuer with a query":    {func(o *auth.Options) { o.OIDC.Issuer = "https://id.example.org?a=b" }, "--signin-oidc-issuer"},
		"GitHub without https":   {func(o *auth.Options) { o.GitHub.URL = "http://github.example.org" }, "https"},
		"GitHub's API is a word": {func(o *auth.Options) { o.GitHub.API = "api" }, "--signin-github-api"},
		"no provider":            {func(o *auth.Options) { o.GitHub, o.OIDC = auth.GitHub{}, auth.OIDC{} }, "needs a provider"},
	} {
		o := good
		c.change(&o)
		err := o.Check()
		suite.Holds(t, err != nil && strings.Contains(err.Error(), c.want), name, err)
	}
}
