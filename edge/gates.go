package edge

import (
	"context"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"time"

	"kindex/edge/ratelimit"
	"kindex/edge/web"
)

// gates limit concurrent work that no daily limit covers.
type gates struct {
	pages  *ratelimit.Gate
	images *ratelimit.Gate // preview images, which take more time than pages, have slots of their own
	files  *ratelimit.Gate // opening files under /data, which may have to be hashed
	past   *ratelimit.Gate // calculating a past day, which takes as much work as opening a build
	// addresses limits how often each IP address can request pages; it is nil if there is no
	// limit.
	addresses *ratelimit.Buckets
	// wrongKeys limits how many unknown keys are looked up per IP address.
	wrongKeys *ratelimit.Buckets
}

// The limits of the gates. A waiting request costs little more than a connection.
const (
	maxImages         = 2
	maxFiles          = 8
	maxExports        = 4
	exportsPerCaller  = 2 // per account, or per IP address without a key
	maxQueued         = 512
	maxPastWaiting    = 4
	pageWaitTimeout   = 3 * time.Second
	pastWaitTimeout   = 2 * time.Second
	exportWaitTimeout = 5 * time.Second
)

// pageBurstSeconds determines the burst size: an address can request as many pages at once as it
// is otherwise allowed in this many seconds.
const pageBurstSeconds = 2

// The limits on the number of unknown keys that are looked up in the database per IP address: the
// rate per second, and the burst.
const (
	wrongKeyRate  = 5
	wrongKeyBurst = 100
)

// newExportGate returns a gate for exports, each of which costs as much as hundreds of other
// requests. perCaller is how many of a caller's exports can run at once, or 0 if there is no
// limit; wait is how long further exports wait.
func newExportGate(perCaller int, wait time.Duration) *ratelimit.Gate {
	return ratelimit.NewGate(ratelimit.GateOptions{Slots: maxExports, PerCaller: perCaller, MaxWaiting: maxQueued / 8, Wait: wait})
}

func newGates(o Options) gates {
	g := gates{
		pages:     ratelimit.NewGate(ratelimit.GateOptions{Slots: max(8, 2*runtime.GOMAXPROCS(0)), MaxWaiting: maxQueued, Wait: pageWaitTimeout}),
		images:    ratelimit.NewGate(ratelimit.GateOptions{Slots: maxImages, MaxWaiting: maxQueued / 8, Wait: pageWaitTimeout}),
		files:     ratelimit.NewGate(ratelimit.GateOptions{Slots: maxFiles, MaxWaiting: maxQueued, Wait: pageWaitTimeout}),
		past:      ratelimit.NewGate(ratelimit.GateOptions{Slots: 1, MaxWaiting: maxPastWaiting, Wait: pastWaitTimeout}),
		wrongKeys: ratelimit.NewBuckets(wrongKeyRate, wrongKeyBurst, nil),
	}
	if rate := min(o.LimitPages, 1_000_000); rate > 0 {
		g.addresses = ratelimit.NewBuckets(rate, pageBurstSeconds*rate, nil)
	}
	return g
}

// enterPast waits until a past day may be calculated. The caller calls leave when it is.
func (s *Server) enterPast() (leave func(), err error) {
	g := s.gates.past
	return func() { g.Leave("") }, g.Enter(context.Background(), "")
}

// limitConcurrency limits what no daily limit covers: how often an IP address sends requests, and
// how many calls run at once. A call releases its slot in LeaveGate. A request with a body gets
// no slot, because its client would occupy the slot while sending the body; the handler that
// reads the body limits the cost of such a request.
func (c *request) limitConcurrency(cost routeCost) error {
	if cost == asset || cost >= metered || c.Request.Context().Value(outerRequestKey{}) != nil { // requests from /mcp are limited there
		return nil
	}
	g := &c.server.gates
	if cost == file {
		return c.EnterGate(g.files)
	}
	if err := c.limitRate(); err != nil {
		return err
	}
	switch {
	case c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead:
		return nil
	case strings.HasPrefix(c.Request.URL.Path, "/og/"):
		return c.EnterGate(g.images)
	}
	return c.EnterGate(g.pages)
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
	return addr, c.server.gates.addresses != nil && (!addr.IsLoopback() || proxies.Relayed(c.Request))
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
		c.server.gates.addresses.Charge(addr, int((threadTime()-start)/pageCost))
		return r, err
	}
}

// limitRate rejects a request from an IP address that requests pages too often.
func (c *request) limitRate() error {
	addr, limited := c.ratedAddress()
	if !limited || c.server.gates.addresses.Take(addr) {
		return nil
	}
	p := web.NewProblem("busy", "Too many page requests from this IP address; wait a second. Files under /data/ have no limit.")
	p.Header = http.Header{"Retry-After": {"1"}}
	return p
}

// Exporter implements web.Admission. It returns the ID of the account or IP address whose exports
// are limited together.
func (c *request) Exporter() string {
	if c.quota.subject.ID != "" {
		return c.quota.subject.ID
	}
	return ratelimit.AddressSubject(c.Shared.Proxies.Client(c.Request), 0).ID
}
