package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/account"
	"kindex/edge/seal"
	"kindex/edge/storage/storagetest"
)

// movedClock is a clock that a test sets.
type movedClock struct {
	mu    sync.Mutex
	at    time.Time
	reads int
}

func (c *movedClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	return c.at
}

// read returns how often the clock has been read.
func (c *movedClock) read() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads
}

func (c *movedClock) set(day string) {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at.Add(time.Hour)
}

// notices returns the received notices as path, type/slug, day, days left and successor, sorted.
// Delivery is at least once, so each event ID counts once per path: moving the clock ends a worker's
// lease, and another worker may repeat the attempt.
func (h *hooked) notices(t *testing.T) (list []string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[string]bool{}
	for i, body := range h.bodies {
		id := h.came[i].URL.Path + " " + h.came[i].Header.Get("webhook-id")
		if seen[id] {
			continue
		}
		seen[id] = true
		var m struct {
			Event, Retires string
			DaysLeft       int
			ReplacedBy     *string
			Entity         struct{ Type, Slug string }
			Changes        []any
		}
		if err := json.Unmarshal(body, &m); err != nil || m.Event != "entity.retiring" || m.Changes == nil || len(m.Changes) > 0 {
			t.Fatalf("%s: %v", body, err)
		}
		successor := "null"
		if m.ReplacedBy != nil {
			successor = *m.ReplacedBy
		}
		list = append(list, fmt.Sprintf("%s %s/%s %s %d %s", h.came[i].URL.Path, m.Entity.Type, m.Entity.Slug, m.Retires, m.DaysLeft, successor))
	}
	slices.Sort(list)
	return list
}

// TestRetiring follows notices from the content to the webhooks, while the clock moves on, days
// change, an entity is renamed and withdrawn, and the edge restarts.
func TestRetiring(t *testing.T) {
	suite.InTest(t)
	onBothEngines(t, func(t *testing.T, target string) {
		clock := &movedClock{}
		clock.set("2026-11-02")
		content, out := filepath.Join(t.TempDir(), "content"), filepath.Join(t.TempDir(), "out")
		writeEntity(t, content, "model/a", "lifecycle: {retires: 2026-12-10, replacedBy: model/b}\n")
		writeEntity(t, content, "model/b", "")
		writeEntity(t, content, "model/past", "lifecycle: {retires: 2026-11-08}\n") // its notices are late in the first build
		buildInto(t, content, out, 3)
		keys, err := seal.Parse(seal.Generate()) // the same after a restart
		if err != nil {
			t.Fatal(err)
		}
		h := serveHooked(t, target, func(o *Options) {
			o.Dir, o.Now, o.WebhookPoll, o.OperatorKeys = out, clock.now, 5*time.Millisecond, keys
			o.State = storagetest.OpenAt(t, target, clock.now)
		})
		h.content, h.out = content, out
		ctx, stop := context.WithCancel(t.Context())
		wait := h.RunJobs(ctx)
		secret, _ := h.newKey(t, "ada")
		subscribe := func(path string) {
			t.Helper()
			h.send(t, "POST", "/api/webhooks", secret.Reveal(), `{"url":"`+h.receiver.URL+path+`","events":["entity.retiring"]}`, 201, &account.CreatedWebhook{})
		}
		var want []string
		expect := func(more ...string) {
			t.Helper()
			want = append(want, more...)
			slices.Sort(want)
			eventually(t, fmt.Sprint(want), func() bool { return len(h.notices(t)) >= len(want) })
			before := clock.read()
			eventually(t, "several checks", func() bool { return clock.read() > before+20 })
			if got := h.notices(t); !slices.Equal(got, want) {
				t.Fatalf("notices %q, want %q", got, want)
			}
		}
		rebuild := func() {
			t.Helper()
			buildInto(t, content, out, 3)
			if err := h.Reload(); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "the first check", func() bool { c, err := h.state.Announced(t.Context()); return err == nil && c.Noticed })
		subscribe("/1")
		expect()
		clock.set("2026-11-10")
		expect("/1 model/a 2026-12-10 30 model/b")
		subscribe("/2") // gets the notices that are still ahead
		stop()
		wait()
		ctx, stop = context.WithCancel(t.Context())
		again := serveWith(t, h.options)
		wait = again.RunJobs(ctx)
		h.Server = again.Server
		expect()
		writeEntity(t, content, "model/a-renamed", "formerly: [a]\nlifecycle: {retires: 2026-12-10, replacedBy: model/b}\n")
		if err := os.Remove(filepath.Join(content, "model", "a.yaml")); err != nil {
			t.Fatal(err)
		}
		rebuild()
		expect()
		clock.set("2026-12-04") // late
		expect("/1 model/a-renamed 2026-12-10 6 model/b", "/2 model/a-renamed 2026-12-10 6 model/b")
		writeEntity(t, content, "model/a-renamed", "formerly: [a]\nlifecycle: {retires: 2026-12-20}\n")
		rebuild()
		expect("/1 model/a-renamed 2026-12-20 16 null", "/2 model/a-renamed 2026-12-20 16 null")
		writeEntity(t, content, "model/a-renamed", "formerly: [a]\nstatus: withdrawn\nlifecycle: {retires: 2026-12-20}\n")
		rebuild()
		clock.set("2026-12-14")
		expect()
		stop()
		wait()
	})
}
