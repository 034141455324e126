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
		suite.Require(t, busy.signedIn(v) == "ann", "29 days unused: signed out")
		v.later(2 * day)
		suite.Equal(t, idle.signedIn(v), "", "31 days unused")
		suite.Equal(t, busy.signedIn(v), "ann", "used two days ago")
		v.later(29 * day)
		suite.Equal(t, busy.signedIn(v), "ann", "60 days, always used within 30: signed out")
		v.later(29 * day)
		suite.Equal(t, busy.signedIn(v), "ann", "89 days, always used within 30: signed out")
		v.later(1*day + time.Minute)
		suite.Equal(t, busy.signedIn(v), "", "90 days, always used: still signed in")
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
		suite.Equal(t, ann.signedIn(v), "", "an old session works again after reinstatement")
		suite.Equal(t, unused.signedIn(v), "", "an old session works again after reinstatement")
		ann.throughHub(v)
		change((*storage.Tx).Suspend)
		suite.Equal(t, ann.signedIn(v), "", "still signed in while suspended")
		p := newBrowser(t, v).throughHub(v)
		suite.Equal(t, p.status, http.StatusForbidden, "sign-in while suspended", p.header)
		suite.Equal(t, len(p.header.Values("Set-Cookie")), 2, "sign-in while suspended", p.status)
		change((*storage.Tx).Unsuspend)
		suite.Equal(t, ann.throughHub(v).status, http.StatusSeeOther, "sign-in after reinstatement")
		suite.Equal(t, ann.signedIn(v), "ann", "sign-in after reinstatement")
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
		suite.Holds(t, p.status == http.StatusServiceUnavailable && p.header.Get("Retry-After") != "" &&
			p.header.Get("Location") == "", p.url.Path, p.status, p.header)
	}
	suite.Holds(t, ann.cookie(v.url, "kindex-session") != "", "the session's cookie was removed")
	suite.Fails(t, suite.Err(auth.New(auth.Options{})), "", "missing options were accepted")
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
	v.offer(t, o)
	v.handler.Load().Store = store
	h.Answer(http.StatusOK, `{"id": 1, "login": "ann"}`)
	if newBrowser(t, v).throughHub(v); !store.ends {
		t.Error("the sign-in has no deadline")
	}
}
