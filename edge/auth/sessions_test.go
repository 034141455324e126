package auth_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// later moves the service's clock forward.
func (v *service) later(d time.Duration) { v.ahead.Add(int64(d)) }

// TestSessionEnds checks that a session ends when it is idle for too long, and when it gets
// too old.
func TestSessionEnds(t *testing.T) {
	suite.InTest(t)
	const day = 24 * time.Hour
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		v, h := serve(t, open(), true), authtest.StartGitHub(t)
		v.offer(t, gitHubOptions(h))
		h.Answer(http.StatusOK, `{"id": 1, "login": "ann"}`)
		idle, busy := newBrowser(t, v), newBrowser(t, v)
		idle.throughHub(v)
		busy.throughHub(v)
		v.later(29 * day)
		if busy.signedIn(v) != "ann" {
			t.Fatal("29 days unused: signed out")
		}
		v.later(2 * day)
		if idle.signedIn(v) != "" || busy.signedIn(v) != "ann" {
			t.Errorf("31 days unused: signed in to %q; used two days ago: %q", idle.signedIn(v), busy.signedIn(v))
		}
		v.later(29 * day)
		if busy.signedIn(v) != "ann" {
			t.Error("60 days, always used within 30: signed out")
		}
		v.later(29 * day)
		if busy.signedIn(v) != "ann" {
			t.Error("89 days, always used within 30: signed out")
		}
		v.later(1*day + time.Minute)
		if busy.signedIn(v) != "" {
			t.Error("90 days, always used: still signed in")
		}
	})
}

// TestSuspended suspends an account: its sessions end permanently, and signing in fails until
// it is reinstated.
func TestSuspended(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		v, h := serve(t, open(), false), authtest.StartGitHub(t)
		v.offer(t, gitHubOptions(h))
		h.Answer(http.StatusOK, `{"id": 1, "login": "ann"}`)
		ann, unused := newBrowser(t, v), newBrowser(t, v)
		ann.throughHub(v)
		unused.throughHub(v)
		account := suite.Must(v.state.AccountNamed(t.Context(), "ann"))(t)
		change := func(do func(*storage.Tx, string) error) {
			suite.Check(t, v.state.Write(t.Context(), func(tx *storage.Tx) error { return do(tx, account.ID) }))
		}
		change((*storage.Tx).Suspend)
		change((*storage.Tx).Unsuspend)
		if ann.signedIn(v) != "" || unused.signedIn(v) != "" {
			t.Error("an old session works again after reinstatement")
		}
		ann.throughHub(v)
		change((*storage.Tx).Suspend)
		if ann.signedIn(v) != "" {
			t.Error("still signed in while suspended")
		}
		p := newBrowser(t, v).throughHub(v)
		if p.status != http.StatusForbidden || len(p.header.Values("Set-Cookie")) != 2 {
			t.Errorf("sign-in while suspended: %d %v\n%s", p.status, p.header, p.body)
		}
		change((*storage.Tx).Unsuspend)
		if p := ann.throughHub(v); p.status != http.StatusSeeOther || ann.signedIn(v) != "ann" {
			t.Errorf("sign-in after reinstatement: %d", p.status)
		}
	})
}

// TestStateGone checks the pages that are shown while the database is unreachable.
func TestStateGone(t *testing.T) {
	s := suite.Must(storage.Open(t.Context(), t.TempDir()+"/kindex.db", storage.Options{}))(t)
	v, h := serve(t, s, false), authtest.StartGitHub(t)
	v.offer(t, gitHubOptions(h))
	h.Answer(http.StatusOK, `{"id": 1, "login": "ann"}`)
	ann, other := newBrowser(t, v), newBrowser(t, v)
	ann.throughHub(v)
	callback := other.follow(other.begin(v, "github"), v.atCallback).target(t)
	panel := ann.open(v.url + "/developer/")
	suite.Check(t, s.Close())
	for _, p := range []page{ann.open(v.url + "/developer/"), ann.open(v.url + "/signin"), ann.press(panel, "/signout"),
		other.open(callback.String())} {
		if p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" || p.header.Get("Location") != "" {
			t.Errorf("%s: %d %v", p.url.Path, p.status, p.header)
		}
	}
	if ann.cookie(v.url, "kindex-session") == "" {
		t.Error("the session's cookie was removed")
	}
	if _, err := auth.New(auth.Options{}); err == nil {
		t.Error("missing options were accepted")
	}
}

// hurried is a store that records whether the context of a sign-in has a deadline.
type hurried struct {
	*storage.State
	ends bool
}

// SignIn implements auth.Store.
func (h *hurried) SignIn(ctx context.Context, a auth.SignedInIdentity) (apikey.Account, bool, error) {
	_, h.ends = ctx.Deadline()
	return h.State.SignIn(ctx, a)
}

// TestSignInEnds checks that a sign-in continues if the browser disconnects, but not forever.
func TestSignInEnds(t *testing.T) {
	v, h := serve(t, storagetest.SQLite(t), false), authtest.StartGitHub(t)
	o, store := gitHubOptions(h), &hurried{State: v.state}
	o.URL, o.Store, o.Render = v.url, store, look{site(t), v.url}.render
	handler := suite.Must(auth.New(o))(t)
	v.handler.Store(handler)
	h.Answer(http.StatusOK, `{"id": 1, "login": "ann"}`)
	if newBrowser(t, v).throughHub(v); !store.ends {
		t.Error("the sign-in has no deadline")
	}
}
