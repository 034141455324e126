package edge

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/ratelimit"
	"kindex/edge/web"
)

// request is a call together with its admission.
type request struct {
	*web.Call
	server *Server
	quota  quota
}

// routeCost classifies routes by what a request costs the caller.
type routeCost int

const (
	unmetered routeCost = iota // not under /api: a page; requests are rate-limited
	file                       // not under /api: a file of a build, which anyone, including a CDN, can download
	asset                      // not under /api: bytes held in memory
	free                       // sends the limit headers but does not count towards the limit; rate-limited like pages
	metered
	// conditional is like metered, but for handlers that return a file or a stream. The response's
	// entity tag depends only on the build and the query, so a caller without remaining requests
	// can still receive a 304.
	conditional
)

// costOfPath returns the cost of requests to a path by its beginning, for what is decided without a route; routes have
// their own cost, see routeTable.
func costOfPath(path string) routeCost {
	switch {
	case path == "/api/openapi" || strings.HasPrefix(path, "/api/sdk/"):
		return free
	case path == "/api" || strings.HasPrefix(path, "/api/"):
		return metered
	}
	return unmetered
}

// outerRequestKey is the context key for the request to /mcp.
type outerRequestKey struct{}

// quota counts one request. The request is counted before any work is done for it, and uncounted
// if the response turns out to be free.
type quota struct {
	subject ratelimit.Subject
	state   ratelimit.State
	cost    routeCost
	counted bool
	// exhausted is set if the caller has no requests left. The request can then only be answered
	// with a 304.
	exhausted bool
}

// reserve identifies the caller and counts the request. It returns an error if the key is
// invalid or the limit has been reached.
func (c *request) reserve(cost routeCost) error {
	c.quota.cost = cost
	if cost < free {
		return nil
	}
	refused := c.identify()
	if c.quota.subject = c.subject(); c.quota.subject.Limit == 0 { // there is no limit for this tier
		c.quota.cost = unmetered
		return refused
	}
	var p *web.Problem
	if cost == free || errors.As(refused, &p) && (p.Status >= 500 || p.Status == http.StatusTooManyRequests) {
		c.peek()
		return refused
	}
	if err := c.count(); err != nil {
		return err
	}
	if !c.quota.counted {
		// The check for a 304 is counted, whether or not the response has changed.
		if refused != nil {
			return c.Exceeded(refused)
		}
		if !c.mayBeNotModified() || !c.Shared.Limits.Quota.TakeUnchanged(c.Request.Context(), c.quota.subject) {
			return c.Exceeded(nil)
		}
		c.quota.exhausted = true
	}
	return refused
}

// If a caller has no requests left, the entity tag is checked only up to these limits: the
// maximum length of the query and of If-None-Match in bytes, and the maximum number of
// parameters. The check must not cost more than rejecting the request.
const (
	maxLookupLen    = 256
	maxLookupParams = 3
)

// mayBeNotModified reports whether a caller without remaining requests can receive a 304. This
// requires that the route's handler does not generate a body, and that If-None-Match is a list of
// entity tags rather than an asterisk.
func (c *request) mayBeNotModified() bool {
	r := c.Request
	if c.quota.cost != conditional || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	tags := r.Header["If-None-Match"]
	return len(tags) == 1 && len(tags[0]) <= maxLookupLen && strings.Contains(tags[0], `"`) &&
		len(r.URL.RawQuery) <= maxLookupLen && strings.Count(r.URL.RawQuery, "&") < maxLookupParams
}

// count uses one of the remaining requests, if there are any. It returns an error if the
// database fails.
func (c *request) count() error {
	m := &c.quota
	var err error
	if m.state, err = c.Shared.Limits.Quota.Take(c.Request.Context(), m.subject); err != nil {
		m.state = ratelimit.Unknown(m.subject, c.Shared.Now())
		return web.StateProblem(err)
	}
	m.counted = m.state.Allowed
	return nil
}

// Charge implements web.Admission.
func (c *request) Charge(requests int64) error {
	m := &c.quota
	if requests == 0 || !m.counted {
		return nil
	}
	state, ok, err := c.Shared.Limits.Quota.TakeMore(c.Request.Context(), m.subject, m.state, requests)
	switch {
	case err != nil:
		return web.StateProblem(err)
	case ok:
		m.state = state
		return nil
	}
	c.giveBack()
	p := c.Exceeded(nil)
	p.Detail = fmt.Sprintf("This costs %d requests, but only %d of %d remain; the limit resets at %s. Nothing was counted.",
		requests+1, m.state.Remaining, m.state.Limit, m.state.Reset.UTC().Format(time.RFC3339))
	return p
}

// peek reads the remaining requests.
func (c *request) peek() {
	m := &c.quota
	var err error
	if m.state, err = c.Shared.Limits.Quota.Peek(c.Request.Context(), m.subject); err != nil {
		m.state = ratelimit.Unknown(m.subject, c.Shared.Now())
		if !c.ClientGone() {
			c.Shared.Log.Error("reading a counter", "requestId", c.ID, "error", err)
		}
	}
}

// Exceeded implements web.Admission. It returns the problem for a caller who has reached the
// limit. If the key was rejected, refused is the reason, which the problem must include:
// otherwise, the caller might think that the key's own limit had been reached.
func (c *request) Exceeded(refused error) *web.Problem {
	m := &c.quota
	wait := m.state.Wait(c.Shared.Now())
	detail := "The limit of " + strconv.FormatInt(m.state.Limit, 10) + " requests has been reached; it resets at " + m.state.Reset.UTC().Format(time.RFC3339) + "."
	switch {
	case refused != nil:
		detail += " This is the limit of your IP address, because your key was rejected: " + refused.Error()
	case c.Principal.Account == nil:
		detail += " A key has a higher limit."
	}
	return web.NewProblem("rate-limited", detail+c.Shared.ContactSentence("", " For a higher limit, write to %s.")).RetryAfter(wait)
}

// giveBack uncounts the request.
func (c *request) giveBack() {
	m := &c.quota
	m.counted = false
	if state, err := c.Shared.Limits.Quota.Give(c.Request.Context(), m.subject, m.state); err == nil {
		m.state = state
	}
}

// Finalize implements web.Admission.
func (c *request) Finalize(h http.Header, status int) {
	m := &c.quota
	if m.cost < free {
		return
	}
	notModified := status == http.StatusNotModified && c.MatchesETag(h)
	if m.counted && (status >= 500 && !c.ClientGone() || notModified && c.Shared.Limits.Quota.TakeUnchanged(c.Request.Context(), m.subject)) {
		c.giveBack()
	}
	m.state.SetHeaders(h, c.Shared.Now())
}

// Exhausted implements web.Admission.
func (c *request) Exhausted() bool { return c.quota.exhausted }

// setLimitHeaders sets the headers for the anonymous limit. The request does not count towards
// that limit, and its key is not looked up.
func (c *request) setLimitHeaders(h http.Header) {
	if costOfPath(c.Request.URL.Path) == unmetered {
		return
	}
	if c.quota.subject = c.subject(); c.quota.subject.Limit == 0 {
		return
	}
	c.peek()
	c.quota.state.SetHeaders(h, c.Shared.Now())
}

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
		c.Shared.Limits.Allow(ratelimit.UnknownKey, c.Shared.Proxies.Client(c.Request), 1)
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
	wait, ok := c.Shared.Limits.Allow(ratelimit.UnknownKey, c.Shared.Proxies.Client(c.Request), 0)
	if ok || c.server.keys.WasValid(sent) {
		return nil
	}
	return web.NewProblem("rate-limited", "Too many unknown keys from this IP address; wait a minute.").RetryAfter(wait)
}

// limitConcurrency limits what no daily limit covers: how often an IP address sends requests, and
// how many calls run at once. A call releases its slot in LeaveGate. A request with a body gets
// no slot, because its client would occupy the slot while sending the body; the handler that
// reads the body limits the cost of such a request.
func (c *request) limitConcurrency(cost routeCost) error {
	if cost == asset || cost >= metered || c.Request.Context().Value(outerRequestKey{}) != nil { // requests from /mcp are limited there
		return nil
	}
	g := c.Shared.Limits
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
	return addr, c.Shared.Limits.Pages != nil && (!addr.IsLoopback() || proxies.Relayed(c.Request))
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
			c.Shared.Limits.Pages.Take(addr, tokens)
		}
		return r, err
	}
}

// limitRate rejects a request from an IP address that requests pages too often.
func (c *request) limitRate() error {
	addr, limited := c.ratedAddress()
	if !limited || c.Shared.Limits.Pages.Take(addr, 1) {
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
