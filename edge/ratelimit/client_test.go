package ratelimit

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

func proxies(t testing.TB) []netip.Prefix {
	t.Helper()
	return suite.Must(ParseTrusted("10.0.0.0/8, 192.168.1.1, fd00::/8"))(t)
}

func TestClientIP(t *testing.T) {
	xff := func(lines ...string) http.Header { return http.Header{"X-Forwarded-For": lines} }
	fwd := func(lines ...string) http.Header { return http.Header{"Forwarded": lines} }
	both := func(x, f string) http.Header {
		return http.Header{"X-Forwarded-For": {x}, "Forwarded": {f}}
	}
	for _, c := range []struct {
		name   string
		peer   string
		header http.Header
		client string
		forged bool
	}{
		{"no proxy", "203.0.113.7", nil, "203.0.113.7", false},
		{"a proxy that says nothing", "10.0.0.1", nil, "10.0.0.1", false},
		{"mapped peer", "::ffff:203.0.113.7", nil, "203.0.113.7", false},
		{"peer with a zone", "fe80::1%eth0", nil, "fe80::1", false},

		{"forged", "203.0.113.7", xff("198.51.100.1"), "203.0.113.7", true},
		{"forged, Forwarded", "203.0.113.7", fwd("for=198.51.100.1"), "203.0.113.7", true},
		{"forged and empty", "203.0.113.7", xff(""), "203.0.113.7", true},

		{"one proxy", "10.0.0.1", xff("203.0.113.7"), "203.0.113.7", false},
		{"mapped proxy", "::ffff:10.0.0.1", xff("203.0.113.7"), "203.0.113.7", false},
		{"proxy with a zone", "fd00::1%eth0", xff("203.0.113.7"), "203.0.113.7", false},
		{"two proxies", "10.0.0.1", xff("203.0.113.7, 10.0.0.2"), "203.0.113.7", false},
		{"a client that forges behind a proxy", "10.0.0.1", xff("198.51.100.1, 203.0.113.7"), "203.0.113.7", false},
		{"a client that claims to be a proxy", "10.0.0.1", xff("198.51.100.1, 10.9.9.9, 203.0.113.7"), "203.0.113.7", false},
		{"lines are one list", "10.0.0.1", xff("198.51.100.1", "203.0.113.7", "10.0.0.2"), "203.0.113.7", false},
		{"empty elements", "10.0.0.1", xff(", 203.0.113.7,,\t, "), "203.0.113.7", false},
		{"all are proxies", "10.0.0.1", xff("10.0.0.3, 10.0.0.2"), "10.0.0.3", false},
		{"nothing but blanks", "10.0.0.1", xff(" , ,"), "10.0.0.1", false},
		{"IPv6", "10.0.0.1", xff("2001:db8::7"), "2001:db8::7", false},
		{"IPv6 in brackets", "10.0.0.1", xff("[2001:db8::7]"), "2001:db8::7", false},
		{"IPv6 with a port", "10.0.0.1", xff("[2001:db8::7]:443"), "2001:db8::7", false},
		{"IPv6 with a zone", "10.0.0.1", xff("[fe80::7%eth0]:443"), "fe80::7", false},
		{"IPv6 proxies", "fd00::1", xff("2001:db8::7, [fd12::1]:80, fd34::1%lo"), "2001:db8::7", false},
		{"mapped hop", "10.0.0.1", xff("::ffff:203.0.113.7"), "203.0.113.7", false},
		{"mapped proxy as a hop", "10.0.0.1", xff("203.0.113.7, [::ffff:10.0.0.2]:1"), "203.0.113.7", false},
		{"IPv4 with a port", "10.0.0.1", xff("203.0.113.7:65535"), "203.0.113.7", false},
		{"a port that is none", "10.0.0.1", xff("203.0.113.7:http"), "10.0.0.1", false},
		{"no port behind the colon", "10.0.0.1", xff("203.0.113.7:"), "10.0.0.1", false},
		{"a bracket that does not end", "10.0.0.1", xff("[2001:db8::7"), "10.0.0.1", false},
		{"garbage behind a bracket", "10.0.0.1", xff("[2001:db8::7]x"), "10.0.0.1", false},
		{"unknown", "10.0.0.1", xff("198.51.100.1, unknown"), "10.0.0.1", false},
		{"a garbage hop behind a proxy", "10.0.0.1", xff("198.51.100.1, what?, 10.0.0.2"), "10.0.0.2", false},
		{"a decimal address", "10.0.0.1", xff("3405803783"), "10.0.0.1", false},
		{"an octal address", "10.0.0.1", xff("0203.0.0113.07"), "10.0.0.1", false},
		{"a host name", "10.0.0.1", xff("client.example"), "10.0.0.1", false},
		{"no address at all", "10.0.0.1", xff("0.0.0.0"), "10.0.0.1", false},

		{"Forwarded", "10.0.0.1", fwd("for=203.0.113.7;proto=https;by=10.0.0.1"), "203.0.113.7", false},
		{"the name in any case", "10.0.0.1", fwd("Proto=https;FOR=203.0.113.7"), "203.0.113.7", false},
		{"quoted IPv6", "10.0.0.1", fwd(`for="[2001:db8:cafe::17]:4711"`), "2001:db8:cafe::17", false},
		{"unquoted port", "10.0.0.1", fwd(`for=203.0.113.7:80`), "203.0.113.7", false},
		{"hidden port", "10.0.0.1", fwd(`for="203.0.113.7:_x"`), "203.0.113.7", false},
		{"escapes", "10.0.0.1", fwd(`for="203.0.\113.7"`), "203.0.113.7", false},
		{"two elements", "10.0.0.1", fwd("for=203.0.113.7, for=10.0.0.2"), "203.0.113.7", false},
		{"lines of Forwarded", "10.0.0.1", fwd("for=198.51.100.1", "for=203.0.113.7", "for=10.0.0.2"), "203.0.113.7", false},
		{"hidden name", "10.0.0.1", fwd("for=198.51.100.1, for=_secret"), "10.0.0.1", false},
		{"unknown in Forwarded", "10.0.0.1", fwd("for=198.51.100.1, for=unknown"), "10.0.0.1", false},
		{"no for", "10.0.0.1", fwd("for=198.51.100.1, proto=https"), "10.0.0.1", false},
		{"for twice", "10.0.0.1", fwd("for=198.51.100.1;for=203.0.113.7"), "10.0.0.1", false},
		{"a comma in a quoted string", "10.0.0.1", fwd(`for=203.0.113.7;host="a, for=198.51.100.1"`), "203.0.113.7", false},
		{"a quote that swallows", "10.0.0.1", fwd(`for="198.51.100.1, for=203.0.113.7`), "10.0.0.1", false},
		{"a quote that swallows on its own line", "10.0.0.1", fwd(`for="198.51.100.1`, `for=203.0.113.7`), "203.0.113.7", false},
		{"a quote turned inside out", "10.0.0.1", fwd(`for="x, for=203.0.113.7;host=", for=198.51.100.1;x=\"y"`), "10.0.0.1", false},
		{"garbage before", "10.0.0.1", fwd(`@@@, for=203.0.113.7`), "203.0.113.7", false},
		{"garbage", "10.0.0.1", fwd(`203.0.113.7`), "10.0.0.1", false},
		{"empty parameters", "10.0.0.1", fwd(`for=203.0.113.7;; proto=http;`), "203.0.113.7", false},

		{"both agree", "10.0.0.1", both("198.51.100.1, 203.0.113.7", "for=203.0.113.7"), "203.0.113.7", false},
		{"both disagree", "10.0.0.1", both("203.0.113.7", "for=198.51.100.1"), "10.0.0.1", true},
		{"both, one unreadable", "10.0.0.1", both("203.0.113.7", "x"), "10.0.0.1", true},
	} {
		client, forged := ClientIP(netip.MustParseAddr(c.peer), c.header, proxies(t))
		suite.Equal(t, client.String(), c.client, c.name, c.peer, c.header, "forged", forged, c.forged)
		suite.Equal(t, forged, c.forged, c.name, c.peer, c.header, client, "forged", c.client)
	}
}

// TestForgedIsReportedOnce checks that only the first forger is reported, because there may
// be many.
func TestForgedIsReportedOnce(t *testing.T) {
	var reported []netip.Addr
	p := NewProxies(proxies(t), func(peer netip.Addr) { reported = append(reported, peer) })
	for _, c := range []struct{ remote, client string }{
		{"203.0.113.7:1", "203.0.113.7"},
		{"[::ffff:198.51.100.9]:1", "198.51.100.9"},
		{"10.0.0.1:1", "192.0.2.1"},
		{"@", "invalid IP"}, // a Unix socket
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		suite.Equal(t, p.Client(r).String(), c.client, "the client", c.remote)
	}
	suite.Equal(t, reported, []netip.Addr{netip.MustParseAddr("203.0.113.7")}, "reported")
}

func TestParseTrusted(t *testing.T) {
	for list, want := range map[string]string{
		"":                                "[]",
		" 10.0.0.5 ,,10.0.0.5":            "[10.0.0.5/32]",
		"10.1.2.3/8, fd00::1/8":           "[10.0.0.0/8 fd00::/8]",
		"::ffff:10.0.0.0/104, fe80::1%lo": "[10.0.0.0/8 fe80::1/128]",
		"proxy.example":                   `"proxy.example" is neither an address nor a network; list proxies by address or network, such as 10.0.0.5, 10.0.0.0/8 or fd00::/8`,
		"10.0.0.0/33":                     `"10.0.0.0/33" is neither`,
		"0.0.0.0/0":                       `"0.0.0.0/0" would let every client choose the address against which its requests are counted`,
		"::/0":                            `"::/0" would let`,
		"::ffff:0.0.0.0/96":               `"::ffff:0.0.0.0/96" would let`,
		"::ffff:0.0.0.0/80":               `"::ffff:0.0.0.0/80" mixes IPv4 and IPv6`,
	} {
		p, err := ParseTrusted(list)
		got := fmt.Sprint(p)
		if err != nil {
			got = err.Error()
		}
		suite.Holds(t, strings.HasPrefix(got, want), list, got, want)
	}
}

// FuzzClientIP checks that a client cannot choose its address, whatever it sends through a
// proxy that appends to one of the headers. The result is the client's own address or, if the
// client made the header unreadable, that of the proxy. Without a proxy, it is always the
// client's own address.
func FuzzClientIP(f *testing.F) {
	for _, s := range []string{"", "203.0.113.7", "10.0.0.9", `for="`, `for="x\`, "for=1.2.3.4", `a="`, ",,", "[::1]:80", "unknown", "for=_x;", `"`, `\`} {
		f.Add(s, s, true)
		f.Add(s, "host", false)
	}
	trusted := proxies(f)
	attacker, proxy := netip.MustParseAddr("198.51.100.9"), netip.MustParseAddr("10.0.0.1")
	f.Fuzz(func(t *testing.T, sent, host string, oneLine bool) {
		if strings.ContainsAny(sent+host, "\r\n\x00") {
			return // net/http refuses such headers
		}
		own := func(how string, h http.Header, may ...netip.Addr) {
			t.Helper()
			if got, _ := ClientIP(proxy, h, trusted); !slices.Contains(may, got) {
				t.Errorf("%s: %q is %s, want one of %s", how, h, got, may)
			}
		}
		if got, forged := ClientIP(attacker, http.Header{"X-Forwarded-For": {sent}, "Forwarded": {host}}, trusted); got != attacker || !forged {
			t.Errorf("directly: %s", got)
		}
		list := []string{sent, attacker.String()}
		if oneLine {
			list = []string{sent + ", " + attacker.String()}
		}
		own("X-Forwarded-For", http.Header{"X-Forwarded-For": list}, attacker)
		own("X-Forwarded-For, with Forwarded from the client", http.Header{"X-Forwarded-For": list, "Forwarded": {host}}, attacker, proxy)

		// A proxy repeats the requested host in quotes.
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(host)
		element := fmt.Sprintf(`for=%s;host="%s"`, attacker, quoted)
		own("Forwarded on its own line", http.Header{"Forwarded": {sent, element}}, attacker)
		own("Forwarded in one line", http.Header{"Forwarded": {sent + ", " + element}}, attacker, proxy)
	})
}

// FuzzForwarded builds headers and checks which client ClientIP finds in them.
func FuzzForwarded(f *testing.F) {
	f.Add(uint64(1), 3)
	f.Fuzz(func(t *testing.T, seed uint64, n int) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n = min(max(n, 1), 20)
		var hops []string
		var want []netip.Addr
		for range n {
			addr := netip.AddrFrom4([4]byte{1 + byte(rng.IntN(200)), byte(rng.Uint32()), byte(rng.Uint32()), 1})
			node := addr.String()
			if rng.IntN(2) == 0 {
				b := [16]byte{0x20, 1, 0xd, 0xb8, byte(rng.Uint32()), byte(rng.Uint32()), 15: 7}
				addr = netip.AddrFrom16(b)
				node = `"[` + addr.String() + `]"`
			}
			want = append(want, addr)
			hops = append(hops, []string{"", "proto=https;", `host="a,\"b";`}[rng.IntN(3)]+"for="+node+[]string{"", ";by=_x", "; by=unknown"}[rng.IntN(3)])
		}
		// Trust one more hop at a time, starting with the last one.
		var trusted []netip.Prefix
		peer := netip.MustParseAddr("fd00::1")
		trusted = append(trusted, netip.PrefixFrom(peer, 128))
		for _, addr := range slices.Backward(want) {
			if contains(trusted, addr) {
				return // a cycle
			}
			for _, h := range []http.Header{{"Forwarded": {strings.Join(hops, ", ")}}, {"Forwarded": hops}} {
				if got, forged := ClientIP(peer, h, trusted); got != addr || forged {
					t.Fatalf("%q with %s is %s (%t), want %s", h, trusted, got, forged, addr)
				}
			}
			trusted = append(trusted, netip.PrefixFrom(addr, addr.BitLen()))
		}
	})
}
