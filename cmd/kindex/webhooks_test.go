package main

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/apikey"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
	"kindex/exports/record"
)

// siteFolder contains the npm packages.
var siteFolder = filepath.Join("..", "..", "site")

// receiver is a program that verifies signatures with third-party code: it receives
// webhooks over TLS and fails at random (testdata/receiver.mjs).
type receiver struct {
	t     *testing.T
	port  int
	roots *x509.CertPool
	in    io.WriteCloser

	mu       sync.Mutex
	requests map[string][]request // by path
	ready    map[string]bool
	wrong    []string
}

// request is a request that the receiver has reported.
type request struct {
	Path, Trouble, Body, Wrong, Ready string
	Taken                             bool
	Port                              int
}

func startReceiver(t *testing.T, seed int) *receiver {
	t.Helper()
	suite.NodeModules(t, "standardwebhooks")
	r := &receiver{t: t, requests: map[string][]request{}, ready: map[string]bool{}}
	cert, key := r.certificate()
	cmd := exec.Command("node", filepath.Join("testdata", "receiver.mjs"), siteFolder, cert, key, fmt.Sprint(seed))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if r.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() { defer close(read); r.read(out) }()
	t.Cleanup(func() {
		r.in.Close() // ends the program
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("the receiver: %v", err)
		}
	})
	r.until("the receiver listens", func() bool { return r.port > 0 })
	return r
}

// certificate writes package httptest's self-signed certificate for 127.0.0.1, and its key.
func (r *receiver) certificate() (cert, key string) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	private, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		r.t.Fatal(err)
	}
	r.roots = x509.NewCertPool()
	r.roots.AddCert(server.Certificate())
	dir := r.t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: server.Certificate().Raw}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	return cert, key
}

// read reads the receiver's reports until it ends.
func (r *receiver) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			r.mu.Lock()
			r.wrong = append(r.wrong, "it has ended")
			r.mu.Unlock()
			return
		}
		var q request
		r.mu.Lock()
		if err := json.Unmarshal(line, &q); err != nil {
			r.wrong = append(r.wrong, fmt.Sprintf("%q: %v", line, err))
		}
		switch {
		case q.Port > 0:
			r.port = q.Port
		case q.Ready != "":
			r.ready[q.Ready] = true
		case q.Wrong != "":
			r.wrong = append(r.wrong, q.Path+": "+q.Wrong)
		default:
			r.requests[q.Path] = append(r.requests[q.Path], q)
		}
		r.mu.Unlock()
	}
}

// until waits for a condition that is checked under the lock.
func (r *receiver) until(what string, so func() bool) {
	r.t.Helper()
	for end := time.Now().Add(hanging); ; time.Sleep(10 * time.Millisecond) {
		r.mu.Lock()
		ok, wrong := so(), r.wrong
		r.mu.Unlock()
		switch {
		case len(wrong) > 0:
			r.t.Fatalf("receiver: %v", wrong)
		case ok:
			return
		case time.Now().After(end):
			r.t.Fatalf("still not true after %v: %s", hanging, what)
		}
	}
}

// taken returns the distinct bodies that the receiver has accepted at a path. The caller
// must hold the lock.
func (r *receiver) taken(path string) (bodies []string) {
	seen := map[string]bool{}
	for _, q := range r.requests[path] {
		if q.Taken && !seen[q.Body] {
			seen[q.Body] = true
			bodies = append(bodies, q.Body)
		}
	}
	return bodies
}

// seen returns the bodies accepted at a path, and the number of requests.
func (r *receiver) seen(path string) (bodies []string, requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken(path), len(r.requests[path])
}

// endpoint is one address of the receiver.
type endpoint struct {
	Path      string             `json:"path"`
	Secret    string             `json:"secret"`
	Troubles  map[string]float64 `json:"troubles,omitempty"` // the share of requests with each trouble
	First     []string           `json:"first,omitempty"`    // troubles of the first requests, before random ones
	GoneAfter int                `json:"goneAfter,omitempty"`

	events []string // subscribed events; nil means all
	id     string   // the webhook's ID
}

// owner is an account that registers webhooks through the API.
type owner struct {
	t   *testing.T
	url string
	key apikey.Secret
}

func (o *owner) ask(method, path string, body, answer any) {
	o.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		o.t.Fatal(err)
	}
	q, err := http.NewRequest(method, o.url+path, bytes.NewReader(b))
	if err != nil {
		o.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("x-api-key", o.key.Reveal())
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		o.t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode < 300 {
		err = json.Unmarshal(text, answer)
	}
	if err != nil || a.StatusCode >= 300 {
		o.t.Fatalf("%s %s: %d %s, %v", method, path, a.StatusCode, text, err)
	}
}

// register creates a webhook for an endpoint.
func (o *owner) register(r *receiver, e *endpoint) {
	o.t.Helper()
	var made struct{ ID, Secret string }
	o.ask("POST", "/api/webhooks", map[string]any{"url": fmt.Sprintf("https://127.0.0.1:%d%s", r.port, e.Path), "events": e.wants()}, &made)
	e.id, e.Secret = made.ID, made.Secret
	line, err := json.Marshal(e)
	if err != nil {
		o.t.Fatal(err)
	}
	if _, err := r.in.Write(append(line, '\n')); err != nil {
		o.t.Fatal(err)
	}
	r.until(e.Path+" is ready", func() bool { return r.ready[e.Path] })
}

func (e *endpoint) wants() []string {
	if e.events == nil {
		return record.Events
	}
	return e.events
}

// TestWebhooksOfCollection delivers the changes between builds of the public list to a
// receiver that often fails.
func TestWebhooksOfCollection(t *testing.T) {
	r := wholeReplay(t, nil)
	b := r.builds([]int{0, 1, 4, 5, 6, 10, len(r.list) - 1})
	r.compareWebhooks(t, b, func() *storage.State { return storagetest.SQLite(t) },
		map[string]float64{"error": 0.04, "unavailable": 0.02, "reset": 0.03, "closed": 0.03, "lost": 0.04, "elsewhere": 0.02, "patience": 0.002})
}

// TestWebhooksOfExtract does the same with a small extract of the list, and with two edges
// if they can share a database.
func TestWebhooksOfExtract(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	r := extractReplay(t)
	built := r.builds([]int{0, 1, 2, 3, 4, 5})
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		t.Parallel()
		b := *built
		b.out = t.TempDir()
		if err := os.CopyFS(b.out, os.DirFS(built.out)); err != nil {
			t.Fatal(err)
		}
		r.compareWebhooks(t, &b, open, map[string]float64{"error": 0.1, "unavailable": 0.05, "reset": 0.1, "closed": 0.05, "lost": 0.1,
			"elsewhere": 0.05, "patience": 0.03})
	})
}

// everyTrouble lists the troubles with which every unreliable endpoint starts.
var everyTrouble = []string{"error", "none", "lost", "reset", "patience", "elsewhere", "none", "closed", "unavailable"}

// compareWebhooks moves an edge through builds. In the end, every endpoint must have
// accepted exactly the events found by an independent comparison of the snapshots. Events
// must arrive in order, and only once unless the response was lost.
func (r *replay) compareWebhooks(t *testing.T, b *replayBuilds, open func() *storage.State, troubles map[string]float64) {
	s, to := open(), startReceiver(t, 20261121)
	set := toReceiver(t, to)
	e := newMovedEdge(t, b, s, set)
	if s.Engine() == storage.PostgreSQL {
		another := anotherEdge(t, b, open(), set)
		go another.server.Follow(t.Context())
	}
	o := newOwner(t, e)
	steady := &endpoint{Path: "/steady"}
	flaky := &endpoint{Path: "/flaky", Troubles: troubles, First: everyTrouble}
	some := &endpoint{Path: "/some", Troubles: troubles, First: everyTrouble, events: []string{record.Deleted, record.Created}}
	gone := &endpoint{Path: "/gone", GoneAfter: 4}
	alive := []*endpoint{steady, flaky, some}
	if suite.Soaking() { // each silence takes 15 seconds
		alive = append(alive, &endpoint{Path: "/silent", First: []string{"none", "silence"}})
	}
	for _, p := range append(slices.Clone(alive), gone) {
		o.register(to, p)
	}
	r.compareEvents(b, e)
	for _, p := range alive {
		want := payloads(t, s, p.wants())
		to.until(p.Path+" has all events", func() bool { return len(to.taken(p.Path)) >= len(want) })
		got, _ := to.seen(p.Path)
		if !slices.Equal(got, want) {
			t.Errorf("%s accepted %d events, not these %d in order", p.Path, len(got), len(want))
		}
		to.compareTaken(p)
		requests := o.compareLog(to, p, len(want))
		t.Logf("%s: %d events in %d requests", p.Path, len(want), requests)
	}
	var w struct {
		Active         bool
		DisabledReason string
	}
	o.ask("GET", "/api/webhooks/"+gone.id, nil, &w)
	if _, n := to.seen(gone.Path); n != gone.GoneAfter+1 || w.Active || !strings.Contains(w.DisabledReason, "410") {
		t.Errorf("%s received %d requests; active: %v, %q", gone.Path, n, w.Active, w.DisabledReason)
	}
}

// toReceiver configures an edge to deliver to a receiver, with short timeouts and short
// delays between retries.
func toReceiver(t *testing.T, r *receiver) func(*edge.Options) {
	t.Helper()
	allowed, err := safedial.ParseException(fmt.Sprintf("127.0.0.1:%d", r.port))
	if err != nil {
		t.Fatal(err)
	}
	operator, err := seal.Parse(seal.Generate())
	if err != nil {
		t.Fatal(err)
	}
	return func(o *edge.Options) {
		o.Guard = safedial.New(safedial.Options{Allow: []safedial.Exception{allowed}, Roots: r.roots})
		o.OperatorKeys = operator
		o.WebhookSchedule, o.WebhookPoll = slices.Repeat(webhook.Schedule{10 * time.Millisecond}, 60), 10*time.Millisecond
	}
}

// newOwner creates an account with a key.
func newOwner(t *testing.T, e *movedEdge) *owner {
	t.Helper()
	server := httptest.NewServer(e.server)
	t.Cleanup(server.Close)
	o := &owner{t: t, url: server.URL, key: apikey.Generate()}
	if err := e.state.Write(t.Context(), func(tx *storage.Tx) error {
		account, err := tx.EnsureAccount("receiver")
		if err == nil {
			_, err = tx.CreateKey(account.ID, "test", o.key)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return o
}

// payloads returns the bodies of all stored events with the given names.
func payloads(t *testing.T, s *storage.State, names []string) (list []string) {
	t.Helper()
	for _, e := range storagetest.Events(t, s, 0) {
		if slices.Contains(names, e.Name) {
			list = append(list, string(e.Payload))
		}
	}
	return list
}

// compareTaken reports events that were sent again after a successful response, and
// troubles that never happened.
func (r *receiver) compareTaken(e *endpoint) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	answered, happened := map[string]bool{}, map[string]bool{}
	for _, q := range r.requests[e.Path] {
		if answered[q.Body] {
			r.t.Errorf("%s: sent again after a successful response: %s", e.Path, q.Body)
		}
		answered[q.Body] = q.Trouble == "none"
		happened[q.Trouble] = true
	}
	for _, trouble := range e.First {
		if !happened[trouble] {
			r.t.Errorf("%s never had the trouble %q", e.Path, trouble)
		}
	}
}

// compareLog compares the delivery log with the requests seen by the receiver. The log may
// lag slightly.
func (o *owner) compareLog(to *receiver, e *endpoint, events int) (requests int) {
	o.t.Helper()
	var deliveries, succeeded, attempts int
	for end := time.Now().Add(hanging); ; time.Sleep(10 * time.Millisecond) {
		deliveries, succeeded, attempts = o.readLog(e)
		// The receiver may have all events before the log does: an event whose response was
		// lost is sent again.
		if _, requests = to.seen(e.Path); succeeded == events && deliveries == events && attempts == requests {
			return requests
		}
		if time.Now().After(end) {
			o.t.Errorf("%s: the log has %d deliveries of %d events, %d have succeeded, with %d attempts of %d requests",
				e.Path, deliveries, events, succeeded, attempts, requests)
			return requests
		}
	}
}

func (o *owner) readLog(e *endpoint) (deliveries, succeeded, attempts int) {
	o.t.Helper()
	for cursor := ""; ; {
		var page struct {
			Data []struct {
				Status   string
				Attempts int
			}
			NextCursor *string
		}
		o.ask("GET", "/api/webhooks/"+e.id+"/deliveries?limit=100"+cursor, nil, &page)
		for _, d := range page.Data {
			deliveries, attempts = deliveries+1, attempts+d.Attempts
			if d.Status == "succeeded" {
				succeeded++
			}
		}
		if page.NextCursor == nil {
			return deliveries, succeeded, attempts
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}
