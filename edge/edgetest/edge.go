// Package edgetest provides tests with an edge on loopback that serves the content for tests with
// a short history. It also simulates conditions that clients meet in practice: broken
// connections, busy servers, exhausted limits and webhook receivers.
package edgetest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"kindex/builder/safedial"
	"kindex/edge"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// Edge is an edge that runs until its test ends.
type Edge struct {
	*edge.Server
	URL   string // http://127.0.0.1:port
	State *storage.State
	Dir   string
}

// Start starts an edge. By default, it serves Built and stores its state in a SQLite file. It
// cannot reach the network. If sign-in is enabled, the public address is the listening address.
// Each function in wrap wraps the handler.
func Start(t testing.TB, o edge.Options, wrap ...func(http.Handler) http.Handler) *Edge {
	t.Helper()
	return StartOn(t, Listen(t), o, wrap...)
}

// Listen listens on loopback for an edge that StartOn starts later. It is for tests that need the
// address before the edge starts, for example to configure a sign-in provider.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// StartOn is like Start, but uses a listener from Listen.
func StartOn(t testing.TB, l net.Listener, o edge.Options, wrap ...func(http.Handler) http.Handler) *Edge {
	t.Helper()
	if o.Dir == "" {
		o.Dir = Built(t)
	}
	if o.State == nil {
		o.State = storagetest.SQLite(t)
	}
	if o.Guard == nil {
		o.Guard = Guard(t)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{}}
	if o.URL == "" && o.SignIn.Configured() {
		o.URL = "http://" + l.Addr().String()
	}
	s, err := edge.New(o)
	if err != nil {
		server.Close()
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	wait := s.RunJobs(ctx)
	var h http.Handler = s
	for _, w := range wrap {
		h = w(h)
	}
	server.Config.Handler = h
	server.Start()
	t.Cleanup(func() {
		server.Close()
		cancel()
		wait()
		s.Close()
	})
	return &Edge{Server: s, URL: server.URL, State: o.State, Dir: o.Dir}
}

// Guard returns a guard that accepts public addresses and the given ones, but connects to none.
func Guard(t testing.TB, allow ...string) *safedial.Guard {
	t.Helper()
	o := safedial.Options{Resolver: noNames{}, Dial: noNetwork}
	for _, address := range allow {
		exception, err := safedial.ParseException(address)
		if err != nil {
			t.Fatal(err)
		}
		o.Allow = append(o.Allow, exception)
	}
	return safedial.New(o)
}

// noNames and noNetwork keep tests from accessing the network.
type noNames struct{}

func (noNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no names in tests", Name: host, IsNotFound: true}
}

func noNetwork(_ context.Context, _ *net.Dialer, _, address string) (net.Conn, error) {
	return nil, errors.New("no network in tests: " + address)
}

// Key creates the account if it does not exist, and returns a new key for it.
func (e *Edge) Key(t testing.TB, account string) string {
	t.Helper()
	secret := apikey.Generate()
	if err := e.State.Write(context.Background(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount(account)
		if err == nil {
			_, err = tx.CreateKey(a.ID, "first", secret)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

// BeforeMidnight returns a clock on which the UTC day ends after the given time. Exhausted limits
// are reset when the day ends.
func BeforeMidnight(wait time.Duration) func() time.Time {
	begin := time.Now()
	midnight := begin.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	return func() time.Time { return midnight.Add(time.Since(begin) - wait) }
}
