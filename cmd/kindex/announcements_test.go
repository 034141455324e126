package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
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

	"kindex/builder"
	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/apikey"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/exports/store"
)

// announced is a git repository whose builds are served by one or two edges, with an endpoint
// that knows the catalogue only from events.
type announced struct {
	t         *testing.T
	repo, out string
	days      int // the as-of day of the last build
	open      func() *storage.State
	state     *storage.State
	keys      *seal.Keys
	hook      *hearing
	log       logged
	running   []*edge.Server
	stop      func()
	seq       int64
	known     map[string]string // version by slug, as the endpoint knows it
}

// git runs git in the repository. The time of commits is that of the next build.
func (a *announced) git(args ...string) {
	a.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-C", a.repo}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		cmd.Env = append(cmd.Env, "GIT_"+role+"_NAME=Ada", "GIT_"+role+"_EMAIL=ada@example.org", "GIT_"+role+"_DATE="+a.asOf().Format(time.RFC3339))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		a.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (a *announced) asOf() time.Time {
	return time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, a.days)
}

// commit writes the versions of tools, of which "" means that it is deleted, and commits them.
func (a *announced) commit(versions map[string]string) {
	a.t.Helper()
	a.days++
	for slug, version := range versions {
		path := filepath.Join(a.repo, "content", "tool", slug+".yaml")
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if version == "" {
			err = os.Remove(path)
		} else if err == nil {
			err = os.WriteFile(path, fmt.Appendf(nil, "name: %s\ncategory: other\ndescription: A tool.\nversion: \"%s\"\n", slug, version), 0o644)
		}
		if err != nil {
			a.t.Fatal(err)
		}
	}
	a.git("add", "-A")
	a.git("commit", "-q", "-m", fmt.Sprint(len(versions), " tools"))
}

func (a *announced) build() (id string) {
	a.t.Helper()
	a.days++
	return buildHere(a.t, builder.Options{Content: filepath.Join(a.repo, "content"), Out: a.out, AsOf: a.asOf(), Keep: 100, AllowShrink: true})
}

// lose removes a build.
func (a *announced) lose(id string) {
	a.t.Helper()
	if err := os.RemoveAll(filepath.Join(store.BuildsDir(a.out), id)); err != nil {
		a.t.Fatal(err)
	}
}

// start starts edges, two if they can share the database.
func (a *announced) start() {
	a.t.Helper()
	roots := x509.NewCertPool()
	text, err := os.ReadFile(a.hook.roots)
	if err != nil || !roots.AppendCertsFromPEM(text) {
		a.t.Fatal(err)
	}
	allowed, err := safedial.ParseException(a.hook.address)
	if err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ends []func()
	states := []*storage.State{a.state}
	if a.state.Engine() == storage.PostgreSQL {
		states = append(states, a.open())
	}
	for _, s := range states {
		server, err := edge.New(edge.Options{Dir: a.out, State: s, Log: slog.New(slog.NewTextHandler(&a.log, nil)), OperatorKeys: a.keys,
			WebhookPoll: 5 * time.Millisecond, Guard: safedial.New(safedial.Options{Allow: []safedial.Exception{allowed}, Roots: roots})})
		if err != nil {
			a.t.Fatal(err)
		}
		wait := server.RunJobs(ctx)
		a.running = append(a.running, server)
		ends = append(ends, wait)
	}
	a.stop = func() {
		cancel()
		for _, end := range ends {
			end()
		}
		a.running, a.stop = nil, func() {}
	}
}

// publish switches all running edges to a build.
func (a *announced) publish(id string) {
	a.t.Helper()
	if err := store.Publish(a.out, id); err != nil {
		a.t.Fatal(err)
	}
	for _, s := range a.running {
		if err := s.Reload(); err != nil {
			a.t.Fatal(err)
		}
	}
}

// register creates the webhook through the API.
func (a *announced) register() {
	a.t.Helper()
	server := httptest.NewServer(a.running[0])
	defer server.Close()
	o := &owner{t: a.t, url: server.URL, key: apikey.Generate()}
	if err := a.state.Write(a.t.Context(), func(tx *storage.Tx) error {
		account, err := tx.EnsureAccount("receiver")
		if err == nil {
			_, err = tx.CreateKey(account.ID, "test", o.key)
		}
		return err
	}); err != nil {
		a.t.Fatal(err)
	}
	o.ask(http.MethodPost, "/api/webhooks", map[string]any{"url": a.hook.url, "events": []string{"entity.created", "entity.updated", "entity.deleted"}}, &struct{}{})
}

func (a *announced) until(what string, so func() bool) {
	a.t.Helper()
	for end := time.Now().Add(hanging); !so(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			a.t.Fatalf("never: %s\n%s", what, a.log.String())
		}
	}
}

// expect waits until a build is announced and the endpoint has the events, and compares what it
// knows then with the content. want is the number of events.
func (a *announced) expect(id string, want int) {
	a.t.Helper()
	a.until(id+" is announced", func() bool {
		at, err := a.state.Announced(a.t.Context())
		return err == nil && at.Build == id
	})
	stored := storagetest.Events(a.t, a.state, a.seq)
	if len(stored) != want {
		a.t.Errorf("%s has %d events, want %d", id, len(stored), want)
	}
	var ids []string
	for _, e := range stored {
		a.seq = e.Seq
		ids = append(ids, e.ID)
	}
	var came []heard
	a.until("all events arrive", func() bool {
		came = a.hook.since(ids)
		return len(came) == len(ids)
	})
	for i, e := range came {
		if e.ID != ids[i] {
			a.t.Fatalf("event %d is %s, want %s", i, e.ID, ids[i])
		}
		slug := e.Entity.Slug
		if (e.Event == "entity.created") != (a.known[slug] == "") {
			a.t.Fatalf("%s of %s, which has version %q", e.Event, slug, a.known[slug])
		}
		for _, c := range e.Changes {
			if c.Field != "version" {
				continue
			}
			var old, now string
			if err := json.Unmarshal(c.Old, &old); err != nil || old != a.known[slug] {
				a.t.Fatalf("%s of %s: version was %q, not %q: %v", e.Event, slug, a.known[slug], old, err)
			}
			_ = json.Unmarshal(c.New, &now) // null if it was deleted
			if a.known[slug] = now; now == "" {
				delete(a.known, slug)
			}
		}
	}
	a.compare()
}

// compare compares what the endpoint knows with the content.
func (a *announced) compare() {
	a.t.Helper()
	if want := a.content(); !maps.Equal(a.known, want) {
		a.t.Fatalf("the endpoint knows %v, the content has %v", a.known, want)
	}
}

func (a *announced) content() map[string]string {
	files, err := filepath.Glob(filepath.Join(a.repo, "content", "tool", "*.yaml"))
	if err != nil {
		a.t.Fatal(err)
	}
	versions := map[string]string{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			a.t.Fatal(err)
		}
		_, version, _ := strings.Cut(string(text), `version: "`)
		versions[strings.TrimSuffix(filepath.Base(path), ".yaml")] = strings.TrimSuffix(version, "\"\n")
	}
	return versions
}

// since returns the first deliveries of events, in the order in which they arrived.
func (h *hearing) since(ids []string) (list []heard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[string]bool{}
	for _, e := range h.events {
		if slices.Contains(ids, e.ID) && !seen[e.ID] {
			seen[e.ID] = true
			list = append(list, e)
		}
	}
	return list
}

// logged is a log that tests can read while it is being written.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
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

// TestAnnouncements takes an endpoint through what can happen to builds, on one SQLite edge and on
// two edges with PostgreSQL: skipped builds, force pushes, edges that were down, builds that are
// gone, older builds, and 300 changes at once. Each event arrives, in order, and together they
// are the difference.
func TestAnnouncements(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		t.Parallel()
		dir := t.TempDir()
		keys, err := seal.Parse(seal.Generate())
		if err != nil {
			t.Fatal(err)
		}
		a := &announced{t: t, repo: filepath.Join(dir, "repo"), out: filepath.Join(dir, "out"), open: open, state: open(), keys: keys, hook: startHearing(t, dir)}
		if err := os.Mkdir(a.repo, 0o755); err != nil {
			t.Fatal(err)
		}
		a.git("init", "-q", "-b", "main")
		a.commit(map[string]string{"a": "1", "b": "1", "c": "1"})
		first := a.build()
		a.publish(first)
		a.start()
		defer func() { a.stop() }()
		a.until("the first build", func() bool {
			at, err := a.state.Announced(t.Context())
			return err == nil && at.Build == first
		})
		a.register()
		a.known = a.content()
		a.expect(first, 0)

		a.commit(map[string]string{"a": "2", "d": "1"})
		skipped := a.build()
		a.commit(map[string]string{"a": "3", "b": "", "d": "2"})
		second := a.build()
		a.publish(second) // the build between them is never served
		a.expect(second, 3)

		a.publish(skipped)
		a.until("the older build is seen by each edge", func() bool { return strings.Count(a.log.String(), "older than the last one") == len(a.running) })
		a.expect(second, 0)

		a.git("reset", "-q", "--hard", "HEAD~2")
		a.commit(map[string]string{"a": "4", "e": "1"})
		pushed := a.build() // a is 3, b is gone and d exists in the build before
		a.publish(pushed)
		a.expect(pushed, 4)

		a.stop()
		a.commit(map[string]string{"a": "5", "f": "1"})
		a.publish(a.build())
		a.commit(map[string]string{"a": "6", "c": ""})
		down := a.build()
		a.publish(down)
		a.start()
		a.expect(down, 3)

		a.stop()
		a.commit(map[string]string{"a": "7", "b": "2"})
		a.commit(map[string]string{"a": "8", "e": ""})
		gone := a.build()
		a.publish(gone)
		a.lose(down) // the changelog takes its place
		a.start()
		a.expect(gone, 3)

		a.stop()
		a.git("reset", "-q", "--hard", "HEAD~1")
		a.commit(map[string]string{"a": "9", "g": "1"})
		rewritten := a.build()
		a.publish(rewritten)
		a.lose(gone) // and its commit, too
		a.start()
		a.known = a.content()
		a.expect(rewritten, 0)
		if !strings.Contains(a.log.String(), "lacks its commit") {
			t.Errorf("the log does not say why there are no events: %s", a.log.String())
		}

		many := map[string]string{"a": "10"}
		for i := range 299 {
			many[fmt.Sprint("tool-", i)] = "1"
		}
		a.commit(many)
		all := a.build()
		a.publish(all)
		a.expect(all, 300)
		if text := a.log.String(); strings.Contains(text, "level=ERROR") {
			t.Error(text)
		}
	})
}
