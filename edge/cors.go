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

// logOrigins logs which websites can read the responses, unless the operator has configured the
// allowed origins.
func (s *Server) logOrigins() {
	if s.options.Origins == nil && !s.origins.any {
		s.log.Info("only web pages on the reader's own machine can read this index, because --url is not a public https address; --cors-origins allows other origins, and --hosts adds host names")
	}
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
