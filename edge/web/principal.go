package web

import (
	"context"
	"net/http"
	"strings"

	"kindex/edge/apikey"
	"kindex/edge/storage"
)

// Principal is the caller.
type Principal struct {
	Account *apikey.Account // nil without a key
	Key     apikey.Key
}

// actor returns the actor of this request, for the audit log.
func (c *Call) actor() storage.Actor {
	return storage.Actor{Kind: storage.ByKey, ID: c.Principal.Key.ID, Name: c.Principal.Key.Name, Address: c.Shared.ClientAddress(c.Request)}
}

// WithSessionActor returns the context for changes made by a signed-in user.
func (s *Shared) WithSessionActor(r *http.Request) context.Context {
	return storage.WithActor(r.Context(), storage.Actor{Kind: storage.BySession, Address: s.ClientAddress(r)})
}

// ClientAddress returns the IP address that a request comes from, as the audit log shows
// it.
func (s *Shared) ClientAddress(r *http.Request) string {
	return s.Proxies.Client(r).Unmap().WithZone("").String()
}

func (s *Shared) SuspendedProblem(err *apikey.SuspendedError) *Problem {
	return NewProblem("account-suspended", AsSentence(err.Error())+s.ContactSentence("", " Write to %s."))
}

// AsSentence formats an error as a sentence.
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

// InsufficientScope returns the problem for a key without the required scope, with a
// challenge as in RFC 6750, section 3.1.
func InsufficientScope(needed apikey.Scope, detail string) *Problem {
	p := NewProblem("insufficient-scope", detail)
	p.Header = http.Header{"Www-Authenticate": {`ApiKey realm="kindex", header="x-api-key", error="insufficient_scope", scope="` + string(needed) + `"`}}
	return p
}

// ContactSentence completes a sentence with the operator's address, if there is one.
func (s *Shared) ContactSentence(without, with string) string {
	if s.ContactAddress == "" {
		return without
	}
	return strings.Replace(with, "%s", s.ContactAddress, 1)
}

// Account returns the caller's account; without a key the response is 401. The time limit
// of the response starts with the first call.
func (c *Call) Account() (*apikey.Account, error) {
	if c.Principal.Account == nil {
		return nil, Unauthorized("this operation needs an API key in the header x-api-key")
	}
	c.SetDeadline()
	return c.Principal.Account, nil
}
