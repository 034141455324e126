package edge

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kindex/edge/limit"
	"kindex/edge/state"
)

// metering says what a route costs.
type metering int

const (
	unmetered metering = iota // not below /api
	free                      // tells the limit and costs nothing
	metered
)

// meterOf says what an address costs, whether or not there is something at it.
func meterOf(path string) metering {
	switch {
	case path == "/api/openapi" || strings.HasPrefix(path, "/api/sdk/"):
		return free
	case path == "/api" || strings.HasPrefix(path, "/api/"):
		return metered
	}
	return unmetered
}

// limits are the counters of an edge: in memory over SQLite, which it has for
// itself, and in PostgreSQL, which others may share. While these cannot be
// reached, strangers are counted by this edge alone.
type limits struct {
	*limit.Fallback
	memory *limit.Memory // nil on PostgreSQL
}

func newLimits(o Options) *limits {
	mo := limit.MemoryOptions{Now: o.Now, Log: o.Log}
	if o.State.Engine() == state.PostgreSQL {
		return &limits{Fallback: limit.NewFallback(limit.NewShared(o.State, o.Now), mo)}
	}
	m := limit.NewMemory(o.State, mo)
	return &limits{limit.NewFallback(m, mo), m}
}

// close stores what is not stored yet.
func (l *limits) close(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := l.Fallback.Close(ctx)
	if l.memory != nil {
		err = errors.Join(err, l.memory.Close(ctx))
	}
	if err != nil {
		log.Error("the last counts of requests are not stored", "error", err)
	}
}

// meter counts one request. It is counted before it is answered; one that may
// turn out to be a 304 costs nothing then, and is counted when that is known.
type meter struct {
	subject limit.Subject
	state   limit.State
	kind    metering
	due     bool // not yet counted
	counted bool
}

// admit finds out who asks and counts the request. The error is that of a bad key
// or of a limit that is used up.
func (c *call) admit(kind metering) error {
	c.meter.kind = kind
	if kind == unmetered {
		return nil
	}
	refused := c.identify()
	if c.meter.subject = c.subject(); c.meter.subject.Limit == 0 { // this tier has none
		c.meter.kind = unmetered
		return refused
	}
	var p *Problem
	if kind == free || errors.As(refused, &p) && p.Status >= 500 {
		c.peek()
		return refused
	}
	if c.meter.due = true; refused == nil && c.mayBeUnchanged() {
		return nil
	}
	if err := c.count(); err != nil {
		return err
	}
	return refused
}

// mayBeUnchanged tells whether the answer may turn out to be a 304. That of a write
// never does: it would be made before anybody knows whether there is room for it.
func (c *call) mayBeUnchanged() bool {
	look := c.request.Method == http.MethodGet || c.request.Method == http.MethodHead
	return look && c.request.Header["If-None-Match"] != nil
}

// count takes one request from what is left.
func (c *call) count() error {
	m := &c.meter
	m.due = false
	var err error
	if m.state, err = c.server.limits.Take(c.request.Context(), m.subject); err != nil {
		m.state = limit.Unknown(m.subject, c.server.now())
		return stateProblem(err)
	}
	if m.counted = m.state.Allowed; !m.counted {
		return c.exceeded()
	}
	return nil
}

// peek reads what is left.
func (c *call) peek() {
	m := &c.meter
	var err error
	if m.state, err = c.server.limits.Peek(c.request.Context(), m.subject); err != nil {
		m.state = limit.Unknown(m.subject, c.server.now())
		c.server.log.Error("reading a counter", "requestId", c.id, "error", err)
	}
}

func (c *call) exceeded() *Problem {
	m := &c.meter
	wait := m.state.Wait(c.server.now())
	detail := "The limit of " + strconv.FormatInt(m.state.Limit, 10) + " requests is used up until " + m.state.Reset.UTC().Format(time.RFC3339) + "."
	if c.caller.account == nil {
		detail += " A key has a higher one."
	}
	p := newProblem("rate-limited", detail+c.server.contact("", " For more, write to %s."))
	p.header = http.Header{"Retry-After": {strconv.FormatInt(wait, 10)}}
	return p
}

// settle is called with the status when the answer begins. It sees to it that the
// right requests are counted, and writes the headers. An error means that another
// answer must be given instead.
func (c *call) settle(h http.Header, status int) error {
	m := &c.meter
	if m.kind == unmetered {
		return nil
	}
	switch {
	case status == http.StatusNotModified || status >= 500:
		if m.due {
			m.due = false
			c.peek()
		} else if m.counted {
			m.counted = false
			if state, err := c.server.limits.Give(c.request.Context(), m.subject, m.state); err == nil {
				m.state = state
			}
		}
	case m.due:
		if err := c.count(); err != nil {
			return err
		}
	}
	m.state.SetHeaders(h, c.server.now())
	return nil
}

// errRefused ends the making of an answer that is not given.
var errRefused = errors.New("another answer was given")
