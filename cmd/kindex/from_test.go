package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
)

// origin is a bucket in a folder, and a web server in front of it that fails on demand.
type origin struct {
	t       *testing.T
	dir     string // the bucket
	content string
	out     string
	url     string
	day     int

	fault    atomic.Pointer[fault]
	requests atomic.Int64
	mu       sync.Mutex
	versions map[string]string // the version that every entity of a build has, by ID
}

// fault answers a request in place of the bucket, or returns false to leave it to the bucket.
type fault func(w http.ResponseWriter, r *http.Request) bool

func newOrigin(t *testing.T) *origin {
	t.Helper()
	root := t.TempDir()
	o := &origin{t: t, dir: filepath.Join(root, "bucket"), content: filepath.Join(root, "content"), out: filepath.Join(root, "out"), versions: map[string]string{}}
	if err := os.Mkdir(o.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files := http.FileServerFS(os.DirFS(o.dir))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.requests.Add(1)
		if f := o.fault.Load(); f != nil && (*f)(w, r) {
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	o.url = srv.URL
	return o
}

// fail sets the fault, or removes it if f is nil.
func (o *origin) fail(f fault) {
	if f == nil {
		o.fault.Store(nil)
		return
	}
	o.fault.Store(&f)
}

// publish builds and publishes another build, and returns its ID.
func (o *origin) publish() string {
	o.t.Helper()
	o.day++
	version := fmt.Sprintf("v%d", o.day)
	for i := range 20 {
		text := fmt.Sprintf("name: Tool %d\ncategory: kind-%d\ndescription: Number %d of the tools that move.\nversion: %s\n", i, i%3, i, version)
		path := filepath.Join(o.content, "tool", fmt.Sprintf("tool-%d.yaml", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			o.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			o.t.Fatal(err)
		}
	}
	at := time.Date(2026, 1, o.day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	cmd := program("build", "--content", o.content, "--out", o.out, "--as-of", at, "--json")
	report, err := cmd.Output()
	var built struct{ ID string }
	if err == nil {
		err = json.Unmarshal(report, &built)
	}
	if err != nil || built.ID == "" {
		o.t.Fatalf("kindex build: %v: %s", err, report)
	}
	o.mu.Lock()
	o.versions[built.ID] = version
	o.mu.Unlock()
	if code, stderr := kindex(o.t, "publish", "--from", o.out, "--to", "file:"+o.dir, "--dirty"); code != exitOK {
		o.t.Fatalf("kindex publish: %s", stderr)
	}
	return built.ID
}

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
	e.start()
	t.Cleanup(e.kill)
	return e
}

func (e *pulling) start() {
	e.t.Helper()
	args := append([]string{"serve", "--from", e.origin.url, "--interval", "1s", "--dir", e.dir, "--addr", e.addr, "--admin", e.admin,
		"--limit-anonymous", "0", "--log-format", "json"}, e.flags...)
	e.cmd = program(args...)
	if err := e.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
}

// kill ends the edge without a warning.
func (e *pulling) kill() {
	_ = e.cmd.Process.Signal(syscall.SIGKILL) // it has ended, or ends now
	_ = e.cmd.Wait()
}

// waitReady waits until /readyz contains all of the texts.
func (e *pulling) waitReady(texts ...string) {
	e.t.Helper()
	for deadline := time.Now().Add(hanging); ; time.Sleep(20 * time.Millisecond) {
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

// ask asks the edge without a break until ctx ends. Every answer must be that of one build.
func (e *pulling) ask(ctx context.Context) {
	client := http.Client{Timeout: hanging}
	for n := 0; ctx.Err() == nil; n++ {
		down := e.down.Load()
		status, id, body, err := answerFrom(&client, fmt.Sprintf("http://%s/api/entity/tool/tool-%d", e.addr, n%20))
		if err != nil {
			if !down && !e.down.Load() {
				e.t.Errorf("no answer: %v", err)
				return
			}
			time.Sleep(time.Millisecond)
			continue
		}
		var entity struct{ Version string }
		err = json.Unmarshal(body, &entity)
		e.origin.mu.Lock()
		want := e.origin.versions[id]
		e.origin.mu.Unlock()
		if err != nil || status != http.StatusOK || want == "" || entity.Version != want {
			e.t.Errorf("status %d, build %q, version %q, want %q; %v: %s", status, id, entity.Version, want, err, body)
			return
		}
		e.answers.Add(1)
		time.Sleep(time.Millisecond) // leave the processors to the edge
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

// whileAnswers returns when the client has had some more answers.
func (e *pulling) whileAnswers(n int64) {
	e.t.Helper()
	for deadline, end := time.Now().Add(hanging), e.answers.Load()+n; e.answers.Load() < end; time.Sleep(5 * time.Millisecond) {
		if e.t.Failed() || time.Now().After(deadline) {
			e.t.Fatal("the client gets no answers")
		}
	}
}
