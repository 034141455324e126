package edge

import (
	"context"
	"net/http"
	"net/netip"
	"runtime"
	"time"

	"kindex/edge/ratelimit"
	"kindex/edge/web"
)

// enterPast waits until a past day may be calculated. The caller calls leave when it is.
func (s *Server) enterPast() (leave func(), err error) {
	return s.shared.Limits.PastGate.Enter(context.Background(), "")
}

func (c *request) limits() *ratelimit.Limits { return c.Shared.Limits }

// limitConcurrency limits what no daily limit covers: how often an IP address sends requests, and
// how many calls run at once. A call releases its slot in LeaveGate. A request with a body gets
// no slot, because its client would occupy the slot while sending the body; the handler that
// reads the body limits the cost of such a request.
func (c *request) limitConcurrency(cost routeCost) error {
	if cost == asset || cost >= metered || c.Request.Context().Value(outerRequestKey{}) != nil { // requests from /mcp are limited there
		return nil
	}
	g := c.limits()
	if cost == file {
		return c.EnterGate(g.FileGate)
	}
	if err := c.limitRate(); err != nil {
		return err
	}
	if c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		return nil
	}
	return c.EnterGate(g.PageGate)
}

// pageCost is the processor time that one token of an address's allowance pays for. Answers that take
// more cost more tokens, so that --limit-pages limits the work that an address causes, whichever pages
// it requests: 50 a second are half a processor's time.
const pageCost = 10 * time.Millisecond

// ratedAddress returns the address whose allowance of pages a request uses, and whether there is a limit
// for it.
func (c *request) ratedAddress() (netip.Addr, bool) {
	// A request with contradictory forwarding headers is attributed to the proxy, which may be on
	// this machine. A client must not become exempt from the limit that way.
	proxies := c.Shared.Proxies
	addr := proxies.Client(c.Request)
	return addr, c.limits().Pages != nil && (!addr.IsLoopback() || proxies.Relayed(c.Request))
}

// charged returns a handler that also takes the work of an answer, beyond one pageCost, out of the
// address's allowance.
func (c *request) charged(h web.Handler) web.Handler {
	addr, limited := c.ratedAddress()
	if !limited {
		return h
	}
	return func(call *web.Call) (*web.Reply, error) {
		// A goroutine that keeps its thread can read what the thread has used.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		start := threadTime()
		r, err := h(call)
		if tokens := int((threadTime() - start) / pageCost); tokens > 0 {
			c.limits().Pages.Take(addr, tokens)
		}
		return r, err
	}
}

// limitRate rejects a request from an IP address that requests pages too often.
func (c *request) limitRate() error {
	addr, limited := c.ratedAddress()
	if !limited || c.limits().Pages.Take(addr, 1) {
		return nil
	}
	return web.NewProblem("busy", "Too many page requests from this IP address; wait a second. Files under /data/ have no limit.").RetryAfter(1)
}

// Exporter implements web.Admission. It returns the ID of the account or IP address whose exports
// are limited together.
func (c *request) Exporter() string {
	if c.quota.subject.ID != "" {
		return c.quota.subject.ID
	}
	return ratelimit.AddressSubject(c.Shared.Proxies.Client(c.Request), 0).ID
}
