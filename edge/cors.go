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
	"kindex/edge/web"
	"kindex/exports/safetext"
)

// guardOrigin decides what websites can read through a visitor's browser. Pages of allowed origins
// can read the responses (CORS). Unless every origin is allowed, pages of other origins can
// neither embed the responses nor reach the service through a host name of their own that points
// here (DNS rebinding). The sign-in and submission pages can be used only from this service's own
// origin, regardless of the method and the outcome.
func (s *Server) guardOrigin(next http.Handler) http.Handler {
	foreign := s.shared.Instrument("foreign host", refuseHost)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if !s.origins.any {
			h["Cross-Origin-Resource-Policy"] = s.embeddable(r)
			if !hostAllowed(r, s.hosts) {
				foreign(w, r, nil)
				return
			}
		}
		if s.console.OwnsPath(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		preflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
		s.allowOrigin(h, r, preflight)
		if !preflight {
			next.ServeHTTP(w, r)
			return
		}
		if s.origins.varies() {
			h["Vary"] = []string{"Origin"}
		}
		(&web.Call{Shared: s.shared, Request: r}).SetLimitHeaders(h)
		w.WriteHeader(http.StatusNoContent)
	})
}

// allowOrigin sets the headers that let a page read the response. If every origin is allowed,
// the headers do not depend on the request, so one cached response can be used for all origins.
// Private Network Access is never granted.
func (s *Server) allowOrigin(h http.Header, r *http.Request, preflight bool) {
	if s.origins.any {
		h["Access-Control-Allow-Origin"] = web.AnyOrigin
	} else {
		sent := r.Header["Origin"]
		if len(sent) != 1 || !s.origins.allows(sent[0]) {
			return
		}
		h["Access-Control-Allow-Origin"] = sent
	}
	if !preflight {
		h["Access-Control-Expose-Headers"] = web.ExposedHeaders
		return
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
	allowed := "x-api-key, Content-Type, Idempotency-Key, If-None-Match, If-Match, Range, If-Range, X-Request-Id"
	if r.URL.Path == agentPath {
		allowed += agentHeaders
	}
	h.Set("Access-Control-Allow-Headers", allowed)
	h.Set("Access-Control-Max-Age", "86400")
}

// embeddable returns the Cross-Origin-Resource-Policy, which decides whether the requesting page
// can embed the response, such as a badge, without CORS. Browsers send the page's address in
// Referer; a page can withhold it but not forge it.
func (s *Server) embeddable(r *http.Request) []string {
	sent := r.Header["Referer"]
	if len(sent) == 0 {
		return web.SameOrigin
	}
	if u, err := url.Parse(sent[0]); err == nil && u.Host != "" && s.origins.allows(u.Scheme+"://"+strings.ToLower(u.Host)) {
		return web.CrossOrigin
	}
	return web.SameOrigin
}

// refuseHost answers a request for a host name that is not this service's.
func refuseHost(c *web.Call, w http.ResponseWriter) {
	c.SetLimitHeaders(w.Header())
	c.Fail(w, web.NewProblem("foreign-host", "This index is not open to other websites, and "+web.Shorten(c.Request.Host)+
		" is not one of its host names. Use its IP address or localhost. The operator can add host names with --hosts, and set the public address with --url."))
}

// ownHosts returns the service's host names: the names in Options and the name in its URL.
func ownHosts(o Options) []string {
	if u, err := url.Parse(o.URL); err == nil && u.Host != "" {
		return append([]string{hostname(u.Host)}, o.Hosts...)
	}
	return o.Hosts
}

// requireHost rejects requests to the operator's listener whose Host is unknown.
func requireHost(named []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hostAllowed(r, named) {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			writeStatus(w, http.StatusForbidden, map[string]any{"status": "refused",
				"detail": "This listener does not accept this host name. Use its IP address or localhost, or add the host name with --admin-host."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

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
