package edge

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kindex/edge/ratelimit"
	"kindex/edge/web"
)

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
		if !c.mayBeNotModified() || !c.limits().Quota.TakeUnchanged(c.Request.Context(), c.quota.subject) {
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
	if m.state, err = c.limits().Quota.Take(c.Request.Context(), m.subject); err != nil {
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
	state, ok, err := c.limits().Quota.TakeMore(c.Request.Context(), m.subject, m.state, requests)
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
	if m.state, err = c.limits().Quota.Peek(c.Request.Context(), m.subject); err != nil {
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
	if state, err := c.limits().Quota.Give(c.Request.Context(), m.subject, m.state); err == nil {
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
	if m.counted && (status >= 500 && !c.ClientGone() || notModified && c.limits().Quota.TakeUnchanged(c.Request.Context(), m.subject)) {
		c.giveBack()
	}
	m.state.SetHeaders(h, c.Shared.Now())
}

// Exhausted implements web.Admission.
func (c *request) Exhausted() bool { return c.quota.exhausted }

// setLimitHeaders sets the headers for the anonymous limit. The request does not count towards
// that limit, and its key is not looked up.
func (c *request) setLimitHeaders(h http.Header) {
	if costOf(c.Request.URL.Path) == unmetered {
		return
	}
	if c.quota.subject = c.subject(); c.quota.subject.Limit == 0 {
		return
	}
	c.peek()
	c.quota.state.SetHeaders(h, c.Shared.Now())
}
