package webhook_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/webhook"
)

// impatient is a schedule for tests with a real clock.
func impatient(n int) webhook.Schedule {
	return slices.Repeat(webhook.Schedule{2 * time.Millisecond}, n)
}

// flaky responds with every kind of failure, at random.
func flaky(share float64) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		if rand.Float64() >= share {
			return
		}
		switch rand.IntN(5) {
		case 0:
			w.WriteHeader(500)
		case 1:
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(302)
		case 2:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(429)
		case 3:
			w.WriteHeader(404)
		case 4:
			panic(http.ErrAbortHandler) // the connection breaks
		}
	}
}

func TestEventsComeInOrderWhateverFails(t *testing.T) {
	suite.InRace(t)
	each(t, time.Now, func(t *testing.T, r *rig) {
		const most = 40
		events := suite.Pick(40, 60)
		all := r.hook("", flaky(0.3))
		some := r.hook("", flaky(0.3), "entity.deleted")
		_, _ = r.dispatcher(func(o *webhook.Options) { o.Schedule = impatient(most) })
		var ids, deleted []string
		for range events / 20 {
			ids = append(ids, r.events(15, "entity.updated")...)
			new := r.events(5, "entity.deleted")
			ids, deleted = append(ids, new...), append(deleted, new...)
		}
		suite.Eventually(t, "everything delivered", func() bool {
			_, a := all.seen()
			_, b := some.seen()
			return len(a) >= len(ids) && len(b) >= len(deleted)
		})
		for _, h := range []*endpoint{all, some} {
			suite.Eventually(t, "at rest", func() bool { w := r.webhook(h.id); return w.NextAt.IsZero() && w.FailingSince.IsZero() })
		}
		r.settle()
		for h, want := range map[*endpoint][]string{all: ids, some: deleted} {
			h.check(t)
			asked, good := h.seen()
			suite.Equal(t, good, want, "events in order")
			suite.Equal(t, slices.Compact(slices.Clone(asked)), want, "events in the order in which they were tried")
			for _, d := range r.deliveries(h.id) {
				if d.Status != webhook.Succeeded || d.Attempts != count(asked, d.EventID) || d.ResponseStatus != 200 || d.Error != "" || !d.NextAt.IsZero() {
					t.Errorf("%d attempts in the log: %+v", count(asked, d.EventID), d)
				}
			}
		}
	})
}

func count(list []string, one string) (n int) {
	for _, s := range list {
		if s == one {
			n++
		}
	}
	return n
}

func TestADeadEndpointCostsOneAttemptAtATime(t *testing.T) {
	suite.InTest(t)
	c := &clock{at: time.Now()}
	each(t, c.now, func(t *testing.T, r *rig) {
		dead := r.hook("", func(w http.ResponseWriter, _ string) { w.WriteHeader(503) })
		d, _ := r.dispatcher(nil)
		ids := r.events(100, "entity.created")
		d.Wake()
		attempts := func() int { asked, _ := dead.seen(); return len(asked) }
		suite.Eventually(t, "the first attempt", func() bool { return attempts() == 1 && r.webhook(dead.id).FailedAttempts == 1 })
		for i, rest := range webhook.DefaultSchedule { // follows the whole schedule, to the second
			c.pass(rest - time.Second)
			r.settle()
			if n := attempts(); n != i+1 {
				t.Fatalf("%d attempts a second before number %d is due", n, i+2)
			}
			c.pass(2 * time.Second)
			suite.Eventually(t, "the next attempt", func() bool { return attempts() > i+1 })
			if i < len(webhook.DefaultSchedule)-1 {
				suite.Eventually(t, "it was noted", func() bool { return r.webhook(dead.id).FailedAttempts == i+2 })
			}
		}
		// The first event has failed. The next one is attempted immediately.
		suite.Eventually(t, "the second event", func() bool { return attempts() >= 11 })
		asked, _ := dead.seen()
		suite.Equal(t, count(asked, ids[0]), 10, "tries of the first event")
		suite.Equal(t, asked[10], ids[1])
		log := r.deliveries(dead.id)
		suite.Equal(t, len(log), len(ids), "deliveries", "events")
		waits := log[0]
		suite.Holds(t, waits.Status == webhook.Pending && waits.Attempts == 0 && !waits.NextAt.IsZero(), waits)
		first := log[len(log)-1]
		suite.Holds(t, first.EventID == ids[0] && first.Status == webhook.Failed && first.Attempts == 10 &&
			first.ResponseStatus == 503 && first.Error != "", first)
		dead.check(t)
	})
}

func TestSlowEndpointsHoldUpNoOther(t *testing.T) {
	suite.InRace(t)
	hooks := suite.Pick(110, 300) // more webhooks than are leased at a time
	each(t, time.Now, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		defer sync.OnceFunc(func() { close(release) })()
		var silent atomic.Int64
		accounts := r.accounts(hooks / 10)
		for i := range hooks {
			r.hook(accounts[i/10], func(http.ResponseWriter, string) { silent.Add(1); <-release })
		}
		healthy := r.hook("", nil)
		d, stop := r.dispatcher(func(o *webhook.Options) { o.Drain = 100 * time.Millisecond })
		r.events(1, "entity.updated")
		d.Wake()
		suite.Eventually(t, "all but one hang", func() bool { return silent.Load() == int64(hooks) })
		ids := r.events(20, "entity.updated")
		d.Wake()
		delivered := func() []string { // on a busy machine, a delivery whose record was interrupted is sent again
			_, good := healthy.seen()
			return slices.Compact(slices.Clone(good))
		}
		suite.Eventually(t, "the healthy one has all", func() bool { return len(delivered()) == 21 })
		suite.Equal(t, silent.Load(), int64(hooks), "attempts at slow endpoints")
		suite.Equal(t, delivered()[1:], ids, "out of order")
		stopped := make(chan struct{})
		go func() { stop(); close(stopped) }()
		soon(t, "what hangs is cut off at the end of the drain", stopped)
	})
}

func TestDispatchersShareTheWork(t *testing.T) {
	suite.InRace(t)
	t.Parallel()
	const workers = 5 // per edge: too few for one edge to serve all webhooks
	size := suite.Pick(struct{ hooks, rounds int }{3 * workers, 2}, struct{ hooks, rounds int }{8 * workers, 5})
	each(t, time.Now, func(t *testing.T, r *rig) {
		accounts := r.accounts((size.hooks + 9) / 10)
		var hooks []*endpoint
		for i := range size.hooks {
			hooks = append(hooks, r.hook(accounts[i/10], flaky(0.2)))
		}
		// The first edge that calls gets no response until the other one calls.
		met := make(chan struct{})
		var first atomic.Value
		both := sync.OnceFunc(func() { close(met) })
		r.before = func(agent string) {
			if !first.CompareAndSwap(nil, agent) && first.Load() != agent {
				both()
			}
			<-met
		}
		for _, name := range []string{"one", "two"} {
			r.dispatcher(func(o *webhook.Options) {
				o.Store, o.Agent, o.Schedule, o.Workers = r.open(), name, impatient(40), workers
			})
		}
		t.Cleanup(both) // runs before the dispatchers end
		var ids []string
		for range size.rounds {
			ids = append(ids, r.events(6, "entity.updated")...)
			asked, _ := hooks[0].seen()
			suite.Eventually(t, "the next attempt", func() bool { now, _ := hooks[0].seen(); return len(now) > len(asked) })
		}
		soon(t, "both edges call", met)
		for _, h := range hooks {
			suite.Eventually(t, "all delivered", func() bool { _, good := h.seen(); return len(good) >= len(ids) })
		}
		for _, h := range hooks {
			suite.Eventually(t, "at rest", func() bool { return r.webhook(h.id).NextAt.IsZero() })
		}
		r.settle()
		agents := map[string]int{}
		for _, h := range hooks {
			h.check(t)
			if _, good := h.seen(); !slices.Equal(good, ids) {
				t.Errorf("%s got %d of %d, or out of order, or duplicates", h.id, len(good), len(ids))
			}
			for _, a := range h.agents {
				agents[a]++
			}
		}
		t.Logf("attempts of each edge: %v", agents)
	})
}

// The edge that leased the webhook has died: another edge takes it over when the lease ends,
// and not before.
func TestLeasesOfADeadEdgeRunOut(t *testing.T) {
	suite.InTest(t)
	c := &clock{at: time.Now()}
	each(t, c.now, func(t *testing.T, r *rig) {
		h := r.hook("", nil)
		ids := r.events(3, "entity.updated")
		leased, err := r.state.Lease(t.Context(), "dead", 10, time.Minute)
		suite.Require(t, err == nil && slices.Equal(leased, []string{h.id}), leased, err)
		w, attempted, err := r.state.Next(t.Context(), "dead", h.id)
		suite.Require(t, err == nil && attempted.EventID == ids[0], attempted, err)
		d, _ := r.dispatcher(nil)
		r.settle()
		c.pass(time.Minute - time.Second)
		d.Wake()
		r.settle()
		if asked, _ := h.seen(); len(asked) != 0 {
			t.Fatal("it was taken from an edge that may still be running")
		}
		c.pass(2 * time.Second)
		suite.Eventually(t, "taken over", func() bool { _, good := h.seen(); return slices.Equal(good, ids) })
		suite.Is(t, r.state.RecordAttempt(t.Context(), "dead", time.Minute, &w, &attempted), webhook.ErrLeaseLost)
		suite.Eventually(t, "noted", func() bool { return r.done(h.id) == 3 })
		if _, d, err := r.state.Next(t.Context(), "dead", h.id); err != nil || d.ID != "" {
			t.Errorf("the dead edge gets %+v, %v", d, err)
		}
	})
}

// An attempt that is cut off at shutdown does not count as a failure. The next dispatcher
// makes it again.
func TestStoppingLosesNothing(t *testing.T) {
	suite.InRace(t)
	t.Parallel()
	each(t, time.Now, func(t *testing.T, r *rig) {
		var quick, slow gate
		quick.shut()
		slow.shut()
		defer slow.open()
		hooks := []*endpoint{r.hook("", func(http.ResponseWriter, string) { quick.pass() }), r.hook("", func(http.ResponseWriter, string) { slow.pass() })}
		attempts := func(h *endpoint) int { asked, _ := h.seen(); return len(asked) }

		// An attempt that can finish does so.
		ids := r.events(1, "entity.updated")
		slow.open()
		d, _ := r.dispatcher(func(o *webhook.Options) { o.Drain = hanging })
		suite.Eventually(t, "one under way, one done", func() bool { return attempts(hooks[0]) == 1 && r.done(hooks[1].id) == 1 })
		d.Stop(hanging)
		quick.open()
		suite.Eventually(t, "the attempt that could finish has", func() bool { return r.done(hooks[0].id) == 1 })

		// An attempt that cannot finish is cut off, and does not count as a failure.
		slow.shut()
		ids = append(ids, r.events(2, "entity.updated")...)
		_, stop := r.dispatcher(func(o *webhook.Options) { o.Drain = 100 * time.Millisecond })
		suite.Eventually(t, "one under way, one done", func() bool { return attempts(hooks[1]) == 2 && r.done(hooks[0].id) == 3 })
		stop()
		if w := r.webhook(hooks[1].id); r.done(w.ID) != 1 || w.FailedAttempts != 0 || !w.FailingSince.IsZero() || r.deliveries(w.ID)[1].Attempts != 0 {
			t.Errorf("the attempt that was cut off counts: %+v", w)
		}
		slow.open()
		r.dispatcher(nil) // it can start immediately because the leases were released
		suite.Eventually(t, "the rest", func() bool {
			_, a := hooks[0].seen()
			b, _ := hooks[1].seen()
			return slices.Equal(a, ids) && slices.Equal(b, []string{ids[0], ids[1], ids[1], ids[2]})
		})
	})
}

// gate blocks callers while it is closed.
type gate struct {
	mu     sync.Mutex
	closed chan struct{} // nil if open
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		close(g.closed)
		g.closed = nil
	}
}

func (g *gate) pass() {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if closed != nil {
		<-closed
	}
}

// The dispatcher polls only once an hour: events that arrive sooner prove that it was
// notified.
func TestEventsOfThisProcessAreDeliveredAtOnce(t *testing.T) {
	t.Parallel()
	each(t, time.Now, func(t *testing.T, r *rig) {
		h := r.hook("", nil)
		d, _ := r.dispatcher(func(o *webhook.Options) { o.Poll = time.Hour })
		var slowest time.Duration
		for range 5 {
			r.events(1, "entity.updated")
			asked, _ := h.seen()
			begin := time.Now()
			d.Wake()
			suite.Eventually(t, "it came", func() bool { now, _ := h.seen(); return len(now) > len(asked) })
			slowest = max(slowest, time.Since(begin))
			suite.Eventually(t, "at rest", func() bool { return r.webhook(h.id).NextAt.IsZero() })
		}
		t.Logf("the slowest of 5 arrived after %v", slowest)
	})
}

func TestDeletedAndSuspendedWebhooksHearNothing(t *testing.T) {
	suite.InTest(t)
	each(t, time.Now, func(t *testing.T, r *rig) {
		gate := make(chan struct{})
		deleted := r.hook("", func(http.ResponseWriter, string) { <-gate })
		other := r.accounts(1)[0]
		suspended := r.hook(other, nil)
		r.write(func(tx *storage.Tx) error { return tx.Suspend(other) })
		d, _ := r.dispatcher(nil)
		ids := r.events(20, "entity.updated")
		suite.Eventually(t, "the first attempt", func() bool { asked, _ := deleted.seen(); return len(asked) == 1 })
		r.write(func(tx *storage.Tx) error { return tx.DeleteWebhook(r.account, deleted.id) })
		close(gate)
		r.settle()
		if asked, _ := deleted.seen(); len(asked) != 1 {
			t.Errorf("%d attempts at a deleted webhook", len(asked))
		}
		if asked, _ := suspended.seen(); len(asked) != 0 {
			t.Errorf("%d attempts for a suspended account", len(asked))
		}
		r.write(func(tx *storage.Tx) error { return tx.Unsuspend(other) })
		d.Wake()
		suite.Eventually(t, "what has waited", func() bool { _, good := suspended.seen(); return slices.Equal(good, ids) })
		suite.Lacks(t, r.log.String(), "level=ERROR")
	})
}

// TestSuspensionEndsAQueueUnderWay suspends an account while its webhook is receiving many
// events. The remaining events wait.
func TestSuspensionEndsAQueueUnderWay(t *testing.T) {
	suite.InTest(t)
	each(t, time.Now, func(t *testing.T, r *rig) {
		answer := make(chan struct{})
		h := r.hook("", func(http.ResponseWriter, string) { <-answer })
		released := &releases{Store: r.state, of: make(chan string, 100)}
		d, _ := r.dispatcher(func(o *webhook.Options) { o.Store = released })
		ids := r.events(20, "entity.updated")
		suite.Eventually(t, "the first attempt", func() bool { asked, _ := h.seen(); return len(asked) > 0 })
		r.write(func(tx *storage.Tx) error { return tx.Suspend(r.account) })
		close(answer)
		select {
		case <-released.of:
		case <-time.After(hanging):
			t.Error("the webhook's lease was not released")
		}
		d.Wake()
		r.settle()
		if asked, _ := h.seen(); len(asked) != 1 {
			t.Errorf("%d attempts after the suspension, of %d events", len(asked)-1, len(ids))
		}
		r.write(func(tx *storage.Tx) error { return tx.Unsuspend(r.account) })
		d.Wake()
		suite.Eventually(t, "the rest", func() bool { _, good := h.seen(); return slices.Equal(good, ids) })
		suite.Lacks(t, r.log.String(), "level=ERROR")
	})
}

// releases is a store that records which leases are released.
type releases struct {
	webhook.Store
	of chan string
}

func (s *releases) Release(ctx context.Context, owner, webhook string, wait time.Duration) error {
	s.of <- webhook
	return s.Store.Release(ctx, owner, webhook, wait)
}
