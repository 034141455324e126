package webhook_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

// clock is a fake clock that tests advance.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	reads int
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	return c.at
}

// read returns how often the clock has been read.
func (c *clock) read() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// rig holds a state with an account, the operator's keys, and a TLS receiver on loopback that
// serves all webhooks of a test, each at its own path.
type rig struct {
	t       *testing.T
	open    func() *storage.State
	state   *storage.State
	keys    *seal.Keys
	now     func() time.Time
	account string
	server  *httptest.Server
	log     *suite.Log

	before func(agent string) // called before each response, if set
	looks  []*looks           // of the running dispatchers

	mu    sync.Mutex
	hooks map[string]*endpoint // by path
}

// hanging is the timeout after which a request or a test is assumed to hang.
const hanging = 3 * time.Minute

// each runs a test on both engines.
func each(t *testing.T, now func() time.Time, test func(t *testing.T, r *rig)) {
	storagetest.EachTarget(t, func(t *testing.T, target string) { test(t, newRig(t, target, now)) })
}

func newRig(t *testing.T, target string, now func() time.Time) *rig {
	t.Helper()
	r := &rig{t: t, now: now, hooks: map[string]*endpoint{}, log: &suite.Log{}}
	r.open = func() *storage.State { return storagetest.OpenAt(t, target, now) }
	r.state = r.open()
	r.keys = suite.Must(seal.Parse(seal.Generate()))(t)
	r.write(func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount("ada")
		r.account = a.ID
		return err
	})
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(r.receive))
	r.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	r.server.StartTLS()
	t.Cleanup(r.server.Close)
	return r
}

func (r *rig) write(do func(*storage.Tx) error) {
	r.t.Helper()
	suite.Check(r.t, r.state.Write(r.t.Context(), do))
}

// endpoint is the receiver of one webhook.
type endpoint struct {
	id      string
	account string
	verify  *standardwebhooks.Webhook
	// answer is called for every correctly signed request.
	answer func(w http.ResponseWriter, event string)

	mu     sync.Mutex
	asked  []string // IDs of all attempts, in order
	agents []string
	good   []string // IDs of attempts that were answered with 200
	now    int      // attempts in progress
	most   int      // maximum number of concurrent attempts
	bad    []error
}

func (r *rig) receive(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	h := r.hooks[q.URL.Path]
	r.mu.Unlock()
	body, err := io.ReadAll(q.Body)
	id := q.Header.Get("webhook-id")
	if err == nil {
		err = h.verify.VerifyIgnoringTimestamp(body, q.Header)
	}
	if err == nil && !bytes.Contains(body, []byte(`"id":"`+id+`"`)) {
		err = fmt.Errorf("ID %s does not match %s", id, body)
	}
	h.mu.Lock()
	if h.asked, h.agents = append(h.asked, id), append(h.agents, q.UserAgent()); err != nil {
		h.bad = append(h.bad, err)
	}
	h.now++
	h.most = max(h.most, h.now)
	h.mu.Unlock()
	rec := &statusRecorder{ResponseWriter: w, status: 200}
	defer func() {
		cut := recover()
		h.mu.Lock()
		h.now--
		if cut == nil && rec.status == 200 {
			h.good = append(h.good, id)
		}
		h.mu.Unlock()
		if cut != nil {
			panic(cut)
		}
	}()
	if r.before != nil {
		r.before(q.UserAgent())
	}
	if h.answer != nil {
		h.answer(rec, id)
	}
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (s *statusRecorder) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// seen returns the attempts and the successes so far.
func (h *endpoint) seen() (asked, good []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string{}, h.asked...), append([]string{}, h.good...)
}

// check fails the test if a request was not as expected.
func (h *endpoint) check(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range h.bad {
		t.Errorf("%s: %v", h.id, err)
	}
	suite.Holds(t, h.most <= 1, h.id, h.most, "attempts at once")
}

// hook registers a webhook for this or another account.
func (r *rig) hook(account string, answer func(w http.ResponseWriter, event string), names ...string) *endpoint {
	r.t.Helper()
	if account == "" {
		account = r.account
	}
	if len(names) == 0 {
		names = []string{"entity.created", "entity.updated", "entity.deleted"}
	}
	secret := webhook.NewSecret()
	verify := suite.Must(standardwebhooks.NewWebhook(secret.Reveal()))(r.t)
	h := &endpoint{id: storage.NewID("wh_"), account: account, verify: verify, answer: answer}
	r.mu.Lock()
	r.hooks["/"+h.id] = h
	r.mu.Unlock()
	r.write(func(tx *storage.Tx) error {
		_, err := tx.CreateWebhook(webhook.Webhook{ID: h.id, AccountID: account, URL: r.server.URL + "/" + h.id, Events: names,
			SealedSecret: r.keys.Seal([]byte(secret.Reveal()), webhook.Purpose, h.id)})
		return err
	})
	return h
}

// accounts creates more accounts, because each can have only ten webhooks.
func (r *rig) accounts(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		r.write(func(tx *storage.Tx) error {
			a, err := tx.EnsureAccount(fmt.Sprintf("account-%d", i))
			ids[i] = a.ID
			return err
		})
	}
	return ids
}

// events stores new events and returns their IDs.
func (r *rig) events(n int, name string) []string {
	r.t.Helper()
	ids := make([]string, n)
	list := make([]webhook.Event, n)
	for i := range list {
		ids[i] = storage.NewID("evt_")
		list[i] = webhook.Event{ID: ids[i], Name: name, At: r.now(), Type: "tool", Slug: fmt.Sprint("n", i), Entity: "N",
			Payload: []byte(fmt.Sprintf(`{"id":"%s","event":"%s"}`, ids[i], name))}
	}
	at := suite.Must(r.state.Announced(r.t.Context()))(r.t)
	at.Build = storage.NewID("")
	suite.Done(r.state.Announce(r.t.Context(), at, nil, list))(r.t)
	return ids
}

// dispatcher starts a dispatcher that runs until the test ends, or stop is called.
func (r *rig) dispatcher(change func(*webhook.Options)) (d *webhook.Dispatcher, stop func()) {
	r.t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(r.server.Certificate())
	e := suite.Must(safedial.ParseException(strings.TrimPrefix(r.server.URL, "https://")))(r.t)
	o := webhook.Options{Store: r.state, Client: safedial.New(safedial.Options{Allow: []safedial.Exception{e}, Roots: roots, Timeout: 2 * hanging}).Client(),
		Reserve: func(string) (func(), time.Duration) { return func() {}, 0 },
		Owner:   storage.NewID(""), Now: r.now, Random: func() float64 { return 0.5 }, Poll: 20 * time.Millisecond,
		Timeout: 2 * hanging, Lease: 3 * hanging, // long enough for a slow machine
		Log: slog.New(slog.NewTextHandler(r.log, nil)),
		Secrets: func(w *webhook.Webhook) ([]webhook.Secret, error) {
			b, err := r.keys.Open(w.SealedSecret, webhook.Purpose, w.ID)
			return []webhook.Secret{webhook.Secret(b)}, err
		}}
	if change != nil {
		change(&o)
	}
	l := &looks{Store: o.Store}
	o.Store = l
	r.looks = append(r.looks, l)
	d = webhook.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { d.Run(ctx); close(ended) }()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
		r.looks = slices.DeleteFunc(r.looks, func(other *looks) bool { return other == l })
		o.Client.CloseIdleConnections()
	})
	r.t.Cleanup(stop)
	return d, stop
}

// looks is the store of a dispatcher. It counts how often the dispatcher has looked for due
// webhooks and found none.
type looks struct {
	webhook.Store
	none atomic.Int64
}

func (l *looks) Lease(ctx context.Context, owner string, n int, lasts time.Duration) ([]string, error) {
	list, err := l.Store.Lease(ctx, owner, n, lasts)
	if err == nil && len(list) == 0 {
		l.none.Add(1)
	}
	return list, err
}

// settle waits until every dispatcher has looked for due webhooks and found none. It looked twice
// after the call, because it may have begun to look before.
func (r *rig) settle() {
	r.t.Helper()
	for _, l := range r.looks {
		before := l.none.Load()
		suite.Eventually(r.t, "a dispatcher looks for webhooks", func() bool { return l.none.Load() >= before+2 })
	}
}

// webhook reads the current state of a webhook.
func (r *rig) webhook(id string) webhook.Webhook {
	r.t.Helper()
	r.mu.Lock()
	account := r.hooks["/"+id].account
	r.mu.Unlock()
	w := suite.Must(r.state.Webhook(r.t.Context(), account, id))(r.t)
	return w
}

// done returns the number of events that need no more attempts.
func (r *rig) done(id string) (n int) {
	r.t.Helper()
	for _, d := range r.deliveries(id) {
		if d.Kind == webhook.ForEvent && d.Status != webhook.Pending {
			n++
		}
	}
	return n
}

// deliveries reads the log of a webhook, newest first.
func (r *rig) deliveries(id string) []webhook.Delivery {
	r.t.Helper()
	list, _, err := r.state.Deliveries(r.t.Context(), storage.DeliveryQuery{WebhookID: id, Limit: 1000})
	suite.Check(r.t, err)
	return list
}
