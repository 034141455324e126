package ratelimit

import (
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Proxies are the addresses whose forwarding headers are trusted.
type Proxies struct {
	trusted []netip.Prefix
	report  func(peer netip.Addr)
	once    sync.Once
}

// NewProxies returns Proxies. report is called once, with the first peer that sends a forwarding
// header that is ignored.
func NewProxies(trusted []netip.Prefix, report func(peer netip.Addr)) *Proxies {
	return &Proxies{trusted: trusted, report: report}
}

// Client returns the address against which a request is counted, as determined by ClientIP. It
// returns the zero Addr for a connection without an IP address, such as a Unix socket.
func (p *Proxies) Client(r *http.Request) netip.Addr {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	addr, forged := ClientIP(peer.Addr(), r.Header, p.trusted)
	if forged {
		p.once.Do(func() { p.report(plain(peer.Addr())) })
	}
	return addr
}

// Relayed reports whether a request came through a trusted proxy, according to its
// headers.
func (p *Proxies) Relayed(r *http.Request) bool {
	if len(r.Header[forwardedFor]) == 0 && len(r.Header[forwarded]) == 0 {
		return false
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	return contains(p.trusted, plain(peer.Addr()))
}

// ParseTrusted parses the list of trusted proxies: addresses and networks (CIDR), separated
// by commas.
func ParseTrusted(list string) ([]netip.Prefix, error) {
	var trusted []netip.Prefix
	for _, item := range hops([]string{list}) {
		prefix, err := parsePrefix(item)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(trusted, prefix) {
			trusted = append(trusted, prefix)
		}
	}
	return trusted, nil
}

func parsePrefix(item string) (netip.Prefix, error) {
	bad := func(why string) error {
		return fmt.Errorf("%q %s; list proxies by address or network, such as 10.0.0.5, 10.0.0.0/8 or fd00::/8", item, why)
	}
	if addr, err := netip.ParseAddr(item); err == nil {
		addr = plain(addr)
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(item)
	if err != nil {
		return netip.Prefix{}, bad("is neither an address nor a network")
	}
	if addr := prefix.Addr(); addr.Is4In6() {
		if prefix.Bits() < 96 {
			return netip.Prefix{}, bad("mixes IPv4 and IPv6")
		}
		prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-96)
	}
	if prefix.Bits() == 0 {
		return netip.Prefix{}, bad("would let every client choose the address against which its requests are counted")
	}
	return prefix.Masked(), nil
}

// The forwarding headers, as net/http spells them.
const (
	forwardedFor = "X-Forwarded-For"
	forwarded    = "Forwarded" // RFC 7239
)

// ClientIP returns the address that a request comes from. It is the peer of the connection, unless
// that is a trusted proxy: then it is the rightmost hop of X-Forwarded-For or Forwarded that is
// not a trusted proxy, because everything to the left of it comes from an untrusted party. If a
// hop cannot be parsed ("unknown", an obfuscated name, garbage), the result is the proxy that
// reported the hop. If every hop is a trusted proxy, the result is the leftmost hop.
//
// A proxy that adds to one of the two headers forwards the other one unchanged. So if both are
// present and do not agree on the client, neither is trusted, and the request is counted
// against the proxy's address.
//
// forged reports whether headers were ignored because the peer is not trusted or the two
// headers contradict each other. Zones are removed and IPv4-mapped addresses unmapped.
func ClientIP(peer netip.Addr, header http.Header, trusted []netip.Prefix) (client netip.Addr, forged bool) {
	peer = plain(peer)
	list, elements := header[forwardedFor], header[forwarded]
	if len(list) == 0 && len(elements) == 0 {
		return peer, false
	}
	if !contains(trusted, peer) {
		return peer, true
	}
	if len(elements) == 0 {
		return lastHop(peer, hops(list), trusted), false
	}
	client = lastHop(peer, nodes(elements), trusted)
	if len(list) > 0 && lastHop(peer, hops(list), trusted) != client {
		return peer, true
	}
	return client, false
}

func lastHop(proxy netip.Addr, hops []string, trusted []netip.Prefix) netip.Addr {
	for _, hop := range slices.Backward(hops) {
		addr, ok := parseHop(hop)
		if !ok {
			break
		}
		if proxy = addr; !contains(trusted, addr) {
			break
		}
	}
	return proxy
}

// hops returns the hops of X-Forwarded-For, without empty elements (RFC 9110 section 5.6.1.2).
func hops(lines []string) (list []string) {
	for hop := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		if hop = strings.Trim(hop, " \t"); hop != "" {
			list = append(list, hop)
		}
	}
	return list
}

// hopPort matches a hop with a port, which is a number or an obfuscated name (RFC 7239 section 6), or in
// brackets.
var hopPort = regexp.MustCompile(`^(?:\[(.*)\]|([^:\[\]]*))(?::(?:[0-9]{1,5}|_` + token + `))?$`)

// parseHop parses an address in the forms that proxies write: with or without a port, and
// IPv6 with or without brackets.
func parseHop(hop string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(hop)
	if m := hopPort.FindStringSubmatch(hop); err != nil && m != nil {
		addr, err = netip.ParseAddr(m[1] + m[2])
	}
	return plain(addr), err == nil && !addr.IsUnspecified()
}

// The syntax of Forwarded. After an unterminated quote, the rest of the line is one element, which is
// an error: a client may have sent the quote to swallow what a proxy adds. As some proxies write them,
// colons and brackets need no quotes, and empty parameters and spaces are accepted.
const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+" //nolint:gosec // RFC 9110 section 5.6.2, not a secret

var (
	forwardedElement = regexp.MustCompile(`(?:[^,"]|"(?:[^"\\]|\\.)*"|".*)+`)
	forwardedPair    = regexp.MustCompile(`^(` + token + `)=(?:"((?:[^"\\]|\\.)*)"|(` + strings.Replace(token, "[", `[:\[\]`, 1) + `))[ \t]*(?:;[; \t]*|$)`)
	escape           = regexp.MustCompile(`\\(.)`)
)

// nodes returns the nodes from which requests were received, according to the elements of Forwarded; ""
// is one that cannot be read.
func nodes(lines []string) (list []string) {
	for _, line := range lines {
		for _, element := range forwardedElement.FindAllString(line, -1) {
			if element = strings.Trim(element, " \t"); element != "" {
				list = append(list, node(element))
			}
		}
	}
	return list
}

// node returns the value of an element's only "for" parameter (RFC 7239 section 4).
func node(element string) (found string) {
	for rest := element; rest != ""; {
		m := forwardedPair.FindStringSubmatch(rest)
		isFor := m != nil && strings.EqualFold(m[1], "for")
		if m == nil || isFor && found != "" {
			return ""
		}
		if isFor {
			found = escape.ReplaceAllString(m[2], "$1") + m[3]
		}
		rest = rest[len(m[0]):]
	}
	return found
}

// plain returns an address in its canonical form, in which addresses are compared and counted.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

func contains(trusted []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(addr) })
}
