package safedial

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
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
	if checkName(name) != nil {
		return Denial{}, fmt.Errorf("%q is neither a network, such as 203.0.113.0/24, nor a host name, such as example.org", s)
	}
	return Denial{domain: name}, nil
}

// denies reports whether the operator has denied an address or a name, "" for none.
func (g *Guard) denies(a netip.Addr, host string) bool {
	return slices.ContainsFunc(g.deny, func(d Denial) bool {
		return d.domain == "" && d.prefix.Contains(a) || d.domain != "" && (host == d.domain || strings.HasSuffix(host, "."+d.domain))
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

// Exception allows addresses that are not public, or ports other than 443.
type Exception struct {
	prefix netip.Prefix
	port   uint16 // 0: any
}

func (e Exception) covers(to netip.AddrPort) bool {
	return e.prefix.Contains(to.Addr()) && (e.port == 0 || e.port == to.Port())
}

// ParseException parses an exception as specified by the operator: a network (10.0.0.0/8,
// fd00::/8) or an address (10.1.2.3) with all ports, or an address with a port
// (127.0.0.1:8443, [::1]:8443).
func ParseException(s string) (Exception, error) {
	if ap, err := netip.ParseAddrPort(s); err == nil && ap.Port() != 0 {
		return Exception{netip.PrefixFrom(ap.Addr(), ap.Addr().BitLen()), ap.Port()}, unmapped(s, ap.Addr())
	}
	p, is, err := parseNetwork(s)
	if !is {
		err = fmt.Errorf("%q is not an address: use a network such as 10.0.0.0/8 or an address with a port such as 127.0.0.1:8443, not a host name", s)
	}
	return Exception{prefix: p}, err
}

// parseNetwork parses a network, or an address as the network that has only it. is reports whether the
// text is one of these.
func parseNetwork(s string) (p netip.Prefix, is bool, err error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), true, unmapped(s, a)
	}
	if p, err = netip.ParsePrefix(s); err != nil {
		return p, false, err
	}
	if p != p.Masked() {
		return p, true, fmt.Errorf("%q is not a network; did you mean %s?", s, p.Masked())
	}
	return p, true, unmapped(s, p.Addr())
}

// unmapped rejects networks that no dialled address is in: those have no zone, and
// IPv4 addresses are dialled in IPv4 form.
func unmapped(s string, a netip.Addr) error {
	if a.Is4In6() || a.Zone() != "" {
		return fmt.Errorf("%q: write addresses without a zone, and IPv4 addresses in dotted decimal form", s)
	}
	return nil
}

func parsePort(text string) (uint16, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, refuse("has the invalid port %s", text)
	}
	return uint16(port), nil
}
