package ratelimit

import "net/netip"

// Network returns the network of an address that a single customer can have: a /48 of IPv6
// or a /24 of IPv4. Limits by address do not bound a client with a whole network of them.
// Zones and the IPv4-mapped form make no difference; the zero Addr returns the zero Prefix.
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

// NetworkSubject is the subject that the network of an address is counted as.
func NetworkSubject(addr netip.Addr, limit int64) Subject {
	return Subject{ID: "net:" + Network(addr).String(), Tier: Anonymous, Limit: limit}
}
