package auth_test

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

const (
	clientID     = authtest.Client
	clientSecret = authtest.ClientSecret
)

// startProvider starts oidc-provider from npm for a service.
func startProvider(t testing.TB, v *service, names map[string]string) string {
	t.Helper()
	return authtest.StartOIDC(t, v.url+"/signin/oidc/callback", names)
}

func oidcOptions(issuer string) auth.Options {
	return auth.Options{OIDC: auth.OIDC{Issuer: issuer, Client: clientID, Secret: clientSecret}}
}

// atProvider signs in on the provider's own pages as this subject and returns the redirect
// back to the service.
func (b *browser) atProvider(v *service, p page, subject string) page {
	b.t.Helper()
	for range 5 {
		p = b.follow(p, v.atCallback)
		if p.target(b.t) != nil {
			return p
		}
		to, fields := p.form(b.t, "")
		suite.Require(b.t, fields != nil, p.url, p.status)
		if fields.Has("login") {
			fields.Set("login", subject)
			fields.Set("password", "whatever")
		}
		p = b.submit(p.url.String(), to, fields)
	}
	b.t.Fatalf("the provider did not finish: %s", p.url)
	return p
}

// signIn completes a sign-in and returns the callback's response.
func (b *browser) signIn(v *service, subject string) page {
	b.t.Helper()
	back := b.atProvider(v, b.begin(v, "oidc"), subject)
	return b.open(back.target(b.t).String())
}

// TestOpenIDConnect takes accounts through their whole life with a third-party provider, on
// both engines, with cookies for https and for http.
func TestOpenIDConnect(t *testing.T) {
	for name, secure := range map[string]bool{"http": false, "https": true} {
		t.Run(name, func(t *testing.T) {
			storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
				if secure && strings.HasSuffix(t.Name(), "SQLite") {
					suite.InSoak(t, "another engine; https on PostgreSQL and http on SQLite stay")
				} else if !secure && strings.HasSuffix(t.Name(), "PostgreSQL") {
					suite.InSoak(t, "another engine; https on PostgreSQL and http on SQLite stay")
				}
				v := serve(t, open(), secure)
				v.offer(t, oidcOptions(startProvider(t, v, map[string]string{"1001": "Zoë O'Neil", "1002": "zoe o'neil"})))
				ann, other := newBrowser(t, v), newBrowser(t, v)
				callback := firstSignIn(t, v, ann)
				reload(t, v, ann, other, callback)
				again(t, v, ann, other)
				signOut(t, v, ann, other)
				suite.LacksAll(t, v.log.String(), clientSecret, callback.Query().Get("code"),
					callback.Query().Get("state"), "kx_")
			})
		})
	}
}

// firstSignIn creates an account and shows its key.
func firstSignIn(t *testing.T, v *service, ann *browser) *url.URL {
	if got := ann.signedIn(v); got != "" {
		t.Fatalf("already signed in to %q", got)
	}
	p := ann.signIn(v, "1001")
	key := keyShape.FindString(p.body)
	suite.Require(t, p.status == http.StatusOK && key != "" &&
		strings.Contains(p.body, "Zoë O&#39;Neil"), "first sign-in", p.status)
	p.wantHeader(t, "Cache-Control", "no-store").wantHeader(t, "Referrer-Policy", "no-referrer")
	suite.Equal(t, v.owner(t, key), "zoe-o-neil", "the key belongs to the account")
	suite.Equal(t, ann.signedIn(v), "zoe-o-neil", "signed in")
	ann.open(v.url+"/developer/").says(t, key[:7]+"…"+key[len(key)-4:]).lacks(t, key)
	return p.url
}

// reload repeats the callback: the browser that sent it first is redirected, and any other
// browser gets an error.
func reload(t *testing.T, v *service, ann, other *browser, callback *url.URL) {
	p := ann.open(callback.String())
	suite.Holds(t, p.status == http.StatusSeeOther && p.header.Get("Location") == "/developer/" &&
		!keyShape.MatchString(p.body), "callback reloaded", p.status, p.header)
	p = other.open(callback.String())
	suite.Equal(t, p.status, http.StatusBadRequest, "callback in another browser")
	suite.Equal(t, other.signedIn(v), "", "callback in another browser")
	suite.Equal(t, v.accounts(t), []string{"zoe-o-neil"}, "accounts")
}

// again signs in from other browsers, as the same person and as somebody else with the same
// name.
func again(t *testing.T, v *service, ann, other *browser) {
	p := other.signIn(v, "1001")
	suite.Holds(t, p.status == http.StatusSeeOther && p.header.Get("Location") == "/developer/" &&
		other.signedIn(v) == "zoe-o-neil", "second sign-in", p.status, "signed in to", other.signedIn(v))
	third := newBrowser(t, v)
	if p = third.signIn(v, "1002"); p.status != http.StatusOK || third.signedIn(v) != "zoe-o-neil-2" {
		t.Errorf("another person with the same name: %d, signed in to %q", p.status, third.signedIn(v))
	}
	suite.Equal(t, v.accounts(t), []string{"zoe-o-neil", "zoe-o-neil-2"}, "accounts")
	account := suite.Must(v.state.AccountNamed(t.Context(), "zoe-o-neil"))(t)
	suite.Equal(t, len(suite.Must(v.state.Keys(t.Context(), account.ID))(t)), 1, "after two sign-ins the account", "keys")
	ann.open(v.url+"/signin").want(t, http.StatusSeeOther)
}

// signOut ends the session of only one browser.
func signOut(t *testing.T, v *service, ann, other *browser) {
	token := ann.cookie(v.url, "kindex-session")
	p := ann.press(ann.open(v.url+"/developer/"), "/signout")
	suite.Holds(t, p.status == http.StatusSeeOther && p.header.Get("Location") == "/signin" &&
		ann.cookie(v.url, "kindex-session") == "", "sign-out", p.status, p.header)
	r := ann.request(http.MethodGet, v.url+"/developer/", nil)
	for _, name := range []string{"kindex-session", "__Host-kindex-session"} {
		r.AddCookie(&http.Cookie{Name: name, Value: token})
	}
	ann.send(r).want(t, http.StatusSeeOther)
	suite.Equal(t, other.signedIn(v), "zoe-o-neil", "another browser was signed out too")
}

// TestProviderRefuses cancels the sign-in on the provider's page.
func TestProviderRefuses(t *testing.T) {
	suite.InRace(t)
	v := serve(t, storagetest.SQLite(t), false)
	v.offer(t, oidcOptions(startProvider(t, v, nil)))
	ann := newBrowser(t, v)
	p := ann.follow(ann.begin(v, "oidc"), nil)
	_, after, ok := strings.Cut(p.body, `<a href="`)
	abort, _, _ := strings.Cut(after, `"`)
	suite.Require(t, ok && strings.HasSuffix(abort, "/abort"), "no cancel link at the provider")
	back := ann.follow(ann.open(abort), v.atCallback)
	if got := back.target(t).Query().Get("error"); got != "access_denied" {
		t.Fatalf("the provider returned %s", back.target(t))
	}
	p = ann.open(back.target(t).String())
	suite.Holds(t, p.status == http.StatusForbidden && strings.Contains(p.body, "denied the sign-in") &&
		ann.signedIn(v) == "" && len(v.accounts(t)) == 0, "refused", p.status)
}

// TestProviderDown checks that everything except signing in keeps working while the provider
// is unreachable.
func TestProviderDown(t *testing.T) {
	v := serve(t, storagetest.SQLite(t), false)
	v.offer(t, oidcOptions("http://127.0.0.1:1"))
	ann := newBrowser(t, v)
	for range 3 {
		p := ann.begin(v, "oidc")
		suite.Require(t, p.status == http.StatusBadGateway &&
			strings.Contains(p.body, "127.0.0.1:1 cannot be reached"), p.status)
	}
	ann.open(v.url+"/signin").want(t, http.StatusOK)
	suite.Contains(t, v.log.String(), "provider unavailable", "log")
	suite.Contains(t, v.log.String(), "connection refused", "log")
}

func gitHubOptions(h *authtest.GitHub) auth.Options {
	return auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: h.URL}}
}

// throughHub completes a sign-in with GitHub and returns the callback's response.
func (b *browser) throughHub(v *service) page {
	b.t.Helper()
	back := b.follow(b.begin(v, "github"), v.atCallback)
	return b.open(back.target(b.t).String())
}

// TestGitHub signs in with GitHub Enterprise. An account belongs to the numeric ID: taking
// over an abandoned login gives no access to its old account.
func TestGitHub(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		v, h := serve(t, open(), true), authtest.StartGitHub(t)
		v.offer(t, gitHubOptions(h))
		ann := newBrowser(t, v)
		h.Answer(http.StatusOK, `{"id": 583231, "login": "Octo-Cat", "email": null}`)
		p := ann.throughHub(v)
		if key := keyShape.FindString(p.body); p.status != http.StatusOK || v.owner(t, key) != "octo-cat" {
			t.Fatalf("first sign-in: %d\n%s", p.status, p.body)
		}
		h.Answer(http.StatusOK, `{"id": 583231, "login": "renamed"}`)
		newBrowser(t, v).throughHub(v).want(t, http.StatusSeeOther)
		h.Answer(http.StatusOK, `{"id": 9000000001, "login": "octo-cat"}`)
		thief := newBrowser(t, v)
		if p = thief.throughHub(v); p.status != http.StatusOK || thief.signedIn(v) != "octo-cat-2" {
			t.Errorf("new owner of a login: %d, signed in to %q", p.status, thief.signedIn(v))
		}
		suite.Equal(t, v.accounts(t), []string{"octo-cat", "octo-cat-2"}, "accounts")
		suite.Lacks(t, v.log.String(), "gho_", "the log contains a secret")
		suite.Lacks(t, v.log.String(), clientSecret, "the log contains a secret")
	})
}

// TestGitHubAnswers checks that a sign-in is refused unless the API identifies the user.
func TestGitHubAnswers(t *testing.T) {
	suite.InTest(t)
	for name, c := range map[string]struct {
		user   string
		status int
	}{
		"no id":       {`{"login": "octo-cat"}`, 0},
		"id zero":     {`{"id": 0, "login": "octo-cat"}`, 0},
		"id negative": {`{"id": -1, "login": "octo-cat"}`, 0},
		"id as text":  {`{"id": "583231", "login": "octo-cat"}`, 0},
		"not JSON":    {`<html>`, 0},
		"forbidden":   {`{"id": 583231, "login": "octo-cat"}`, http.StatusForbidden},
		"moved":       {`{"id": 583231, "login": "octo-cat"}`, http.StatusMovedPermanently},
		"endless":     {`{"login": "` + strings.Repeat("a", 2<<20) + `", "id": 1}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			v, h := serve(t, storagetest.SQLite(t), false), authtest.StartGitHub(t)
			v.offer(t, gitHubOptions(h))
			h.Answer(cmp.Or(c.status, http.StatusOK), c.user)
			ann := newBrowser(t, v)
			p := ann.throughHub(v)
			suite.Holds(t, p.status == http.StatusBadGateway && ann.signedIn(v) == "" &&
				len(v.accounts(t)) == 0, p.status, "signed in to", ann.signedIn(v))
		})
	}
}
