package edge

import (
	"net/http"

	"kindex/edge/signin"
)

// anyOrigin lets pages of every origin read the answers (CORS), never with
// cookies. It says so whether or not a page asks, so that one cached answer
// serves everybody. The pages for signing in and for submitting are for nobody
// else's pages, whatever the method and the outcome.
func (s *Server) anyOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.people != nil && signin.Owns(r.URL.Path) || ownsForm(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h["Access-Control-Allow-Origin"] = everyOrigin
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			h["Access-Control-Expose-Headers"] = exposedHeaders
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
		allowed := "x-api-key, Content-Type, Idempotency-Key, If-None-Match, If-Match, Range, If-Range, X-Request-Id"
		if r.URL.Path == agentPath {
			allowed += agentHeaders
		}
		h.Set("Access-Control-Allow-Headers", allowed)
		h.Set("Access-Control-Max-Age", "86400")
		if meterOf(r.URL.Path) != unmetered {
			c := &call{server: s, request: r, id: requestID(r)}
			if c.admit(free) == nil {
				_ = c.settle(h, http.StatusNoContent)
			}
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
