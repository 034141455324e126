// Package edge serves a published build over HTTP: every /api path, the
// immutable files below /data, and the operator's listener. It reads artifacts
// and never parses content to answer a request.
package edge

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/openapi"
	"kindex/edge/query"
	"kindex/edge/ratelimit"
	"kindex/edge/safedial"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/submission/github"
	"kindex/edge/webhook"
	"kindex/exports"
)

// Options say what an edge serves.
type Options struct {
	Dir   string // the folder that build --out wrote
	State *storage.State
	URL   string // the public address of the service, "" where requests tell
	// Contact is the operator's address, for those who need more than they may.
	Contact string
	// Origins are the websites that may read answers; nil: DefaultOrigins of URL.
	Origins *Origins
	// Hosts are further names of a service that not every website may read; that of
	// URL is one. AdminHosts are those of the operator's listener.
	Hosts, AdminHosts []string
	// LimitAnonymous and LimitKey are how many requests an address without a
	// key, and an account, may make in a UTC day; 0 counts none.
	LimitAnonymous, LimitKey int64
	// LimitPages is how many pages a second an address may ask for, 0 for any number.
	// Addresses of the machine itself may ask for any number.
	LimitPages int
	// TrustedProxies are whose forwarding headers count.
	TrustedProxies []netip.Prefix
	Forge          *github.Forge // where submissions are reviewed, nil for none
	// SignIn has the providers that people may sign in with on the website; the
	// rest of it is filled in.
	SignIn      auth.Options
	Now         func() time.Time // time.Now where it is nil
	Log         *slog.Logger
	LogRequests bool
	// Guard says which addresses webhooks may have; nil: those of the public internet.
	Guard *safedial.Guard
	// WebhookChallenge has endpoints prove at registration that they want to be webhooks.
	WebhookChallenge bool
	// OperatorKeys seal secrets in the state; nil: keys of this process alone, with
	// which all webhooks end.
	OperatorKeys    *seal.Keys
	WebhookSchedule webhook.Schedule // nil: webhook.DefaultSchedule
	WebhookPoll     time.Duration    // how often it is looked for webhooks whose time has come; 0: each second
}

// Server serves one output folder. It is an http.Handler for any number of
// requests at once.
type Server struct {
	options  Options
	log      *slog.Logger
	now      func() time.Time
	state    *storage.State
	keys     *apikey.Authenticator
	goodKeys goodKeys
	limits   *limits
	gates    gates
	proxies  *ratelimit.Proxies
	people   *auth.Handler     // nil where nobody can sign in
	starts   *ratelimit.Memory // of sign-ins and of writes in the panel, nil where nobody can
	reports  *ratelimit.Memory // of leaked keys
	forms    forms
	origins  *Origins
	hosts    []string // that a service answers to which not every website may read
	vary     varyValues
	// described is the description of the interface.
	described struct{ yaml, json []byte }
	metrics   *metrics
	live      *live
	router    *httprouter.Router
	handler   http.Handler
	paths     []string // of the API, for suggestions
	old       oldBuilds
	events    *webhook.Announcer
	hooks     hooks
	agents    agents
	waits     waits // set by tests
}

// New verifies and opens the published build. It returns an error where there
// is none that can be served. The state is the caller's to close, behind Close.
func New(o Options) (*Server, error) {
	if o.State == nil {
		return nil, errors.New("edge: there is no state")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	// A client may put its key where everybody logs it, such as into the address.
	o.Log = slog.New(apikey.LogHandler(o.Log.Handler()))
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{options: o, log: o.Log, now: o.Now, state: o.State, metrics: newMetrics()}
	if s.origins = o.Origins; s.origins == nil {
		s.origins = DefaultOrigins(o.URL)
	}
	s.hosts, s.vary = ownHosts(o), newVaryValues(s.origins)
	s.keys = apikey.NewAuthenticator(o.State, o.Now)
	s.goodKeys.seed = maphash.MakeSeed()
	s.limits = newLimits(o)
	s.gates = newGates(o)
	s.proxies = ratelimit.NewProxies(o.TrustedProxies, func(from netip.Addr) {
		s.log.Warn("a forwarding header from an address that is no trusted proxy is ignored; this is told once", "from", from)
	})
	var err error
	if s.hooks, err = newHooks(o, s.metrics); err != nil {
		return nil, err
	}
	s.events = webhook.NewAnnouncer(o.State, o.Log, s.hooks.dispatch.Wake)
	s.live = &live{root: o.Dir, log: o.Log, metrics: s.metrics, moved: s.moved}
	s.old.root = o.Dir
	s.forms = newForms(o)
	s.reports = ratelimit.NewMemory(nil, ratelimit.MemoryOptions{Now: o.Now, Log: o.Log})
	s.routes()
	s.handler = s.guardOrigin(s.router)
	if err := s.begin(); err != nil {
		_ = s.reports.Close(context.Background())
		s.forms.close()
		s.limits.close(s.log)
		return nil, err
	}
	return s, nil
}

// begin makes what may be wrong with what it was given.
func (s *Server) begin() (err error) {
	if s.described.yaml, s.described.json, err = openapi.With(s.options.Contact); err != nil {
		return err
	}
	if err := s.newAgents(); err != nil {
		return err
	}
	if err := s.signin(); err != nil {
		return err
	}
	return s.live.load()
}

// Header values that are the same in every answer, made once. Nobody may change
// them; to append to one copies it, since they have no room.
var (
	everyOrigin    = []string{"*"}
	exposedHeaders = []string{"ETag, Link, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, " +
		"X-RateLimit-Reset, X-RateLimit-Tier, RateLimit, RateLimit-Policy, X-Request-Id, X-Build, " +
		"Repr-Digest, Content-Range, Content-Disposition, Idempotency-Replayed, Location"}
	noSniff      = []string{"nosniff"}
	sameOrigin   = []string{"same-origin"}
	crossOrigin  = []string{"cross-origin"}
	varyEncoding = []string{"Accept-Encoding"}
	varyAccept   = []string{"Accept-Encoding, Accept"}
	varyKey      = []string{"X-Api-Key"}
	unkept       = []string{"no-store"}
	revalidate   = []string{"private, no-cache"}
	anHour       = []string{"public, max-age=3600"}
	forever      = []string{"public, max-age=31536000, immutable"}
)

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

// Close gives up the build, and stores what is counted. No request may be under
// way.
func (s *Server) Close() {
	s.live.stop()
	s.events.Close()
	if s.starts != nil {
		_ = s.starts.Close(context.Background()) // it keeps nothing
	}
	_ = s.reports.Close(context.Background()) // it keeps nothing
	s.forms.close()
	s.limits.close(s.log)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// call is one request under way.
type call struct {
	server  *Server
	request *http.Request
	writer  http.ResponseWriter
	path    httprouter.Params
	caller  caller
	meter   meter
	body    []byte // of the request, once it is read
	query   *query.Params
	view    *view
	id      string
	// immutable is that of the reply.
	immutable bool
	held      *[]byte         // a buffer of buffers, nil for none
	gate      *ratelimit.Gate // that the call is in, nil for none
	whole     context.Context // of the request, before end was set
	end       func()          // of the time that the answer has, nil for as long as it takes
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

// handle turns a handler into what the router calls. It gives the request one
// view for its whole life, reads the parameters, and sees to failures.
func (s *Server) handle(route string, kind metering, params []string, h handler) httprouter.Handle {
	return s.attend(route, func(c *call, w http.ResponseWriter) { c.run(w, kind, params, h) })
}

// attend gives requests of a route an id, measures and logs them, and sees to
// panics.
func (s *Server) attend(route string, answer func(*call, http.ResponseWriter)) httprouter.Handle {
	m := s.metrics.route(route)
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		start := time.Now()
		c := &call{server: s, request: r, writer: w, path: p, id: requestID(r)}
		rec := &recorder{ResponseWriter: w, call: c, status: http.StatusOK}
		header := rec.Header()
		header["X-Request-Id"] = []string{c.id}
		header["X-Content-Type-Options"] = noSniff
		header["Vary"] = s.vary.encoding
		s.metrics.inFlight.Inc()
		defer func() {
			abort := c.recovered(rec, recover())
			if c.view != nil {
				c.view.release()
			}
			if c.end != nil {
				c.end()
			}
			c.leave()
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
		answer(c, rec)
	}
}

// paced is attend for pages: an address may ask for so many of them.
func (s *Server) paced(route string, answer func(*call, http.ResponseWriter)) httprouter.Handle {
	return s.attend(route, func(c *call, w http.ResponseWriter) {
		if err := c.pace(); err != nil {
			c.fail(w, err)
			return
		}
		answer(c, w)
	})
}

// recovered answers for a handler that panicked. abort tells to cut the
// connection, because a part of an answer is out.
func (c *call) recovered(rec *recorder, cause any) (abort bool) {
	switch {
	case cause == nil:
		return false
	case cause == http.ErrAbortHandler: //nolint:errorlint // as net/http compares it
		return true
	}
	c.server.log.Error("panic", "requestId", c.id, "path", c.request.URL.Path, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
	if rec.written {
		return true
	}
	c.fail(rec, fmt.Errorf("panic: %v", cause))
	return false
}

func (c *call) run(w http.ResponseWriter, kind metering, params []string, h handler) {
	err := c.admit(kind)
	if err == nil {
		err = c.bound(kind)
	}
	if err != nil {
		c.fail(w, err)
		return
	}
	if c.view = c.server.live.acquire(); c.view == nil {
		c.fail(w, newProblem("not-ready", "No build is being served yet; try again in a moment."))
		return
	}
	w.Header()["X-Build"] = c.view.named
	var r *reply
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

// parameters reads the parameters of the request.
func (c *call) parameters(known []string) (*query.Params, error) {
	if len(known) == 1 && known[0] == anyParams[0] {
		return nil, nil // the handler reads the query itself
	}
	return query.Parse(c.request.URL.RawQuery, known)
}

// requestID takes over a sensible id that a proxy has given, or makes one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); len(id) > 0 && len(id) <= 64 && plainID(id) {
		return id
	}
	var b [12]byte
	binary.LittleEndian.PutUint64(b[:], rand.Uint64())  //nolint:gosec // not a secret: it only identifies a request
	binary.LittleEndian.PutUint32(b[8:], rand.Uint32()) //nolint:gosec // as above
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

// recorder notes what was answered, and has it counted before it goes out.
type recorder struct {
	http.ResponseWriter
	call    *call
	status  int
	bytes   int64
	written bool
	refused bool // the answer under way is not given: it was one too many
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.written {
		return
	}
	r.call.leave() // what costs is done
	if status == http.StatusNotModified {
		delete(r.Header(), "Link") // a cursor says what is on the page
	}
	if err := r.call.settle(r.Header(), status); err != nil {
		r.call.fail(r, err)
		r.refused = true
		return
	}
	r.status, r.written = status, true
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if !r.written {
		r.WriteHeader(http.StatusOK)
	}
	if r.refused {
		return 0, errRefused
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the writer below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
