package edge

import (
	"net/http"

	"github.com/julienschmidt/httprouter"
)

// request is a call with what admits it.
type request struct {
	*call
	server *Server
	meter  meter
}

// handle turns a handler into what the router calls. It gives the request one
// build for its whole life, reads the parameters, and sees to failures.
func (s *Server) handle(route string, kind metering, params []string, h handler) httprouter.Handle {
	return s.attend(route, func(c *request, w http.ResponseWriter) { c.run(w, kind, params, h) })
}

// attend is that of Shared, with what admits requests.
func (s *Server) attend(route string, answer func(*request, http.ResponseWriter)) httprouter.Handle {
	return s.shared.attend(route, func(c *call, w http.ResponseWriter) {
		r := &request{call: c, server: s}
		c.admission = r
		answer(r, w)
	})
}

// paced is attend for pages: an address may ask for so many of them.
func (s *Server) paced(route string, answer func(*request, http.ResponseWriter)) httprouter.Handle {
	return s.attend(route, func(c *request, w http.ResponseWriter) {
		if err := c.pace(); err != nil {
			c.fail(w, err)
			return
		}
		answer(c, w)
	})
}

func (c *request) run(w http.ResponseWriter, kind metering, params []string, h handler) {
	err := c.admit(kind)
	if err == nil {
		err = c.bound(kind)
	}
	if err != nil {
		c.fail(w, err)
		return
	}
	c.ofBuild = meterOf(c.request.URL.Path) == metered
	if !c.acquire(w, c.server.live) {
		return
	}
	w.Header()["X-Build"] = c.served.named
	c.answer(w, params, h)
}
