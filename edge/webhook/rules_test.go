package webhook_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kindex/builder/suite"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
)

func (r *rig) ask(do func(tx *storage.Tx) (webhook.Delivery, error)) (d webhook.Delivery) {
	r.t.Helper()
	r.write(func(tx *storage.Tx) (err error) { d, err = do(tx); return err })
	return d
}

func TestGoneSwitchesOffAndATestSwitchesOn(t *testing.T) {
	suite.InTest(t)
	each(t, time.Now, func(t *testing.T, r *rig) {
		var status atomic.Int64
		status.Store(410)
		h := r.hook("", func(w http.ResponseWriter, _ string) { w.WriteHeader(int(status.Load())) })
		d, _ := r.dispatcher(nil)
		ids := r.events(3, "entity.updated")
		suite.Eventually(t, "switched off", func() bool { w := r.webhook(h.id); return !w.Active() })
		w := r.webhook(h.id)
		log := r.deliveries(h.id)
		if first := log[2]; w.DisabledReason == "" || len(log) != 3 || first.Status != webhook.Pending || first.ResponseStatus != 410 || first.Attempts != 1 || !first.NextAt.IsZero() {
			t.Errorf("%+v\n%+v", w, log)
		}
		ids = append(ids, r.events(2, "entity.updated")...)
		d.Wake()
		r.settle()
		if asked, _ := h.seen(); len(asked) != 1 {
			t.Errorf("it was called %d times", len(asked))
		}
		status.Store(500) // a failed test does not enable the webhook
		test := r.ask(func(tx *storage.Tx) (webhook.Delivery, error) { return tx.RequestTest(r.account, h.id) })
		d.Wake()
		suite.Eventually(t, "the test has failed", func() bool { return r.deliveries(h.id)[0].Status == webhook.Failed })
		if w := r.webhook(h.id); w.Active() {
			t.Error("a failed test enabled the webhook")
		}
		status.Store(200)
		again := r.ask(func(tx *storage.Tx) (webhook.Delivery, error) { return tx.RequestTest(r.account, h.id) })
		d.Wake()
		suite.Eventually(t, "all that has waited", func() bool {
			_, good := h.seen()
			return slices.Equal(good, append([]string{again.EventID}, ids...))
		})
		if w := r.webhook(h.id); !w.Active() || w.DisabledReason != "" || !w.FailingSince.IsZero() {
			t.Errorf("%+v", w)
		}
		suite.Holds(t, test.Status == webhook.Pending && test.Event == webhook.TestEvent &&
			test.Kind == webhook.ForTest && test.EventID != again.EventID, test)
		h.check(t)
	})
}

func TestFiveDaysOfFailingSwitchOff(t *testing.T) {
	suite.InTest(t)
	c := &clock{at: time.Now()}
	each(t, c.now, func(t *testing.T, r *rig) {
		h := r.hook("", func(w http.ResponseWriter, _ string) { w.WriteHeader(500) })
		reg := prometheus.NewRegistry()
		d, _ := r.dispatcher(func(o *webhook.Options) { o.Metrics = reg })
		begin := c.now()
		r.events(10, "entity.updated")
		for attempts := 1; ; attempts++ {
			d.Wake()
			suite.Eventually(t, "another attempt", func() bool { asked, _ := h.seen(); return len(asked) >= attempts })
			var w webhook.Webhook
			suite.Eventually(t, "it was noted", func() bool {
				w = r.webhook(h.id)
				return !w.Active() || w.NextAt.After(c.now()) && w.LastAttemptAt.Equal(c.now().Truncate(time.Millisecond))
			})
			asked, _ := h.seen()
			attempts = len(asked)
			if !w.Active() {
				if since := c.now().Sub(begin); since < 5*24*time.Hour || since > 6*24*time.Hour+time.Hour {
					t.Errorf("disabled after %v", since)
				}
				break
			}
			c.pass(w.NextAt.Sub(c.now()) + time.Millisecond)
		}
		log := r.deliveries(h.id)
		suite.Holds(t, len(log) == 10 && log[9].Status == webhook.Failed && log[9].Attempts == 10 &&
			log[8].Status == webhook.Pending && log[8].Attempts != 0 && log[7].Attempts == 0, log)
		suite.Eventually(t, "the metrics have it", func() bool { // attempts are counted after they are recorded
			return metric(t, reg, "kindex_webhook_switched_off_total") == 1 && metric(t, reg, "kindex_webhook_events_failed_total") == 1
		})
	})
}

func metric(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families := suite.Must(reg.Gather())(t)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	suite.InTest(t)
	c := &clock{at: time.Now()}
	each(t, c.now, func(t *testing.T, r *rig) {
		var calls atomic.Int64
		h := r.hook("", func(w http.ResponseWriter, _ string) {
			switch calls.Add(1) {
			case 1:
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(429)
			case 2:
				w.Header().Set("Retry-After", c.now().Add(2*time.Hour).UTC().Format(http.TimeFormat))
				w.WriteHeader(503)
			}
		})
		d, _ := r.dispatcher(nil)
		r.events(1, "entity.updated")
		for i, rest := range []time.Duration{time.Hour, 2 * time.Hour} {
			suite.Eventually(t, "waiting", func() bool { return len(r.deliveries(h.id)) == 1 && r.deliveries(h.id)[0].Attempts == i+1 })
			wait := r.webhook(h.id).NextAt.Sub(c.now())
			suite.Holds(t, wait >= rest-2*time.Second && wait <= rest*11/10, "requested delay", rest, wait)
			c.pass(rest - 5*time.Second)
			d.Wake()
			r.settle()
			if n := calls.Load(); n != int64(i+1) {
				t.Fatalf("%d calls too early", n)
			}
			c.pass(rest/10 + 10*time.Second)
		}
		suite.Eventually(t, "delivered", func() bool { return r.deliveries(h.id)[0].Status == webhook.Succeeded })
	})
}

func TestTestsAndReplaysAreTriedAtOnceAndOnce(t *testing.T) {
	suite.InTest(t)
	c := &clock{at: time.Now()}
	each(t, c.now, func(t *testing.T, r *rig) {
		var broken atomic.Bool
		h := r.hook("", func(w http.ResponseWriter, _ string) {
			if broken.Load() {
				w.WriteHeader(500)
			}
		})
		d, _ := r.dispatcher(nil)
		first := r.events(1, "entity.created")[0]
		suite.Eventually(t, "the first", func() bool { log := r.deliveries(h.id); return len(log) == 1 && log[0].Status == webhook.Succeeded })
		of := r.deliveries(h.id)[0]
		broken.Store(true)
		waiting := r.events(2, "entity.updated")
		suite.Eventually(t, "the queue waits", func() bool { return r.webhook(h.id).FailedAttempts == 1 })
		c.pass(time.Second)
		replay := r.ask(func(tx *storage.Tx) (webhook.Delivery, error) { return tx.RequestReplay(r.account, h.id, of.ID) })
		d.Wake()
		suite.Eventually(t, "the replay has failed", func() bool {
			log := r.deliveries(h.id)
			return log[0].ID == replay.ID && log[0].Status == webhook.Failed
		})
		if w := r.webhook(h.id); w.FailedAttempts != 1 || w.NextAt.Before(c.now()) {
			t.Errorf("a failed replay changed the queue: %+v", w)
		}
		c.pass(time.Second)
		broken.Store(false)
		replay = r.ask(func(tx *storage.Tx) (webhook.Delivery, error) { return tx.RequestReplay(r.account, h.id, of.ID) })
		d.Wake()
		suite.Eventually(t, "a replay that succeeds wakes the queue", func() bool {
			_, good := h.seen()
			return slices.Equal(good, append([]string{first, first}, waiting...))
		})
		suite.Holds(t, replay.EventID == first && replay.Kind == webhook.ForReplay &&
			replay.Event == "entity.created", replay)
		h.check(t)
		r.refusals(t, h, of)
	})
}

// refusals checks that requests for things that do not exist or belong to somebody else are
// refused.
func (r *rig) refusals(t *testing.T, h *endpoint, of webhook.Delivery) {
	other := r.accounts(1)[0]
	for what, err := range map[string]error{
		"a test of another account's": r.state.Write(t.Context(), func(tx *storage.Tx) error { _, err := tx.RequestTest(other, h.id); return err }),
		"a replay of another account's": r.state.Write(t.Context(), func(tx *storage.Tx) error {
			_, err := tx.RequestReplay(other, h.id, of.ID)
			return err
		}),
		"a replay of nothing":        r.state.Write(t.Context(), func(tx *storage.Tx) error { _, err := tx.RequestReplay(r.account, h.id, "dlv_x"); return err }),
		"deleting another account's": r.state.Write(t.Context(), func(tx *storage.Tx) error { return tx.DeleteWebhook(other, h.id) }),
	} {
		suite.Is(t, err, webhook.ErrUnknown, what)
	}
	suite.Is(t, suite.Err(r.state.Webhook(t.Context(), other, h.id)), webhook.ErrUnknown)
}

func TestAnAccountHasTenWebhooksAtMost(t *testing.T) {
	suite.InTest(t)
	each(t, time.Now, func(t *testing.T, r *rig) {
		var made, refused atomic.Int64
		edges := []*storage.State{r.state, r.open()}
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() {
				err := edges[i%2].Write(t.Context(), func(tx *storage.Tx) error {
					_, err := tx.CreateWebhook(webhook.Webhook{ID: storage.NewID("wh_"), AccountID: r.account, URL: "https://example.org/", Events: []string{"entity.created"}, SealedSecret: "x"})
					return err
				})
				switch {
				case err == nil:
					made.Add(1)
				case errors.Is(err, webhook.ErrTooMany):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		list, err := r.state.Webhooks(t.Context(), r.account)
		suite.Holds(t, err == nil && made.Load() == 10 && refused.Load() == 50 &&
			len(list) == 10, made.Load(), "created", refused.Load(), "refused", len(list), "exist", err)
	})
}

func TestAWebhookHearsOnlyWhatCameAfterIt(t *testing.T) {
	suite.InTest(t)
	each(t, time.Now, func(t *testing.T, r *rig) {
		r.events(5, "entity.updated")
		h := r.hook("", nil)
		r.dispatcher(nil)
		ids := r.events(2, "entity.updated")
		suite.Eventually(t, "the new ones", func() bool { _, good := h.seen(); return len(good) >= 2 })
		if _, good := h.seen(); !slices.Equal(good, ids) {
			t.Errorf("%v, not %v", good, ids)
		}
	})
}

func TestWhatIsOldAndDoneIsRemoved(t *testing.T) {
	suite.InTest(t)
	c := &clock{at: time.Now()}
	each(t, c.now, func(t *testing.T, r *rig) {
		var broken atomic.Bool
		broken.Store(true)
		ahead := r.hook("", nil)
		behind := r.hook("", func(w http.ResponseWriter, _ string) {
			if broken.Load() {
				w.WriteHeader(500)
			}
		})
		_, stop := r.dispatcher(nil)
		ids := r.events(3, "entity.updated")
		suite.Eventually(t, "one is through, one waits", func() bool { return r.webhook(behind.id).FailedAttempts == 1 && r.done(ahead.id) == 3 })
		stop()
		count := func() int { return len(storagetest.Events(t, r.state, 0)) }
		c.pass(31 * 24 * time.Hour)
		suite.Check(t, r.state.Purge(t.Context()))
		// The first webhook's delivery log is gone, but not the events for which the second
		// webhook is waiting.
		suite.Equal(t, count(), 3, "events remain")
		suite.Equal(t, len(r.allDeliveries()), 3, "deliveries remain")
		if at, err := r.state.OldestWaiting(t.Context()); err != nil || c.now().Sub(at) < 30*24*time.Hour || at.IsZero() {
			t.Errorf("oldest %v, %v", at, err)
		}
		broken.Store(false)
		r.dispatcher(nil)
		suite.Eventually(t, "delivered late", func() bool { _, good := behind.seen(); return slices.Equal(good, ids) })
		suite.Eventually(t, "none waits", func() bool { at, err := r.state.OldestWaiting(t.Context()); return err == nil && at.IsZero() })
		c.pass(31 * 24 * time.Hour)
		if err := r.state.Purge(t.Context()); err != nil || count() != 0 {
			t.Errorf("%d events remain, %v", count(), err)
		}
	})
}

func (r *rig) allDeliveries() (all []webhook.Delivery) {
	hooks := suite.Must(r.state.Webhooks(r.t.Context(), r.account))(r.t)
	for _, w := range hooks {
		all = append(all, r.deliveries(w.ID)...)
	}
	return all
}

func TestSecretsAreSealedAndTheKeyIsRotated(t *testing.T) {
	suite.InTest(t)
	each(t, time.Now, func(t *testing.T, r *rig) {
		older, newer := seal.Generate(), seal.Generate()
		r.keys = parse(t, older)
		h := r.hook("", nil)
		r.hook("", func(w http.ResponseWriter, _ string) { w.WriteHeader(500) })
		both, only := parse(t, newer+"\n"+older), parse(t, newer)
		suite.Check(t, r.state.CheckSealed(t.Context(), r.keys))
		err := r.state.CheckSealed(t.Context(), only)
		suite.Fails(t, err, r.keys.IDs()[0], "without the key")
		suite.Fails(t, suite.Err(r.state.Rekey(t.Context(), only)), "", "secrets were resealed without the key that opens them")
		for _, want := range []int{2, 0} {
			suite.Equal(t, suite.Must(r.state.Rekey(t.Context(), both))(t), want, "were resealed")
		}
		suite.Check(t, r.state.CheckSealed(t.Context(), only))
		r.keys = only
		r.dispatcher(nil)
		ids := r.events(1, "entity.updated")
		suite.Eventually(t, "signed with the same secret", func() bool { _, good := h.seen(); return slices.Equal(good, ids) })
		h.check(t)
		// A secret that was moved to another webhook cannot be opened.
		list := suite.Must(r.state.Webhooks(t.Context(), r.account))(t)
		suite.Is(t, suite.Err(only.Open(list[0].SealedSecret, webhook.Purpose, list[1].ID)), seal.ErrDamaged)
	})
}

func parse(t *testing.T, text string) *seal.Keys {
	t.Helper()
	return suite.Must(seal.Parse(text))(t)
}

// TestSecretsAreNowhereInClear checks that neither the log, nor the database file, nor an
// error in the delivery log contains a secret or a token in a webhook's address.
func TestSecretsAreNowhereInClear(t *testing.T) {
	suite.InTest(t)
	dir := t.TempDir()
	r := newRig(t, filepath.Join(dir, "kindex.db"), time.Now)
	secret := webhook.NewSecret()
	id := storage.NewID("wh_")
	r.write(func(tx *storage.Tx) error {
		_, err := tx.CreateWebhook(webhook.Webhook{ID: id, AccountID: r.account, URL: "https://127.0.0.1:9/hook?token=t0ps3cret", Events: []string{"entity.updated"},
			SealedSecret: r.keys.Seal([]byte(secret.Reveal()), webhook.Purpose, id)})
		return err
	})
	reg := prometheus.NewRegistry()
	_, stop := r.dispatcher(func(o *webhook.Options) { o.Metrics = reg })
	r.events(1, "entity.updated")
	suite.Eventually(t, "tried", func() bool { return r.deliveries(id)[0].Attempts == 1 })
	stop()
	d := r.deliveries(id)[0]
	suite.Holds(t, d.Status == webhook.Pending && strings.Contains(d.Error, "not on the public internet") &&
		d.ResponseStatus == 0, d)
	families := suite.Must(reg.Gather())(t)
	told := r.log.String() + d.Error
	for _, f := range families {
		told += f.String()
	}
	suite.LacksAll(t, told, "t0ps3cret", "127.0.0.1", secret.Reveal()[6:26], id+"\"")
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		suite.Lacks(t, string(b), secret.Reveal()[6:26], "found the secret in", e.Name())
		return err
	})
	suite.Check(t, err)
}
