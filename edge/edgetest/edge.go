// Package edgetest gives tests an edge on loopback, over the shipped content with a
// short history, and what clients meet in the world: connections that break, servers
// that are busy, limits that are used up, receivers of webhooks.
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

	"kindex/edge"
	"kindex/edge/apikey"
	"kindex/edge/safedial"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// Edge is an edge that serves until its test ends.
type Edge struct {
	*edge.Server
	URL   string // http://127.0.0.1:port
	State *storage.State
	Dir   string
}

// Start starts an edge. Of the options, the folder is Built unless given, the state a
// SQLite file, and the network is out of reach; where people can sign in, the address
// is the one that it listens at. Each wrap is laid around the handler.
func Start(t testing.TB, o edge.Options, wrap ...func(http.Handler) http.Handler) *Edge {
	t.Helper()
	return StartOn(t, Listen(t), o, wrap...)
}

// Listen listens on loopback, for an edge that StartOn starts there: somebody must
// know its address before, such as a provider of sign-ins.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// StartOn is Start on what Listen has given.
func StartOn(t testing.TB, l net.Listener, o edge.Options, wrap ...func(http.Handler) http.Handler) *Edge {
	t.Helper()
	if o.Dir == "" {
		o.Dir = Built(t)
	}
	if o.State == nil {
		o.State = storagetest.SQLite(t)
	}
	if o.Guard == nil {
		o.Guard = safedial.New(safedial.Options{Resolver: noNames{}, Dial: noNetwork})
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

// noNames and noNetwork keep tests from the network.
type noNames struct{}

func (noNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no names in tests", Name: host, IsNotFound: true}
}

func noNetwork(_ context.Context, _ *net.Dialer, _, address string) (net.Conn, error) {
	return nil, errors.New("no network in tests: " + address)
}

// Key makes an account, where there is none, and a key of it.
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

// BeforeMidnight is a clock by which a UTC day ends so long after the present moment:
// a limit that is used up is a new one then.
func BeforeMidnight(wait time.Duration) func() time.Time {
	begin := time.Now()
	midnight := begin.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	return func() time.Time { return midnight.Add(time.Since(begin) - wait) }
}
