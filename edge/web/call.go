// Package web handles the HTTP side of a request: it parses the request, sends the response in
// the form that the client prefers, and reports errors as problem details. It uses builds and
// callers, but contains neither limits nor routes.
package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/ratelimit"
	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
	"kindex/exports/where"
)

// Call is a request in progress.
type Call struct {
	Shared    *Shared
	Admission Admission
	Request   *http.Request
	Writer    http.ResponseWriter
	Path      httprouter.Params
	Principal Principal
	Body      []byte // the request body, after it has been read
	Query     *query.Params
	Served    *live.ServedBuild // the build that the response is from, or nil before the request is admitted
	ID        string
	// immutable is copied from the reply.
	immutable bool
	// BuildOnly marks a response that depends only on the build, not on the settings.
	BuildOnly      bool
	leaveGate      func()          // releases the slot that the call has in a gate, or nil if it has none
	baseContext    context.Context // the request's context before SetDeadline replaced it
	CancelDeadline func()          // cancels the time limit for the response, or nil if there is none
}

// Param returns a named path parameter.
func (c *Call) Param(name string) string { return c.Path.ByName(name) }

// Header returns the value of a request header that is a list. If the header occurs several
// times (RFC 9110 section 5.3), the values are joined with commas. The name must be in canonical
// form.
func (c *Call) Header(name string) string { return strings.Join(c.Request.Header[name], ",") }

// Handler handles a request and returns a reply or an error.
type Handler func(*Call) (*Reply, error)

// parameters parses the parameters of the request.
func (c *Call) parameters(known []string) (*query.Params, error) {
	if len(known) == 1 && known[0] == AnyParams[0] {
		return &query.Params{}, nil // the handler reads the query itself
	}
	declared := c.Served.Build.Kinds()
	if slices.Contains(known, FilterParams) {
		known = append(slices.DeleteFunc(slices.Clone(known), func(name string) bool { return name == FilterParams }), where.Filters(declared)...)
	}
	return query.Parse(declared, c.Request.URL.RawQuery, known)
}

// FilterParams stands for the parameters that select records of the served build.
const FilterParams = "<filters>"

// AnyParams is used for routes whose handlers read the query themselves.
var AnyParams = []string{"*"}

// MatchesETag reports whether the client listed the response's entity tag, which means that it
// already has this representation. An asterisk is ignored, because it would match any response.
func (c *Call) MatchesETag(h http.Header) bool {
	tags := h["Etag"]
	return len(tags) == 1 && containsETag(c.Header("If-None-Match"), tags[0])
}

// ClientGone reports whether the client has disconnected. If so, any failure is attributed to
// that. The request counts towards the limit, since the work was done.
func (c *Call) ClientGone() bool { return errors.Is(c.Request.Context().Err(), context.Canceled) }

// EnterGate takes a slot in a gate, or returns a problem if none becomes free in time.
func (c *Call) EnterGate(g *ratelimit.Gate) error {
	leave, err := g.Enter(c.Request.Context(), "")
	c.leaveGate = leave
	return gateProblem(err)
}

// LeaveGate releases the call's slot, if it has one.
func (c *Call) LeaveGate() {
	if c.leaveGate != nil {
		c.leaveGate()
		c.leaveGate = nil
	}
}

// gateProblem converts an error from a gate to a problem.
func gateProblem(err error) error {
	switch {
	case errors.Is(err, ratelimit.ErrTooManyPerCaller):
		return NewProblem("busy", "You already have two filtered exports running; wait until one has finished. "+
			"This limit does not apply to exports without filters or to files under /data/.")
	case errors.Is(err, ratelimit.ErrBusy):
		return NewProblem("busy", "The service is busy; try again in a few seconds.")
	}
	return err
}

// MethodNotAllowed returns the problem for a method that the path does not support; allow lists
// the supported methods.
func MethodNotAllowed(c *Call, allow ...string) error {
	p := NewProblem("method-not-allowed", Shorten(c.Request.URL.Path)+" takes "+strings.Join(allow, ", ")+", not "+Shorten(c.Request.Method)+".")
	p.Header = http.Header{"Allow": {strings.Join(append(allow, http.MethodOptions), ", ")}}
	return p
}

// Shorten shortens untrusted input so that messages stay readable.
func Shorten(s string) string { return safetext.Shorten(s, 100) }

// NotFound returns the problem for a path that does not exist.
func (c *Call) NotFound() (*Reply, error) {
	p := NewProblem("not-found", "There is nothing at "+Shorten(c.Request.URL.Path)+". GET /api/openapi lists all addresses.")
	return nil, p.WithSuggestion(didyoumean.Name(c.Request.URL.Path, c.Shared.Paths))
}

// BaseURL returns the service's address for clients, without a trailing slash. It is the address
// configured by the operator or, if there is none, by the content; otherwise, it is the host
// that the client requested. For an HTTP/1.0 client without a Host header it is "".
func (c *Call) BaseURL() string {
	if public := c.PublicURL(); public != "" {
		return public
	}
	if c.Request.Host == "" {
		return ""
	}
	u := url.URL{Scheme: "http", Host: c.Request.Host}
	if c.Request.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// PublicURL returns the service's address, without a trailing slash, as configured by the
// operator or, if there is none, by the content. It returns "" if neither is configured.
func (c *Call) PublicURL() string {
	public := c.Shared.URL
	if public == "" && c.Served != nil {
		public = string(c.Served.Build.Manifest.URL)
	}
	return strings.TrimSuffix(public, "/")
}

// Acquire retains the current build for the duration of the call. If there is none yet, it
// responds with 503 and returns false.
func (c *Call) Acquire(w http.ResponseWriter, l *live.Reloader) bool {
	if c.Served = l.Current(); c.Served == nil {
		c.Fail(w, ErrNotReady())
		return false
	}
	return true
}

// ErrNotReady returns the problem for requests that arrive before there is a build.
func ErrNotReady() *Problem {
	return NewProblem("not-ready", "No build is being served yet; try again shortly.")
}

// Answer reads the parameters and sends the response that the handler returns.
func (c *Call) Answer(w http.ResponseWriter, params []string, h Handler) {
	var r *Reply
	var err error
	if c.Query, err = c.parameters(params); err == nil {
		r, err = h(c)
		if c.Query.Err != nil {
			err = c.Query.Err
		}
		if err == nil {
			err = c.respond(w, r)
		}
	}
	if err != nil {
		c.Fail(w, err)
	}
}
