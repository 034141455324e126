package edge

import (
	"context"
	"io"
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
		got := DefaultOrigins(address).allows("https://anybody.example")
		suite.Holds(t, got == open, address, "open to all websites", got)
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
			origins := suite.Must(ParseOrigins(c.values))(t)
			s := serveFew(t, Options{Origins: origins, URL: c.url})
			for _, o := range c.allowed {
				a := s.ask(t, "GET", "/api/categories", "Origin", o)
				if got := a.header.Get("Access-Control-Allow-Origin"); got != o && got != "*" || a.header.Get("Access-Control-Allow-Credentials") != "" {
					t.Errorf("%s: %v", o, a.header)
				}
				s.sendAs(t, listTools, "Origin", o).want(t, 200)
			}
			for _, o := range c.not {
				s.ask(t, "GET", "/api/categories", "Origin", o).want(t, 200).wantHeader(t, "Access-Control-Allow-Origin", "")
				s.sendAs(t, listTools, "Origin", o).want(t, 403)
			}
			for host, want := range c.hosts {
				s.hosted(t, "GET", host, "/api/categories", "").want(t, want)
			}
			// The service's own pages are always allowed.
			s.sendAs(t, listTools, "Origin", s.url).want(t, 200)
			if c.url != "" {
				s.sendAs(t, listTools, "Origin", c.url, "Host", "127.0.0.1").want(t, 200)
			}
		})
	}
	for _, bad := range []string{"", "app.example.org", "https://app.example.org/path", "https://*.example.org", "https://u:p@app.example.org", "*,none"} {
		suite.Fails(t, suite.Err(ParseOrigins(strings.Split(bad, ","))), "", bad)
	}
}

// TestHostsOnANetwork: an index that listens on a network accepts host names that exist only in
// private networks, and those that the operator has configured.
func TestHostsOnANetwork(t *testing.T) {
	wiki := suite.Must(ParseHost("Wiki.Example.com."))(t)
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
		local := suite.Must(net.ResolveTCPAddr("tcp", c.local))(t)
		r := httptest.NewRequest("GET", "/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(local)))
		r.Host = c.host
		suite.Equal(t, hostAllowed(r, []string{wiki}), c.answers, c.host, "on", c.local)
	}
	for _, bad := range []string{"", "https://wiki.example.com", "wiki.example.com:8080", "*", "*.example.com"} {
		suite.Fails(t, suite.Err(ParseHost(bad)), "", bad)
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

// privatePaths contains paths of every kind for which the response contains data from the index.
var privatePaths = []string{"/", "/tool/n1/", "/llms.txt", "/docs/api", "/api/entities", "/api/entity/tool/n1", "/api/search?q=number",
	"/api/export/entities?format=csv", "/api/export/entities?format=jsonl&type=tool", "/api/export/manifest", "/api/feed", "/api/openapi",
	"/badge/tool/n1.svg", "/submit/", "/assets/nothing.css", "/api/nothing", "/nothing"}

// hosted sends a request with the given Host and headers over the network.
func (s *served) hosted(t testing.TB, method, host, path, body string, header ...string) answer {
	t.Helper()
	r := httptest.NewRequest(method, s.url+path, strings.NewReader(body))
	r.RequestURI, r.Host = "", host
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return s.do(t, r)
}

// do sends a request without following redirects.
func (s *served) do(t testing.TB, r *http.Request) answer {
	t.Helper()
	res := suite.Must((&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(r))(t)
	defer res.Body.Close()
	body := suite.Must(io.ReadAll(res.Body))(t)
	return answer{res.StatusCode, res.Header, body, r.Method + " " + r.Host + r.URL.Path}
}

// raw sends bytes and returns the status line of the response.
func (s *served) raw(t testing.TB, request string) string {
	t.Helper()
	line, _, _ := strings.Cut(s.rawAll(t, request), "\r\n")
	return line
}

// rawAll sends bytes and returns the whole response.
func (s *served) rawAll(t testing.TB, request string) string {
	t.Helper()
	c := suite.Must(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))(t)
	defer c.Close()
	suite.Must(io.WriteString(c, request))(t)
	all := suite.Must(io.ReadAll(c))(t)
	return string(all)
}

// TestPrivateIndexRebound tries to read an index on the user's machine from a page whose own
// host name was made to resolve to that machine (DNS rebinding). Its requests are same-origin
// requests, which CORS does not restrict. Each request must be refused, whatever it requests,
// and must reveal nothing.
func TestPrivateIndexRebound(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 100})
	data := "/data/" + s.buildID() + "/entities.csv"
	read := 0
	for _, host := range []string{"evil.example:8080", "127.0.0.1.evil.example", "evil.local", "0x7f000001"} {
		for _, path := range append(privatePaths, data) {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost} {
				a := s.hosted(t, method, host, path, "")
				if a.status != http.StatusForbidden || strings.Contains(string(a.body), "Number1") || a.header.Get("Etag") != "" ||
					a.header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s %s of %s: %d %v", method, path, host, a.status, a.header)
					read++
				}
				if strings.HasPrefix(path, "/api/") && a.header.Get("X-RateLimit-Remaining") != "100" {
					t.Errorf("%s %s of %s: %s requests remaining", method, path, host, a.header.Get("X-RateLimit-Remaining"))
				}
			}
		}
		if a := s.hosted(t, http.MethodPost, host, "/mcp", listTools, "Content-Type", "application/json"); a.status != http.StatusForbidden {
			t.Errorf("/mcp of %s: %d", host, a.status)
			read++
		}
	}
	t.Logf("%d responses to foreign names", read)
	for _, host := range []string{"127.0.0.1", "127.0.0.1:80", "localhost:8080", "LOCALHOST", "[::1]:8080", "192.0.2.1", "localhost."} {
		s.hosted(t, http.MethodGet, host, "/api/sdk/python", "").want(t, http.StatusOK)
	}
}

// TestPrivateIndexAbsolute puts the attacker's host into the request target, as clients of a proxy
// do. The request target takes precedence over Host (RFC 9112, section 3.2.2).
func TestPrivateIndexAbsolute(t *testing.T) {
	s := serveShared(t, 60)
	for _, c := range []struct {
		request string
		status  string
	}{
		{"GET http://evil.example/api/categories HTTP/1.1\r\nHost: 127.0.0.1\r\n", " 403 "},
		{"GET http://127.0.0.1/api/categories HTTP/1.1\r\nHost: evil.example\r\n", " 200 "}, // web pages cannot send this request
		{"GET /api/categories HTTP/1.0\r\n", " 200 "},                                       // no browser sends this request
		{"GET /api/categories HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n", " 400 "},
		{"TRACE /api/categories HTTP/1.1\r\nHost: 127.0.0.1\r\n", " 405 "},
		{"CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: 127.0.0.1:443\r\n", " 405 "},
		{"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n", " 403 "},
		{"OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n", " 200 "}, // the response does not depend on the index
	} {
		suite.Contains(t, s.raw(t, c.request+"Connection: close\r\n\r\n"), c.status, c.request)
	}
}

// TestPrivateIndexOtherOrigins sends the requests that pages of other websites would send. The
// browser must not let the pages read or embed the responses.
func TestPrivateIndexOtherOrigins(t *testing.T) {
	suite.InTest(t)
	s := serveShared(t, 60)
	data := "/data/" + s.buildID() + "/entities.csv"
	readable := 0
	for _, origin := range []string{"https://evil.example", "null", "http://127.0.0.1.evil.example", "http://localhost@evil.example", "ftp://127.0.0.1", "", "http://10.0.0.1"} {
		for _, path := range append(privatePaths, data) {
			a := s.hosted(t, http.MethodGet, "127.0.0.1", path, "", "Origin", origin, "Referer", origin+"/")
			if a.header.Get("Access-Control-Allow-Origin") != "" {
				readable++
			}
			// Vary names Origin, so caches store the response separately for each origin.
			vary := strings.Join(a.header.Values("Vary"), ", ")
			suite.Holds(t, (path == "/submit/" || strings.Contains(vary, "Origin")) &&
				a.header.Get("Cross-Origin-Resource-Policy") == "same-origin", path, a.header)
			if tag := a.header.Get("Etag"); tag != "" {
				a := s.hosted(t, http.MethodGet, "127.0.0.1", path, "", "Origin", origin, "If-None-Match", tag)
				if a.status != http.StatusNotModified || a.header.Get("Access-Control-Allow-Origin") != "" || !strings.Contains(strings.Join(a.header.Values("Vary"), ", "), "Origin") {
					t.Errorf("%s, unchanged: %d %v", path, a.status, a.header)
				}
			}
			a = s.hosted(t, http.MethodOptions, "127.0.0.1", path, "", "Origin", origin, "Access-Control-Request-Method", "GET",
				"Access-Control-Request-Headers", "x-api-key", "Access-Control-Request-Private-Network", "true", "Access-Control-Request-Local-Network", "true")
			for name := range a.header {
				if strings.HasPrefix(name, "Access-Control-Allow-") {
					t.Errorf("preflight for %s of %s: %s", path, origin, name)
				}
			}
		}
		s.hosted(t, http.MethodPost, "127.0.0.1", "/mcp", listTools, "Content-Type", "application/json", "Origin", origin).
			want(t, http.StatusForbidden, "foreign-origin")
	}
	t.Logf("%d responses are readable by foreign pages", readable)
	suite.Holds(t, readable == 0, readable, "responses are readable by foreign pages")
	for _, origin := range []string{"http://127.0.0.1:3000", "http://localhost:5173", "https://localhost", "http://[::1]:1"} {
		a := s.hosted(t, http.MethodGet, "127.0.0.1", "/api/categories", "", "Origin", origin)
		suite.Equal(t, a.header.Get("Access-Control-Allow-Origin"), origin)
		suite.Contains(t, a.header.Get("Access-Control-Expose-Headers"), "Retry-After", origin)
		a = s.hosted(t, http.MethodOptions, "127.0.0.1", "/api/categories", "", "Origin", origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Private-Network", "true")
		if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != origin || a.header.Get("Vary") != "Origin" ||
			!strings.Contains(a.header.Get("Access-Control-Allow-Headers"), "x-api-key") || a.header.Get("Access-Control-Allow-Private-Network") != "" {
			t.Errorf("%s: %d %v", origin, a.status, a.header)
		}
		s.hosted(t, http.MethodPost, "127.0.0.1", "/mcp", listTools, "Content-Type", "application/json", "Origin", origin).want(t, http.StatusOK)
	}
}
