package web

import (
	"cmp"
	"context"
	"time"

	"kindex/edge/storage"
)

// AccountTimeout is how long an answer about what is an account's own may take, its body,
// the state and names of hosts included. Somebody may hold a lock in the database,
// or the network swallow what is sent.
const AccountTimeout = 20 * time.Second

// SetDeadline gives the answer AccountTimeout, from the first call on.
func (c *Call) SetDeadline() {
	if c.End == nil {
		var ctx context.Context
		c.whole = c.Request.Context()
		ctx, c.End = context.WithTimeout(c.whole, cmp.Or(c.Shared.AccountTimeout, AccountTimeout))
		if c.Principal.Account != nil {
			ctx = storage.WithActor(ctx, c.actor())
		}
		c.Request = c.Request.WithContext(ctx)
	}
}

// resetDeadline restarts AccountTimeout once the body has been read. Otherwise a client that sends
// slowly could use up the time, which would look like a failure of the service.
func (c *Call) resetDeadline() {
	if c.End != nil {
		c.End()
		c.End, c.Request = nil, c.Request.WithContext(c.whole)
		c.SetDeadline()
	}
}
