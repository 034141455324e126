package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"kindex/builder/suite"
)

// killEdges kills one edge after the other while requests are sent through the proxy, and a build
// is published meanwhile.
//
// The proxy sends a GET to another edge if the killed one had not started to answer it, so none of
// those may fail. Two kinds of requests may: one other than GET that the killed edge had received,
// because the proxy cannot know whether it took effect; and a GET whose response had started, which
// the client sees end early. A client that repeats a write with the same Idempotency-Key
// causes it once.
func (l *fleetLoad) killEdges() {
	f := l.f
	f.t.Helper()
	k := &fleetLoad{f: f, total: int64(suite.Pick(150, 6000)), submissions: suite.Pick(4, 18), pause: submissionPause, killing: true, repeated: l.repeated, pairs: map[[2]string]int{}, statuses: map[int]int{}}
	kills := suite.Pick(2, 20)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() { k.read(i) })
	}
	wg.Go(k.submitRepeatedly)
	last := ""
	for i := range kills {
		await(f.t, "requests before the next kill", func() bool { return k.sent.Load() >= k.total*int64(i)/int64(kills) })
		e := f.edges[i%3]
		e.kill()
		if i == kills/2 {
			last = f.publish()
		}
		e.start()
		f.awaitProxy()
	}
	for _, e := range f.edges {
		e.await(last)
	}
	k.finished.Store(true)
	wg.Wait()
	f.t.Logf("%d edges were killed during %d requests: %d responses were cut off, and %d submissions were repeated", kills, k.sent.Load(), k.cut.Load(), k.again.Load())
	k.checkPairs(last)
	for _, e := range f.edges {
		if ids := f.submissions(e, k.repeated); len(ids) != k.submissions {
			f.t.Errorf("%s has %d submissions, want %d", e.host, len(ids), k.submissions)
		}
	}
}

// kill ends the edge without a warning.
func (e *fleetEdge) kill() {
	_ = e.cmd.Process.Signal(syscall.SIGKILL) // it has ended, or ends now
	<-e.ended                                 //nolint:errcheck // it was killed
}

// isCut reports whether a response ended early because its edge was killed. The proxy cannot
// repeat a request once it has passed on the beginning of the response.
func (l *fleetLoad) isCut(status int, body []byte) bool {
	return l.killing && status == 0 && strings.Contains(string(body), io.ErrUnexpectedEOF.Error())
}

// submitRepeatedly sends requests that change something, and repeats those that fail.
func (l *fleetLoad) submitRepeatedly() {
	for i := range l.submissions {
		for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			status, body := l.f.send(l.f.proxy, http.MethodPost, "/api/submit", l.repeated,
				fmt.Sprintf(`{"type":"tool","name":"Repeated %d","category":"kind-1","url":"https://example.org/r%[1]d","description":"A proposal that is sent while edges are killed."}`, i),
				http.Header{"Idempotency-Key": {fmt.Sprint("submission-", i)}})
			if status == http.StatusCreated {
				break
			}
			if status != 0 && status < http.StatusBadGateway || time.Since(begin) > hanging || l.f.t.Failed() {
				l.f.t.Errorf("a submission: %d %s", status, body)
				return
			}
			l.again.Add(1)
		}
		time.Sleep(l.pause)
	}
}

// formToken matches the token in the forms of a session.
var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

// signIn signs in through the proxy, which may send each step to another edge, and returns the
// session's cookies.
func (f *fleet) signIn() (cookies string) {
	f.t.Helper()
	jar := suite.Must(cookiejar.New(nil))(f.t)
	browser := &http.Client{Transport: f.client.Transport, Jar: jar, Timeout: hanging}
	req := suite.Must(http.NewRequest(http.MethodPost, f.proxy+"/signin/github", nil))(f.t)
	req.Header.Set("Origin", f.proxy)
	res := suite.Must(browser.Do(req))(f.t)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		f.t.Fatalf("sign-in: %s: %v %s", res.Status, err, body)
	}
	for _, c := range jar.Cookies(res.Request.URL) {
		cookies += c.Name + "=" + c.Value + "; "
	}
	return cookies
}

// checkSession checks whether the session is valid at every edge, and returns its form token.
func (f *fleet) checkSession(cookies string, want bool) (token string) {
	f.t.Helper()
	for _, e := range f.edges {
		status, body := f.send(e.at(f.port), http.MethodGet, "/developer/", "", "", http.Header{"Cookie": {cookies}})
		m := formToken.FindSubmatch(body)
		if signedIn := m != nil; status != http.StatusOK || signedIn != want {
			f.t.Fatalf("%s: status %d, signed in: %v, want %v", e.host, status, signedIn, want)
		}
		if want {
			token = string(m[1])
		}
	}
	return token
}

// signOut ends the session at one edge.
func (f *fleet) signOut(cookies, token string) {
	f.t.Helper()
	status, body := f.send(f.edges[0].at(f.port), http.MethodPost, "/signout", "", url.Values{"token": {token}}.Encode(),
		http.Header{"Cookie": {cookies}, "Origin": {f.proxy}, "Content-Type": {"application/x-www-form-urlencoded"}})
	if status != http.StatusSeeOther {
		f.t.Errorf("sign-out: %d %s", status, body)
	}
}
