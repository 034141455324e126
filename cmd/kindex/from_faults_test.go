package main

import (
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestServeFromFaults publishes signed builds while storage fails in every way, and a client sends
// requests to the edge continuously.
func TestServeFromFaults(t *testing.T) {
	suite.InTest(t)
	eachOrigin(t, func(t *testing.T, o *origin) {
		o.sign()
		first := o.publish()
		e := startPulling(t, o, t.TempDir())
		e.waitReady(first)
		defer e.load()()
		faults := []func(*pulling, int){o.storageStopped, o.damaged, o.wrongCurrent, o.slowStorage, o.untrusted, o.pruned}
		if suite.Soaking() {
			faults = append(faults, o.hanging)
		}
		for round := range suite.Pick(1, 4) {
			for _, fail := range faults {
				if fail(e, round); t.Failed() {
					return
				}
			}
		}
		t.Logf("%d answers, %d requests to the bucket", e.answers.Load(), o.requests.Load())
	})
}

// storageStopped stops storage, and then publishes a build.
func (o *origin) storageStopped(e *pulling, round int) {
	o.t.Helper()
	refusals := int64(4)
	if round == 0 {
		refusals = suite.Pick[int64](4, 60) // about a minute
	}
	var refused atomic.Int64
	o.fail(func(w http.ResponseWriter, name string) bool {
		refused.Add(1)
		return o.s3 == nil && refuse(w, name)
	})
	if o.s3 != nil {
		o.s3.Kill()
	}
	e.waitReady(`"bucket":{`, `"status":"unreachable","since":"`)
	for deadline := time.Now().Add(hanging); refused.Load() < refusals && time.Now().Before(deadline); {
		e.whileAnswers(10)
	}
	e.whileAnswers(100)
	if o.s3 != nil {
		o.s3.Restart()
	}
	o.fail(nil)
	e.waitReady(o.publish(), `"status":"ok"`)
}

// hanging makes storage accept requests without answering, and publishes a build meanwhile.
func (o *origin) hanging(e *pulling, _ int) {
	o.t.Helper()
	var once sync.Once
	asked, released := make(chan struct{}), make(chan struct{})
	o.fail(func(http.ResponseWriter, string) bool {
		once.Do(func() { close(asked) })
		<-released
		return false
	})
	<-asked
	next := o.publish()
	e.whileAnswers(100)
	o.fail(nil)
	close(released)
	e.waitReady(next, `"status":"ok"`)
}

// damaged truncates, alters or removes the files of a build before the edge reads them.
// Publishing the build again repairs it, once the damaged objects are removed.
func (o *origin) damaged(e *pulling, round int) {
	o.t.Helper()
	damage := []func(data []byte) []byte{
		func(data []byte) []byte { return append([]byte{data[0] ^ 1}, data[1:]...) },
		func(data []byte) []byte { return data[:len(data)/2] },
		func([]byte) []byte { return nil },
	}[round%3]
	before := o.objects("files/")
	o.fail(refuse)
	next := o.publish()
	files := o.objects("files/")
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return before[name] != nil })
	for name, data := range files {
		// The object is changed where it is stored, without the server's knowledge.
		path := filepath.Join(o.dir, filepath.FromSlash(name))
		err := os.Remove(path)
		if data = damage(data); data != nil && err == nil {
			err = os.WriteFile(path, data, 0o644)
		}
		suite.Check(o.t, err)
	}
	o.fail(nil)
	e.waitReady(`"status":"failed"`, "files/")
	e.whileAnswers(20)
	for name := range files {
		o.remove(name)
	}
	o.put(o.key)
	e.waitReady(next, `"status":"ok"`)
}

// wrongCurrent writes a current object that is invalid, one that names a missing build and one that names
// an older build, and then removes it.
func (o *origin) wrongCurrent(e *pulling, round int) {
	o.t.Helper()
	back := o.current()
	e.waitReady(o.publish(), `"status":"ok"`)
	whole := o.current()
	sum := strings.Repeat("0", 64)
	nowhere := `{"format":2,"build":"20991231-0123456789abcdef","files":"` + sum + `"}`
	garbage := [][2]string{{"garbage", "/current is damaged"}, {"", "/current is damaged"}, {"{}", "version 0 of the layout"},
		{`{"format":2,"build":"../../etc","files":"x"}`, "/current is damaged"}}[round%4]
	cases := [][2]string{garbage, {nowhere, "20991231-0123456789abcdef of "}, {string(back), "older than the last accepted build"}}
	for _, c := range cases[:suite.Pick(1, len(cases))] { // TestAccepted in exports/mirror refuses older builds, too
		o.write("current", []byte(c[0]))
		e.waitReady(`"status":"failed"`, c[1])
		e.whileAnswers(20)
		o.write("current", whole)
		e.waitReady(`"status":"ok"`)
	}
	o.remove("current")
	e.waitReady(`"status":"failed"`, "no build is published")
	e.whileAnswers(20)
	o.write("current", whole)
	e.waitReady(`"status":"ok"`)
}

// slowStorage answers a kilobyte at a time.
func (o *origin) slowStorage(e *pulling, _ int) {
	o.t.Helper()
	o.slow.Store(true)
	e.waitReady(o.publish(), `"status":"ok"`)
	e.whileAnswers(20)
	o.slow.Store(false)
}

// untrusted publishes a build without a signature, and with a stranger's.
func (o *origin) untrusted(e *pulling, _ int) {
	o.t.Helper()
	stranger, _ := o.newKey()
	next := o.build()
	version := o.versions[next]
	o.allow(next, "")
	o.put("")
	e.waitReady(`"status":"failed"`, "is not signed, but must be signed with ")
	o.put(stranger)
	e.waitReady(`"status":"failed"`, "is signed with the key ")
	e.whileAnswers(20)
	o.allow(next, version)
	o.put(o.key)
	e.waitReady(next, `"status":"ok"`)
}

// pruned publishes another build and prunes the one that the edge is pulling.
func (o *origin) pruned(e *pulling, _ int) {
	o.t.Helper()
	var once sync.Once
	started, pruned := make(chan struct{}), make(chan struct{})
	o.fail(func(_ http.ResponseWriter, name string) bool {
		if strings.HasPrefix(name, "files/") {
			once.Do(func() { close(started); <-pruned })
		}
		return false
	})
	o.publish()
	<-started
	next := o.publish()
	old := time.Now().Add(-48 * time.Hour)
	err := filepath.WalkDir(o.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			err = os.Chtimes(path, old, old)
		}
		return err
	})
	suite.Check(o.t, err)
	succeed(o.t, "prune", o.to, "--keep", "1", "--grace", "1h")
	close(pruned)
	e.waitReady(next, `"status":"ok"`)
	o.fail(nil)
}

// TestServeFromKilled kills the edge at random moments of a pull and starts it again: it serves the
// old build or the new one, at once and from the folder, and then the new one.
func TestServeFromKilled(t *testing.T) {
	suite.InTest(t)
	eachOrigin(t, killEdge)
}

func killEdge(t *testing.T, o *origin) {
	if o.s3 != nil {
		o.sign() // in make test, builds without a signature are pulled here
	}
	first := o.publish()
	e := startPulling(t, o, t.TempDir())
	e.waitReady(first)
	defer e.load()()
	for n := range suite.Pick(2, 30) {
		// The edge is killed after a different number of requests each time, and a different delay.
		var left atomic.Int64
		left.Store(int64(2 + n%5))
		reached := make(chan struct{})
		o.fail(func(http.ResponseWriter, string) bool {
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
		o.fail(refuse)
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
	suite.Check(t, e.cmd.Process.Signal(syscall.SIGTERM))
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
func serveOnFullDisk(t *testing.T, o *origin) {
	disk := t.TempDir()
	mount(t, disk, "4m")
	first := o.publish()
	dir, ballast := filepath.Join(disk, "edge"), filepath.Join(disk, "ballast")
	e := startPulling(t, o, dir, "--state", filepath.Join(t.TempDir(), "kindex.db"))
	e.waitReady(first)
	defer e.load()()
	for _, room := range []int64{0, 16 << 10, 200 << 10} {
		fillDisk(t, ballast, room)
		next := o.publish()
		e.waitReady(`"status":"failed"`, "the disk of "+dir+" is full; the build "+next+" needs ")
		e.whileAnswers(20)
		// A pull that is under way ends by itself, because one that is interrupted leaves files for the next.
		o.fail(func(w http.ResponseWriter, name string) bool { return name == "current" && refuse(w, name) })
		e.waitReady(`"status":"unreachable"`)
		noLeftovers(t, dir)
		if _, err := os.Stat(filepath.Join(dir, ".kindex-pull")); err == nil {
			t.Error("files were left on the full disk")
		}
		if intact(t, dir) == next {
			t.Error("the build that did not fit is current")
		}
		suite.Check(t, os.Remove(ballast))
		o.fail(nil)
		e.waitReady(next, `"status":"ok"`)
	}
}
