// Package edgetest provides tests with an edge on loopback that serves the content for tests with
// a short history. It also simulates conditions that clients meet in practice: broken
// connections, busy servers, exhausted limits and webhook receivers.
package edgetest

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"kindex/builder/safedial"
	"kindex/builder/suite"
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
	return StartOn(t, httptest.NewUnstartedServer(nil), o, wrap...)
}

// StartOn is like Start, but uses a server that already listens. It is for tests that need the
// address before the edge starts, for example to configure a sign-in provider.
func StartOn(t testing.TB, server *httptest.Server, o edge.Options, wrap ...func(http.Handler) http.Handler) *Edge {
	t.Helper()
	if o.Dir == "" {
		o.Dir = Built(t)
	}
	if o.State == nil {
		o.State = storagetest.SQLite(t)
	}
	if o.Guard == nil {
		o.Guard = Guard(t, nil)
	}
	if o.URL == "" && o.SignIn.Configured() {
		o.URL = "http://" + server.Listener.Addr().String()
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
	})
	return &Edge{Server: s, URL: server.URL, State: o.State, Dir: o.Dir}
}

// Guard returns a guard that accepts public addresses and the given ones, trusts the given roots, and
// connects only to loopback.
func Guard(t testing.TB, roots *x509.CertPool, allow ...string) *safedial.Guard {
	t.Helper()
	o := safedial.Options{Roots: roots, Resolver: noNames{}, Dial: func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
		if to, err := netip.ParseAddrPort(address); err != nil || !to.Addr().IsLoopback() {
			return nil, errors.New("no network in tests: " + address)
		}
		return d.DialContext(ctx, network, address)
	}}
	for _, address := range allow {
		exception := suite.Must(safedial.ParseException(address))(t)
		o.Allow = append(o.Allow, exception)
	}
	return safedial.New(o)
}

type noNames struct{}

func (noNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no names in tests", Name: host, IsNotFound: true}
}

// Key creates the account if it does not exist, and returns a new key for it.
func (e *Edge) Key(t testing.TB, account string) string {
	t.Helper()
	secret := apikey.Generate()
	suite.Check(t, e.State.Write(context.Background(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount(account)
		if err == nil {
			_, err = tx.CreateKey(a.ID, "first", secret)
		}
		return err
	}))
	return secret.Reveal()
}
