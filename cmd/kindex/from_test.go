package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
)

// pulling is an edge in another process that serves what an origin publishes.
type pulling struct {
	t           *testing.T
	origin      *origin
	dir         string
	flags       []string
	addr, admin string
	cmd         *exec.Cmd
	down        atomic.Bool // no answer is expected
	answers     atomic.Int64
}

func startPulling(t *testing.T, o *origin, dir string, flags ...string) *pulling {
	t.Helper()
	e := &pulling{t: t, origin: o, dir: dir, flags: flags, addr: suite.FreeAddress(t), admin: suite.FreeAddress(t)}
	if o.key != "" {
		e.flags = append(e.flags, "--verify-key", o.public)
	}
	e.start()
	t.Cleanup(e.kill)
	return e
}

func (e *pulling) start() {
	e.t.Helper()
	args := append([]string{"serve", "--from", e.origin.from, "--interval", "1s", "--dir", e.dir, "--addr", e.addr, "--admin", e.admin,
		"--limit-anonymous", "0", "--limit-pages", "0", "--log-format", "json"}, e.flags...)
	e.cmd = program(args...)
	e.cmd.Env = append(e.cmd.Env, e.origin.env...)
	suite.Check(e.t, e.cmd.Start())
}

// kill ends the edge without a warning.
func (e *pulling) kill() {
	_ = e.cmd.Process.Signal(syscall.SIGKILL) // it has ended, or ends now
	_ = e.cmd.Wait()
}

// waitReady waits until /readyz contains all of the texts.
func (e *pulling) waitReady(texts ...string) {
	e.t.Helper()
	for deadline := time.Now().Add(hanging); ; time.Sleep(100 * time.Millisecond) {
		status, body, err := get("http://" + e.admin + "/readyz")
		missing := ""
		for _, text := range texts {
			if !strings.Contains(body, text) {
				missing = text
			}
		}
		if err == nil && status == http.StatusOK && missing == "" {
			return
		}
		if time.Now().After(deadline) {
			e.t.Fatalf("readyz: %d %s %v; %q is missing", status, body, err, missing)
		}
	}
}

// load sends requests to the edge continuously until stop is called.
func (e *pulling) load() (stop func()) {
	ctx, cancel := context.WithCancel(e.t.Context())
	var client sync.WaitGroup
	client.Go(func() { e.ask(ctx) })
	return func() {
		cancel()
		client.Wait()
	}
}

// versionText matches the version of an entity in JSON.
var versionText = regexp.MustCompile(`"version": ?"(v\d+)"`)

// ask requests an entity, a list of all entities and an export of all of them from the edge until
// ctx ends. Every answer must be complete, and of one build.
func (e *pulling) ask(ctx context.Context) {
	client := http.Client{Timeout: hanging}
	for n := 0; ctx.Err() == nil; n++ {
		path, count := fmt.Sprintf("/api/entity/tool/tool-%d", n%originEntities), 1
		switch n % 10 {
		case 5:
			path, count = "/api/entities?limit=100", originEntities
		case 9:
			path, count = "/api/export/entities?format=json", originEntities
		}
		down := e.down.Load()
		status, id, body, err := answerFrom(&client, "http://"+e.addr+path)
		if err != nil {
			if !down && !e.down.Load() {
				e.t.Errorf("no answer: %v", err)
				return
			}
			time.Sleep(time.Millisecond)
			continue
		}
		e.origin.mu.Lock()
		want := e.origin.versions[id]
		e.origin.mu.Unlock()
		found := versionText.FindAllSubmatch(body, -1)
		wrong := status != http.StatusOK || want == "" || len(found) != count
		for _, v := range found {
			wrong = wrong || string(v[1]) != want
		}
		if wrong {
			e.t.Errorf("GET %s: status %d, build %q, %d of %d entities with a version, want version %q: %s", path, status, id, len(found), count, want, body)
			return
		}
		e.answers.Add(1)
		time.Sleep(suite.Pick(20*time.Millisecond, time.Millisecond)) // leave the processors to others
	}
}

// answerFrom returns an answer and the build that it is from.
func answerFrom(client *http.Client, url string) (status int, build string, body []byte, err error) {
	res, err := client.Get(url)
	if err != nil {
		return 0, "", nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, res.Header.Get("X-Build"), body, err
}

// whileAnswers waits until the client has received n more answers.
func (e *pulling) whileAnswers(n int64) {
	e.t.Helper()
	for deadline, end := time.Now().Add(hanging), e.answers.Load()+n; e.answers.Load() < end; time.Sleep(5 * time.Millisecond) {
		if e.t.Failed() || time.Now().After(deadline) {
			e.t.Fatal("the client gets no answers")
		}
	}
}
