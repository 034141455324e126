package main

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
)

// afterResponse is what an endpoint sends after each response. None of it may appear in the log of the edge.
const afterResponse = "level=ERROR msg=forged "

// hearing is an endpoint that receives events over TLS and keeps them in order.
type hearing struct {
	url, address string
	roots        string // path of the file with its certificate

	mu     sync.Mutex
	events []heard
}

// heard is one delivery that was received.
type heard struct {
	ID, Event string
	Entity    struct{ Type, Slug string }
	Changes   []struct {
		Field    string
		Old, New json.RawMessage
	}
	ChangeIDs []string
}

func startHearing(t *testing.T, dir string) *hearing {
	t.Helper()
	h := &hearing{roots: filepath.Join(dir, "roots.pem")}
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // discard errors from handshakes that a kill interrupts
	server.StartTLS()
	t.Cleanup(server.Close)
	h.url, h.address = server.URL+"/hook", strings.TrimPrefix(server.URL, "https://")
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	suite.Check(t, os.WriteFile(h.roots, root, 0o644))
	return h
}

// ServeHTTP implements http.Handler.
func (h *hearing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var e heard
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil || e.ID == "" || e.ID != r.Header.Get("webhook-id") {
		http.Error(w, "not an event", http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	h.events = append(h.events, e)
	h.mu.Unlock()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err) // the server speaks HTTP/1
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n"+strings.Repeat(afterResponse, 100))
	_, _ = io.Copy(io.Discard, conn) // until the edge closes it
	_ = conn.Close()
}

func (h *hearing) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.events)
}

// missing returns the changes for which no event was received.
func (h *hearing) missing(changes []string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	told := map[string]bool{}
	for _, e := range h.events {
		for _, id := range e.ChangeIDs {
			told[id] = true
		}
	}
	var list []string
	for _, id := range changes {
		if !told[id] {
			list = append(list, id)
		}
	}
	return list
}

// check verifies that every change is in exactly one event, however often that event was
// delivered, and that an entity's events arrived in order, with increasing versions.
func (h *hearing) check(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	event, versions, seen := map[string]string{}, map[string]int{}, map[string]bool{}
	for _, e := range h.events {
		for _, id := range e.ChangeIDs {
			if event[id] != "" && event[id] != e.ID {
				t.Errorf("change %s is in both events %s and %s", id, event[id], e.ID)
			}
			event[id] = e.ID
		}
		if seen[e.ID] {
			continue // delivered again
		}
		seen[e.ID] = true
		for _, f := range e.Changes {
			if f.Field != "version" {
				continue
			}
			old, now := number(f.Old), number(f.New)
			if old != versions[e.Entity.Slug] || now <= old {
				t.Errorf("%s: version %d arrives with an event from %d to %d", e.Entity.Slug, versions[e.Entity.Slug], old, now)
			}
			versions[e.Entity.Slug] = now
		}
	}
}

// number parses a version, and returns 0 if there is none.
func number(b json.RawMessage) int {
	var text string
	if json.Unmarshal(b, &text) != nil || text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}
