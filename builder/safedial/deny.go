package safedial

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Denial is a network, or a name with all its subdomains, to which no connection may be made.
type Denial struct {
	prefix netip.Prefix
	domain string // "" for a network
}

// ParseDenial parses a denial: a network (203.0.113.0/24), an address or a name
// (example.org).
func ParseDenial(s string) (Denial, error) {
	if p, is, err := parseNetwork(s); is {
		return Denial{prefix: p}, err
	}
	name := strings.ToLower(strings.TrimSuffix(s, "."))
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if checkLabel(l) != nil || numeric(labels[len(labels)-1]) {
			return Denial{}, fmt.Errorf("%q is neither a network, such as 203.0.113.0/24, nor a host name, such as example.org", s)
		}
	}
	return Denial{domain: name}, nil
}

// deniesAddress reports whether the operator has denied an address; deniesName does so for a
// name.
func (g *Guard) deniesAddress(a netip.Addr) bool {
	return slices.ContainsFunc(g.deny, func(d Denial) bool { return d.domain == "" && d.prefix.Contains(a) })
}

func (g *Guard) deniesName(host string) bool {
	return slices.ContainsFunc(g.deny, func(d Denial) bool {
		return d.domain != "" && (host == d.domain || strings.HasSuffix(host, "."+d.domain))
	})
}

// ParseNAT64 parses the prefix of an IPv6-to-IPv4 translator (RFC 6052 section 2.2).
func ParseNAT64(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil || !p.Addr().Is6() || p != p.Masked() || !slices.Contains([]int{32, 40, 48, 56, 64, 96}, p.Bits()) {
		return p, fmt.Errorf("%q is not a NAT64 prefix: use a network such as 64:ff9b::/96, with a prefix length of 32, 40, 48, 56, 64 or 96", s)
	}
	return p, nil
}

// translated returns the IPv4 address to which one of the operator's NAT64 prefixes
// translates an address.
func (g *Guard) translated(a netip.Addr) (netip.Addr, bool) {
	for _, p := range g.nat64 {
		if !p.Contains(a) {
			continue
		}
		from, to := a.As16(), [4]byte{}
		for i, n := p.Bits()/8, 0; n < 4; i++ {
			if i != 8 { // bits 64 to 71 are zero
				to[n] = from[i]
				n++
			}
		}
		return netip.AddrFrom4(to), true
	}
	return netip.Addr{}, false
}

// isatap returns the IPv4 address that is embedded in an ISATAP address, to which an ISATAP
// router forwards packets (RFC 5214 section 6.1). The address can be in any network.
func isatap(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return a, false
	}
	b := a.As16()
	if b[8]&^2 != 0 || b[9] != 0 || b[10] != 0x5e || b[11] != 0xfe {
		return a, false
	}
	return netip.AddrFrom4([4]byte(b[12:])), true
}
