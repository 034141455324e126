package web

import (
	"cmp"
	"context"
	"time"

	"kindex/edge/storage"
)

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
