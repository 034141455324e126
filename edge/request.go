package edge

import (
	"encoding/json"
	"net/http"

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
	c.BuildOnly = costOf(c.Request.URL.Path) == metered
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
