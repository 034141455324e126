package safedial

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
)

// names is a fake resolver. It fails the test if a forbidden name is looked up.
type names struct {
	t    *testing.T
	are  map[string][]string
	asks atomic.Int64
}

func (n *names) LookupNetIP(_ context.Context, network, host string) ([]netip.Addr, error) {
	n.asks.Add(1)
	if network != "ip" || !strings.HasSuffix(host, ".") {
		n.t.Errorf("the resolver was asked for %s %q", network, host)
	}
	texts, known := n.are[strings.TrimSuffix(host, ".")]
	if !known {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var addrs []netip.Addr
	for _, s := range texts {
		addrs = append(addrs, netip.MustParseAddr(s))
	}
	return addrs, nil
}

// wire is a fake network. It behaves like a net.Dialer until the first packet, and counts the
// packets that would have been sent.
type wire struct {
	packets   atomic.Int64
	reach     string // the address actually reached; "" means the dialled address
	delivered func() (net.Conn, error)
}

func (w *wire) dial(_ context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
	if w.reach != "" {
		address = w.reach
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	network += "4"
	if to.Addr().Is6() {
		network = "tcp6"
	}
	if err := d.Control(network, address, nil); err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	w.packets.Add(1)
	if w.delivered != nil {
		return w.delivered()
	}
	return nil, errors.New("nothing is there")
}

// notPublic has addresses from every range that is not on the public internet.
var notPublic = []string{"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
	"169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.7",
	"203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16",
	"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1",
	"2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1",
	"fec0::1", "ff02::1"}

func TestAddressesThatAreNotPublicAreRefusedBeforeAnyPacket(t *testing.T) {
	w := &wire{}
	g := New(Options{Resolver: &names{t: t}, Dial: w.dial})
	for _, a := range notPublic {
		for _, port := range []string{"443", "80", "8443"} {
			if _, err := g.Dial(t.Context(), "tcp", net.JoinHostPort(a, port)); !errors.Is(err, ErrRefused) {
				t.Errorf("dialling %s port %s: %v", a, port, err)
			}
		}
		if _, err := g.CheckURL(t.Context(), "https://"+literal(a)+"/hook"); !isURLError(err) {
			t.Errorf("registering %s: %v", a, err)
		}
	}
	suite.Equal(t, w.packets.Load(), 0, "packets would have been sent")
	for _, a := range []string{"8.8.8.8", "2606:4700::1111"} { // the fake network lets allowed addresses through
		if _, err := g.Dial(t.Context(), "tcp", net.JoinHostPort(a, "443")); err == nil || errors.Is(err, ErrRefused) {
			t.Errorf("dialling %s: %v", a, err)
		}
		if _, err := g.Dial(t.Context(), "tcp", net.JoinHostPort(a, "80")); !errors.Is(err, ErrRefused) {
			t.Errorf("dialling %s port 80: %v", a, err)
		}
	}
	if n := w.packets.Load(); n != 2 {
		t.Errorf("%d public addresses were dialled, want 2", n)
	}
}

func TestPorts(t *testing.T) {
	w := &wire{}
	g := New(Options{Resolver: &names{t: t}, Dial: w.dial, Ports: []uint16{80, 443}})
	for _, port := range []string{"80", "443", "22", "8080"} {
		_, err := g.Dial(t.Context(), "tcp", net.JoinHostPort("8.8.8.8", port))
		if refused := errors.Is(err, ErrRefused); refused != (port != "80" && port != "443") {
			t.Errorf("port %s: %v", port, err)
		}
		if _, err := g.Dial(t.Context(), "tcp", net.JoinHostPort("10.0.0.1", port)); !errors.Is(err, ErrRefused) {
			t.Errorf("10.0.0.1 port %s: %v", port, err)
		}
	}
	if n := w.packets.Load(); n != 2 {
		t.Errorf("%d public addresses were dialled, want 2", n)
	}
}

func literal(a string) string {
	if strings.Contains(a, ":") {
		return "[" + a + "]"
	}
	return a
}

func isURLError(err error) bool {
	var u *URLError
	return errors.As(err, &u)
}

// The name resolves to a public address when registered, and to a private one when dialled.
func TestRebindingLeadsNowhere(t *testing.T) {
	n := &names{t: t, are: map[string][]string{"hooks.example.org": {"8.8.8.8"}}}
	w := &wire{}
	g := New(Options{Resolver: n, Dial: w.dial})
	suite.Must(g.CheckURL(t.Context(), "https://hooks.example.org/"))(t)
	for _, now := range [][]string{{"127.0.0.1"}, {"::ffff:10.0.0.1"}, {"8.8.8.8", "169.254.169.254"}, {"fe80::1%eth0"}, {"64:ff9b::a00:1"}} {
		n.are["hooks.example.org"] = now
		_, err := g.Client().Post("https://hooks.example.org/", "application/json", strings.NewReader("{}"))
		if !errors.Is(err, ErrRefused) {
			t.Errorf("%v: %v", now, err)
		}
	}
	// The check applies to the actual connection, even if its address differs from the one
	// looked up.
	n.are["hooks.example.org"], w.reach = []string{"8.8.8.8"}, "10.0.0.1:443"
	if _, err := g.Client().Get("https://hooks.example.org/"); !errors.Is(err, ErrRefused) {
		t.Errorf("address replaced after the lookup: %v", err)
	}
	suite.Equal(t, w.packets.Load(), 0, "packets would have been sent")
}

// The standard library's dialer asks the guard before it connects: a listener on loopback,
// which is not allowed, receives no connection.
func TestTheRealDiallerIsRefusedToo(t *testing.T) {
	l := suite.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	seen := make(chan struct{})
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Close()
			close(seen)
		}
	}()
	g := New(Options{Resolver: &names{t: t}})
	d := &net.Dialer{Control: g.control}
	if c, err := d.DialContext(t.Context(), "tcp", l.Addr().String()); !errors.Is(err, ErrRefused) {
		t.Errorf("connected: %v %v", c, err)
	}
	select {
	case <-seen:
		t.Error("the listener was connected to")
	case <-time.After(50 * time.Millisecond):
	}
}

func TestURLsThatCanBeRegistered(t *testing.T) {
	n := &names{t: t, are: map[string][]string{"example.org": {"8.8.8.8", "2606:4700::1111"}, "xn--bcher-kva.example": {"::ffff:8.8.4.4"},
		"inside.example": {"10.0.0.1"}, "half.example": {"8.8.8.8", "192.168.0.1"}, "empty.example": {}}}
	w := &wire{}
	g := New(Options{Resolver: n, Dial: w.dial})
	for raw, want := range map[string]string{
		"https://example.org/hook?token=a%2Fb":   "https://example.org/hook?token=a%2Fb",
		"HTTPS://Example.ORG.:443/Hook":          "https://example.org/Hook",
		"https://xn--bcher-kva.example":          "https://xn--bcher-kva.example",
		"https://8.8.8.8/":                       "https://8.8.8.8/",
		"https://[2606:4700:0:0::1111]:0443/a b": "", // a space
		"https://[2606:4700:0:0::1111]:0443/ab":  "https://[2606:4700::1111]/ab",
	} {
		got, err := g.CheckURL(t.Context(), raw)
		if got != want && want != "" || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v; want %q", raw, got, err, want)
		}
	}
	for raw, says := range map[string]string{
		"":                                       "must start with https",
		"http://example.org/":                    "must start with https",
		"ftp://example.org/":                     "must start with https",
		"//example.org/":                         "must start with https",
		"https:example.org":                      "https://host/path",
		"https:///hook":                          "has no host",
		"https://:443/":                          "has no host",
		"https://me:secret@example.org/":         "user name or password",
		"https://example.org@10.0.0.1/":          "user name or password",
		"https://example.org\\@10.0.0.1/":        "https://host/path",
		"https://example.org/#part":              "fragment",
		"https://example.org/#":                  "fragment",
		"https://example.org:80/":                "port 80, which is not allowed",
		"https://example.org:0/":                 "the invalid port",
		"https://example.org:99999/":             "the invalid port",
		"https://example.org:x/":                 "https://host/path",
		"https://example.org/\r\nX: y":           "https://host/path",
		"https://exa mple.org/":                  "https://host/path",
		"https://2130706433/":                    "invalid host",
		"https://0x7f000001/":                    "invalid host",
		"https://0x7f.0.0.1/":                    "invalid host",
		"https://0177.0.0.1/":                    "invalid host",
		"https://127.1/":                         "invalid host",
		"https://127.0.0.1./":                    "not on the public internet",
		"https://1.2.3.4.5/":                     "invalid host",
		"https://0x/":                            "invalid host",
		"https://%31%32%37.0.0.1/":               "https://host/path",
		"https://[::ffff:8.8.8.8]/":              "unsupported IPv6 address",
		"https://[::ffff:7f00:1]/":               "unsupported IPv6 address",
		"https://[fe80::1%25eth0]/":              "unsupported IPv6 address",
		"https://[127.0.0.1]/":                   "https://host/path",
		"https://localhost/":                     "has no address on the public internet",
		"https://LOCALHOST./":                    "has no address on the public internet",
		"https://a.localhost/":                   "has no address on the public internet",
		"https://inside.example/":                "has no address on the public internet",
		"https://half.example/":                  "has no address on the public internet",
		"https://empty.example/":                 "has no address on the public internet",
		"https://unknown.example/":               "has no address on the public internet",
		"https://inside.example:8443/":           "has no address on the public internet",
		"https://bücher.example/":                "non-ASCII",
		"https://①②⑦.⓪.⓪.①/":                     "non-ASCII",
		"https://ⓛocalhost/":                     "non-ASCII",
		"https://example.org。/":                  "non-ASCII",
		"https://example..org/":                  "host with the invalid",
		"https://example.org../":                 "host with the invalid",
		"https://-example.org/":                  "host with the invalid",
		"https://ex_ample.org/":                  "host with the invalid",
		"https://" + strings.Repeat("a", 64):     "host with the invalid",
		"https://a/" + strings.Repeat("a", 2e3):  "has no address on the public internet",
		"https://a/" + strings.Repeat("a", 2039): "at most 2048",
	} {
		if got, err := g.CheckURL(t.Context(), raw); !isURLError(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v; want an error with %q", shown(raw), got, err, says)
		} else if strings.Contains(err.Error(), "10.0.0.1") {
			t.Errorf("%q: the error names an internal address: %v", raw, err)
		}
	}
	if w.packets.Load() != 0 {
		t.Error("checking an address sent a packet")
	}
}

func shown(s string) string { return s[:min(len(s), 60)] }

func TestExceptions(t *testing.T) {
	for s, ok := range map[string]bool{"10.0.0.0/8": true, "127.0.0.1:8443": true, "[::1]:8443": true, "fd00::/8": true, "10.1.2.3": true,
		"10.0.0.1/8": false, "localhost:8443": false, "127.0.0.1:0": false, "127.0.0.1:x": false, "": false, "::ffff:10.0.0.1": false,
		"fe80::1%eth0": false, "0.0.0.0/0": true} {
		if _, err := ParseException(s); (err == nil) != ok {
			t.Errorf("%q: %v", s, err)
		}
	}
	g := New(Options{Allow: exceptions(t, "127.0.0.1:8443", "10.0.0.0/8"), Resolver: &names{t: t, are: map[string][]string{"a.intranet": {"10.9.8.7"}}}, Dial: (&wire{}).dial})
	for raw, ok := range map[string]bool{"https://127.0.0.1:8443/": true, "https://127.0.0.1/": false, "https://127.0.0.2:8443/": false,
		"https://a.intranet:9000/": true, "https://a.intranet/": true, "https://11.0.0.1:9000/": false, "https://localhost:8443/": false,
		"https://[::ffff:127.0.0.1]:8443/": false} {
		if _, err := g.CheckURL(t.Context(), raw); (err == nil) != ok {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func exceptions(t *testing.T, list ...string) []Exception {
	t.Helper()
	var out []Exception
	for _, s := range list {
		e := suite.Must(ParseException(s))(t)
		out = append(out, e)
	}
	return out
}

// receiver starts a TLS server on loopback and returns it with a client that may connect to
// it.
func receiver(t *testing.T, h http.HandlerFunc) (*httptest.Server, *http.Client) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	c := New(Options{Allow: exceptions(t, strings.TrimPrefix(s.URL, "https://")), Resolver: &names{t: t}}).Client()
	trust(c, s)
	t.Cleanup(c.CloseIdleConnections)
	return s, c
}

func trust(c *http.Client, s *httptest.Server) {
	c.Transport.(secureOnly).TLSClientConfig.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
}

func TestRedirectsAreAnswersAndNotFollowed(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	s, c := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", other.URL+"/internal")
		w.WriteHeader(307)
	})
	r := suite.Must(c.Post(s.URL, "application/json", strings.NewReader("{}")))(t)
	r.Body.Close()
	if r.StatusCode != 307 || elsewhere.Load() != 0 {
		t.Errorf("status %d, %d requests elsewhere", r.StatusCode, elsewhere.Load())
	}
}

func TestOnlyHTTPSAndNoProxy(t *testing.T) {
	var asked atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer proxy.Close()
	t.Setenv("HTTPS_PROXY", proxy.URL)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("ALL_PROXY", proxy.URL)
	w := &wire{}
	c := New(Options{Allow: exceptions(t, strings.TrimPrefix(proxy.URL, "http://")), Resolver: &names{t: t}, Dial: w.dial}).Client()
	if _, err := c.Get(proxy.URL); !errors.Is(err, ErrRefused) {
		t.Errorf("http: %v", err)
	}
	if _, err := c.Get("https://10.0.0.1/"); !errors.Is(err, ErrRefused) {
		t.Errorf("https through a proxy: %v", err)
	}
	if asked.Load() != 0 || w.packets.Load() != 0 {
		t.Error("the proxy got a request")
	}
}

func TestOldTLSIsNotSpoken(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	s.Config.ErrorLog = nil
	s.StartTLS()
	defer s.Close()
	c := New(Options{Allow: exceptions(t, strings.TrimPrefix(s.URL, "https://")), Resolver: &names{t: t}}).Client()
	trust(c, s)
	if _, err := c.Get(s.URL); err == nil {
		t.Error("TLS 1.1 was accepted")
	}
}

func TestCertificatesAreChecked(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("unexpected request") }))
	defer s.Close()
	c := New(Options{Allow: exceptions(t, strings.TrimPrefix(s.URL, "https://")), Resolver: &names{t: t}}).Client()
	var unknown *tls.CertificateVerificationError
	if _, err := c.Get(s.URL); !errors.As(err, &unknown) {
		t.Errorf("unknown certificate: %v", err)
	}
}

func TestAllowedReceiversAreReached(t *testing.T) {
	s, c := receiver(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	r := suite.Must(c.Post(s.URL, "text/plain", strings.NewReader("hello")))(t)
	defer r.Body.Close()
	if b, err := io.ReadAll(r.Body); err != nil || string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
}

// Every accepted address uses https, has no userinfo and stays the same when checked again.
// Its host is either a name that was looked up or an address that the guard allows.
func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{"https://example.org/a?b=c", "https://127.1", "https://[::1]/", "https://0x7f.1/", "https://a@b/", "https://8.8.8.8:443."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		g := New(Options{Resolver: everywhere{}, Dial: (&wire{}).dial})
		got, err := g.CheckURL(t.Context(), raw)
		if err != nil {
			if !isURLError(err) {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Port() != "" && u.Port() != "443" {
			t.Fatalf("%q became %q: %v", raw, got, err)
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil && g.Check(netip.AddrPortFrom(a, 443)) != nil {
			t.Fatalf("%q became %q", raw, got)
		}
		if again, err := g.CheckURL(t.Context(), got); err != nil || again != got {
			t.Fatalf("%q became %q and then %q: %v", raw, got, again, err)
		}
	})
}

type everywhere struct{}

func (everywhere) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
}
