package safedial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxURL is the maximum length of an address, in bytes.
const MaxURL = 2048

const lookupTimeout = 5 * time.Second

// URLError means that an address cannot be registered. Its message follows the name of the
// field and is for the person who entered the address. It states what is wrong and what would
// be valid, but reveals nothing about this server's network.
type URLError struct{ message string }

func (e *URLError) Error() string { return e.message }

func refuse(format string, a ...any) error { return &URLError{fmt.Sprintf(format, a...)} }

// CheckURL checks an address from a stranger, and returns it in canonical form: scheme and host
// in lower case, no trailing dot, no port 443. All IP addresses to which its host resolves must
// be allowed. They are checked again when dialled. The error is a *URLError or a context error.
func (g *Guard) CheckURL(ctx context.Context, raw string) (string, error) {
	u, err := parseURL(raw)
	if err != nil {
		return "", err
	}
	host, err := hostOf(u)
	if err != nil {
		return "", err
	}
	port, err := portOf(u)
	if err != nil {
		return "", err
	}
	u.Scheme, u.Host = "https", host
	if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if port != securePort {
		u.Host += ":" + strconv.Itoa(int(port))
	}
	return u.String(), g.checkHost(ctx, host, port)
}

func parseURL(raw string) (*url.URL, error) {
	if len(raw) > MaxURL {
		return nil, refuse("has %d bytes; at most %d are allowed", len(raw), MaxURL)
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || strings.ContainsAny(raw, " \\") || u.Opaque != "" || strings.Contains(raw, "#"):
		return nil, refuse("is not a webhook address: use https://host/path, without a fragment")
	case u.Scheme != "https":
		return nil, refuse("must start with https://")
	case u.User != nil:
		return nil, refuse("must not contain a user name or password; put a token in the path or query, or check the signature")
	case u.Hostname() == "":
		return nil, refuse("has no host")
	}
	return u, nil
}

func portOf(u *url.URL) (uint16, error) {
	return parsePort(cmp.Or(u.Port(), strconv.Itoa(securePort)))
}

// hostOf returns the host in canonical form. It rejects hosts that other programs may
// interpret differently: numbers that some programs read as addresses, percent signs, and
// characters that are mapped to other characters.
func hostOf(u *url.URL) (string, error) {
	host := strings.ToLower(u.Hostname())
	if strings.HasPrefix(u.Host, "[") {
		a, err := netip.ParseAddr(host)
		if err != nil || a.Zone() != "" || a.Is4In6() {
			return "", refuse("has the unsupported IPv6 address [%s]: write it without a zone; write an IPv4 address in dotted decimal form", host)
		}
		return a.String(), nil
	}
	host = strings.TrimSuffix(host, ".")
	if a, err := netip.ParseAddr(host); err == nil && a.Is4() {
		return a.String(), nil
	}
	return host, checkName(host)
}

var label = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$`)

// checkName rejects what is no host name in lower case.
func checkName(host string) error {
	if len(host) > 253 {
		return refuse("has a host longer than 253 characters")
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		switch {
		case strings.ContainsFunc(l, func(r rune) bool { return r >= utf8.RuneSelf }):
			return refuse("has a non-ASCII host: use its xn-- form")
		case !label.MatchString(l):
			return refuse("has a host with the invalid label %q", l)
		}
	}
	if numeric(labels[len(labels)-1]) {
		return refuse("has the invalid host %s: write an IPv4 address as four decimal numbers, such as 192.0.2.1", host)
	}
	return nil
}

// numeric reports whether some programs treat a host that ends in this label as an IPv4
// address (WHATWG URL, "ends in a number"): 2130706433, 0177.0.0.1, 0x7f.1.
func numeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// checkHost rejects a host that has no address or has an address that is not allowed. The
// error is the same for unknown names and names in a private network, so that it reveals
// nothing about the names in that network.
func (g *Guard) checkHost(ctx context.Context, host string, port uint16) error {
	look, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	addrs, err := g.addresses(look, host)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	public := err == nil
	for _, a := range addrs {
		if g.Check(netip.AddrPortFrom(a, port)) == nil {
			continue
		}
		if port != securePort && g.Check(netip.AddrPortFrom(a, securePort)) == nil {
			return refuse("has port %d, which is not allowed; use %d", port, securePort)
		}
		public = false
	}
	if public {
		return nil
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return refuse("has the host %s, which is not on the public internet", host)
	}
	return refuse("has the host %s, which has no address on the public internet", host)
}

var (
	loopback4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	loopback6 = netip.IPv6Loopback()
)

// addresses resolves a host to at least one address, and returns IPv4 addresses in IPv4 form.
// Names are resolved as they are, without the system's search domains.
func (g *Guard) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	host = strings.TrimSuffix(host, ".")
	if g.denies(netip.Addr{}, host) {
		return nil, fmt.Errorf("%w: blocked by the operator", ErrRefused)
	}
	if numeric(host[strings.LastIndex(host, ".")+1:]) {
		return nil, fmt.Errorf("%w: host %q", ErrRefused, host)
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761
		return []netip.Addr{loopback4, loopback6}, nil
	}
	addrs, err := g.resolver.LookupNetIP(ctx, "ip", host+".")
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, errors.New("the name has no address")
	}
	plain := make([]netip.Addr, len(addrs))
	for i, a := range addrs {
		plain[i] = a.Unmap() // the system's resolver can return either form
	}
	return plain, nil
}

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

// translated returns the IPv4 address to which one of the operator's NAT64 prefixes leads.
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

// parseNetwork parses a network, or an address. is reports whether the text is one of these.
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

// unmapped rejects networks that no dialled address is in.
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
