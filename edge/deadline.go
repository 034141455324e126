package edge

import (
	"cmp"
	"context"
	"time"

	"kindex/edge/storage"
)

// ownTime is how long an answer about what is an account's own may take, its body,
// the state and names of hosts included. Somebody may hold a lock in the database,
// or the network swallow what is sent.
const ownTime = 20 * time.Second

// hurry gives the answer ownTime, from the first call on.
func (c *call) hurry() {
	if c.end == nil {
		var ctx context.Context
		c.whole = c.request.Context()
		ctx, c.end = context.WithTimeout(c.whole, cmp.Or(c.shared.accountTimeout, ownTime))
		if c.principal.account != nil {
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
