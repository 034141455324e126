package edge

import (
	"net/http"
	"net/url"
	"strings"

	"kindex/edge/web"
)

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
