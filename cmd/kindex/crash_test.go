package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// TestCrash kills a server at random moments while keys are being created and revoked,
// submissions sent, requests counted and builds published. Everything that the server
// acknowledged with a 2xx response must exist after the next start. Counters may lose the
// most recent requests, but never requests that were already stored. A webhook must have
// received every change, with the changes to each entity in order.
func TestCrash(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	kills := map[storage.Engine]int{storage.SQLite: suite.Pick(2, 80), storage.PostgreSQL: suite.Pick(1, 20)}
	crash := func(t *testing.T, target string, kills int) {
		t.Parallel() // mostly waiting for programs to start and for killed programs' leases to expire
		c := newCrashing(t, target)
		for range kills {
			c.round()
		}
		c.finish()
	}
	t.Run("SQLite", func(t *testing.T) { crash(t, filepath.Join(t.TempDir(), "kindex.db"), kills[storage.SQLite]) })
	t.Run("PostgreSQL", func(t *testing.T) { crash(t, storagetest.PostgreSQL(t), kills[storage.PostgreSQL]) })
}

// crashing is a service that is killed repeatedly, together with everything that it has
// promised to keep.
type crashing struct {
	t       *testing.T
	rng     *rand.Rand
	dir     string
	target  string // the database
	hook    *hearing
	server  *exec.Cmd
	log     *bytes.Buffer // the server's log
	base    string
	owner   string // the key that creates keys; its account has room for four more
	writer  string // the key that created the webhook
	counted string // the key whose requests are counted

	mu          sync.Mutex
	made        map[string]string   // keys by id
	unsure      map[string]bool     // ids of keys whose revocation was not answered
	submissions map[string]promised // by name
	writers     []string            // keys that send submissions, each from a different account
	attempts    int                 // attempted submissions
	unanswered  []attempted         // submissions without an answer
	sent        int                 // counted requests sent
	before      int                 // how many of those requests had certainly been counted before this round
	edits       int
	kills       int
}

const crashLimit = 1_000_000

// crashWriters is the number of accounts that send submissions. There are many because an
// account may have only 20 open submissions.
const crashWriters = 200

// attempted is a submission that was sent with a key.
type attempted struct{ name, key string }

// promised is a submission that the server acknowledged.
type promised struct{ id, key string }

func newCrashing(t *testing.T, target string) *crashing {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := &crashing{t: t, rng: rand.New(rand.NewPCG(seed, 0)), dir: t.TempDir(), target: target,
		made: map[string]string{}, unsure: map[string]bool{}, submissions: map[string]promised{}}
	writeContent(t, filepath.Join(c.dir, "content"), 6)
	commitAll(t, c.dir)
	c.build()
	c.hook = startHearing(t, c.dir)
	suite.Check(t, os.WriteFile(filepath.Join(c.dir, "operator.key"), []byte("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"), 0o600))
	st := suite.Must(storage.Open(t.Context(), target, storage.Options{}))(t)
	for account, key := range map[string]*string{"owner": &c.owner, "writer": &c.writer, "counted": &c.counted} {
		*key = makeKey(t, st, account)
	}
	for i := range crashWriters {
		c.writers = append(c.writers, makeKey(t, st, fmt.Sprint("writer-", i)))
	}
	suite.Check(t, st.Close())
	c.start()
	status, body := c.ask(http.MethodPost, "/api/webhooks", c.writer,
		`{"url":"`+c.hook.url+`","events":["entity.created","entity.updated","entity.deleted"]}`)
	if status != http.StatusCreated {
		t.Fatalf("the webhook: %d %s", status, body)
	}
	c.kill(0)
	return c
}

// makeKey creates an account that has one key.
func makeKey(t *testing.T, st *storage.State, account string) string {
	t.Helper()
	secret := apikey.Generate()
	suite.Check(t, st.Write(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount(account)
		if err == nil {
			_, err = tx.CreateKey(a.ID, "first", secret)
		}
		return err
	}))
	return secret.Reveal()
}

// round starts the server, checks its promises, and kills it under load.
func (c *crashing) round() {
	c.t.Helper()
	c.start()
	c.checkKeys()
	c.checkCounter()
	c.submitAgain()
	ctx, cancel := context.WithCancel(context.Background())
	var load sync.WaitGroup
	for _, work := range []func(context.Context){c.makeKeys, c.submit, c.submit, c.count, c.count} {
		load.Go(func() { work(ctx) })
	}
	load.Go(c.edit)
	c.kill(time.Duration(c.rng.IntN(400)) * time.Millisecond)
	cancel()
	load.Wait()
	c.kills++
}

// start starts the server and waits until it answers.
func (c *crashing) start() {
	c.t.Helper()
	c.server = program("serve", "--dir", filepath.Join(c.dir, "out"), "--state", c.target, "--addr", "127.0.0.1:0", "--admin", "",
		"--limit-key", strconv.Itoa(crashLimit), "--webhook-allow", c.hook.address)
	if storage.IsPostgreSQL(c.target) {
		c.server.Args = append(c.server.Args, "--operator-key", filepath.Join(c.dir, "operator.key"))
	}
	c.server.Env = append(c.server.Env, "SSL_CERT_FILE="+c.hook.roots)
	c.log = &bytes.Buffer{}
	c.server.Stderr = c.log
	out, err := c.server.StdoutPipe()
	if err == nil {
		err = c.server.Start()
	}
	suite.Check(c.t, err)
	c.t.Cleanup(func() { _ = c.server.Process.Kill() })
	line := make([]byte, 256)
	n, err := out.Read(line)
	address, found := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "serving ")
	if err != nil || !found {
		_ = c.server.Wait()
		c.t.Fatalf("the server does not start: %q, %v\n%s", line[:n], err, c.log.String())
	}
	c.base, _, _ = strings.Cut(address, "\n")
}

func (c *crashing) kill(after time.Duration) {
	time.Sleep(after)
	suite.Check(c.t, c.server.Process.Kill())
	_ = c.server.Wait() // killed
	c.checkLog()
}

// checkLog checks that the log has nothing that the endpoint sent after a response.
func (c *crashing) checkLog() {
	c.t.Helper()
	if log := c.log.String(); strings.Contains(log, "DATA RACE") || strings.Contains(log, afterResponse) {
		c.t.Error(log)
	}
}

// ask sends a request. Status 0 means no answer.
func (c *crashing) ask(method, path, key, body string, header ...string) (int, []byte) {
	req, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-api-key", key)
	if len(header) > 0 {
		req.Header.Set("Idempotency-Key", header[0])
	}
	res, err := crashClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	return res.StatusCode, text
}

var crashClient = &http.Client{Timeout: hanging, Transport: &http.Transport{MaxIdleConnsPerHost: 8}}

// edit changes an entity's version, commits and builds.
func (c *crashing) edit() {
	c.edits++
	path := filepath.Join(c.dir, "content", "tool", fmt.Sprintf("tool-%d.yaml", c.edits%6))
	text, _, _ := strings.Cut(readText(c.t, path), "version:") // the last line, after the first edit
	writeFile(c.t, path, text+fmt.Sprintf("version: \"%d\"\n", c.edits))
	gitIn(c.t, c.dir, "commit", "-q", "-a", "-m", fmt.Sprint("Edit ", c.edits))
	c.build()
}

func (c *crashing) build() {
	c.t.Helper()
	succeed(c.t, "build", "--content", filepath.Join(c.dir, "content"), "--out", filepath.Join(c.dir, "out"), "--as-of", "2026-07-01")
}

// finish waits until the server is idle, and compares everything it stored with what it
// promised.
func (c *crashing) finish() {
	c.t.Helper()
	if storage.IsPostgreSQL(c.target) && !suite.Soaking() { // as if the minute of the killed server's lease were over
		suite.Check(c.t, storagetest.Exec(c.target, "UPDATE webhooks SET leased_until = 0, lease_owner = NULL"))
	}
	c.start()
	c.checkKeys()
	c.checkCounter()
	c.submitAgain()
	of := map[string]int{}
	for name, s := range c.submissions {
		of[s.key]++
		status, body := c.ask(http.MethodGet, "/api/submissions/"+s.id, s.key, "")
		if status != http.StatusOK || idOf(body) != s.id {
			c.t.Errorf("the promised submission of %s: %d %s", name, status, body)
		}
	}
	for key, n := range of {
		var list struct{ Count int }
		if _, body := c.ask(http.MethodGet, "/api/submissions?limit=1", key, ""); json.Unmarshal(body, &list) != nil || list.Count != n {
			c.t.Errorf("the account has %d submissions, %d were promised", list.Count, n)
		}
	}
	want := c.changes()
	for deadline := time.Now().Add(hanging); len(c.hook.missing(want)) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("the webhook has missed %d of %d changes: %v", len(c.hook.missing(want)), len(want), c.hook.missing(want))
		}
	}
	c.hook.check(c.t)
	c.t.Logf("%d kills; %d submissions, %d requests counted, %d changes in %d deliveries",
		c.kills, len(c.submissions), c.before, len(want), c.hook.count())
	// Requests that have reached the store survive a kill. The edge writes them to the
	// store by itself, without a signal.
	c.countSome()
	for deadline := time.Now().Add(hanging); c.stored() < c.before; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("of %d counted requests, %d have reached the store", c.before, c.stored())
		}
	}
	c.kill(0)
	c.start()
	c.checkCounter()
	// A server that is stopped cleanly loses nothing.
	c.countSome()
	c.interrupt()
	c.start()
	c.checkCounter()
	if len(c.submissions) < c.kills || len(want) != c.edits {
		c.t.Error("too little was done to prove anything")
	}
	c.interrupt()
}

// interrupt stops the server as an operator would.
func (c *crashing) interrupt() {
	c.t.Helper()
	suite.Check(c.t, c.server.Process.Signal(os.Interrupt))
	if err := c.server.Wait(); err != nil {
		c.t.Errorf("the server ends with %v", err)
	}
	c.checkLog()
}

// changes returns the ids of all changes since the first build, from the changelog.
func (c *crashing) changes() []string {
	c.t.Helper()
	_, body := c.ask(http.MethodGet, "/api/export/changelog?format=json", c.writer, "")
	var list []struct{ ID, Event string }
	if err := json.Unmarshal(body, &list); err != nil {
		c.t.Fatalf("%v: %.300s", err, body)
	}
	var ids []string
	for _, ch := range list {
		if ch.Event == "entity.updated" {
			ids = append(ids, ch.ID)
		}
	}
	return ids
}
