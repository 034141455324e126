package web

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/storage"
)

// Principal identifies the caller.
type Principal struct {
	Account *apikey.Account // nil if the request has no key
	Key     apikey.Key
}

// actor returns the request's actor for the audit log.
func (c *Call) actor() storage.Actor {
	return storage.Actor{Kind: storage.ByKey, ID: c.Principal.Key.ID, Name: c.Principal.Key.Name, Address: c.Shared.ClientAddress(c.Request)}
}

// WithSessionActor returns a context in which changes are attributed to the signed-in user.
func (s *Shared) WithSessionActor(r *http.Request) context.Context {
	return storage.WithActor(r.Context(), storage.Actor{Kind: storage.BySession, Address: s.ClientAddress(r)})
}

// ClientAddress returns the IP address that a request comes from, in the form used in the audit
// log.
func (s *Shared) ClientAddress(r *http.Request) string {
	return s.Proxies.Client(r).Unmap().WithZone("").String()
}

func (s *Shared) SuspendedProblem(err *apikey.SuspendedError) *Problem {
	return NewProblem("account-suspended", AsSentence(err.Error())+s.ContactSentence("", " Write to %s."))
}

// AsSentence formats an error message as a sentence.
func AsSentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

func Unauthorized(detail string) *Problem {
	p := NewProblem("unauthorized", AsSentence(detail))
	p.Header = http.Header{"Www-Authenticate": {`ApiKey realm="kindex", header="x-api-key"`}}
	return p
}

func (c *Call) RequireScope(scope apikey.Scope) error {
	if c.Principal.Account == nil || c.Principal.Key.Scopes.Has(scope) {
		return nil
	}
	return InsufficientScope(scope, "This operation needs a key with the scope "+string(scope)+"; this key has "+c.Principal.Key.Scopes.String()+".")
}

// InsufficientScope returns the problem for a key without the required scope. It includes a
// challenge in the form that RFC 6750, section 3.1 defines.
func InsufficientScope(needed apikey.Scope, detail string) *Problem {
	p := NewProblem("insufficient-scope", detail)
	p.Header = http.Header{"Www-Authenticate": {`ApiKey realm="kindex", header="x-api-key", error="insufficient_scope", scope="` + string(needed) + `"`}}
	return p
}

// ContactSentence returns its argument with, in which it replaces %s with the operator's address.
// If the operator has no address, it returns its argument without.
func (s *Shared) ContactSentence(without, with string) string {
	if s.ContactAddress == "" {
		return without
	}
	return strings.Replace(with, "%s", s.ContactAddress, 1)
}

// Account returns the caller's account. If the request has no key, it returns a problem with
// status 401. The first call also starts the time limit for the response.
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

// SetDeadline limits the time for the response to AccountTimeout, starting with the first call of
// SetDeadline.
func (c *Call) SetDeadline() {
	if c.CancelDeadline == nil {
		var ctx context.Context
		c.baseContext = c.Request.Context()
		ctx, c.CancelDeadline = context.WithTimeout(c.baseContext, cmp.Or(c.Shared.AccountTimeout, AccountTimeout))
		if c.Principal.Account != nil {
			ctx = storage.WithActor(ctx, c.actor())
		}
		c.Request = c.Request.WithContext(ctx)
	}
}

// resetDeadline restarts AccountTimeout once the body has been read. Otherwise, a client that
// sends slowly could use up the time, and this would look like a failure of the service.
func (c *Call) resetDeadline() {
	if c.CancelDeadline != nil {
		c.CancelDeadline()
		c.CancelDeadline, c.Request = nil, c.Request.WithContext(c.baseContext)
		c.SetDeadline()
	}
}
