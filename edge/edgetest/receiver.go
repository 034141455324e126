package edgetest

import (
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"kindex/builder/safedial"
)

// Delivery is a request that a receiver has received, together with the status of its response.
type Delivery struct {
	Header http.Header
	Body   []byte
	Status int
}

// Receiver is an endpoint that receives webhook deliveries.
type Receiver struct {
	URL string // https
	// Guard lets an edge call only this receiver.
	Guard *safedial.Guard
	// Came is the channel on which deliveries arrive. The receiver responds with 204 unless
	// Answer sets a different status.
	Came chan Delivery

	status atomic.Int64
}

// Answer sets the status of all further responses.
func (r *Receiver) Answer(status int) { r.status.Store(int64(status)) }

// NewReceiver starts a receiver that runs until its test ends.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{Came: make(chan Delivery, 100)}
	r.Answer(http.StatusNoContent)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Errorf("reading a delivery: %v", err)
		}
		status := int(r.status.Load())
		r.Came <- Delivery{req.Header, body, status}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	r.URL = server.URL
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	r.Guard = Guard(t, roots, strings.TrimPrefix(server.URL, "https://"))
	return r
}
