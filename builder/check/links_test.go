package check_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/check"
	"kindex/builder/collect/collecttest"
	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// resolver knows names that end in .test: all are on loopback, except gone.test, which does not
// exist, broken.test, whose name server fails, and private.test.
type resolver struct{ t *testing.T }

func (r resolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch name := strings.TrimSuffix(host, "."); {
	case name == "gone.test":
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	case name == "broken.test":
		return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	case name == "private.test":
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	case strings.HasSuffix(name, ".test"):
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	r.t.Errorf("looked up %s", host)
	return nil, errors.New("not in this test")
}

// options returns the options of a check over loopback only.
func options(t *testing.T, roots *x509.CertPool, timeout time.Duration) check.LinkOptions {
	t.Helper()
	allow := suite.Must(safedial.ParseException("127.0.0.0/8"))(t)
	guard := safedial.New(safedial.Options{Allow: []safedial.Exception{allow}, HostRate: -1, Resolver: resolver{t}, Roots: roots, Timeout: timeout})
	return check.LinkOptions{HTTP: guard.WebClient(), Clock: &collecttest.Clock{}, Agent: "test", PerSecond: 1, Hosts: 4, MaxWait: 10 * time.Minute}
}

func links(addresses ...string) []check.Link {
	var e []*record.Entity
	for i, a := range addresses {
		e = append(e, &record.Entity{Type: "tool", Slug: "e" + strconv.Itoa(i), URL: a})
	}
	return check.LinksOf(e)
}

// verdict checks one address, and returns what became of it.
func verdict(t *testing.T, o check.LinkOptions, address string) string {
	t.Helper()
	r := suite.Must(check.Links(t.Context(), links(address), o))(t)
	switch {
	case r.Links != 1 || r.Alive+r.Unchecked+len(r.Dead)+len(r.Unclear) != 1:
		t.Fatalf("%+v", r)
	case len(r.Dead) == 1:
		return "dead: " + r.Dead[0].Reason
	case len(r.Unclear) == 1:
		return "unclear: " + r.Unclear[0].Reason
	case r.Unchecked == 1:
		return "unchecked"
	}
	return "alive"
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// pages are the pages of the server in TestLinks, with what is to become of a link to them.
var pages = map[string]struct {
	h    http.HandlerFunc
	want string
}{
	"/ok":        {status(200), "alive"},
	"/no-body":   {status(204), "alive"},
	"/gone":      {status(410), "dead: status 410 Gone"},
	"/missing":   {status(404), "dead: status 404 Not Found"},
	"/forbidden": {status(403), "unclear: status 403 Forbidden"},
	"/error":     {status(500), "unclear: status 500 Internal Server Error"},
	"/robot":     {status(999), "unclear: status 999"},
	"/no-head":   {onGet(405), "alive"},
	"/head-lies": {onGet(404), "alive"},
	"/head-cut": {func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			panic(http.ErrAbortHandler)
		}
	}, "alive"},
	"/cut":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "unclear: "},
	"/short":  {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99") }, "alive"},
	"/moved":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusMovedPermanently) }, "alive"},
	"/to-404": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/missing", http.StatusFound) }, "dead: status 404 Not Found"},
	"/loop":   {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) }, "dead: redirects more than 10 times"},
	"/nowhere": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://[::")
		w.WriteHeader(302)
	}, "unclear: failed to parse Location header"},
	"/to-file": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	}, "dead: leads to an address that is neither https nor http"},
	"/to-private": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://private.test/", http.StatusFound)
	}, "unclear: not an address on the public internet"},
	"/to-gone": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://gone.test/", http.StatusFound)
	}, "dead: the host does not exist"},
	"/cookie": {func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
			http.Redirect(w, r, "/cookie", http.StatusFound)
		}
	}, "alive"},
	"/secret": {func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("User-Agent") != "test" {
			w.WriteHeader(404)
		}
	}, "alive"},
	"/endless": {func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(405)
			return
		}
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}, "alive"},
}

// onGet refuses HEAD with a status.
func onGet(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(code)
		}
	}
}

func TestLinks(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { pages[r.URL.Path].h(w, r) }))
	defer s.Close()
	for path, c := range pages {
		if got := verdict(t, options(t, nil, time.Minute), s.URL+path); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", path, got, c.want)
		}
	}
	withUser := strings.Replace(s.URL, "http://", "http://ada:secret@", 1) + "/secret"
	suite.Equal(t, verdict(t, options(t, nil, time.Minute), withUser), "alive", withUser)
}

// TestHosts follows links to hosts that cannot be reached.
func TestHosts(t *testing.T) {
	s := httptest.NewUnstartedServer(status(200))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that do not trust its certificate
	s.StartTLS()
	defer s.Close()
	plain := httptest.NewServer(status(200))
	defer plain.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for _, c := range []struct {
		address, want string
		roots         *x509.CertPool
	}{
		{s.URL, "alive", roots},
		{s.URL, "dead: the certificate is not valid: x509: certificate signed by unknown authority", x509.NewCertPool()},
		{"https://other.test" + port, "dead: the certificate is not valid: x509: certificate is valid for example.com", roots},
		{strings.Replace(plain.URL, "http://", "https://", 1), "unclear: http: server gave HTTP response to HTTPS client", roots},
		{"https://gone.test/", "dead: the host does not exist", roots},
		{"https://broken.test/", "unclear: lookup broken.test: server misbehaving", roots},
		{"https://private.test/", "unclear: not an address on the public internet", roots},
		{"https://192.168.1.1/", "unclear: not an address on the public internet", roots},
		{"http://127.0.0.1:1/", "unclear: ", roots},
	} {
		if got := verdict(t, options(t, c.roots, time.Minute), c.address); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.address, got, c.want)
		}
	}
}

// TestTimeout follows a link to a server that never answers.
func TestTimeout(t *testing.T) {
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	defer s.Close()
	defer close(done)
	if got := verdict(t, options(t, nil, 50*time.Millisecond), s.URL); !strings.HasPrefix(got, "unclear: ") || !strings.Contains(got, "Timeout") {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Links(ctx, links(s.URL), options(t, nil, time.Minute)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRetryAfter checks that a host that asks to wait is asked again after that time, and no more
// if that takes too long.
func TestRetryAfter(t *testing.T) {
	clock := &collecttest.Clock{}
	start := clock.Now()
	for _, c := range []struct {
		name, header string
		status       int
		limited      int32 // requests that are refused
		want         string
		requests     int32
		waited       time.Duration
	}{
		{"seconds", "30", 429, 1, "alive", 2, 30 * time.Second},
		{"date", start.Add(2 * time.Minute).UTC().Format(http.TimeFormat), 503, 1, "alive", 2, 2 * time.Minute},
		{"nothing", "", 429, 1, "alive", 2, time.Minute},
		{"nonsense", "soon", 429, 2, "alive", 3, 2 * time.Minute},
		{"again and again", "10", 429, 99, "unclear: status 429 Too Many Requests", 3, 20 * time.Second},
		{"too long", "3600", 429, 99, "unclear: status 429 Too Many Requests", 1, 0},
		{"endless", "99999999999999999999", 429, 99, "unclear: status 429 Too Many Requests", 1, 0},
		{"unavailable", "", 503, 99, "unclear: status 503 Service Unavailable", 2, 0},
	} {
		var seen atomic.Int32
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if seen.Add(1) <= c.limited {
				w.Header().Set("Retry-After", c.header)
				w.WriteHeader(c.status)
			}
		}))
		o := options(t, nil, time.Minute)
		own := &collecttest.Clock{}
		o.Clock, o.PerSecond = own, 1e6
		got := verdict(t, o, s.URL)
		s.Close()
		if waited := own.Now().Sub(start).Round(time.Second); got != c.want || seen.Load() != c.requests || waited != c.waited {
			t.Errorf("%s: %s after %d requests and %v", c.name, got, seen.Load(), waited)
		}
	}
}

// TestClosedHost checks that after a wait that would be too long, no other link to the host is
// followed.
func TestClosedHost(t *testing.T) {
	var seen atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		seen.Add(1)
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(429)
	}))
	defer s.Close()
	r, err := check.Links(t.Context(), links(s.URL+"/a", s.URL+"/b", s.URL+"/c"), options(t, nil, time.Minute))
	if err != nil || seen.Load() != 1 || len(r.Unclear) != 3 || r.Unclear[1].Reason != "the host asks to wait until 2026-11-24 12:00 UTC" {
		t.Errorf("%d requests: %+v %v", seen.Load(), r, err)
	}
}

// TestPace checks the rate for each host, that links to one host are followed one after the other,
// and the number of hosts at the same time.
func TestPace(t *testing.T) {
	const hosts, each = 6, 5
	var running, most atomic.Int32
	var mu sync.Mutex
	at := map[string]int32{}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n := running.Add(1)
		defer running.Add(-1)
		mu.Lock()
		at[r.Host]++
		if at[r.Host] > 1 {
			t.Errorf("%d requests to %s at the same time", at[r.Host], r.Host)
		}
		most.Store(max(most.Load(), n))
		mu.Unlock()
		time.Sleep(time.Millisecond) // so that others can come at the same time
		mu.Lock()
		at[r.Host]--
		mu.Unlock()
	}))
	defer s.Close()
	var addresses []string
	for i := range hosts * each {
		addresses = append(addresses, fmt.Sprintf("http://h%d.test%s/%d", i%hosts, s.URL[strings.LastIndex(s.URL, ":"):], i))
	}
	o := options(t, nil, time.Minute)
	o.Hosts = 3
	start := o.Clock.Now()
	r, err := check.Links(t.Context(), links(addresses...), o)
	if err != nil || r.Alive != hosts*each || most.Load() > 3 {
		t.Errorf("%d at the same time: %+v %v", most.Load(), r, err)
	}
	if passed := o.Clock.Now().Sub(start); passed < (each-1)*time.Second {
		t.Errorf("%d requests to each host took %v", each, passed)
	}
}

func TestMaxRequests(t *testing.T) {
	var seen atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		seen.Add(1)
		w.WriteHeader(404)
	}))
	defer s.Close()
	o := options(t, nil, time.Minute)
	o.MaxRequests = 3
	r, err := check.Links(t.Context(), links(s.URL+"/a", s.URL+"/b", s.URL+"/c"), o)
	if err != nil || seen.Load() != 3 || r.Requests != 3 || len(r.Dead) != 1 || r.Unchecked != 2 {
		t.Errorf("%d requests: %+v %v", seen.Load(), r, err)
	}
}

func TestLinksOf(t *testing.T) {
	a := &record.Entity{Type: "tool", Slug: "a", URL: "https://a.example/#top", Links: []record.Link{{Name: "homepage", URL: "https://a.example/"}, {Name: "paper", URL: "https://b.example/"}},
		Lifecycle: &record.Lifecycle{Source: "https://c.example/"}}
	b := &record.Entity{Type: "tool", Slug: "b", Status: record.Withdrawn, URL: "https://d.example/"}
	var got []string
	for _, l := range check.LinksOf([]*record.Entity{a, b}) {
		for _, p := range l.Places {
			got = append(got, l.Address+" "+p.Entity+" "+p.Field)
		}
	}
	want := []string{"https://a.example/ tool/a url", "https://a.example/ tool/a links.homepage", "https://b.example/ tool/a links.paper", "https://c.example/ tool/a lifecycle.source"}
	suite.Equal(t, got, want)
}
