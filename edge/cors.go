package edge

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"kindex/builder/safedial"
	"kindex/edge/web"
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

func newVaryValues(o *Origins) web.VaryValues {
	if !o.varies() {
		return web.VaryValues{Encoding: web.VaryEncoding, Accept: web.VaryAccept, Key: web.VaryKey}
	}
	with := func(v []string) []string { return []string{v[0] + ", Origin"} }
	return web.VaryValues{Encoding: with(web.VaryEncoding), Accept: with(web.VaryAccept), Key: with(web.VaryKey)}
}

// guardOrigin decides what websites can read through a visitor's browser. Pages of allowed origins
// can read the responses (CORS). Unless every origin is allowed, pages of other origins can
// neither embed the responses nor reach the service through a host name of their own that points
// here (DNS rebinding). The sign-in and submission pages can be used only from this service's own
// origin, regardless of the method and the outcome.
func (s *Server) guardOrigin(next http.Handler) http.Handler {
	foreign := s.instrument("foreign host", func(c *request, w http.ResponseWriter) { c.refuseHost(w) })
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
		(&request{Call: &web.Call{Shared: s.shared, Request: r}, server: s}).setLimitHeaders(h)
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

// setLimitHeaders sets the headers for the anonymous limit. The request does not count towards
// that limit, and its key is not looked up.
func (c *request) setLimitHeaders(h http.Header) {
	if costOf(c.Request.URL.Path) == unmetered {
		return
	}
	if c.quota.subject = c.subject(); c.quota.subject.Limit == 0 {
		return
	}
	c.peek()
	c.quota.state.SetHeaders(h, c.Shared.Now())
}

// checkOrigin rejects a message to /mcp from a page of an origin that is not allowed, as the
// Model Context Protocol requires (Streamable HTTP, Security Warning). Pages of this service are
// allowed.
func (s *Server) checkOrigin(r *http.Request) error {
	for _, origin := range r.Header["Origin"] {
		if s.origins.allows(origin) || s.ownOrigin(origin, r) {
			continue
		}
		return web.NewProblem("foreign-origin", "Pages of "+web.Shorten(origin)+" are not allowed here; the operator can allow them with --cors-origins.")
	}
	return nil
}

// ownOrigin reports whether an origin is this service's own: it matches the address configured by
// the operator or the request's Host, which has already been checked.
func (s *Server) ownOrigin(origin string, r *http.Request) bool {
	if own, err := parseOrigin(s.options.URL); err == nil && origin == own {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host)
}

// logOrigins logs which websites can read the responses, unless the operator has configured the
// allowed origins.
func (s *Server) logOrigins() {
	if s.options.Origins == nil && !s.origins.any {
		s.log.Info("only web pages on the reader's own machine can read this index, because --url is not a public https address; --cors-origins allows other origins, and --hosts adds host names")
	}
}
