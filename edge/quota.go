package edge

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/web"
)

// routeCost is what a route costs the caller.
type routeCost int

const (
	unmetered routeCost = iota // not under /api: a page, which is bounded as pages are
	file                       // not under /api: a file of a build, for everybody and every CDN
	asset                      // not under /api: bytes in memory
	free                       // shows the limit and counts nothing; rate-limited like pages
	metered
	// conditional is metered, for handlers that return a file or a stream, whose entity tag
	// depends only on the build and the query. A caller without remaining requests can
	// still get a 304.
	conditional
)

// costOf returns the cost of a path, whether or not it exists.
func costOf(path string) routeCost {
	switch {
	case path == "/api/openapi" || strings.HasPrefix(path, "/api/sdk/"):
		return free
	case path == "/api" || strings.HasPrefix(path, "/api/"):
		return metered
	}
	return unmetered
}

// limits are the counters of an edge: in memory and flushed to SQLite, which only it uses,
// or in PostgreSQL, which others can share. While PostgreSQL is unavailable, this edge
// counts anonymous requests by itself.
type limits struct {
	*ratelimit.Fallback
	memory *ratelimit.Memory // nil on PostgreSQL
	// notModified counts the free 304s. Each edge counts its own, in memory: the count
	// limits work, not usage.
	notModified *ratelimit.Memory
}

func newLimits(o Options) *limits {
	mo := ratelimit.MemoryOptions{Now: o.Now, Log: o.Log}
	notModified := ratelimit.NewMemory(nil, mo)
	if o.State.Engine() == storage.PostgreSQL {
		return &limits{Fallback: ratelimit.NewFallback(ratelimit.NewShared(o.State, o.Now), mo), notModified: notModified}
	}
	m := ratelimit.NewMemory(o.State, mo)
	return &limits{ratelimit.NewFallback(m, mo), m, notModified}
}

// freeNotModified is the number of free 304s, as a multiple of the limit.
const freeNotModified = 10

// allowNotModified counts a free 304 of a subject, or a check for one, and reports
// whether the limit allowed it.
func (l *limits) allowNotModified(ctx context.Context, who ratelimit.Subject) bool {
	who.Limit = min(who.Limit, math.MaxInt64/freeNotModified) * freeNotModified
	st, err := l.notModified.Take(ctx, who)
	return err == nil && st.Allowed
}

// close stores the remaining counts.
func (l *limits) close(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := errors.Join(l.Fallback.Close(ctx), l.notModified.Close(ctx))
	if l.memory != nil {
		err = errors.Join(err, l.memory.Close(ctx))
	}
	if err != nil {
		log.Error("storing the last request counts failed", "error", err)
	}
}

// quota counts one request. It is counted before any work is done for it, and uncounted if
// the response turns out to be free.
type quota struct {
	subject ratelimit.Subject
	state   ratelimit.State
	cost    routeCost
	counted bool
	// exhausted marks the request of a caller without remaining requests, which can only be
	// answered with 304.
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
	if c.quota.subject = c.subject(); c.quota.subject.Limit == 0 { // this tier has none
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
		// The check is counted, whether or not something has changed.
		if refused != nil {
			return c.Exceeded(refused)
		}
		if !c.mayBeNotModified() || !c.server.limits.allowNotModified(c.Request.Context(), c.quota.subject) {
			return c.Exceeded(nil)
		}
		c.quota.exhausted = true
	}
	return refused
}

// The maximum length, in bytes, of the query and of If-None-Match, and the maximum
// number of parameters, for which the entity tag is checked if the caller has no
// requests left: checking must not cost more than rejecting.
const (
	maxLookupLen    = 256
	maxLookupParams = 3
)

// mayBeNotModified reports whether a caller without remaining requests can get a 304:
// only if the route's handler does not generate a body, and the request lists an entity
// tag, not a star.
func (c *request) mayBeNotModified() bool {
	r := c.Request
	if c.quota.cost != conditional || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	tags := r.Header["If-None-Match"]
	return len(tags) == 1 && len(tags[0]) <= maxLookupLen && strings.Contains(tags[0], `"`) &&
		len(r.URL.RawQuery) <= maxLookupLen && strings.Count(r.URL.RawQuery, "&") < maxLookupParams
}

// count takes one of the remaining requests, if any. The error is the state's.
func (c *request) count() error {
	m := &c.quota
	var err error
	if m.state, err = c.server.limits.Take(c.Request.Context(), m.subject); err != nil {
		m.state = ratelimit.Unknown(m.subject, c.Shared.Now())
		return web.StateProblem(err)
	}
	m.counted = m.state.Allowed
	return nil
}

// peek reads the remaining requests.
func (c *request) peek() {
	m := &c.quota
	var err error
	if m.state, err = c.server.limits.Peek(c.Request.Context(), m.subject); err != nil {
		m.state = ratelimit.Unknown(m.subject, c.Shared.Now())
		if !c.ClientGone() {
			c.Shared.Log.Error("reading a counter", "requestId", c.ID, "error", err)
		}
	}
}

// Exceeded implements admission: it returns the problem for a caller who has reached
// the limit. refused, if not nil, is why the key was rejected; without it, the caller
// might think that the limit is the key's.
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
	p := web.NewProblem("rate-limited", detail+c.Shared.ContactSentence("", " For more, write to %s."))
	p.Header = http.Header{"Retry-After": {strconv.FormatInt(wait, 10)}}
	return p
}

// Finalize implements admission: it is called with the status when the response starts. It
// uncounts a free request and writes the headers. An error means that another response must
// be sent instead.
func (c *request) Finalize(h http.Header, status int) error {
	m := &c.quota
	if m.cost < free {
		return nil
	}
	notModified := status == http.StatusNotModified && c.MatchesETag(h)
	switch {
	case m.exhausted && status != http.StatusTooManyRequests && !notModified:
		return c.Exceeded(nil)
	case m.counted && (status >= 500 && !c.ClientGone() || notModified && c.server.limits.allowNotModified(c.Request.Context(), m.subject)):
		m.counted = false
		if state, err := c.server.limits.Give(c.Request.Context(), m.subject, m.state); err == nil {
			m.state = state
		}
	}
	m.state.SetHeaders(h, c.Shared.Now())
	return nil
}

// Exhausted implements admission.
func (c *request) Exhausted() bool { return c.quota.exhausted }
