package webhook

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/safedial"
	"kindex/builder/suite"
)

// hanging is the timeout after which a request or a test is assumed to hang.
const hanging = 3 * time.Minute

// hostile starts a TLS server on loopback and returns it with a sender that may call it.
func hostile(t *testing.T, h http.HandlerFunc) (*httptest.Server, *sender) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, senderTo(t, s, s.URL)
}

func senderTo(t *testing.T, s *httptest.Server, url string) *sender {
	t.Helper()
	allow := suite.Must(safedial.ParseException(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://")))(t)
	o := safedial.Options{Allow: []safedial.Exception{allow}, Timeout: hanging}
	if c := s.Certificate(); c != nil {
		o.Roots = x509.NewCertPool()
		o.Roots.AddCert(c)
	}
	client := safedial.New(o).Client()
	t.Cleanup(client.CloseIdleConnections)
	return &sender{client, "test", hanging, time.Now}
}

func (s *sender) call(t *testing.T, url string) attemptResult {
	t.Helper()
	return s.post(t.Context(), url, []Secret{NewSecret()}, "evt_1", []byte("{}"), 0)
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
	if a := c.call(t, s.URL); !a.success() {
		t.Errorf("%+v", a)
	}
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
			from.timeout = 100 * time.Millisecond
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
	for c.timeout = 100 * time.Millisecond; ; c.timeout *= 2 {
		a := c.call(t, s.URL)
		if a.success() {
			return
		}
		if c.timeout > hanging/4 {
			t.Fatalf("%+v", a)
		}
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
