package auth_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// attacked is a service with GitHub and an OpenID Connect provider, both controlled by the
// test.
type attacked struct {
	*service
	hub     *authtest.GitHub
	crafted *crafted
}

func attack(t *testing.T, secure bool) attacked {
	t.Helper()
	a := attacked{serve(t, storagetest.SQLite(t), secure), authtest.StartGitHub(t), startCrafted(t)}
	o := gitHubOptions(a.hub)
	o.OIDC = oidcOptions(a.crafted.issuer).OIDC
	a.offer(t, o)
	a.hub.Answer(http.StatusOK, `{"id": 1, "login": "victim"}`)
	return a
}

// answered starts a sign-in and returns the redirect that carries the provider's response to the
// callback. It does not follow that redirect.
func (a attacked) answered(b *browser, provider string) *url.URL {
	b.t.Helper()
	return b.follow(b.begin(a.service, provider), a.atCallback).target(b.t)
}

// nobody fails the test if a response signed somebody in.
func (a attacked) nobody(t *testing.T, b *browser, p page, status int) {
	t.Helper()
	suite.Holds(t, p.status == status && b.cookie(a.url, "kindex-session") == "" &&
		!keyShape.MatchString(p.body), "status", p.status, status, "session", b.cookie(a.url, "kindex-session"))
	suite.Equal(t, len(a.accounts(t)), 0, "accounts were created")
}

// plant sets a cookie in a browser, as a sibling host of the same domain can.
func (a attacked) plant(t *testing.T, b *browser, name, value string) {
	t.Helper()
	u := suite.Must(url.Parse(a.url))(t)
	b.client.Jar.SetCookies(u, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// TestSessionFixation plants a session in the victim's browser before the sign-in: first an
// invented session, then the attacker's own.
func TestSessionFixation(t *testing.T) {
	suite.InTest(t)
	a := attack(t, false)
	a.hub.Answer(http.StatusOK, `{"id": 2, "login": "attacker"}`)
	attacker := newBrowser(t, a.service)
	attacker.throughHub(a.service)
	a.hub.Answer(http.StatusOK, `{"id": 1, "login": "victim"}`)
	for _, planted := range []string{"made-up", attacker.cookie(a.url, "kindex-session")} {
		victim := newBrowser(t, a.service)
		callback := a.answered(victim, "github")
		a.plant(t, victim, "kindex-session", planted)
		victim.open(callback.String())
		got := victim.cookie(a.url, "kindex-session")
		suite.Holds(t, got != planted && len(got) >= 43, "session after the sign-in", got)
		suite.Equal(t, victim.signedIn(a.service), "victim", "signed in")
		thief := newBrowser(t, a.service)
		a.plant(t, thief, "kindex-session", planted)
		suite.Equal(t, thief.signedIn(a.service), "", "the planted session is signed in to")
	}
}

// forgeries returns POST requests that no page of the service sends. token is the valid form
// token of the session.
func forgeries(service, token string) map[string]struct {
	token  string
	header map[string]string
} {
	return map[string]struct {
		token  string
		header map[string]string
	}{
		"foreign origin":               {token, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}},
		"foreign origin, old browser":  {token, map[string]string{"Origin": "https://evil.example"}},
		"foreign origin, said to fit":  {token, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"}},
		"neighbour's page":             {token, map[string]string{"Origin": "http://evil." + strings.TrimPrefix(service, "http://"), "Sec-Fetch-Site": "same-site"}},
		"other port":                   {token, map[string]string{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}},
		"other scheme":                 {token, map[string]string{"Origin": strings.Replace(service, "http:", "https:", 1)}},
		"sandboxed frame":              {token, map[string]string{"Origin": "null", "Sec-Fetch-Site": "cross-site"}},
		"sandboxed frame, old browser": {token, map[string]string{"Origin": "null"}},
		"no word of where it is from":  {token, nil},
		"token missing":                {"", map[string]string{"Origin": service, "Sec-Fetch-Site": "same-origin"}},
		"token made up":                {strings.Repeat("A", 43), map[string]string{"Origin": service, "Sec-Fetch-Site": "same-origin"}},
		"token cut":                    {token[:20], map[string]string{"Origin": service, "Sec-Fetch-Site": "same-origin"}},
	}
}

// TestCSRF forges requests for the sign-out form and every other form of the panel.
func TestCSRF(t *testing.T) {
	suite.InTest(t)
	a := attack(t, false)
	a.hub.Answer(http.StatusOK, `{"id": 2, "login": "attacker"}`)
	attacker, victim := newBrowser(t, a.service), newBrowser(t, a.service)
	attacker.throughHub(a.service)
	a.hub.Answer(http.StatusOK, `{"id": 1, "login": "victim"}`)
	victim.throughHub(a.service)
	_, own := victim.open(a.url+"/developer/").form(t, "/signout")
	_, others := attacker.open(a.url+"/developer/").form(t, "/signout")
	cases := forgeries(a.url, own.Get("token"))
	cases["token of another session"] = struct {
		token  string
		header map[string]string
	}{others.Get("token"), map[string]string{"Origin": a.url, "Sec-Fetch-Site": "same-origin"}}
	forge := func(token string, header map[string]string) *http.Request {
		r := victim.request(http.MethodPost, a.url+"/signout", url.Values{"token": {token}})
		for name, value := range header {
			r.Header.Set(name, value)
		}
		return r
	}
	for name, c := range cases {
		if p := victim.send(forge(c.token, c.header)); p.status != http.StatusForbidden || victim.signedIn(a.service) != "victim" {
			t.Errorf("%s: %d, signed in to %q", name, p.status, victim.signedIn(a.service))
		}
		r := forge(c.token, c.header)
		r.AddCookie(&http.Cookie{Name: "kindex-session", Value: victim.cookie(a.url, "kindex-session")})
		suite.Is(t, a.handler.Load().CheckForm(r), auth.ErrForged, name, "CheckForm")
	}
	r := forge(own.Get("token"), map[string]string{"Origin": a.url})
	suite.Is(t, a.handler.Load().CheckForm(r), auth.ErrSignedOut, "without a session: CheckForm")
	r = forge(own.Get("token"), map[string]string{"Origin": a.url})
	r.AddCookie(&http.Cookie{Name: "kindex-session", Value: victim.cookie(a.url, "kindex-session")})
	err := a.handler.Load().CheckForm(r)
	suite.Holds(t, err == nil, "own form: CheckForm", err)
	suite.Equal(t, victim.open(a.url+"/signout?token="+own.Get("token")).status, http.StatusMethodNotAllowed, "GET /signout")
	suite.Equal(t, victim.signedIn(a.service), "victim", "GET /signout")
	r = victim.request(http.MethodPost, a.url+"/signout?token="+own.Get("token"), url.Values{})
	r.Header.Set("Origin", a.url)
	victim.send(r).want(t, http.StatusForbidden)
}

// TestSignInForged starts a sign-in from a page of another site, which could otherwise sign
// the victim in to an account of the attacker's choice.
func TestSignInForged(t *testing.T) {
	a := attack(t, false)
	for name, c := range forgeries(a.url, strings.Repeat("A", 43)) {
		if strings.HasPrefix(name, "token") {
			continue // there is no session yet, and so no form token
		}
		b := newBrowser(t, a.service)
		r := b.request(http.MethodPost, a.url+"/signin/github", url.Values{})
		for name, value := range c.header {
			r.Header.Set(name, value)
		}
		if p := b.send(r); p.status != http.StatusForbidden || b.cookie(a.url, "kindex-signin") != "" || p.header.Get("Location") != "" {
			t.Errorf("%s: %d, %v", name, p.status, p.header)
		}
	}
	b := newBrowser(t, a.service)
	if p := b.open(a.url + "/signin/github"); p.status != http.StatusMethodNotAllowed || b.cookie(a.url, "kindex-signin") != "" {
		t.Errorf("GET /signin/github, as a prefetch would: %d", p.status)
	}
}

// TestReplayedCallback replays a callback together with its cookie: the provider accepts its code
// only once.
func TestReplayedCallback(t *testing.T) {
	a := attack(t, false)
	b := newBrowser(t, a.service)
	callback := a.answered(b, "oidc")
	secret := b.cookie(a.url, "kindex-signin")
	b.open(callback.String()).must(t, http.StatusOK)
	thief := newBrowser(t, a.service)
	a.plant(t, thief, "kindex-signin", secret)
	if p := thief.open(callback.String()); p.status != http.StatusBadGateway || thief.signedIn(a.service) != "" {
		t.Errorf("replayed: %d, signed in to %q", p.status, thief.signedIn(a.service))
	}
}

// TestCallbacksAtOnce sends the same callback many times concurrently, on both engines, and
// checks that exactly one succeeds.
func TestCallbacksAtOnce(t *testing.T) {
	suite.InRace(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		v, c := serve(t, open(), false), startCrafted(t)
		v.offer(t, oidcOptions(c.issuer))
		b := newBrowser(t, v)
		callback := b.follow(b.begin(v, "oidc"), v.atCallback).target(t).String()
		secret := b.cookie(v.url, "kindex-signin")
		statuses := make([]int, 16)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() {
				b := newBrowser(t, v)
				r := b.request(http.MethodGet, callback, nil)
				r.AddCookie(&http.Cookie{Name: "kindex-signin", Value: secret})
				statuses[i] = b.send(r).status
			})
		}
		all.Wait()
		slices.Sort(statuses)
		suite.Holds(t, statuses[0] == http.StatusOK && statuses[1] == http.StatusBadGateway &&
			len(v.accounts(t)) == 1, "statuses", statuses, "accounts", v.accounts(t))
	})
}

// TestSwappedState puts the attacker's state, code or both into the victim's browser. The
// victim's own sign-in still completes.
func TestSwappedState(t *testing.T) {
	a := attack(t, false)
	attacker, victim := newBrowser(t, a.service), newBrowser(t, a.service)
	theirs, own := a.answered(attacker, "github"), a.answered(victim, "github")
	swap := func(change func(url.Values)) string {
		u, q := *own, own.Query()
		change(q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for name, address := range map[string]string{
		"the attacker's answer": theirs.String(),
		"the attacker's state":  swap(func(q url.Values) { q.Set("state", theirs.Query().Get("state")) }),
		"no state":              swap(func(q url.Values) { q.Del("state") }),
		"two states":            swap(func(q url.Values) { q.Add("state", theirs.Query().Get("state")) }),
		"two codes":             swap(func(q url.Values) { q["code"] = []string{theirs.Query().Get("code"), q.Get("code")} }),
		"state made up":         swap(func(q url.Values) { q.Set("state", strings.Repeat("A", 43)) }),
	} {
		t.Run(name, func(t *testing.T) { a.nobody(t, victim, victim.open(address), http.StatusBadRequest) })
	}
	victim.open(own.String())
	suite.Equal(t, victim.signedIn(a.service), "victim", "the victim's own sign-in failed")
}

// TestInjectedCode sends the code of the attacker's session with the state of the victim's.
// This is detected by the code verifier, or by the nonce if a provider ignores the verifier.
func TestInjectedCode(t *testing.T) {
	suite.InTest(t)
	for name, lax := range map[string]bool{"code verifier": false, "nonce": true} {
		for _, provider := range []string{"github", "oidc"} {
			if lax && provider == "github" {
				continue // GitHub has no nonce, but checks the verifier
			}
			t.Run(name+" "+provider, func(t *testing.T) {
				a := attack(t, false)
				a.crafted.lax = lax
				attacker, victim := newBrowser(t, a.service), newBrowser(t, a.service)
				code, own := a.answered(attacker, provider).Query().Get("code"), a.answered(victim, provider)
				q := own.Query()
				q.Set("code", code)
				own.RawQuery = q.Encode()
				a.nobody(t, victim, victim.open(own.String()), http.StatusBadGateway)
			})
		}
	}
}

// TestMixedUpProvider sends one provider's response to the other's callback, and responses
// whose issuer is not the expected one (RFC 9207).
func TestMixedUpProvider(t *testing.T) {
	a := attack(t, false)
	for _, ways := range [][2]string{{"github", "oidc"}, {"oidc", "github"}} {
		b := newBrowser(t, a.service)
		callback := a.answered(b, ways[0])
		callback.Path = "/signin/" + ways[1] + "/callback"
		a.nobody(t, b, b.open(callback.String()), http.StatusBadRequest)
	}
	for name, iss := range map[string][]string{"missing": nil, "empty": {""}, "another": {"https://evil.example"}, "with a slash": {a.crafted.issuer + "/"}} {
		t.Run("issuer "+name, func(t *testing.T) {
			a.crafted.lie(func() { a.crafted.answer = url.Values{"iss": iss} })
			b := newBrowser(t, a.service)
			a.nobody(t, b, b.open(a.answered(b, "oidc").String()), http.StatusBadGateway)
		})
	}
	suite.Equal(t, a.crafted.exchanges.Load(), 0, "a code was sent to the wrong provider")
}

// TestOpenRedirect tries to make the service redirect the browser to another host.
func TestOpenRedirect(t *testing.T) {
	a := attack(t, false)
	const evil = "https://evil.example/"
	extra := "next=" + evil + "&redirect=" + evil + "&return_to=//evil.example&redirect_uri=" + evil
	b := newBrowser(t, a.service)
	b.open(a.url+"/signin?"+extra).lacks(t, "evil")
	p := b.submit(a.url+"/signin", a.url+"/signin/github?"+extra, url.Values{"next": {evil}, "redirect_uri": {evil}})
	suite.Holds(t, strings.HasPrefix(p.header.Get("Location"), a.hub.URL+"/login/oauth/authorize?") &&
		p.target(t).Query().Get("redirect_uri") == a.url+"/signin/github/callback", "sent to", p.header.Get("Location"))
	callback := b.follow(p, a.atCallback).target(t)
	suite.Lacks(t, callback.String(), "evil", "the callback")
	b.open(callback.String() + "&" + strings.ReplaceAll(extra, "redirect_uri", "url"))
	for _, path := range []string{"/signin", callback.RequestURI(), "/developer/", "/signin//evil.example/callback", "/signin/..%2f..%2fevil/callback", "//evil.example/developer"} {
		p := b.open(a.url + path + map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + extra)
		if to := p.header.Get("Location"); strings.Contains(to, "evil") && !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
			t.Errorf("%s: sent to %q", path, to)
		}
	}
	b.press(b.open(a.url+"/developer/"), "/signout", "next", evil).wantHeader(t, "Location", "/signin")
}

// TestHostHeader sets a different host in every header that can contain one. Redirects and
// pages always use the address that the operator configured.
func TestHostHeader(t *testing.T) {
	a := attack(t, false)
	lie := func(r *http.Request) *http.Request {
		r.Host = "evil.example"
		for _, name := range []string{"X-Forwarded-Host", "X-Host", "X-Original-Host", "X-Forwarded-Server"} {
			r.Header.Set(name, "evil.example")
		}
		r.Header.Set("Forwarded", "host=evil.example;proto=https")
		r.Header.Set("X-Forwarded-Proto", "https")
		return r
	}
	b := newBrowser(t, a.service)
	r := lie(b.request(http.MethodPost, a.url+"/signin/github", url.Values{}))
	r.Header.Set("Origin", a.url)
	p := b.send(r)
	if p.status != http.StatusSeeOther || p.target(t).Query().Get("redirect_uri") != a.url+"/signin/github/callback" {
		t.Fatalf("%d, sent to %s", p.status, p.header.Get("Location"))
	}
	callback := b.follow(p, a.atCallback).target(t)
	p = b.send(lie(b.request(http.MethodGet, callback.String(), nil))).want(t, http.StatusOK).lacks(t, "evil")
	for _, c := range p.header.Values("Set-Cookie") {
		suite.Lacks(t, strings.ToLower(c), "domain", "cookie with a domain", c)
	}
	// The attacker's host name resolves to this service, so Origin and Host agree.
	r = b.request(http.MethodPost, a.url+"/signin/github", url.Values{})
	r.Host = "evil.example"
	r.Header.Set("Origin", "http://evil.example")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	b.send(r).want(t, http.StatusForbidden).lacks(t, "evil")
}

// TestAttemptTooOld has the user spend more time at the provider than allowed, and then change
// the time in the cookie.
func TestAttemptTooOld(t *testing.T) {
	a := attack(t, false)
	b := newBrowser(t, a.service)
	callback := a.answered(b, "github").String()
	random, _, _ := strings.Cut(b.cookie(a.url, "kindex-signin"), ".")
	a.ahead.Store(int64(10*time.Minute + time.Second))
	a.nobody(t, b, b.open(callback), http.StatusBadRequest)
	for _, end := range []string{"", ".", ".99999999999", ".99999999999999999999"} {
		a.plant(t, b, "kindex-signin", random+end)
		a.nobody(t, b, b.open(callback), http.StatusBadRequest)
	}
}
