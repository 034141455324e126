package edge

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/web"
)

// handle converts a handler to one for the router. It keeps one build open for the whole
// request, parses the parameters, and handles failures.
func (s *Server) handle(route string, cost routeCost, params []string, h web.Handler) httprouter.Handle {
	return s.instrument(route, func(c *request, w http.ResponseWriter) { c.run(w, cost, params, h) })
}

// instrument is like Shared.Instrument, but also sets the admission of the request.
func (s *Server) instrument(route string, answer func(*request, http.ResponseWriter)) httprouter.Handle {
	return s.shared.Instrument(route, func(c *web.Call, w http.ResponseWriter) {
		r := &request{Call: c, server: s}
		c.Admission = r
		answer(r, w)
	})
}

// rateLimited is like instrument, but also limits the rate of requests per IP address. The limit
// is the one for pages.
func (s *Server) rateLimited(route string, answer func(*request, http.ResponseWriter)) httprouter.Handle {
	return s.instrument(route, func(c *request, w http.ResponseWriter) {
		if err := c.limitRate(); err != nil {
			c.Fail(w, err)
			return
		}
		answer(c, w)
	})
}

func (c *request) run(w http.ResponseWriter, cost routeCost, params []string, h web.Handler) {
	err := c.reserve(cost)
	if err == nil {
		err = c.limitConcurrency(cost)
	}
	if err != nil {
		c.Fail(w, err)
		return
	}
	c.BuildOnly = costOfPath(c.Request.URL.Path) == metered
	if !c.Acquire(w, c.server.reloader) {
		return
	}
	w.Header()["X-Build"] = c.Served.BuildHeader
	if cost == unmetered && (c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead) {
		h = c.charged(h)
	}
	c.Answer(w, params, h)
}

func writeStatus(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", web.JSONType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // ignore an error: the client has disconnected
}

// fallbackHandler handles paths that have no route. It answers with a page of the website or,
// for the paths of the API, with a problem document.
func (s *Server) fallbackHandler() http.Handler {
	nothing, allowed, refused := s.unrouted("not found", (*web.Call).NotFound), s.unrouted("options", answerOptions), s.unrouted("method not allowed", s.console.PageMethodNotAllowed)
	page := s.instrument("page", func(c *request, w http.ResponseWriter) { c.run(w, unmetered, web.AnyParams, s.console.Page) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case costOfPath(r.URL.Path) != unmetered || strings.HasPrefix(r.URL.Path, "/badge/") || strings.HasPrefix(r.URL.Path, "/assets/"):
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

// unrouted returns a handler for requests that match no route. It ignores the query parameters.
func (s *Server) unrouted(name string, h web.Handler) http.Handler {
	var byCost [metered + 1]httprouter.Handle
	for cost := range byCost {
		byCost[cost] = s.handle(name, routeCost(cost), nil, h)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r2 := *r
		u := *r.URL
		u.RawQuery = ""
		r2.URL = &u
		byCost[costOfPath(r.URL.Path)](w, &r2, httprouter.Params{})
	})
}

func (s *Server) methodNotAllowed(c *web.Call) (*web.Reply, error) {
	var allow []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		if h, _, _ := s.router.Lookup(m, c.Request.URL.Path); h != nil {
			allow = append(allow, m)
		}
	}
	return nil, web.MethodNotAllowed(c, allow...)
}

// answerOptions answers OPTIONS requests; the router has already set the Allow header.
func answerOptions(*web.Call) (*web.Reply, error) { return web.JSONReply(http.StatusNoContent, nil) }
