// Package web handles the HTTP side of a request: it admits and parses the request, sends the response
// in the form that the client prefers, and reports errors as problem details. It contains no routes.
package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/apikey"
	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
	"kindex/exports/where"
)

// Call is a request in progress.
type Call struct {
	Shared    *Shared
	Request   *http.Request
	Writer    http.ResponseWriter
	Path      httprouter.Params
	Principal Principal
	Body      []byte // the request body, after it has been read
	Query     *query.Params
	Served    *live.ServedBuild // the build that the response is from, or nil before the request is admitted
	ID        string
	// BuildOnly marks a response that depends only on the build, not on the settings.
	BuildOnly bool

	quota     quota
	immutable bool   // copied from the reply
	leaveGate func() // releases the slot that the call has in a gate, or nil if it has none
}

// Principal identifies the caller.
type Principal struct {
	Account *apikey.Account // nil if the request has no key
	Key     apikey.Key
}

// Param returns a named path parameter.
func (c *Call) Param(name string) string { return c.Path.ByName(name) }

// Header returns the value of a request header that is a list. If the header occurs several
// times (RFC 9110 section 5.3), the values are joined with commas. The name must be in canonical
// form.
func (c *Call) Header(name string) string { return strings.Join(c.Request.Header[name], ",") }

// Handler handles a request and returns a reply or an error.
type Handler func(*Call) (*Reply, error)

// FilterParams stands for the parameters that select records of the served build.
const FilterParams = "<filters>"

// AnyParams is used for routes whose handlers read the query themselves.
var AnyParams = []string{"*"}

func (c *Call) parameters(known []string) (*query.Params, error) {
	if len(known) == 1 && known[0] == AnyParams[0] {
		return &query.Params{}, nil
	}
	declared := c.Served.Build.Kinds()
	if i := slices.Index(known, FilterParams); i >= 0 {
		known = slices.Concat(known[:i], where.Filters(declared), known[i+1:])
	}
	return query.Parse(declared, c.Request.URL.RawQuery, known)
}

// ClientGone reports whether the client has disconnected. If so, any failure is attributed to
// that. The request counts towards the limit, since the work was done.
func (c *Call) ClientGone() bool { return errors.Is(c.Request.Context().Err(), context.Canceled) }

// NotFound returns the problem for a path that does not exist.
func (c *Call) NotFound() (*Reply, error) {
	p := NewProblem("not-found", "There is nothing at "+Shorten(c.Request.URL.Path)+". GET /api/openapi lists all addresses.")
	return nil, p.WithSuggestion(didyoumean.Name(c.Request.URL.Path, c.Shared.Paths))
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

// BaseURL returns the service's address for clients, without a trailing slash: PublicURL or, if there is
// none, the host that the client requested. For an HTTP/1.0 client without a Host header it is "".
func (c *Call) BaseURL() string {
	if public := c.PublicURL(); public != "" || c.Request.Host == "" {
		return public
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

// RequireScope returns a problem if the request has a key that lacks the scope.
func (c *Call) RequireScope(scope apikey.Scope) error {
	if c.Principal.Account == nil || c.Principal.Key.Scopes.Has(scope) {
		return nil
	}
	return InsufficientScope(scope, "This operation needs a key with the scope "+string(scope)+"; this key has "+c.Principal.Key.Scopes.String()+".")
}

// Account returns the caller's account. If the request has no key, it returns a problem with
// status 401. It also starts the time limit for the response.
func (c *Call) Account() (*apikey.Account, error) {
	if c.Principal.Account == nil {
		return nil, Unauthorized("this operation needs an API key in the header x-api-key")
	}
	c.SetDeadline()
	return c.Principal.Account, nil
}

// AccountTimeout is the time limit for a personal response, including reading the body, the
// database and name lookups. These may take long: another process may hold a lock in the
// database, or the network may lose packets.
const AccountTimeout = 20 * time.Second

// SetDeadline limits the time for the response to AccountTimeout from now on.
func (c *Call) SetDeadline() {
	ctx, cancel := context.WithTimeout(c.Request.Context(), cmp.Or(c.Shared.AccountTimeout, AccountTimeout))
	context.AfterFunc(c.Request.Context(), cancel) // when the request ends
	if c.Principal.Account != nil {
		key := c.Principal.Key
		ctx = storage.WithActor(ctx, storage.Actor{Kind: storage.ByKey, ID: key.ID, Name: key.Name, Address: c.Shared.ClientAddress(c.Request)})
	}
	c.Request = c.Request.WithContext(ctx)
}
