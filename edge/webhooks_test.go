package edge

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge/account"
	"kindex/edge/storage/storagetest"
	"kindex/site/panel"
)

// fixedNames is a resolver that resolves only a fixed set of names.
type fixedNames map[string]string

func (f fixedNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	text, ok := f[strings.TrimSuffix(host, ".")]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr(text)}, nil
}

// noWire fails the test if anything is sent to another machine.
func noWire(t testing.TB) func(context.Context, *net.Dialer, string, string) (net.Conn, error) {
	return func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
		if to, err := netip.ParseAddrPort(address); err != nil || !to.Addr().IsLoopback() {
			t.Errorf("a packet would have been sent to %s", address)
			return nil, fmt.Errorf("no wire to %s", address)
		}
		return d.DialContext(ctx, network, address)
	}
}

// hooked is an edge whose webhooks can call a TLS receiver on loopback.
type hooked struct {
	*served
	receiver *httptest.Server
	log      *suite.Log

	mu     sync.Mutex
	came   []*http.Request
	bodies [][]byte
	answer atomic.Int64
}

func serveHooked(t testing.TB, target string, change ...func(*Options)) *hooked {
	t.Helper()
	h := &hooked{log: &suite.Log{}}
	h.answer.Store(200)
	h.receiver = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		suite.Holds(t, err == nil, err)
		h.mu.Lock()
		h.came, h.bodies = append(h.came, r), append(h.bodies, body)
		h.mu.Unlock()
		w.WriteHeader(int(h.answer.Load()))
	}))
	t.Cleanup(h.receiver.Close)
	allow := suite.Must(safedial.ParseException(strings.TrimPrefix(h.receiver.URL, "https://")))(t)
	roots := x509.NewCertPool()
	roots.AddCert(h.receiver.Certificate())
	content, out := smallBuild(t, 3)
	o := Options{Dir: out, State: storagetest.Open(t, target), Log: slog.New(slog.NewTextHandler(h.log, nil)), LogRequests: true,
		Guard: safedial.New(safedial.Options{Allow: []safedial.Exception{allow}, Roots: roots, Dial: noWire(t),
			Resolver: fixedNames{"example.org": "8.8.8.8", "inside.example": "10.0.0.1"}})}
	for _, c := range change {
		c(&o)
	}
	h.served = serveWith(t, o)
	h.content = content
	return h
}

// send sends a request with a key and decodes the response.
func (h *hooked) send(t *testing.T, method, path, key, body string, status int, into any, header ...string) answer {
	t.Helper()
	a := suite.Must(h.write(method, path, key, body, header...))(t).must(t, status)
	if into != nil {
		suite.Check(t, json.Unmarshal(a.body, into))
	}
	return a
}

func (h *hooked) received() (n int, last *http.Request, body []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n = len(h.came); n == 0 {
		return 0, nil, nil
	}
	return n, h.came[n-1], h.bodies[n-1]
}

// TestTheLifeOfAWebhook registers a webhook, receives a build's changes, reads the log, requests
// a test and a replay, and deletes the webhook.
func TestTheLifeOfAWebhook(t *testing.T) {
	suite.InTest(t)
	storagetest.EachTarget(t, func(t *testing.T, target string) {
		h := serveHooked(t, target)
		secret, _ := h.newKey(t, "ada")
		key := secret.Reveal()
		defer work(t, h.Server)()

		var made account.CreatedWebhook
		a := h.send(t, "POST", "/api/webhooks", key, `{"url":"`+h.receiver.URL+`/hook?token=t0ken","events":["entity.updated","entity.created"]}`, 201, &made)
		suite.Holds(t, strings.HasPrefix(made.ID, "wh_") && made.Active &&
			slices.Equal(made.Events, []string{"entity.created", "entity.updated"}) &&
			a.header.Get("Location") == "/api/webhooks/"+made.ID && a.header.Get("Cache-Control") == "no-store")
		h.keepsChoices(t, key)
		verify := suite.Must(standardwebhooks.NewWebhook(made.Secret))(t)
		for _, path := range []string{"/api/webhooks", "/api/webhooks/" + made.ID} {
			h.send(t, "GET", path, key, "", 200, nil).lacks(t, "secret", made.Secret)
		}
		suite.Eventually(t, "a build is announced", func() bool { c, err := h.state.Announced(t.Context()); return err == nil && c.Build != "" })
		writeContent(t, h.content, 3, 1)
		h.publish(t)
		suite.Eventually(t, "five events", func() bool { n, _, _ := h.received(); return n == 5 })
		_, last, body := h.received()
		suite.Check(t, verify.Verify(body, last.Header))
		suite.Holds(t, last.Header.Get("Content-Type") == "application/json" &&
			last.URL.RawQuery == "token=t0ken" && last.Method == "POST", last.Method, last.URL, last.Header)
		h.testLog(t, key, made.ID)
		h.send(t, "DELETE", "/api/webhooks/"+made.ID, key, "", 204, nil)
		h.send(t, "GET", "/api/webhooks/"+made.ID, key, "", 404, nil)
		suite.LacksAll(t, h.log.String(), made.Secret, made.Secret[6:], "t0ken")
	})
}

// keepsChoices registers webhooks with a choice of fields and figures, which each shows when it is read, and deletes
// them. Package webhook tests what they receive.
func (h *hooked) keepsChoices(t *testing.T, key string) {
	t.Helper()
	for choice, want := range map[string]string{``: "[] true", `,"figures":false`: "[] false", `,"fields":["version"]`: "[version] true",
		`,"fields":["signals.stars","lifecycle.retires"],"figures":false`: "[lifecycle.retires signals.stars] false"} {
		var made account.CreatedWebhook
		var shown panel.Webhook
		h.send(t, "POST", "/api/webhooks", key, `{"url":"`+h.receiver.URL+`","events":["entity.created"]`+choice+`}`, 201, &made)
		h.send(t, "GET", "/api/webhooks/"+made.ID, key, "", 200, &shown)
		suite.Equal(t, fmt.Sprint(shown.Fields, " ", shown.Figures), want, choice)
		h.send(t, "DELETE", "/api/webhooks/"+made.ID, key, "", 204, nil)
	}
}

type deliveryPage struct {
	Data       []panel.Delivery
	Count      int
	NextCursor *string
}

// testLog reads a log of five deliveries page by page, sends a test, and replays one of the five
// deliveries.
func (h *hooked) testLog(t *testing.T, key, id string) {
	path := "/api/webhooks/" + id
	suite.Eventually(t, "five in the log", func() bool {
		var p deliveryPage
		h.send(t, "GET", path+"/deliveries?status=succeeded", key, "", 200, &p)
		return p.Count == 5
	})
	var all []panel.Delivery
	for cursor := ""; ; {
		var p deliveryPage
		h.send(t, "GET", path+"/deliveries?limit=2"+cursor, key, "", 200, &p)
		if all = append(all, p.Data...); p.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *p.NextCursor
	}
	_, last, _ := h.received()
	suite.Holds(t, len(all) == 5 && all[0].EventID == last.Header.Get("webhook-id") &&
		!all[0].CreatedAt.Before(all[4].CreatedAt), all)
	var none deliveryPage
	if h.send(t, "GET", path+"/deliveries?status=failed", key, "", 200, &none); none.Count != 0 || len(none.Data) != 0 {
		t.Errorf("%+v", none)
	}
	h.answer.Store(500)
	var test panel.Delivery
	h.send(t, "POST", path+"/test", key, "", 202, &test)
	suite.Eventually(t, "the test has failed", func() bool {
		var p deliveryPage
		h.send(t, "GET", path+"/deliveries?status=failed", key, "", 200, &p)
		return p.Count == 1 && p.Data[0].ID == test.ID && *p.Data[0].ResponseStatus == 500 && p.Data[0].Error != nil
	})
	h.answer.Store(200)
	var replay, again panel.Delivery
	h.send(t, "POST", path+"/deliveries/"+all[4].ID+"/replay", key, "", 202, &replay, "Idempotency-Key", "r1")
	h.send(t, "POST", path+"/deliveries/"+all[4].ID+"/replay", key, "", 202, &again, "Idempotency-Key", "r1")
	suite.Eventually(t, "the replay came", func() bool {
		n, r, _ := h.received()
		return n == 7 && r.Header.Get("webhook-id") == all[4].EventID
	})
	suite.Holds(t, replay.Kind == "replay" && replay.Status == "pending" && replay.ID == again.ID, replay, again)
}

// TestRegistrationRefusesWhatCannotBe: the error says what is wrong with an address or a choice, and nothing is
// registered.
func TestRegistrationRefusesWhatCannotBe(t *testing.T) {
	suite.InTest(t)
	h := serveHooked(t, t.TempDir()+"/kindex.db")
	secret, k := h.newKey(t, "ada")
	const good = "https://example.org/"
	for _, c := range []struct{ url, more, says string }{
		{"http://example.org/", `"events":["entity.created"]`, "https://"},
		{"https://169.254.169.254/latest/meta-data", `"events":["entity.created"]`, "not on the public internet"},
		{"https://2852039166/", `"events":["entity.created"]`, "invalid host"},
		{"https://inside.example/", `"events":["entity.created"]`, "has no address on the public internet"},
		{"https://me:pw@example.org/", `"events":["entity.created"]`, "a user name or password"},
		{good, `"events":[]`, "at least one of entity.created"},
		{good, `"events":["entity.create"]`, `did you mean entity.created?","instance"`},
		{good, `"events":["entity.created","entity.created"]`, "twice"},
		{good, `"events":["entity.created"],"fields":["signals.star"]`, "did you mean signals.stars?"},
		{good, `"events":["entity.created"],"fields":["nonsense"]`, "not a field; expected one of: type, slug, name"},
		{good, `"events":["entity.created"],"figures":"no"`, "must be"},
	} {
		body := `{"url":"` + c.url + `",` + c.more + "}"
		h.send(t, "POST", "/api/webhooks", secret.Reveal(), body, 400, nil).says(t, c.says).lacks(t, "10.0.0.1")
	}
	suite.Equal(t, len(suite.Must(h.state.Webhooks(t.Context(), k.AccountID))(t)), 0)
}
