package safedial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
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
