package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/live"
	"kindex/edge/ratelimit"
)

// Cost classifies routes by what a request costs the caller.
type Cost int

// The costs of routes.
const (
	Unmetered Cost = iota // not under /api: a page; requests are rate-limited
	File                  // not under /api: a file of a build, which anyone, including a CDN, can download
	Asset                 // not under /api: bytes held in memory
	Free                  // sends the limit headers but does not count towards the limit; rate-limited like pages
	Metered
	// Conditional is like Metered, but for handlers that return a file or a stream. The response's
	// entity tag depends only on the build and the query, so a caller without remaining requests
	// can still receive a 304.
	Conditional
)

// CostOfPath returns the cost of requests to a path by its beginning, for what is decided without a route.
func CostOfPath(path string) Cost {
	switch {
	case path == "/api/openapi" || strings.HasPrefix(path, "/api/sdk/"):
		return Free
	case path == "/api" || strings.HasPrefix(path, "/api/"):
		return Metered
	}
	return Unmetered
}

// OuterCall is the context key of the call to /mcp for which a request is made within the process.
type OuterCall struct{}

// Run admits the request, keeps one build open for it, and sends what the handler returns.
func (c *Call) Run(w http.ResponseWriter, builds *live.Reloader, cost Cost, params []string, h Handler) {
	if err := c.run(w, builds, cost, params, h); err != nil {
		c.Fail(w, err)
	}
}

func (c *Call) run(w http.ResponseWriter, builds *live.Reloader, cost Cost, params []string, h Handler) (err error) {
	if err := c.Reserve(cost); err != nil {
		return err
	}
	if err := c.limitConcurrency(cost); err != nil {
		return err
	}
	if c.Served = builds.Current(); c.Served == nil {
		return ErrNotReady()
	}
	c.BuildOnly = CostOfPath(c.Request.URL.Path) == Metered
	w.Header()["X-Build"] = c.Served.BuildHeader
	if cost == Unmetered && c.reads() {
		h = c.charged(h)
	}
	if c.Query, err = c.parameters(params); err != nil {
		return err
	}
	r, err := h(c)
	if err := cmp.Or(c.Query.Err, err); err != nil {
		return err
	}
	return c.respond(w, r)
}

func (c *Call) reads() bool {
	return c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
}

// quota counts one request. The request is counted before any work is done for it, and uncounted
// if the response turns out to be free.
type quota struct {
	subject ratelimit.Subject
	state   ratelimit.State
	cost    Cost
	counted bool
	// exhausted is set if the caller has no requests left. The request can then only be answered
	// with a 304.
	exhausted bool
}

// Reserve identifies the caller and counts the request. It returns an error if the key is
// invalid or the limit has been reached.
func (c *Call) Reserve(cost Cost) error {
	q := &c.quota
	if q.cost = cost; cost < Free {
		return nil
	}
	refused := c.Identify()
	if q.subject = c.subject(); q.subject.Limit == 0 { // there is no limit for this tier
		q.cost = Unmetered
		return refused
	}
	var p *Problem
	if cost == Free || errors.As(refused, &p) && (p.Status >= 500 || p.Status == http.StatusTooManyRequests) {
		c.peek()
		return refused
	}
	var err error
	if q.state, err = c.Shared.Limits.Quota.Take(c.Request.Context(), q.subject); err != nil {
		q.state = ratelimit.Unknown(q.subject, c.Shared.Now())
		return StateProblem(err)
	}
	if q.counted = q.state.Allowed; q.counted {
		return refused
	}
	// The check for a 304 is counted, whether or not the response has changed.
	if refused != nil || !c.mayBeNotModified() || !c.Shared.Limits.Quota.TakeUnchanged(c.Request.Context(), q.subject) {
		return c.exceeded(refused)
	}
	q.exhausted = true
	return nil
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
func (c *Call) mayBeNotModified() bool {
	tags, query := c.Request.Header["If-None-Match"], c.Request.URL.RawQuery
	return c.quota.cost == Conditional && c.reads() && len(tags) == 1 && len(tags[0]) <= maxLookupLen && strings.Contains(tags[0], `"`) &&
		len(query) <= maxLookupLen && strings.Count(query, "&") < maxLookupParams
}

// Charge counts further requests for a request that costs more than one. If fewer remain, it
// returns a problem with status 429, and the request costs nothing.
func (c *Call) Charge(requests int64) error {
	q := &c.quota
	if requests == 0 || !q.counted {
		return nil
	}
	state, ok, err := c.Shared.Limits.Quota.TakeMore(c.Request.Context(), q.subject, q.state, requests)
	switch {
	case err != nil:
		return StateProblem(err)
	case ok:
		q.state = state
		return nil
	}
	c.giveBack()
	p := c.exceeded(nil)
	p.Detail = fmt.Sprintf("This costs %d requests, but only %d of %d remain; the limit resets at %s. Nothing was counted.",
		requests+1, q.state.Remaining, q.state.Limit, q.state.Reset.UTC().Format(time.RFC3339))
	return p
}

func (c *Call) peek() {
	q := &c.quota
	var err error
	if q.state, err = c.Shared.Limits.Quota.Peek(c.Request.Context(), q.subject); err != nil {
		q.state = ratelimit.Unknown(q.subject, c.Shared.Now())
		if !c.ClientGone() {
			c.Shared.Log.Error("reading a counter", "requestId", c.ID, "error", err)
		}
	}
}

// exceeded returns the problem for a caller who has reached the limit. If the key was rejected,
// refused is the reason, which the problem must include: otherwise, the caller might think that
// the key's own limit had been reached.
func (c *Call) exceeded(refused error) *Problem {
	state := &c.quota.state
	detail := fmt.Sprintf("The limit of %d requests has been reached; it resets at %s.", state.Limit, state.Reset.UTC().Format(time.RFC3339))
	switch {
	case refused != nil:
		detail += " This is the limit of your IP address, because your key was rejected: " + refused.Error()
	case c.Principal.Account == nil:
		detail += " A key has a higher limit."
	}
	return NewProblem("rate-limited", detail+c.Shared.ContactSentence(" For a higher limit, write to %s.")).RetryAfter(state.Wait(c.Shared.Now()))
}

func (c *Call) giveBack() {
	q := &c.quota
	q.counted = false
	if state, err := c.Shared.Limits.Quota.Give(c.Request.Context(), q.subject, q.state); err == nil {
		q.state = state
	}
}

// finalize is called with the status when the response starts. It uncounts a request that turns
// out to be free, and sets the limit headers.
func (c *Call) finalize(h http.Header, status int) {
	q := &c.quota
	if q.cost < Free {
		return
	}
	notModified := status == http.StatusNotModified && c.matchesETag(h)
	if q.counted && (status >= 500 && !c.ClientGone() || notModified && c.Shared.Limits.Quota.TakeUnchanged(c.Request.Context(), q.subject)) {
		c.giveBack()
	}
	q.state.SetHeaders(h, c.Shared.Now())
}

// SetLimitHeaders sets the headers for the anonymous limit, for a response without a route under /api. The
// request does not count towards that limit, and its key is not looked up.
func (c *Call) SetLimitHeaders(h http.Header) {
	if CostOfPath(c.Request.URL.Path) == Unmetered {
		return
	}
	if c.quota.subject = c.subject(); c.quota.subject.Limit != 0 {
		c.peek()
		c.quota.state.SetHeaders(h, c.Shared.Now())
	}
}

// subject returns the subject whose limit the request counts towards. If that limit is 0, the
// request is not counted.
func (c *Call) subject() ratelimit.Subject {
	if a := c.Principal.Account; a != nil {
		return ratelimit.AccountSubject(a.ID, a.Quota, a.Window, c.Shared.LimitKey)
	}
	return ratelimit.AddressSubject(c.clientAddr(), c.Shared.LimitAnonymous)
}

func (c *Call) clientAddr() netip.Addr { return c.Shared.Proxies.Client(c.Request) }

// Identify identifies the caller. A request with an invalid key is rejected, not treated as
// anonymous.
func (c *Call) Identify() error {
	sent, anonymous, err := apikey.FromHeader(c.Request.Header)
	if anonymous {
		return nil
	}
	if err == nil {
		err = c.Shared.Keys.Refused(sent)
	}
	if err != nil {
		return Unauthorized(err.Error())
	}
	// Looking up an unknown key costs a database query, whether or not its address has requests left. The owners of
	// valid keys may share the address: keys that were valid recently are still accepted, and whoever repeats one
	// wrong key, or a revoked or expired one, uses up nothing.
	if wait, ok := c.Shared.Limits.Allow(ratelimit.UnknownKey, c.clientAddr(), 0); !ok && !c.Shared.Keys.WasValid(sent) {
		return NewProblem("rate-limited", "Too many unknown keys from this IP address; wait a minute.").RetryAfter(wait)
	}
	key, account, err := c.Shared.Keys.Identify(c.Request.Context(), sent)
	var suspended *apikey.SuspendedError
	switch {
	case err == nil:
		c.Principal = Principal{Account: &account, Key: key}
		return nil
	case errors.Is(err, apikey.ErrUnknown):
		c.Shared.Limits.Allow(ratelimit.UnknownKey, c.clientAddr(), 1)
		return Unauthorized(err.Error())
	case errors.Is(err, apikey.ErrRevoked), errors.Is(err, apikey.ErrExpired), errors.Is(err, apikey.ErrMalformed):
		return Unauthorized(err.Error())
	case errors.As(err, &suspended):
		return c.Shared.SuspendedProblem(suspended)
	}
	return StateProblem(err)
}

// limitConcurrency limits what no daily limit covers: how often an IP address sends requests, and
// how many calls run at once. The slot is released when the response begins. A request with a body gets
// no slot, because its client would occupy the slot while sending the body; the handler that
// reads the body limits the cost of such a request.
func (c *Call) limitConcurrency(cost Cost) error {
	switch {
	case cost == Asset || cost >= Metered || c.Request.Context().Value(OuterCall{}) != nil: // requests from /mcp are limited there
		return nil
	case cost == File:
		return c.EnterGate(c.Shared.Limits.FileGate)
	}
	if err := c.LimitRate(); err != nil || !c.reads() {
		return err
	}
	return c.EnterGate(c.Shared.Limits.PageGate)
}

// PageCost is the processor time that one token of an address's allowance pays for. Answers that take
// more cost more tokens, so that --limit-pages limits the work that an address causes, whichever pages
// it requests: 50 a second are half a processor's time.
const PageCost = 10 * time.Millisecond

// ratedAddress returns the address whose allowance of pages a request uses, and whether there is a limit
// for it.
func (c *Call) ratedAddress() (netip.Addr, bool) {
	// A request with contradictory forwarding headers is attributed to the proxy, which may be on
	// this machine. A client must not become exempt from the limit that way.
	addr := c.clientAddr()
	return addr, c.Shared.Limits.Pages != nil && (!addr.IsLoopback() || c.Shared.Proxies.Relayed(c.Request))
}

// charged returns a handler that also takes the work of an answer, beyond one PageCost, out of the
// address's allowance.
func (c *Call) charged(h Handler) Handler {
	addr, limited := c.ratedAddress()
	if !limited {
		return h
	}
	return func(call *Call) (*Reply, error) {
		// A goroutine that keeps its thread can read what the thread has used.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		start := ThreadTime()
		r, err := h(call)
		if tokens := int((ThreadTime() - start) / PageCost); tokens > 0 {
			c.Shared.Limits.Pages.Take(addr, tokens)
		}
		return r, err
	}
}

// LimitRate rejects a request from an IP address that requests pages too often.
func (c *Call) LimitRate() error {
	addr, limited := c.ratedAddress()
	if !limited || c.Shared.Limits.Pages.Take(addr, 1) {
		return nil
	}
	return NewProblem("busy", "Too many page requests from this IP address; wait a second. Files under /data/ have no limit.").RetryAfter(1)
}

// exporter returns the ID of the account or IP address whose exports are limited together.
func (c *Call) exporter() string {
	if c.quota.subject.ID != "" {
		return c.quota.subject.ID
	}
	return ratelimit.AddressSubject(c.clientAddr(), 0).ID
}

// EnterGate takes a slot in a gate, or returns a problem if none becomes free in time.
func (c *Call) EnterGate(g *ratelimit.Gate) error {
	leave, err := g.Enter(c.Request.Context(), "")
	c.leaveGate = leave
	return gateProblem(err)
}

// leave releases the call's slot in a gate, if it has one.
func (c *Call) leave() {
	if c.leaveGate != nil {
		c.leaveGate()
		c.leaveGate = nil
	}
}

// gateProblem converts an error from a gate to a problem.
func gateProblem(err error) error {
	switch {
	case errors.Is(err, ratelimit.ErrTooManyPerCaller):
		return NewProblem("busy", "You already have two filtered exports running; wait until one has finished. "+
			"This limit does not apply to exports without filters or to files under /data/.")
	case errors.Is(err, ratelimit.ErrBusy):
		return NewProblem("busy", "The service is busy; try again in a few seconds.")
	}
	return err
}
