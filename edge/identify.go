package edge

import (
	"errors"

	"kindex/edge/apikey"
	"kindex/edge/ratelimit"
	"kindex/edge/web"
)

// subject returns the subject whose limit the request counts towards. If that limit is 0, the
// request is not counted.
func (c *request) subject() ratelimit.Subject {
	o := &c.server.options
	if a := c.Principal.Account; a != nil {
		return ratelimit.AccountSubject(a.ID, a.Quota, a.Window, o.LimitKey)
	}
	if o.LimitAnonymous == 0 {
		return ratelimit.Subject{}
	}
	return ratelimit.AddressSubject(c.Shared.Proxies.Client(c.Request), o.LimitAnonymous)
}

// identify identifies the caller. A request with an invalid key is rejected, not treated as
// anonymous.
func (c *request) identify() error {
	sent, anonymous, err := apikey.FromHeader(c.Request.Header)
	if anonymous {
		return nil
	}
	if err != nil {
		return web.Unauthorized(err.Error())
	}
	if err := c.server.keys.Refused(sent); err != nil {
		return web.Unauthorized(err.Error())
	}
	if err := c.checkLookupRate(sent); err != nil {
		return err
	}
	key, account, err := c.server.keys.Identify(c.Request.Context(), sent)
	var suspended *apikey.SuspendedError
	switch {
	case err == nil:
		c.Principal = web.Principal{Account: &account, Key: key}
		return nil
	case errors.Is(err, apikey.ErrUnknown):
		c.limits().Allow(ratelimit.UnknownKey, c.Shared.Proxies.Client(c.Request), 1)
		return web.Unauthorized(err.Error())
	case errors.Is(err, apikey.ErrRevoked), errors.Is(err, apikey.ErrExpired), errors.Is(err, apikey.ErrMalformed):
		return web.Unauthorized(err.Error())
	case errors.As(err, &suspended):
		return c.Shared.SuspendedProblem(suspended)
	}
	return web.StateProblem(err)
}

// checkLookupRate rejects keys from an IP address that has sent many different unknown keys. Looking
// up an unknown key costs a database query, whether or not the address has requests left. The owners
// of valid keys may share the address: keys that were valid recently are still accepted, and whoever
// repeats one wrong key, or a revoked or expired one, uses up nothing.
func (c *request) checkLookupRate(sent string) error {
	wait, ok := c.limits().Allow(ratelimit.UnknownKey, c.Shared.Proxies.Client(c.Request), 0)
	if ok || c.server.keys.WasValid(sent) {
		return nil
	}
	return web.NewProblem("rate-limited", "Too many unknown keys from this IP address; wait a minute.").RetryAfter(wait)
}

// requireScope rejects requests with a key that lacks the scope with 403 and, unless the scope is that
// of reading, requests without a key with 401.
func requireScope(scope apikey.Scope, answer web.Handler) web.Handler {
	if scope == anyScope {
		return answer
	}
	return func(c *web.Call) (*web.Reply, error) {
		if err := c.RequireScope(scope); err != nil {
			return nil, err
		}
		if scope != apikey.ScopeRead {
			if _, err := c.Account(); err != nil {
				return nil, err
			}
		}
		return answer(c)
	}
}

// anyScope is the scope of routes that every key can use, or that check the scopes themselves.
const anyScope apikey.Scope = ""
