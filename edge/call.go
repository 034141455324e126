package edge

import (
	"context"
	"errors"
	"kindex/edge/query"
	"kindex/edge/ratelimit"
	"kindex/exports/didyoumean"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/julienschmidt/httprouter"
)

// call is one request under way.
type call struct {
	shared    *Shared
	admission admission
	request   *http.Request
	writer    http.ResponseWriter
	path      httprouter.Params
	principal principal
	body      []byte // of the request, once it is read
	query     *query.Params
	served    *view // the build that answers, nil before the request is admitted
	id        string
	// immutable is that of the reply.
	immutable bool
	// ofBuild marks an answer that follows from the build alone, whatever the settings.
	ofBuild bool
	held    *[]byte         // a buffer of buffers, nil for none
	gate    *ratelimit.Gate // that the call is in, nil for none
	whole   context.Context // of the request, before end was set
	end     func()          // of the time that the answer has, nil for as long as it takes
}

// buffers are memory for bodies. The connection copies what is written to it, so
// that a body is free again when its answer was sent.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// mostHeld is the largest buffer that is kept for another answer.
const mostHeld = 256 << 10

// buffer returns memory to make the body of the answer in, once a call.
func (c *call) buffer() []byte {
	c.held = buffers.Get().(*[]byte)
	return (*c.held)[:0]
}

// release gives the buffer back, with the room that the body has made.
func (c *call) release(r *reply) {
	if c.held == nil || r == nil || cap(r.body) > mostHeld {
		return
	}
	*c.held = r.body
	buffers.Put(c.held)
	c.held = nil
}

// param returns a named part of the path.
func (c *call) param(name string) string { return c.path.ByName(name) }

// header returns a list that a client sent, perhaps on several lines (RFC 9110
// section 5.3).
func (c *call) header(name string) string { return strings.Join(c.request.Header.Values(name), ",") }

// handler answers a request with a value or an error.
type handler func(*call) (*reply, error)

// parameters reads the parameters of the request.
func (c *call) parameters(known []string) (*query.Params, error) {
	if len(known) == 1 && known[0] == anyParams[0] {
		return nil, nil // the handler reads the query itself
	}
	return query.Parse(c.request.URL.RawQuery, known)
}

// anyParams, as the parameters of a route, tells that whoever answers reads them.
var anyParams = []string{"*"}

// namesTag reports whether the client has named the entity tag of the answer, and so
// has the representation: a star would do for any.
func (c *call) namesTag(h http.Header) bool {
	tags := h["Etag"]
	return len(tags) == 1 && lists(c.header("If-None-Match"), tags[0])
}

// left reports whether the client has disconnected. A failure is then caused by that:
// the work was done, and the request counts.
func (c *call) left() bool { return errors.Is(c.request.Context().Err(), context.Canceled) }

// errRefused ends the making of an answer that is not given.
var errRefused = errors.New("another answer was given")

// enter takes a slot.
func (c *call) enter(g *ratelimit.Gate) error {
	if err := g.Enter(c.request.Context(), ""); err != nil {
		return busy(err)
	}
	c.gate = g
	return nil
}

// leave returns the slot, if the call has one.
func (c *call) leave() {
	if c.gate != nil {
		c.gate.Leave("")
		c.gate = nil
	}
}

// busy returns the problem for an error of a gate.
func busy(err error) error {
	switch {
	case errors.Is(err, ratelimit.ErrTooManyOfOne):
		return newProblem("busy", "You already have two filtered exports running; wait until one has finished. Exports without filters, and files under /data/, have no such limit.")
	case errors.Is(err, ratelimit.ErrBusy):
		return newProblem("busy", "The service is busy; try again in a few seconds.")
	}
	return err
}

// takesOnly is the answer to another method than those.
func takesOnly(c *call, allow ...string) error {
	p := newProblem("method-not-allowed", shorten(c.request.URL.Path)+" takes "+strings.Join(allow, ", ")+", not "+shorten(c.request.Method)+".")
	p.allow = strings.Join(append(allow, http.MethodOptions), ", ")
	return p
}

// shorten keeps messages readable whatever was sent.
func shorten(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return s
}

// notFound answers for a path with nothing at it.
func (c *call) notFound() (*reply, error) {
	p := newProblem("not-found", "There is nothing at "+shorten(c.request.URL.Path)+". GET /api/openapi lists all addresses.")
	return nil, p.suggest(didyoumean.Name(c.request.URL.Path, c.shared.paths))
}

// base is the address under which clients reach the service, without a slash at
// its end: as the operator says, else as the content says, else as this client
// has reached it. A client of HTTP/1.0 need not say that; then it is "".
func (c *call) base() string {
	if said := c.publicAddress(); said != "" {
		return said
	}
	if c.request.Host == "" {
		return ""
	}
	u := url.URL{Scheme: "http", Host: c.request.Host}
	if c.request.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// publicAddress is the address of the service that the operator, or else the content,
// has said, without a slash at its end; "" where neither has.
func (c *call) publicAddress() string {
	said := c.shared.url
	if said == "" && c.served != nil {
		said = string(c.served.build.Manifest.URL)
	}
	return strings.TrimSuffix(said, "/")
}

// acquire gives the call the current build for its whole life. Before there is one it
// answers with 503 and returns false.
func (c *call) acquire(w http.ResponseWriter, l *live) bool {
	if c.served = l.acquire(); c.served == nil {
		c.fail(w, errNotReady())
		return false
	}
	return true
}

// errNotReady is the problem of a request that comes before the first build.
func errNotReady() *Problem {
	return newProblem("not-ready", "No build is being served yet; try again in a moment.")
}

// answer reads the parameters and answers with what the handler returns.
func (c *call) answer(w http.ResponseWriter, params []string, h handler) {
	var r *reply
	var err error
	if c.query, err = c.parameters(params); err == nil {
		if r, err = h(c); err == nil {
			err = c.respond(w, r)
			c.release(r)
		}
	}
	if err != nil {
		c.fail(w, err)
	}
}
