package edge

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"kindex/builder/safedial"
	"kindex/exports/safetext"
)

// Origins is the set of websites whose scripts can read responses (CORS). Cookies are
// never involved.
type Origins struct {
	any      bool     // every origin
	loopback bool     // pages served by the user's own machine
	allowed  []string // in the form that browsers send: https://app.example.org
}

// ParseOrigins parses a list of origins, "*" for all origins, or "none".
func ParseOrigins(values []string) (*Origins, error) {
	if len(values) == 0 {
		return nil, errors.New(`the list is empty: use origins such as https://app.example.org, "*" or "none"`)
	}
	if len(values) == 1 && (values[0] == "*" || values[0] == "none") {
		return &Origins{any: values[0] == "*"}, nil
	}
	o := &Origins{}
	for _, v := range values {
		origin, err := parseOrigin(v)
		if err != nil {
			return nil, err
		}
		o.allowed = append(o.allowed, origin)
	}
	return o, nil
}

// DefaultOrigins returns the origins that are allowed if the operator configures none: all
// origins for a service with a public https address; otherwise only pages on the user's own
// machine.
func DefaultOrigins(address string) *Origins {
	if onInternet(address) {
		return &Origins{any: true}
	}
	return &Origins{loopback: true}
}

// parseOrigin returns an origin in the form that browsers send (RFC 6454, section 6.2).
func parseOrigin(s string) (string, error) {
	if s == "null" { // the origin of sandboxed pages and local files; allowed only if listed
		return s, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Hostname() == "" || u.User != nil || strings.TrimSuffix(u.Path, "/") != "" || strings.ContainsAny(s, "?#* ") {
		return "", fmt.Errorf("%s is not an origin: use a scheme and a host, such as https://app.example.org", safetext.Address(s))
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch {
	case scheme == "http":
		host = strings.TrimSuffix(host, ":80")
	case scheme == "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + host, nil
}

// allows reports whether pages of an origin can read responses.
func (o *Origins) allows(origin string) bool {
	if o.any || slices.Contains(o.allowed, origin) {
		return true
	}
	if !o.loopback {
		return false
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && loopback(u.Host)
}

// varies reports whether responses depend on the origin of the request.
func (o *Origins) varies() bool { return o.loopback || len(o.allowed) > 0 }

// onInternet reports whether an address is public: its scheme is https, and its host is neither
// an IP address nor a name in a private network.
func onInternet(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" {
		return false
	}
	host := hostname(u.Host)
	if a, err := netip.ParseAddr(host); err == nil {
		return safedial.New(safedial.Options{}).Check(netip.AddrPortFrom(a, 443)) == nil
	}
	return host != "" && !internalName(host)
}

// internalDomains contains top-level domains in which no one can register a name: they are
// reserved (RFC 6761, RFC 6762, RFC 8375, ICANN's resolution on .internal) or will never be
// delegated.
var internalDomains = []string{"localhost", "local", "internal", "intranet", "private", "lan", "home", "corp", "test", "home.arpa"}

// internalName reports whether a name can exist only in a private network.
func internalName(host string) bool {
	return !strings.Contains(host, ".") ||
		slices.ContainsFunc(internalDomains, func(d string) bool { return strings.HasSuffix(host, "."+d) })
}

// ParseHost parses a host name without a port.
func ParseHost(name string) (string, error) {
	host := strings.ToLower(strings.TrimSuffix(name, "."))
	if host == "" || strings.ContainsAny(host, ":/*@ \t[]") {
		return "", fmt.Errorf("%q is not a host name: use a name without a scheme or port, such as index.example.lan", name)
	}
	return host, nil
}

// hostname returns the host in host or host:port in normalized form.
func hostname(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// loopback reports whether host or host:port refers to this machine.
func loopback(host string) bool { return safetext.Loopback(hostname(host)) }

// hostAllowed reports whether a request's Host can be a name of this service. Names that
// strangers can own are rejected: a stranger could point the name to this service, and a page
// under that name could then read the responses as same-origin (DNS rebinding). IP addresses and
// localhost have no owner. A service that listens on a network also accepts names that exist
// only in private networks, because anyone who can forge such a name can also reach the service
// without it. A service that listens on loopback rejects them. Requests without a Host are
// accepted, since browsers always send one.
func hostAllowed(r *http.Request, named []string) bool {
	host := hostname(r.Host)
	if _, err := netip.ParseAddr(host); err == nil || host == "" || host == "localhost" || slices.Contains(named, host) {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return local == nil || !loopback(local.String()) && internalName(host) // without a connection, the request was made in this process
}
