package edge

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"

	"kindex/edge/keys"
	"kindex/edge/limit"
)

// caller is who asks.
type caller struct {
	account *keys.Account // nil for somebody without a key
	key     keys.Key
	address netip.Addr
}

// subject is on whose account the request is counted.
func (s *Server) subject(c caller) limit.Subject {
	if c.account == nil {
		return limit.OfAddress(c.address, s.options.LimitAnonymous)
	}
	return limit.OfAccount(c.account.ID, c.account.Quota, c.account.Window, s.options.LimitKey)
}

// identify finds out who asks. Whoever sends a key that is not good is nobody
// else instead, but refused.
func (c *call) identify() error {
	c.caller.address = c.server.proxies.Client(c.request)
	sent, anonymous, err := keys.Presented(c.request.Header)
	if anonymous {
		return nil
	}
	if err != nil {
		return unauthorized(err.Error())
	}
	key, account, err := c.server.keys.Identify(c.request.Context(), sent)
	var suspended *keys.SuspendedError
	switch {
	case err == nil:
		c.caller.key, c.caller.account = key, &account
		return nil
	case errors.Is(err, keys.ErrMalformed), errors.Is(err, keys.ErrUnknown), errors.Is(err, keys.ErrRevoked):
		return unauthorized(err.Error())
	case errors.As(err, &suspended):
		return c.server.suspended(suspended)
	}
	return stateProblem(err)
}

func (s *Server) suspended(err *keys.SuspendedError) *Problem {
	return newProblem("account-suspended", sentence(err.Error())+s.contact("", " Write to %s."))
}

// sentence makes one of an error.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

func unauthorized(detail string) *Problem {
	p := newProblem("unauthorized", sentence(detail))
	p.header = http.Header{"Www-Authenticate": {`ApiKey realm="kindex", header="x-api-key"`}}
	return p
}

// contact ends a sentence with the operator's address, if there is one.
func (s *Server) contact(without, with string) string {
	if s.options.Contact == "" {
		return without
	}
	return strings.Replace(with, "%s", s.options.Contact, 1)
}

// account is the account that asks; without a key the answer is 401.
func (c *call) account() (*keys.Account, error) {
	if c.caller.account == nil {
		return nil, unauthorized("this needs an API key, in the header x-api-key")
	}
	return c.caller.account, nil
}
