package auth_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

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
		p = newBrowser(t, v).throughHub(v).want(t, http.StatusSeeOther)
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
			if p.status != http.StatusBadGateway || ann.signedIn(v) != "" || len(v.accounts(t)) != 0 {
				t.Errorf("%d, signed in to %q\n%s", p.status, ann.signedIn(v), p.body)
			}
		})
	}
}
