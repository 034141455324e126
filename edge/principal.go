package edge

import (
	"context"
	"net/http"
	"strings"

	"kindex/edge/apikey"
	"kindex/edge/storage"
)

// principal is who asks.
type principal struct {
	account *apikey.Account // nil for somebody without a key
	key     apikey.Key
}

// actor returns who makes the changes of this request, for the audit log.
func (c *call) actor() storage.Actor {
	return storage.Actor{Kind: storage.ByKey, ID: c.principal.key.ID, Name: c.principal.key.Name, Address: c.shared.addressOfClient(c.request)}
}

// asSession returns the context for changes made by a person who is signed in.
func (s *Shared) asSession(r *http.Request) context.Context {
	return storage.WithActor(r.Context(), storage.Actor{Kind: storage.BySession, Address: s.addressOfClient(r)})
}

// addressOfClient returns the IP address that a request comes from, as the audit log shows
// it.
func (s *Shared) addressOfClient(r *http.Request) string {
	return s.proxies.Client(r).Unmap().WithZone("").String()
}

func (s *Shared) suspended(err *apikey.SuspendedError) *Problem {
	return newProblem("account-suspended", sentence(err.Error())+s.contact("", " Write to %s."))
}

// sentence makes one of an error.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

func unauthorized(detail string) *Problem {
	p := newProblem("unauthorized", sentence(detail))
	p.header = http.Header{"Www-Authenticate": {`ApiKey realm="kindex", header="x-api-key"`}}
	return p
}

func (c *call) permit(scope apikey.Scope) error {
	if c.principal.account == nil || c.principal.key.Scopes.Has(scope) {
		return nil
	}
	return insufficientScope(scope, "This operation needs a key with the scope "+string(scope)+"; this key has "+c.principal.key.Scopes.String()+".")
}

// insufficientScope returns the problem for a key without the needed scope, with a
// challenge as in RFC 6750, section 3.1.
func insufficientScope(needed apikey.Scope, detail string) *Problem {
	p := newProblem("insufficient-scope", detail)
	p.header = http.Header{"Www-Authenticate": {`ApiKey realm="kindex", header="x-api-key", error="insufficient_scope", scope="` + string(needed) + `"`}}
	return p
}

// contact ends a sentence with the operator's address, if there is one.
func (s *Shared) contact(without, with string) string {
	if s.contactAddress == "" {
		return without
	}
	return strings.Replace(with, "%s", s.contactAddress, 1)
}

// account is the account that asks; without a key the answer is 401. The time for
// the answer runs from the first call.
func (c *call) account() (*apikey.Account, error) {
	if c.principal.account == nil {
		return nil, unauthorized("this needs an API key, in the header x-api-key")
	}
	c.hurry()
	return c.principal.account, nil
}
