package edge

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
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

// TestAttackSignInFloodOfNetwork has one user start to sign in. Then strangers in one network, or
// in many, start more sign-ins than the database keeps, from many addresses. The user must still
// be able to complete the sign-in. Most of the strangers' sign-ins are written directly to the
// database; only the last ones go through the edge.
func TestAttackSignInFloodOfNetwork(t *testing.T) {
	suite.InTest(t)
	hub := authtest.StartGitHub(t)
	database := filepath.Join(t.TempDir(), "kindex.db")
	s := serveForm(t, Options{State: storagetest.Open(t, database), SignIn: auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: hub.URL}}}, false)
	for name, address := range map[string]func(i int) string{
		"an IPv4 /24":  func(i int) string { return fmt.Sprintf("198.51.100.%d:1", i%256) },
		"an IPv6 /48":  func(i int) string { return fmt.Sprintf("[2001:db8:1:%x::1]:1", i/50) },
		"many of them": func(i int) string { return fmt.Sprintf("[2001:db8:%x::1]:1", 2+i/50) },
	} {
		t.Run(name, func(t *testing.T) {
			jar, err := cookiejar.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			r, err := http.NewRequest(http.MethodPost, s.url+"/signin/github", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Origin", s.url)
			res, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			to := res.Header.Get("Location")
			if res.StatusCode != http.StatusSeeOther || to == "" {
				t.Fatalf("%d %v", res.StatusCode, res.Header)
			}
			crowd(t, database, address)
			started := floodSignIns(s, address)
			page := visit(t, jar, http.MethodGet, to)
			if name == "many of them" && started < 100 { // there was room for at least that many
				t.Errorf("only %d of the strangers' sign-ins were started: the state is not full", started)
			}
			if page.status != http.StatusOK || strings.Contains(string(page.body), "This sign-in has ended") {
				t.Errorf("the earlier sign-in ended with %d\n%s", page.status, page.body)
			}
		})
	}
}

// crowd writes strangers' sign-ins directly to the database, almost as many as it keeps.
func crowd(t *testing.T, database string, address func(i int) string) {
	t.Helper()
	if err := storagetest.Exec(database, "DELETE FROM signin_attempts WHERE state = 'crowd'"); err != nil { // written by the previous call
		t.Fatal(err)
	}
	ends := time.Now().Add(auth.AttemptTTL).UnixMilli()
	for from := 0; from < auth.MaxAttempts-100; from += 1100 {
		var rows []string
		for i := range 1100 {
			addr := netip.MustParseAddrPort(address(from + i)).Addr()
			p, err := addr.Prefix(map[bool]int{true: 24, false: 48}[addr.Is4()])
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, fmt.Sprintf("('%s', 'crowd', 'github', 'n', 'v', '%s', %d)", storage.NewID(""), auth.NetworkOf(p), ends))
		}
		if err := storagetest.Exec(database, "INSERT INTO signin_attempts (browser, state, provider, nonce, verifier, network, expires_at) VALUES "+strings.Join(rows, ", ")); err != nil {
			t.Fatal(err)
		}
	}
}

// floodSignIns starts more sign-ins than there is room for and returns how many of them were not
// refused.
func floodSignIns(s *served, address func(i int) string) (started int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	next := make(chan int)
	for range 32 {
		all.Go(func() {
			for i := range next {
				r := httptest.NewRequest(http.MethodPost, s.url+"/signin/github", nil)
				r.RemoteAddr = address(i)
				r.Header.Set("Origin", s.url)
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				mu.Lock()
				if w.Code == http.StatusSeeOther {
					started++
				}
				mu.Unlock()
			}
		})
	}
	for i := range 300 {
		next <- i
	}
	close(next)
	all.Wait()
	return started
}
