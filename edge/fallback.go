package edge

import (
	"net/http"
	"strings"

	"kindex/edge/web"
)

// fallbackHandler handles paths without a route: with a page of the website or, under the
// API's paths, with an API error.
func (s *Server) fallbackHandler() http.Handler {
	nothing, allowed, refused := s.unrouted("not found", (*web.Call).NotFound), s.unrouted("options", answerOptions), s.unrouted("method not allowed", s.console.PageMethodNotAllowed)
	page := s.instrument("page", func(c *request, w http.ResponseWriter) { c.run(w, unmetered, web.AnyParams, s.console.Page) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case costOf(r.URL.Path) != unmetered || strings.HasPrefix(r.URL.Path, "/badge/") || strings.HasPrefix(r.URL.Path, "/assets/"):
			nothing.ServeHTTP(w, r)
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			page(w, r, nil)
		case r.Method == http.MethodOptions:
			w.Header().Set("Allow", "GET, HEAD, OPTIONS")
			allowed.ServeHTTP(w, r)
		default:
			refused.ServeHTTP(w, r)
		}
	})
}
