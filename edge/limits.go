package edge

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"time"

	"kindex/edge/ratelimit"
	"kindex/edge/storage"
)

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

// costOf returns the cost of requests to a path, whether or not the path exists.
func costOf(path string) routeCost {
	switch {
	case path == "/api/openapi" || strings.HasPrefix(path, "/api/sdk/"):
		return free
	case path == "/api" || strings.HasPrefix(path, "/api/"):
		return metered
	}
	return unmetered
}

// limits holds the request counters of an edge. They are either in memory and flushed to SQLite,
// which only this edge uses, or in PostgreSQL, which other edges can share. While PostgreSQL is
// unavailable, this edge counts anonymous requests by itself.
type limits struct {
	*ratelimit.Fallback
	memory *ratelimit.Memory // nil with PostgreSQL
	// notModified counts the free 304s. Each edge counts its own, in memory, because the purpose
	// is to limit its work and not to measure usage.
	notModified *ratelimit.Memory
}

func newLimits(state *storage.State, now func() time.Time, log *slog.Logger) *limits {
	mo := ratelimit.MemoryOptions{Now: now, Log: log}
	notModified := ratelimit.NewMemory(nil, mo)
	if state.Engine() == storage.PostgreSQL {
		return &limits{Fallback: ratelimit.NewFallback(ratelimit.NewShared(state, now), mo), notModified: notModified}
	}
	m := ratelimit.NewMemory(state, mo)
	return &limits{ratelimit.NewFallback(m, mo), m, notModified}
}

// freeNotModified is the maximum number of free 304s, as a multiple of the request limit.
const freeNotModified = 10

// allowNotModified counts a free 304 for a subject, or a check of whether a 304 is possible. It
// reports whether the limit on free 304s allows it.
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

// gates limit concurrent work that no daily limit covers.
type gates struct {
	pages  *ratelimit.Gate
	images *ratelimit.Gate // preview images, which take more time than pages, have slots of their own
	files  *ratelimit.Gate // opening files under /data, which may have to be hashed
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
	pageWaitTimeout   = 3 * time.Second
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

// newGates returns gates that let an IP address request a number of pages per second, or 0 for no limit.
func newGates(pagesPerSecond int) gates {
	g := gates{
		pages:     ratelimit.NewGate(ratelimit.GateOptions{Slots: max(8, 2*runtime.GOMAXPROCS(0)), MaxWaiting: maxQueued, Wait: pageWaitTimeout}),
		images:    ratelimit.NewGate(ratelimit.GateOptions{Slots: maxImages, MaxWaiting: maxQueued / 8, Wait: pageWaitTimeout}),
		files:     ratelimit.NewGate(ratelimit.GateOptions{Slots: maxFiles, MaxWaiting: maxQueued, Wait: pageWaitTimeout}),
		wrongKeys: ratelimit.NewBuckets(wrongKeyRate, wrongKeyBurst, nil),
	}
	if rate := min(pagesPerSecond, 1_000_000); rate > 0 {
		g.addresses = ratelimit.NewBuckets(rate, pageBurstSeconds*rate, nil)
	}
	return g
}
