package ratelimit

import "net/netip"

// Network returns the network around an address that a single customer may have been
// assigned: a /48 for IPv6 or a /24 for IPv4. Limits per address do not stop a client that
// controls a whole network. Zones and IPv4-mapped IPv6 notation make no difference. For the
// zero Addr, it returns the zero Prefix.
func Network(addr netip.Addr) netip.Prefix {
	addr = plain(addr)
	bits := 24
	if addr.Is6() {
		bits = 48
	}
	prefix, err := addr.Prefix(bits)
	if err != nil { // the zero Addr
		return netip.Prefix{}
	}
	return prefix
}

// NetworkSubject returns the subject for counting all requests from the network of an
// address.
func NetworkSubject(addr netip.Addr, limit int64) Subject {
	return Subject{ID: "net:" + Network(addr).String(), Tier: Anonymous, Limit: limit}
}
