package safedial

import (
	"fmt"
	"net/netip"
	"strconv"
)

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
