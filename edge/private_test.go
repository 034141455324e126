package edge

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"kindex/builder/suite"
)

// TestOriginsByAddress: an index is open to all websites if its address is public.
func TestOriginsByAddress(t *testing.T) {
	for address, open := range map[string]bool{
		"https://index.example.org": true, "https://index.example.org:8443/sub/": true, "https://93.184.216.34": true,
		"": false, "http://index.example.org": false, "https://localhost": false, "https://127.0.0.1:8443": false, "https://[::1]": false,
		"https://10.1.2.3": false, "https://192.168.1.1": false, "https://169.254.1.1": false, "https://[fd00::1]": false, "https://[fe80::1]": false,
		"https://100.64.0.1": false, "https://index": false, "https://index.local": false, "https://index.internal": false, "https://index.lan.": false,
		"https://app.localhost": false, "https://kindex.home.arpa": false, "https://Index.CORP": false, "https://[::ffff:10.0.0.1]": false,
	} {
		if got := DefaultOrigins(address).allows("https://anybody.example"); got != open {
			t.Errorf("%q: open to all websites: %v", address, got)
		}
	}
}

// TestOriginsNamed: pages of the origins that the operator has configured can read the index, and
// no other pages can.
func TestOriginsNamed(t *testing.T) {
	suite.InTest(t)
	const app, other = "https://app.example.org", "https://app.example.org.evil.example"
	for _, c := range []struct {
		name         string
		values       []string
		url          string
		allowed, not []string
		hosts        map[string]int
	}{
		{"a list", []string{app + "/", "HTTP://Intranet:80", "null"}, "https://index.example.org",
			[]string{app, "http://intranet", "null"}, []string{other, "http://127.0.0.1:3000", "http://app.example.org", "https://app.example.org:8443", "https://index.example.org.evil.example"},
			map[string]int{"index.example.org": 200, "evil.example": 403, "127.0.0.1": 200}},
		{"none", []string{"none"}, "", nil, []string{app, "http://127.0.0.1:3000", "null"}, map[string]int{"evil.example": 403}},
		{"all", []string{"*"}, "", []string{app, other, "null"}, nil, map[string]int{"anything.example": 200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			origins, err := ParseOrigins(c.values)
			if err != nil {
				t.Fatal(err)
			}
			s := serveFew(t, Options{Origins: origins, URL: c.url})
			for _, o := range c.allowed {
				a := s.ask(t, "GET", "/api/categories", "Origin", o)
				if got := a.header.Get("Access-Control-Allow-Origin"); got != o && got != "*" || a.header.Get("Access-Control-Allow-Credentials") != "" {
					t.Errorf("%s: %v", o, a.header)
				}
				if a := s.sendAs(t, listTools, "Origin", o); a.status != 200 {
					t.Errorf("/mcp from %s: %d %s", o, a.status, a.body)
				}
			}
			for _, o := range c.not {
				if a := s.ask(t, "GET", "/api/categories", "Origin", o); a.status != 200 || a.header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s: %d %v", o, a.status, a.header)
				}
				if a := s.sendAs(t, listTools, "Origin", o); a.status != 403 {
					t.Errorf("/mcp from %s: %d %s", o, a.status, a.body)
				}
			}
			for host, want := range c.hosts {
				if a := s.hosted(t, "GET", host, "/api/categories", ""); a.status != want {
					t.Errorf("Host %s: %d, want %d", host, a.status, want)
				}
			}
			// The service's own pages are always allowed.
			if a := s.sendAs(t, listTools, "Origin", s.url); a.status != 200 {
				t.Errorf("/mcp from its own pages: %d %s", a.status, a.body)
			}
			if c.url != "" {
				if a := s.sendAs(t, listTools, "Origin", c.url, "Host", "127.0.0.1"); a.status != 200 {
					t.Errorf("/mcp from its own pages behind a proxy: %d %s", a.status, a.body)
				}
			}
		})
	}
	for _, bad := range []string{"", "app.example.org", "https://app.example.org/path", "https://*.example.org", "https://u:p@app.example.org", "https://", "*,none", "https://a.example?x"} {
		if _, err := ParseOrigins(strings.Split(bad, ",")); err == nil {
			t.Errorf("%q is accepted as an origin", bad)
		}
	}
}

// TestHostsOnANetwork: an index that listens on a network accepts host names that exist only in
// private networks, and those that the operator has configured.
func TestHostsOnANetwork(t *testing.T) {
	wiki, err := ParseHost("Wiki.Example.com.")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		local, host string
		answers     bool
	}{
		{"192.0.2.7:8080", "kindex:8080", true}, {"192.0.2.7:8080", "kindex.lan", true}, {"192.0.2.7:8080", "kindex.monitoring.svc.cluster.local:8081", true},
		{"192.0.2.7:8080", "192.0.2.7:8080", true}, {"192.0.2.7:8080", "wiki.example.com:8080", true}, {"192.0.2.7:8080", "WIKI.example.com.", true},
		{"192.0.2.7:8080", "evil.example", false}, {"192.0.2.7:8080", "a.wiki.example.com", false}, {"192.0.2.7:8080", "wiki.example.com.evil.example", false},
		{"127.0.0.1:8080", "kindex", false}, {"127.0.0.1:8080", "kindex.lan", false}, {"127.0.0.1:8080", "wiki.example.com", true},
		{"[::1]:8080", "[::1]:8080", true}, {"[::1]:8080", "kindex.local", false},
	} {
		local, err := net.ResolveTCPAddr("tcp", c.local)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(local)))
		r.Host = c.host
		if got := hostAllowed(r, []string{wiki}); got != c.answers {
			t.Errorf("%s on %s: %v", c.host, c.local, got)
		}
	}
	for _, bad := range []string{"", "https://wiki.example.com", "wiki.example.com:8080", "*", "*.example.com"} {
		if _, err := ParseHost(bad); err == nil {
			t.Errorf("%q is accepted as a host", bad)
		}
	}
}

// TestAdminListenerHost sends requests with a foreign host name to the operator's listener.
func TestAdminListenerHost(t *testing.T) {
	f := serveFew(t, Options{AdminHosts: []string{"ops.example.com"}, Log: slog.New(slog.DiscardHandler)})
	h := httptest.NewServer(requireHost(f.options.AdminHosts, f.adminHandler(new(atomic.Bool))))
	defer h.Close()
	s := &served{Server: f.Server, url: h.URL}
	for _, path := range []string{"/metrics", "/readyz", "/healthz"} {
		for host, want := range map[string]int{"evil.example": 403, "evil.example:8081": 403, "kindex": 403, "127.0.0.1:8081": 200, "localhost": 200, "ops.example.com": 200} {
			if a := s.hosted(t, "GET", host, path, ""); a.status != want || want == 403 && strings.Contains(string(a.body), "build") {
				t.Errorf("%s of %s: %d %s", path, host, a.status, a.body)
			}
		}
	}
}
