package edge

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/signin"
	"kindex/edge/signin/signintest"
)

// TestAttackSignInFloodOfNetwork has one person start to sign in, and then a network
// of strangers start more sign-ins than the state keeps, from as many addresses as
// they have: the person's own still comes to its end.
func TestAttackSignInFloodOfNetwork(t *testing.T) {
	suite.WithoutRace(t)
	suite.InTest(t)
	hub := signintest.StartGitHub(t)
	s := serveForm(t, Options{SignIn: signin.Options{GitHub: signin.GitHub{Client: signintest.Client, Secret: signintest.ClientSecret, URL: hub.URL}}}, false)
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
			started := floodSignIns(s, address)
			page := visit(t, jar, http.MethodGet, to)
			t.Logf("%d of the strangers' sign-ins were started", started)
			if page.status != http.StatusOK || strings.Contains(string(page.body), "This sign-in is over") {
				t.Errorf("the sign-in of before ends with %d\n%s", page.status, page.body)
			}
		})
	}
}

// floodSignIns starts more sign-ins than are kept, and returns how many of them were
// not refused.
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
	for i := range signin.MostAttempts + 200 {
		next <- i
	}
	close(next)
	all.Wait()
	return started
}
