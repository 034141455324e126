package safedial

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"kindex/builder/suite"
)

func parsed[T any](t *testing.T, parse func(string) (T, error), texts ...string) (list []T) {
	t.Helper()
	for _, s := range texts {
		v := suite.Must(parse(s))(t)
		list = append(list, v)
	}
	return list
}

// TestTunnelledAddresses dials public IPv6 addresses that a router may forward to non-public
// IPv4 addresses.
func TestTunnelledAddresses(t *testing.T) {
	for _, c := range []struct {
		name    string
		o       Options
		refused []string
		dialled []string
	}{
		{"ISATAP", Options{},
			[]string{"2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:127.0.0.1", "2606:4700:1:2:0:5efe:a9fe:a9fe", "2606:4700::5efe:168.63.129.16"},
			[]string{"2606:4700::5efe:8.8.8.8", "2606:4700::200:5efe:808:808", "2606:4700::5eff:10.0.0.1", "2606:4700::100:5efe:10.0.0.1"}},
		{"NAT64", Options{NAT64: parsed(t, ParseNAT64, "64:ff9b::/96", "2606:4700:64::/64", "2606:4700:40::/48", "2606:4720::/32")},
			[]string{"64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "2606:4700:64:0:a:0:100:0", "2606:4700:40:0a00:0:100::", "2606:4720:a9fe:a9fe::"},
			[]string{"64:ff9b::8.8.8.8", "2606:4700:64:0:8:808:800:0", "2606:4700:40:0808:8:800::", "2606:4720:808:808::", "2606:4700::1"}},
		{"denied", Options{Deny: parsed(t, ParseDenial, "93.184.0.0/16", "2606:4700:d::/48", "8.8.4.4", "10.1.0.0/16"),
			Allow: parsed(t, ParseException, "10.0.0.0/8", "93.184.216.34"), NAT64: parsed(t, ParseNAT64, "64:ff9b::/96")},
			[]string{"93.184.216.34", "2606:4700:d::1", "8.8.4.4", "10.1.2.3", "64:ff9b::8.8.4.4", "2606:4700::5efe:8.8.4.4"},
			[]string{"93.185.0.1", "8.8.8.8", "10.2.0.1", "2606:4700:e::1"}},
	} {
		w := &wire{}
		c.o.Resolver, c.o.Dial = &names{t: t}, w.dial
		g := New(c.o)
		for _, a := range c.refused {
			if _, err := g.Dial(t.Context(), "tcp", net.JoinHostPort(a, "443")); !errors.Is(err, ErrRefused) {
				t.Errorf("%s: dialling %s: %v", c.name, a, err)
			}
			if _, err := g.CheckURL(t.Context(), "https://"+literal(a)+"/hook"); !isURLError(err) {
				t.Errorf("%s: registering %s: %v", c.name, a, err)
			}
		}
		suite.Equal(t, w.packets.Load(), 0, c.name, "packets would have been sent")
		for _, a := range c.dialled {
			if _, err := g.Dial(t.Context(), "tcp", net.JoinHostPort(a, "443")); errors.Is(err, ErrRefused) {
				t.Errorf("%s: dialling %s: %v", c.name, a, err)
			}
		}
		suite.Equal(t, int(w.packets.Load()), len(c.dialled), c.name, "addresses were dialled")
	}
}

// TestDeniedNames checks that a name that the operator denies cannot be registered or
// dialled, whatever it resolves to, and is not even looked up.
func TestDeniedNames(t *testing.T) {
	n := &names{t: t, are: map[string][]string{"example.org": {"8.8.8.8"}, "a.example.org": {"8.8.8.8"}, "notexample.org": {"8.8.8.8"}}}
	w := &wire{}
	g := New(Options{Resolver: n, Dial: w.dial, Deny: parsed(t, ParseDenial, "Example.org.", "localhost")})
	for _, host := range []string{"example.org", "EXAMPLE.org.", "a.example.org", "localhost"} {
		if _, err := g.CheckURL(t.Context(), "https://"+host+"/hook"); !isURLError(err) {
			t.Errorf("registering %s: %v", host, err)
		}
		if _, err := g.Dial(t.Context(), "tcp", host+":443"); !errors.Is(err, ErrRefused) {
			t.Errorf("dialling %s: %v", host, err)
		}
	}
	if n.asks.Load() != 0 || w.packets.Load() != 0 {
		t.Errorf("%d look-ups, %d packets", n.asks.Load(), w.packets.Load())
	}
	if _, err := g.CheckURL(t.Context(), "https://notexample.org/hook"); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "10.0.0.1/8", "https://example.org", "example.org:443", "*.example.org", "fe80::1%eth0", "1.2.3"} {
		if _, err := ParseDenial(bad); err == nil {
			t.Errorf("%q is accepted as a denied name", bad)
		}
	}
	for _, bad := range []string{"", "64:ff9b::/97", "64:ff9b::1/96", "10.0.0.0/8", "64:ff9b::"} {
		if _, err := ParseNAT64(bad); err == nil {
			t.Errorf("%q is accepted as a NAT64 prefix", bad)
		}
	}
}

// TestManyHostsAreForgotten checks that the memory used for hosts is bounded.
func TestManyHostsAreForgotten(t *testing.T) {
	suite.InTest(t)
	now := time.Now()
	p := newHostLimiter(20, func() time.Time { return now })
	for i := range 100_000 {
		end, wait := p.reserve(network(netip.AddrFrom4([4]byte{8, byte(i >> 16), byte(i >> 8), byte(i)})))
		if wait > 0 {
			t.Fatal("the first request to a host must wait")
		}
		end()
		now = now.Add(time.Millisecond)
	}
	if len(p.hosts) > 2*minPruneHosts {
		t.Errorf("%d hosts are stored", len(p.hosts))
	}
	// Requests to a busy host get different waiting times, within bounds.
	last := time.Duration(0)
	for i := range 100_000 {
		_, wait := p.reserve("victim.example")
		if wait > maxWait || wait < last || i < 10 && wait > 0 {
			t.Fatalf("request %d must wait %v after %v", i, wait, last)
		}
		last = wait
	}
	suite.Equal(t, last, maxWait, "the last one must wait")
}
