package edgetest

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"kindex/edge/guard"
)

// Delivery is what a webhook has received.
type Delivery struct {
	Header http.Header
	Body   []byte
}

// Receiver is an address for webhooks.
type Receiver struct {
	URL string // https
	// Guard lets an edge call this receiver and nobody else.
	Guard *guard.Guard
	// Came are the deliveries, each of which was answered with 204.
	Came chan Delivery
}

// NewReceiver starts a receiver that serves until its test ends.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{Came: make(chan Delivery, 100)}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Errorf("reading a delivery: %v", err)
		}
		r.Came <- Delivery{req.Header, body}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	r.URL = server.URL
	allow, err := guard.ParseException(strings.TrimPrefix(server.URL, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	r.Guard = guard.New(guard.Options{Allow: []guard.Exception{allow}, Roots: roots, Resolver: noNames{},
		Dial: func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
			if to, err := netip.ParseAddrPort(address); err != nil || !to.Addr().IsLoopback() {
				return noNetwork(ctx, d, network, address)
			}
			return d.DialContext(ctx, network, address)
		}})
	return r
}
