package main

import (
	"context"
	"io"
	"net/http"
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

// TestServeFromFaults publishes builds while storage fails in every way, and a client asks the edge
// without a break.
func TestServeFromFaults(t *testing.T) {
	suite.InTest(t)
	o := newOrigin(t)
	first := o.publish()
	e := startPulling(t, o, t.TempDir())
	e.waitReady(first)
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	clients.Go(func() { e.ask(ctx) })
	defer clients.Wait()
	defer cancel()
	for round := range suite.Pick(1, 10) {
		o.away(e)
		o.damaged(e, round)
		o.garbage(e, round)
		o.slow(e)
		o.pruned(e)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d answers, %d requests to the bucket", e.answers.Load(), o.requests.Load())
}

// away stops storage while a build is published.
func (o *origin) away(e *pulling) {
	o.t.Helper()
	var refused atomic.Int64
	o.fail(func(http.ResponseWriter, *http.Request) bool {
		refused.Add(1)
		panic(http.ErrAbortHandler) // closes the connection
	})
	next := o.publish()
	e.waitReady(`"bucket":{`, `"status":"unreachable","since":"`)
	for deadline := time.Now().Add(hanging); refused.Load() < suite.Pick[int64](4, 100) && time.Now().Before(deadline); {
		e.whileAnswers(10)
	}
	e.whileAnswers(100)
	o.fail(nil)
	e.waitReady(next, `"status":"ok"`)
}

// damaged answers with packs that are truncated, replaced or missing.
func (o *origin) damaged(e *pulling, round int) {
	o.t.Helper()
	damage := []func(data []byte) []byte{
		func(data []byte) []byte { return append([]byte{data[0] ^ 1}, data[1:]...) },
		func(data []byte) []byte { return data[:len(data)/2] },
		func([]byte) []byte { return nil },
	}[round%3]
	o.fail(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/blobs/") {
			return false
		}
		data, err := os.ReadFile(filepath.Join(o.dir, filepath.FromSlash(r.URL.Path)))
		if err == nil {
			data = damage(data)
		}
		if data == nil {
			http.NotFound(w, r)
		} else {
			_, _ = w.Write(data) // the edge may have gone
		}
		return true
	})
	next := o.publish()
	e.waitReady(`"status":"failed"`, "/blobs/")
	e.whileAnswers(20)
	o.fail(nil)
	e.waitReady(next, `"status":"ok"`)
}

// garbage answers with a current that is not one, or that names a build that is not there.
func (o *origin) garbage(e *pulling, round int) {
	o.t.Helper()
	sum := strings.Repeat("0", 64)
	nowhere := `{"format":1,"build":"20991231-0123456789abcdef","manifest":"` + sum + `","index":"` + sum + `","map":"` + sum + `"}`
	for _, text := range []string{[]string{"garbage", "", "{}", `{"format":1,"build":"../../etc","manifest":"x","index":"y","map":"z"}`}[round%4], nowhere} {
		o.fail(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/current" {
				_, _ = io.WriteString(w, text) // the edge may have gone
			}
			return r.URL.Path == "/current"
		})
		e.waitReady(`"status":"failed"`)
		e.whileAnswers(20)
		o.fail(nil)
		e.waitReady(`"status":"ok"`)
	}
}

// slow answers a kilobyte at a time.
func (o *origin) slow(e *pulling) {
	o.t.Helper()
	o.fail(func(w http.ResponseWriter, r *http.Request) bool {
		data, err := os.ReadFile(filepath.Join(o.dir, filepath.FromSlash(r.URL.Path)))
		if err != nil {
			return false
		}
		for len(data) > 0 {
			n := min(1024, len(data))
			if _, err := w.Write(data[:n]); err != nil || http.NewResponseController(w).Flush() != nil {
				return true
			}
			data = data[n:]
			time.Sleep(20 * time.Millisecond)
		}
		return true
	})
	next := o.publish()
	e.waitReady(next, `"status":"ok"`)
	e.whileAnswers(20)
	o.fail(nil)
}

// pruned publishes another build and prunes the one that the edge is pulling.
func (o *origin) pruned(e *pulling) {
	o.t.Helper()
	var once sync.Once
	started, pruned := make(chan struct{}), make(chan struct{})
	o.fail(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/blobs/") {
			once.Do(func() { close(started); <-pruned })
		}
		return false
	})
	o.publish()
	<-started
	next := o.publish()
	old := time.Now().Add(-48 * time.Hour)
	err := filepath.WalkDir(o.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			err = os.Chtimes(path, old, old)
		}
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	if code, stderr := kindex(o.t, "prune", "file:"+o.dir, "--keep", "1", "--grace", "1h"); code != exitOK {
		o.t.Fatalf("kindex prune: %s", stderr)
	}
	close(pruned)
	e.waitReady(next, `"status":"ok"`)
	o.fail(nil)
}

// TestServeFromKilled kills the edge at random moments of a pull and starts it again: it serves the
// old build or the new one, at once and from the folder, and then the new one.
func TestServeFromKilled(t *testing.T) {
	suite.InTest(t)
	o := newOrigin(t)
	first := o.publish()
	e := startPulling(t, o, t.TempDir())
	e.waitReady(first)
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	clients.Go(func() { e.ask(ctx) })
	defer clients.Wait()
	defer cancel()
	for n := range suite.Pick(4, 30) {
		// The edge is killed after a different number of requests each time, and a different delay.
		var left atomic.Int64
		left.Store(int64(2 + n%5))
		reached := make(chan struct{})
		o.fail(func(http.ResponseWriter, *http.Request) bool {
			if left.Add(-1) == 0 {
				close(reached)
			}
			return false
		})
		next := o.publish()
		<-reached
		time.Sleep(time.Duration(n*7%40) * time.Millisecond)
		e.down.Store(true)
		e.kill()
		o.fail(func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) })
		e.start()
		e.waitReady(`"status":"ready"`, `"status":"unreachable"`)
		e.down.Store(false)
		e.whileAnswers(20)
		o.fail(nil)
		e.waitReady(next, `"status":"ok"`)
	}
	last := o.publish()
	e.waitReady(last, `"status":"ok"`)
	e.down.Store(true)
	if err := e.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	noLeftovers(t, e.dir)
	if intact(t, e.dir) != last {
		t.Error("the folder has another build than the edge")
	}
}

// serveOnFullDisk lets the disk with an edge's folder fill up. TestFullDisk runs it where it may
// mount a file system. The edge keeps serving, leaves nothing unfinished, says what it needs, and
// pulls the build when there is room.
func serveOnFullDisk(t *testing.T) {
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "small", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	o := newOrigin(t)
	first := o.publish()
	dir, ballast := filepath.Join(disk, "edge"), filepath.Join(disk, "ballast")
	e := startPulling(t, o, dir, "--state", filepath.Join(t.TempDir(), "kindex.db"))
	e.waitReady(first)
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	clients.Go(func() { e.ask(ctx) })
	defer clients.Wait()
	defer cancel()
	for _, room := range []int64{0, 16 << 10, 200 << 10} {
		fillDisk(t, ballast, room)
		next := o.publish()
		e.waitReady(`"status":"failed"`, "the disk of "+dir+" is full; the build "+next+" needs ")
		e.whileAnswers(20)
		o.fail(func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) })
		e.waitReady(`"status":"unreachable"`) // so that no pull is under way
		noLeftovers(t, dir)
		if _, err := os.Stat(filepath.Join(dir, ".kindex-packs")); err == nil {
			t.Error("packs were left on the full disk")
		}
		if intact(t, dir) == next {
			t.Error("the build that did not fit is current")
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		o.fail(nil)
		e.waitReady(next, `"status":"ok"`)
	}
}
