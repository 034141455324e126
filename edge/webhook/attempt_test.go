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

	"kindex/builder/suite"
	"kindex/edge/guard"
)

// hostile returns a sender that may call a TLS server on loopback.
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
	allow, err := guard.ParseException(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	o := guard.Options{Allow: []guard.Exception{allow}}
	if c := s.Certificate(); c != nil {
		o.Roots = x509.NewCertPool()
		o.Roots.AddCert(c)
	}
	client := guard.New(o).Client()
	client.Timeout = time.Second
	t.Cleanup(client.CloseIdleConnections)
	return &sender{client, "test", time.Now}
}

func (s *sender) call(t *testing.T, url string) answer {
	t.Helper()
	return s.post(t.Context(), url, []Secret{NewSecret()}, "evt_1", []byte("{}"))
}

func TestLargeAnswersAreNotRead(t *testing.T) {
	var written atomic.Int64
	s, c := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		chunk := make([]byte, 32<<10)
		for r.Context().Err() == nil {
			n, err := w.Write(chunk)
			if written.Add(int64(n)); err != nil {
				return
			}
		}
	})
	if a := c.call(t, s.URL); !a.success() || a.took > 900*time.Millisecond {
		t.Errorf("%+v", a)
	}
	time.Sleep(50 * time.Millisecond)
	if n := written.Load(); n > 8<<20 { // what fits into the buffers of the connection
		t.Errorf("%d bytes were taken", n)
	}
}

func TestHostileAnswersFail(t *testing.T) {
	suite.InTest(t)
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		outcome string
	}{
		"headers without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}, "connection"},
		"silence": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(3 * time.Second):
			}
		}, "timeout"},
		"cut off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "connection"},
		"a redirect to itself": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", r.URL.Path)
			w.WriteHeader(308)
		}, "3xx"},
	} {
		s, from := hostile(t, c.answer)
		if a := from.call(t, s.URL+"/?token=t0ken"); a.success() || a.outcome != c.outcome || a.says() == "" || strings.Contains(a.says(), "127.0.0.1") || strings.Contains(a.says(), "t0ken") {
			t.Errorf("%s: %+v: %s", name, a, a.says())
		}
	}
}

// A body that trickles in behind 200 is no failure; it only takes its time.
func TestTheStatusDecides(t *testing.T) {
	s, c := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	if a := c.call(t, s.URL); !a.success() || a.took > 3*time.Second {
		t.Errorf("%+v", a)
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
	if a := c.call(t, strings.Replace(s.URL, "http:", "https:", 1)); a.success() || a.failure != "It refused the connection." {
		t.Errorf("%+v", a)
	}
	if asked.Load() != 0 {
		t.Error("a request was sent in clear")
	}
}

func TestReasonsNameNoAddress(t *testing.T) {
	for _, err := range []error{errors.New("dial tcp 10.1.2.3:443: something"), io.EOF, context.DeadlineExceeded, guard.ErrRefused} {
		if says, outcome := explain(err); says == "" || outcome == "" || strings.Contains(says, "10.1.2.3") {
			t.Errorf("%v: %q %q", err, says, outcome)
		}
	}
}
