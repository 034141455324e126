package edge

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
)

// TestAttackSignInFloodOfNetwork has one user start to sign in. Then strangers in one network, or
// in many, start as many sign-ins as they may, from many addresses. The user must still be able to
// complete the sign-in, and the database keeps nothing of any of them.
func TestAttackSignInFloodOfNetwork(t *testing.T) {
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
	own := start("203.0.113.1:1")
	jar.SetCookies(r.URL, own.Result().Cookies())
	for _, address := range []func(i int) string{
		func(i int) string { return fmt.Sprintf("198.51.100.%d:1", i%256) },
		func(i int) string { return fmt.Sprintf("[2001:db8:1:%x::1]:1", i/50) },
		func(i int) string { return fmt.Sprintf("[2001:db8:%x::1]:1", 2+i/50) },
	} {
		started := 0
		for i := range ratelimit.SignIn.Network + 100 {
			if start(address(int(i))).Code == http.StatusSeeOther {
				started++
			}
		}
		if started < 600 {
			t.Errorf("only %d of the strangers' sign-ins were started", started)
		}
	}
	suite.Equal(t, tables(), before, "the database")
	visit(t, jar, http.MethodGet, own.Header().Get("Location")).want(t, http.StatusOK).
		lacks(t, "This sign-in has ended")
}
