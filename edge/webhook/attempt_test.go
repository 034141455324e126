package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"kindex/builder/safedial"
	"kindex/builder/suite"
)

// hanging is the timeout after which a request or a test is assumed to hang.
const hanging = 3 * time.Minute

// hostile starts a TLS server on loopback and returns it with a dispatcher that may call it.
func hostile(t *testing.T, h http.HandlerFunc) (*httptest.Server, *Dispatcher) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, senderTo(t, s, s.URL)
}

func senderTo(t *testing.T, s *httptest.Server, url string) *Dispatcher {
	t.Helper()
	allow := suite.Must(safedial.ParseException(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://")))(t)
	o := safedial.Options{Allow: []safedial.Exception{allow}, Timeout: hanging}
	if c := s.Certificate(); c != nil {
		o.Roots = x509.NewCertPool()
		o.Roots.AddCert(c)
	}
	client := safedial.New(o).Client()
	t.Cleanup(client.CloseIdleConnections)
	return &Dispatcher{Options: Options{Client: client, Agent: "test", Timeout: hanging, Now: time.Now}}
}

func (d *Dispatcher) call(t *testing.T, url string) attemptResult {
	t.Helper()
	return d.post(t.Context(), url, []Secret{NewSecret()}, "evt_1", []byte("{}"), 0)
}

func TestLargeAnswersAreNotRead(t *testing.T) {
	const fits, large = 8 << 20, 64 << 20 // more than fits into the connection's buffers, and much more than that
	written := make(chan int, 1)
	s, c := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
		n, err := 0, error(nil)
		for chunk := make([]byte, 32<<10); n < large && err == nil; n += len(chunk) {
			_, err = w.Write(chunk)
		}
		written <- n
	})
	a := c.call(t, s.URL)
	suite.Holds(t, a.success(), a)
	if n := <-written; n > fits {
		t.Errorf("%d bytes were read", n)
	}
}

func TestHostileAnswersFail(t *testing.T) {
	gaveUp := make(chan struct{}) // closed once the sender has stopped waiting for the silent server
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		outcome string
	}{
		"headers without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}, "connection"},
		// A handler that returned as soon as the sender disconnects would send a status, which
		// might still arrive.
		"silence": {func(http.ResponseWriter, *http.Request) { <-gaveUp }, "timeout"},
		"cut off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "connection"},
		"a redirect to itself": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", r.URL.Path)
			w.WriteHeader(308)
		}, "3xx"},
	} {
		s, from := hostile(t, c.answer)
		if c.outcome == "timeout" {
			from.Timeout = 100 * time.Millisecond
		}
		a := from.call(t, s.URL+"/?token=t0ken")
		if c.outcome == "timeout" {
			close(gaveUp)
		}
		if a.success() || a.outcome != c.outcome || a.errorText() == "" || strings.Contains(a.errorText(), "127.0.0.1") || strings.Contains(a.errorText(), "t0ken") {
			t.Errorf("%s: %+v: %s", name, a, a.errorText())
		}
	}
}

// TestTheStatusDecides checks that a body that trickles in after status 200 does not make an
// attempt fail. It only takes time.
func TestTheStatusDecides(t *testing.T) {
	s, c := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	// On a slow machine, not even the status may arrive in time.
	for c.Timeout = 100 * time.Millisecond; ; c.Timeout *= 2 {
		a := c.call(t, s.URL)
		if a.success() {
			return
		}
		suite.Require(t, c.Timeout <= hanging/4, a)
	}
}

func TestWithoutTLSNothingIsSent(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer s.Close()
	c := senderTo(t, s, s.URL)
	if a := c.call(t, strings.Replace(s.URL, "http:", "https:", 1)); a.success() || a.outcome != "tls" {
		t.Errorf("%+v", a)
	}
	if a := c.call(t, s.URL); a.success() || a.outcome != "refused" {
		t.Errorf("%+v", a)
	}
	s.Close()
	if a := c.call(t, strings.Replace(s.URL, "http:", "https:", 1)); a.success() || a.failure != "The connection was refused." {
		t.Errorf("%+v", a)
	}
	suite.Equal(t, asked.Load(), 0, "a request was sent in cleartext")
}

func TestReasonsNameNoAddress(t *testing.T) {
	for _, err := range []error{errors.New("dial tcp 10.1.2.3:443: something"), io.EOF, context.DeadlineExceeded, safedial.ErrRefused} {
		if says, outcome := describeError(err); says == "" || outcome == "" || strings.Contains(says, "10.1.2.3") {
			t.Errorf("%v: %q %q", err, says, outcome)
		}
	}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// after records an attempt at an event and returns the results.
func (s Schedule) after(w Webhook, a attemptResult, now time.Time, random float64) (Webhook, Delivery) {
	d := Delivery{Kind: ForEvent, Status: Pending}
	s.record(&w, &d, a, now, random)
	return w, d
}

func TestTheScheduleIsKeptWithJitter(t *testing.T) {
	w := Webhook{}
	now := noon
	for i, rest := range DefaultSchedule {
		for _, random := range []float64{0, 0.5, 0.999} {
			v, d := DefaultSchedule.after(w, attemptResult{status: 500}, now, random)
			got, off := v.NextAt.Sub(now), float64(v.NextAt.Sub(now))/float64(rest)-1
			if v.FailedAttempts != i+1 || d.Status != Pending || !v.Active() || off < -0.2 || off > 0.2 || (random == 0.5) != (got == rest) {
				t.Fatalf("failure %d: %+v after %v, the schedule has %v", i+1, v, got, rest)
			}
		}
		w, _ = DefaultSchedule.after(w, attemptResult{status: 500}, now, 0.5)
		now = w.NextAt
	}
	if v, d := DefaultSchedule.after(w, attemptResult{}, now, 0.5); d.Status != Failed || v.FailedAttempts != 0 || !v.NextAt.IsZero() || v.FailingSince != noon {
		t.Errorf("after the schedule: %+v", v)
	}
	if v, d := DefaultSchedule.after(w, attemptResult{status: 204}, now, 0.5); d.Status != Succeeded || v.FailedAttempts != 0 || !v.FailingSince.IsZero() || !v.NextAt.IsZero() {
		t.Errorf("a success: %+v", v)
	}
}

func TestSwitchingOff(t *testing.T) {
	for _, c := range []struct {
		status  int
		failing time.Duration
		off     bool
	}{{410, 0, true}, {500, 5*24*time.Hour - 1, false}, {500, 5 * 24 * time.Hour, true}, {0, 6 * 24 * time.Hour, true},
		{200, 6 * 24 * time.Hour, false}, {404, time.Hour, false}, {301, time.Hour, false}} {
		v, d := DefaultSchedule.after(Webhook{FailingSince: noon.Add(-c.failing)}, attemptResult{status: c.status, retryAfter: time.Hour}, noon, 0.5)
		if v.Active() == c.off || c.off && (v.DisabledReason == "" || d.Status != Pending) {
			t.Errorf("%d after %v: %+v", c.status, c.failing, v)
		}
	}
}

func TestOnly2xxIsSuccess(t *testing.T) {
	for status, ok := range map[int]bool{0: false, 100: false, 199: false, 200: true, 204: true, 299: true, 300: false, 301: false, 304: false, 307: false, 400: false, 429: false, 500: false} {
		a := attemptResult{status: status}
		suite.Holds(t, a.success() == ok && (a.errorText() == "") == ok, status, a.success(), a.errorText())
	}
}

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct{ asked, least, most time.Duration }{
		{time.Second, 5 * time.Second, 6 * time.Second}, // not sooner than the first pause of the schedule
		{time.Hour, time.Hour, 70 * time.Minute},
		{MaxRetryAfter, MaxRetryAfter, 28 * time.Hour},
	} {
		for _, random := range []float64{0, 0.999} {
			v, d := DefaultSchedule.after(Webhook{FailedAttempts: 9}, attemptResult{status: 429, retryAfter: c.asked}, noon, random)
			if rest := v.NextAt.Sub(noon); rest < c.least || rest > c.most || v.FailedAttempts != 9 || d.Status != Pending {
				t.Errorf("Retry-After %v: %+v after %v", c.asked, v, rest)
			}
		}
	}
}

func TestSignaturesAreThoseOfStandardWebhooks(t *testing.T) {
	secret := NewSecret()
	receiver := suite.Must(standardwebhooks.NewWebhook(secret.Reveal()))(t)
	h := http.Header{}
	body := []byte(`{"id":"evt_1"}`)
	suite.Check(t, sign(h, []Secret{secret}, "evt_1", time.Now(), body))
	suite.Check(t, receiver.Verify(body, h))
	suite.Is(t, receiver.Verify([]byte(`{"id":"evt_2"}`), h), standardwebhooks.ErrNoMatchingSignature, "different body")
	h.Set("webhook-id", "evt_2")
	suite.Is(t, receiver.Verify(body, h), standardwebhooks.ErrNoMatchingSignature, "different id")
	if s := NewSecret(); s == secret || !strings.HasPrefix(s.Reveal(), "whsec_") || len(s.Reveal()) != 50 {
		t.Errorf("%d characters", len(s.Reveal()))
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		suite.Lacks(t, fmt.Sprintf(verb, struct{ S Secret }{secret}), secret.Reveal()[7:20], verb)
	}
}

// TestStatusesThatAreNone has an endpoint respond over HTTP/2 with a different number each
// time, whether or not it is a valid status. This must not create a metrics series for each
// number.
func TestStatusesThatAreNone(t *testing.T) {
	var next atomic.Int64
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.EnableHTTP2 = true
	s.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, c *tls.Conn, _ http.Handler) { answerStatuses(c, &next) }}
	s.TLS = &tls.Config{NextProtos: []string{"h2"}}
	s.StartTLS()
	defer s.Close()
	c := senderTo(t, s, s.URL)
	outcomes := map[string]bool{}
	for _, status := range []int{204, 1, 99, 600, 700, 999, 1000, 20_400, 1_234_567, -200, 1 << 40} {
		next.Store(int64(status))
		a := c.call(t, s.URL)
		outcomes[a.outcome] = true
		if status == 204 != a.success() || a.status != 0 && (a.status < 100 || a.status > 599) {
			t.Errorf("%d was recorded as %d, %q: %s", status, a.status, a.outcome, a.failure)
		}
	}
	suite.Equal(t, len(outcomes), 2, "metrics outcomes")
}

// answerStatuses runs a minimal HTTP/2 server.
func answerStatuses(c *tls.Conn, next *atomic.Int64) {
	defer c.Close()
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c, preface); err != nil {
		return
	}
	f := http2.NewFramer(c, c)
	if f.WriteSettings() != nil {
		return
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = f.WriteSettingsAck()
			}
		case *http2.DataFrame:
			if frame.StreamEnded() {
				var block bytes.Buffer
				if err = hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: strconv.FormatInt(next.Load(), 10)}); err == nil {
					err = f.WriteHeaders(http2.HeadersFrameParam{StreamID: frame.StreamID, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true})
				}
			}
		}
		if err != nil {
			return
		}
	}
}
