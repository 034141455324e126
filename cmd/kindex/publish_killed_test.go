package main

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
)

// TestSigningKilled kills kindex publish --sign at random moments. After each kill, a reader with
// the key gets the previous build or the new one, and the next publisher continues: with the same
// build or, every second time, with another one. The numbers of the builds never decrease.
func TestSigningKilled(t *testing.T) {
	suite.InTest(t)
	eachOrigin(t, killPublishers)
}

func killPublishers(t *testing.T, o *origin) {
	o.sign()
	dir, last := filepath.Join(t.TempDir(), "copy"), o.publish()
	var number int64
	pull := func(builds ...string) string {
		t.Helper()
		cmd := program("pull", o.from, dir, "--verify-key", o.public, "--json")
		cmd.Env = append(cmd.Env, o.env...)
		out, err := cmd.Output()
		var pulled struct {
			Build     string
			Signature struct{ Counter int64 }
		}
		if err == nil {
			err = json.Unmarshal(out, &pulled)
		}
		if err != nil {
			t.Fatalf("%v: %s%s", err, out, problemOf(err))
		}
		if pulled.Build != builds[0] && pulled.Build != builds[len(builds)-1] || pulled.Signature.Counter < number {
			t.Fatalf("pulled %+v, want one of %s and at least number %d", pulled, builds, number)
		}
		number = pulled.Signature.Counter
		return pulled.Build
	}
	pull(last)
	took := time.Duration(0) // by a publisher that is not killed
	rng := rand.New(rand.NewPCG(3, 4))
	killed := 0
	for n := 0; n < suite.Pick(3, 30) || killed == 0 && n < 12; n++ { // a busy machine may kill too late
		next := o.build()
		if n > 0 && o.killPublisher(rng, took) {
			killed++
		}
		got := pull(last, next)
		if n%2 == 1 {
			next = o.build()
		}
		start := time.Now()
		if code, stderr := kindex(t, o.publishing(o.key)...); code != cli.ExitOK { // a program, like those that are killed
			t.Fatalf("kindex publish: %s", stderr)
		}
		took = time.Since(start)
		pull(next)
		t.Logf("round %d: %s after the kill, then %s, number %d", n, got, next, number)
		last = next
	}
	if killed < suite.Pick(1, 15) {
		t.Errorf("only %d publishers were killed before they had ended", killed)
	}
	if code, stderr := kindex(t, "verify", "--origin", o.to, "--verify-key", o.public); code != cli.ExitOK {
		t.Errorf("kindex verify --origin: %s", stderr)
	}
}

// killPublisher starts a publisher and kills it: on an S3 server before a random request, otherwise
// at a random moment of the time that publishing takes. It reports whether it was still running.
func (o *origin) killPublisher(rng *rand.Rand, took time.Duration) bool {
	o.t.Helper()
	cmd := program(o.publishing(o.key)...)
	cmd.Env = append(cmd.Env, o.env...)
	moment := make(chan struct{})
	if o.s3 != nil {
		var left atomic.Int64
		left.Store(rng.Int64N(40))
		o.fail(func(http.ResponseWriter, string) bool {
			if left.Add(-1) == 0 {
				close(moment)
				time.Sleep(time.Duration(rng.Int64N(int64(20 * time.Millisecond))))
			}
			return false
		})
		defer o.fail(nil)
	} else {
		time.AfterFunc(time.Duration(rng.Int64N(int64(took))), func() { close(moment) })
	}
	suite.Check(o.t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended does not matter
		close(ended)
	}()
	select {
	case <-moment:
	case <-ended:
	}
	_ = cmd.Process.Signal(syscall.SIGKILL) // it may have ended
	<-ended
	return cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled()
}

// problemOf returns what a program printed to its standard error output.
func problemOf(err error) []byte {
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // it is not wrapped
		return exit.Stderr
	}
	return nil
}
