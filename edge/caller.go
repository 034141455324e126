package edge

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
)

// caller is who asks.
type caller struct {
	account *apikey.Account // nil for somebody without a key
	key     apikey.Key
}

// actor returns who makes the changes of this request, for the audit log.
func (c *call) actor() storage.Actor {
	return storage.Actor{Kind: storage.ByKey, ID: c.caller.key.ID, Name: c.caller.key.Name, Address: c.server.addressOfClient(c.request)}
}

// asSession returns the context for changes made by a person who is signed in.
func (s *Server) asSession(r *http.Request) context.Context {
	return storage.WithActor(r.Context(), storage.Actor{Kind: storage.BySession, Address: s.addressOfClient(r)})
}

// addressOfClient returns the IP address that a request comes from, as the audit log shows
// it.
func (s *Server) addressOfClient(r *http.Request) string {
	return s.proxies.Client(r).Unmap().WithZone("").String()
}

// subject is on whose account the request is counted; a limit of 0 tells that it is
// not.
func (c *call) subject() ratelimit.Subject {
	o := &c.server.options
	if a := c.caller.account; a != nil {
		return ratelimit.OfAccount(a.ID, a.Quota, a.Window, o.LimitKey)
	}
	if o.LimitAnonymous == 0 {
		return ratelimit.Subject{}
	}
	return ratelimit.OfAddress(c.server.proxies.Client(c.request), o.LimitAnonymous)
}

// identify finds out who asks. Whoever sends a key that is not good is nobody
// else instead, but refused.
func (c *call) identify() error {
	sent, anonymous, err := apikey.Presented(c.request.Header)
	if anonymous {
		return nil
	}
	if err != nil {
		return unauthorized(err.Error())
	}
	if err := c.mayLookUp(sent); err != nil {
		return err
	}
	key, account, err := c.server.keys.Identify(c.request.Context(), sent)
	var suspended *apikey.SuspendedError
	switch {
	case err == nil:
		c.caller = caller{account: &account, key: key}
		c.server.goodKeys.add(sent)
		return nil
	case errors.Is(err, apikey.ErrUnknown), errors.Is(err, apikey.ErrRevoked), errors.Is(err, apikey.ErrExpired):
		c.server.goodKeys.remove(sent)
		c.server.gates.wrongKeys.Take(c.server.proxies.Client(c.request))
		return unauthorized(err.Error())
	case errors.Is(err, apikey.ErrMalformed):
		return unauthorized(err.Error())
	case errors.As(err, &suspended):
		return c.server.suspended(suspended)
	}
	return stateProblem(err)
}

// mayLookUp refuses keys from an address that has sent many unknown ones: each costs a
// lookup in the state, whether or not the address has requests left. Keys that were
// recently valid are still accepted: their owners may share the address.
func (c *call) mayLookUp(sent string) error {
	wrong := c.server.gates.wrongKeys
	if wrong.Idle() || c.server.goodKeys.has(sent) || wrong.Left(c.server.proxies.Client(c.request)) {
		return nil
	}
	p := newProblem("rate-limited", "Too many unknown keys came from this IP address; wait a few seconds.")
	p.header = http.Header{"Retry-After": {"10"}}
	return p
}

// goodKeys remembers recently valid keys, as hashes with a seed of this process: each slot
// holds the latest one. Its size is fixed whatever is sent.
type goodKeys struct {
	seed  maphash.Seed
	slots [4096]atomic.Uint64
}

func (g *goodKeys) slot(key string) (*atomic.Uint64, uint64) {
	h := maphash.String(g.seed, key)
	return &g.slots[h%uint64(len(g.slots))], h
}

func (g *goodKeys) has(key string) bool {
	slot, h := g.slot(key)
	return slot.Load() == h
}

func (g *goodKeys) add(key string) {
	if slot, h := g.slot(key); slot.Load() != h {
		slot.Store(h)
	}
}

func (g *goodKeys) remove(key string) {
	slot, h := g.slot(key)
	slot.CompareAndSwap(h, 0)
}

func (s *Server) suspended(err *apikey.SuspendedError) *Problem {
	return newProblem("account-suspended", sentence(err.Error())+s.contact("", " Write to %s."))
}

// sentence makes one of an error.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

func unauthorized(detail string) *Problem {
	p := newProblem("unauthorized", sentence(detail))
	p.header = http.Header{"Www-Authenticate": {`ApiKey realm="kindex", header="x-api-key"`}}
	return p
}

// needs answers callers whose key lacks the scope with 403. Callers without a key pass:
// handlers that need an account refuse them.
func needs(scope apikey.Scope, answer handler) handler {
	if scope == anyScope {
		return answer
	}
	return func(c *call) (*reply, error) {
		if err := c.permit(scope); err != nil {
			return nil, err
		}
		return answer(c)
	}
}

func (c *call) permit(scope apikey.Scope) error {
	if c.caller.account == nil || c.caller.key.Scopes.Has(scope) {
		return nil
	}
	return insufficientScope(scope, "This operation needs a key with the scope "+string(scope)+"; this key has "+c.caller.key.Scopes.String()+".")
}

// insufficientScope returns the problem for a key without the needed scope, with a
// challenge as in RFC 6750, section 3.1.
func insufficientScope(needed apikey.Scope, detail string) *Problem {
	p := newProblem("insufficient-scope", detail)
	p.header = http.Header{"Www-Authenticate": {`ApiKey realm="kindex", header="x-api-key", error="insufficient_scope", scope="` + string(needed) + `"`}}
	return p
}

// contact ends a sentence with the operator's address, if there is one.
func (s *Server) contact(without, with string) string {
	if s.options.Contact == "" {
		return without
	}
	return strings.Replace(with, "%s", s.options.Contact, 1)
}

// ownTime is how long an answer about what is an account's own may take, its body,
// the state and names of hosts included. Somebody may hold a lock in the database,
// or the network swallow what is sent.
const ownTime = 20 * time.Second

// account is the account that asks; without a key the answer is 401. The time for
// the answer runs from the first call.
func (c *call) account() (*apikey.Account, error) {
	if c.caller.account == nil {
		return nil, unauthorized("this needs an API key, in the header x-api-key")
	}
	c.hurry()
	return c.caller.account, nil
}

// hurry gives the answer ownTime, from the first call on.
func (c *call) hurry() {
	if c.end == nil {
		var ctx context.Context
		c.whole = c.request.Context()
		ctx, c.end = context.WithTimeout(c.whole, cmp.Or(c.server.waits.own, ownTime))
		if c.caller.account != nil {
			ctx = storage.WithActor(ctx, c.actor())
		}
		c.request = c.request.WithContext(ctx)
	}
}

// arrived restarts ownTime once the body has been read. Otherwise a client that sends
// slowly could use up the time, which would look like a failure of the service.
func (c *call) arrived() {
	if c.end != nil {
		c.end()
		c.end, c.request = nil, c.request.WithContext(c.whole)
		c.hurry()
	}
}
