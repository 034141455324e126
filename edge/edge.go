// Package edge serves a published build over HTTP: every /api path, the
// immutable files below /data, and the operator's listener. It reads artifacts
// and never parses content to answer a request.
package edge

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/query"
	"kindex/exports"
)

// Options say what an edge serves.
type Options struct {
	Dir         string // the folder that build --out wrote
	URL         string // the public address of the service, "" where requests tell
	Log         *slog.Logger
	LogRequests bool
}

// Server serves one output folder. It is an http.Handler for any number of
// requests at once.
type Server struct {
	options Options
	log     *slog.Logger
	metrics *metrics
	live    *live
	router  *httprouter.Router
	handler http.Handler
	paths   []string // of the API, for suggestions
	old     oldBuilds
}

// New verifies and opens the published build. It returns an error where there
// is none that can be served.
func New(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{options: o, log: o.Log, metrics: newMetrics()}
	s.live = &live{root: o.Dir, log: o.Log, metrics: s.metrics}
	s.old.root = o.Dir
	s.routes()
	s.handler = anyOrigin(s.router)
	if err := s.live.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// Header values that are the same in every answer, made once. Nobody may change
// them; to append to one copies it, since they have no room.
var (
	everyOrigin    = []string{"*"}
	exposedHeaders = []string{"ETag, Link, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, " +
		"X-RateLimit-Reset, X-RateLimit-Tier, RateLimit, RateLimit-Policy, X-Request-Id, X-Build"}
	noSniff      = []string{"nosniff"}
	varyEncoding = []string{"Accept-Encoding"}
	revalidate   = []string{"private, no-cache"}
	forever      = []string{"public, max-age=31536000, immutable"}
)

// anyOrigin lets pages of every origin read the answers (CORS), never with
// cookies. It says so whether or not a page asks, so that one cached answer
// serves everybody.
func anyOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Access-Control-Allow-Origin"] = everyOrigin
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			h["Access-Control-Expose-Headers"] = exposedHeaders
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
		h.Set("Access-Control-Allow-Headers", "x-api-key, Content-Type, Idempotency-Key, If-None-Match, Range")
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	})
}

// Follow moves the server to every newly published build until ctx ends.
func (s *Server) Follow(ctx context.Context) { s.live.follow(ctx) }

// Reload moves the server to the published build now, instead of when it is
// noticed. A build that cannot be used is an error; the one before goes on being
// served.
func (s *Server) Reload() error { return s.live.load() }

// Preview shows edits on top of the published build, and of those that follow it,
// until it is called again. The manifest, the files below /data and the neighbours
// of entities stay those of the build.
func (s *Server) Preview(edits []exports.Edit) { s.live.preview(edits) }

// Close gives up the build. No request may be under way.
func (s *Server) Close() { s.live.stop() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// call is one request under way.
type call struct {
	server  *Server
	request *http.Request
	path    httprouter.Params
	query   *query.Params
	view    *view
	id      string
	held    *[]byte // a buffer of buffers, nil for none
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

// handle turns a handler into what the router calls. It gives the request an
// id and one view for its whole life, reads the parameters, and sees to
// failures.
func (s *Server) handle(route string, params []string, h handler) httprouter.Handle {
	m := s.metrics.route(route)
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		start := time.Now()
		c := &call{server: s, request: r, path: p, id: requestID(r)}
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		header := rec.Header()
		header["X-Request-Id"] = []string{c.id}
		header["X-Content-Type-Options"] = noSniff
		header["Vary"] = varyEncoding
		s.metrics.inFlight.Inc()
		defer func() {
			abort := c.recovered(rec, recover())
			if c.view != nil {
				c.view.release()
			}
			s.metrics.inFlight.Dec()
			m.observe(rec.status, time.Since(start))
			if s.options.LogRequests {
				s.log.Info("request", "requestId", c.id, "method", r.Method, "path", r.URL.Path, "status", rec.status,
					"bytes", rec.bytes, "took", time.Since(start).Round(time.Microsecond))
			}
			if abort {
				panic(http.ErrAbortHandler)
			}
		}()
		c.run(rec, params, h)
	}
}

// recovered answers for a handler that panicked. abort tells to cut the
// connection, because a part of an answer is out.
func (c *call) recovered(rec *recorder, cause any) (abort bool) {
	switch {
	case cause == nil:
		return false
	case cause == http.ErrAbortHandler:
		return true
	}
	c.server.log.Error("panic", "requestId", c.id, "path", c.request.URL.Path, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
	if rec.written {
		return true
	}
	c.fail(rec, fmt.Errorf("panic: %v", cause))
	return false
}

func (c *call) run(w http.ResponseWriter, params []string, h handler) {
	if c.view = c.server.live.acquire(); c.view == nil {
		c.fail(w, newProblem("not-ready", "No build is being served yet; try again in a moment."))
		return
	}
	w.Header()["X-Build"] = c.view.named
	var err error
	var r *reply
	if c.query, err = query.Parse(c.request.URL.RawQuery, params); err == nil {
		if r, err = h(c); err == nil {
			err = c.respond(w, r)
			c.release(r)
		}
	}
	if err != nil {
		c.fail(w, err)
	}
}

// requestID takes over a sensible id that a proxy has given, or makes one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); len(id) > 0 && len(id) <= 64 && plainID(id) {
		return id
	}
	var b [12]byte // no secret: it only tells requests apart
	binary.LittleEndian.PutUint64(b[:], rand.Uint64())
	binary.LittleEndian.PutUint32(b[8:], rand.Uint32())
	return hex.EncodeToString(b[:])
}

func plainID(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return true
}

// recorder notes what was answered.
type recorder struct {
	http.ResponseWriter
	status  int
	bytes   int64
	written bool
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if !r.written {
		r.status, r.written = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	r.written = true
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the writer below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
