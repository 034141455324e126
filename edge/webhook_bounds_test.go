package edge

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/safedial"
	"kindex/builder/suite"
)

// aimed is a service whose webhooks all lead to one victim on loopback. It counts the
// connections that reach the victim.
type aimed struct {
	*hooked
	victim netip.AddrPort // the victim's public address
	dials  atomic.Int64
	later  atomic.Int64 // the time by which the guard's clock has advanced
}

// anyName is a resolver that resolves every name to one address.
type anyName netip.Addr

func (a anyName) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.Addr(a)}, nil
}

// aim registers webhooks of several accounts for host names with numbers.
func aim(t *testing.T, names string) *aimed {
	t.Helper()
	a := &aimed{victim: netip.MustParseAddrPort("93.184.216.34:443")}
	begin := time.Now()
	a.hooked = serveHooked(t, t.TempDir()+"/kindex.db", func(o *Options) {
		o.WebhookPoll = 10 * time.Millisecond
		o.Guard = safedial.New(safedial.Options{Resolver: anyName(a.victim.Addr()), Roots: x509.NewCertPool(),
			Now:  func() time.Time { return begin.Add(time.Duration(a.later.Load())) },
			Dial: func(context.Context, *net.Dialer, string, string) (net.Conn, error) { return a.dial() }})
	})
	var key string
	for i := range aimedHooks {
		if i%10 == 0 {
			key, _ = a.keyOf(t, fmt.Sprint("account", i/10))
		}
		a.send(t, "POST", "/api/webhooks", key, `{"url":"https://`+fmt.Sprintf(names, i)+`/hook","events":["entity.updated","entity.created"]}`, 201, nil)
	}
	t.Cleanup(work(t, a.Server))
	suite.Eventually(t, "a build is announced", func() bool { c, err := a.state.Announced(t.Context()); return err == nil && c.Build != "" })
	return a
}

// dial connects to the victim. The TLS handshake then fails because the name is not the
// victim's.
func (a *aimed) dial() (net.Conn, error) {
	a.dials.Add(1)
	return net.Dial("tcp", strings.TrimPrefix(a.receiver.URL, "https://"))
}

// atOnce publishes a build in which every entity has changed, and waits until every webhook has been
// looked at. The victim must not get more connections than are allowed per host.
func (a *aimed) atOnce(t *testing.T) {
	t.Helper()
	writeContent(t, a.content, 3, 1)
	a.publish(t)
	suite.Eventually(t, "every webhook was looked at", func() bool {
		n := a.attempts(t)
		return n["postponed"]+n["tls"]+n["connection"] >= aimedHooks
	})
	if n := a.dials.Load(); n > safedial.DefaultHostRate {
		t.Errorf("%d connections to the victim at once, limit %d", n, safedial.DefaultHostRate)
	}
}

// attempts returns the number of the dispatcher's delivery attempts, by outcome.
func (a *aimed) attempts(t *testing.T) map[string]float64 {
	t.Helper()
	families := suite.Must(a.shared.Metrics.Registry.Gather())(t)
	n := map[string]float64{}
	for _, f := range families {
		if f.GetName() == "kindex_webhook_attempts_total" {
			for _, m := range f.GetMetric() {
				n[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	return n
}

const aimedHooks = 60

// TestWebhooksAimedAtOneHost registers sixty webhooks for six accounts, all with host names in one
// domain, and publishes a build that causes five events. However many webhooks there are, the host
// must get no more connections than are allowed per host, and webhooks that have to wait must not
// lose any events.
func TestWebhooksAimedAtOneHost(t *testing.T) {
	suite.InTest(t)
	a := aim(t, "n%d.victim.example.com")
	a.atOnce(t)
	suite.Holds(t, a.attempts(t)["postponed"] >= aimedHooks-safedial.DefaultHostRate, a.attempts(t))
	// Webhooks that have to wait are called as time passes.
	begin := time.Now()
	for seconds := 1; a.attempts(t)["tls"] < aimedHooks; seconds++ {
		suite.Require(t, time.Since(begin) <= hanging, "webhooks are still waiting", a.attempts(t))
		a.later.Add(int64(time.Second))
		time.Sleep(20 * time.Millisecond)
		if n := a.dials.Load(); n > int64(safedial.DefaultHostRate*(seconds+1)) {
			t.Fatalf("%d connections within %d s", n, seconds)
		}
	}
}

// TestWebhooksAimedAtOneAddress registers sixty webhooks in sixty domains, whose names all resolve
// to one address.
func TestWebhooksAimedAtOneAddress(t *testing.T) {
	suite.InTest(t)
	aim(t, "victim%d.example").atOnce(t)
}

// TestWebhookChallenge tries to register webhooks for other people's addresses. Only an endpoint
// that answers the challenge correctly is accepted.
func TestWebhookChallenge(t *testing.T) {
	suite.InTest(t)
	var mu sync.Mutex
	answer := func(string) (int, string) { return 200, "" }
	asked := 0
	h := serveHooked(t, t.TempDir()+"/kindex.db", func(o *Options) { o.WebhookChallenge = true })
	h.receiver.Config.Handler = challenged(t, &mu, &asked, &answer)
	secret, _ := h.newKey(t, "ada")
	key := secret.Reveal()
	body := `{"url":"` + h.receiver.URL + `/hook","events":["entity.updated"]}`
	for name, c := range map[string]struct {
		answer func(text string) (int, string)
		status int
	}{
		"any page":       {func(string) (int, string) { return 200, "<html>welcome</html>" }, 400},
		"an echo of all": {func(text string) (int, string) { return 200, echoed }, 400},
		"more members": {func(text string) (int, string) {
			return 200, `{"challenge":"` + text + `","event":"webhook.challenge"}`
		}, 400},
		"a refusal":        {func(text string) (int, string) { return 403, text }, 400},
		"a redirect":       {func(text string) (int, string) { return 302, text }, 400},
		"too much":         {func(text string) (int, string) { return 200, strings.Repeat(" ", 2000) + text }, 400},
		"the text":         {func(text string) (int, string) { return 200, text + "\n" }, 201},
		"the text in JSON": {func(text string) (int, string) { return 201, `{"challenge": "` + text + `"}` }, 201},
	} {
		mu.Lock()
		answer = c.answer
		mu.Unlock()
		a := h.send(t, "POST", "/api/webhooks", key, body, c.status, nil)
		if c.status == 400 && (!strings.Contains(string(a.body), "challenge") || strings.Contains(string(a.body), "welcome")) {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	mu.Lock()
	n := asked
	mu.Unlock()
	h.send(t, "POST", "/api/webhooks", key, `{"url":"`+h.receiver.URL+`/hook","events":["entity.moved"]}`, 400, nil)
	h.send(t, "POST", "/api/webhooks", key, `{"url":"https://10.0.0.1/hook","events":["entity.updated"]}`, 400, nil)
	suite.Equal(t, asked, n, "challenges")
	var list struct{ Count int }
	h.send(t, "GET", "/api/webhooks", key, "", 200, &list)
	suite.Equal(t, list.Count, 2, "webhooks")
}

// echoed is replaced with the entire request body.
const echoed = "echo"

// challenged is an endpoint that answers challenges and checks their format.
func challenged(t *testing.T, mu *sync.Mutex, asked *int, answer *func(string) (int, string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		*asked++
		body, err := io.ReadAll(r.Body)
		var message struct{ ID, Event, Timestamp, Challenge string }
		if err == nil {
			err = json.Unmarshal(body, &message)
		}
		if err != nil || message.Event != "webhook.challenge" || len(message.Challenge) < 26 || r.Header.Get("webhook-signature") == "" || r.Header.Get("webhook-id") != message.ID {
			t.Errorf("%v: %s %v", err, body, r.Header)
		}
		status, text := (*answer)(message.Challenge)
		if text == echoed {
			text = string(body)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	})
}
