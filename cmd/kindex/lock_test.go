package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
	"kindex/exports"
	"kindex/exports/store"
)

// TestBuildersQueue checks that, of two concurrent builders, the second waits for the first
// or, with --no-wait, exits with a distinct code.
func TestBuildersQueue(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	content, out := t.TempDir(), t.TempDir()
	writeContent(t, content, 3)
	lock := suite.Must(store.AcquireLock(context.Background(), out, nil))(t)
	busy := fmt.Sprintf("%s: another build is running (process %d, since %d-", out, os.Getpid(), time.Now().UTC().Year())

	code, stderr := kindex(t, "build", "--content", content, "--out", out, "--no-wait")
	if code != cli.ExitBusy || !strings.HasPrefix(stderr, "kindex: "+busy) {
		t.Errorf("--no-wait: exit %d, %s", code, stderr)
	}

	var builders []*running
	for day := 1; day <= 3; day++ {
		b := startBuilder(t, "build", "--content", content, "--out", out, "--as-of", fmt.Sprintf("2026-07-%02d", day))
		if line := b.firstLine(t); !strings.HasPrefix(line, "waiting: "+busy) {
			t.Errorf("the waiting builder printed %q", line)
		}
		builders = append(builders, b)
	}

	// Interrupt one of the waiting builders.
	suite.Check(t, builders[2].cmd.Process.Signal(syscall.SIGTERM))
	if code, rest := builders[2].end(t); code != cli.ExitProblem || rest != "kindex: interrupted; nothing was published\n" {
		t.Errorf("SIGTERM while waiting: exit %d, %s", code, rest)
	}

	suite.Check(t, lock.Release())
	for _, b := range builders[:2] {
		if code, rest := b.end(t); code != cli.ExitOK {
			t.Errorf("after waiting: exit %d, %s", code, rest)
		}
	}
	intact(t, out)
	noLeftovers(t, out)
	if ids, err := store.Builds(store.BuildsDir(out)); err != nil || len(ids) != 2 {
		t.Errorf("the builds are %v, %v", ids, err)
	}
	succeed(t, "build", "--content", content, "--out", out, "--no-wait")
}

// TestKilledBuilder kills builders at random moments while the content grows. Readers must
// not notice, and the next builder must clean up and record every change.
func TestKilledBuilder(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	content, out := t.TempDir(), t.TempDir()
	writeContent(t, content, 60)
	date := func(n int) time.Time { return time.Date(2026, 7, n, 0, 0, 0, 0, time.UTC) }
	build := func(n int) []string {
		return []string{"build", "--content", content, "--out", out, "--keep", "2", "--as-of", date(n).Format(time.DateOnly)}
	}
	start := time.Now()
	succeed(t, build(1)...)
	took := time.Since(start)
	seed := uint64(start.UnixNano())
	t.Logf("a build takes %v; seed %d", took, seed)
	r := rand.New(rand.NewPCG(seed, 0))
	kills := suite.Pick(6, 50)

	published, killed, leftovers, tries := intact(t, out), 0, 0, 0
	for i := 0; killed < kills; i++ {
		if tries++; tries > 20*kills {
			t.Fatal("most builders had finished before they were killed")
		}
		text := fmt.Sprintf("name: Extra %d\ncategory: kind-0\ndescription: One more.\n", i)
		writeFile(t, filepath.Join(content, "tool", fmt.Sprintf("extra-%d.yaml", i)), text)
		b := startBuilder(t, build(2+i)...)
		time.Sleep(time.Duration((0.2 + 0.8*r.Float64()) * float64(took)))
		if err := b.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		code, _ := b.end(t)
		if code != cli.ExitOK {
			killed++
			took = took * 21 / 20
		} else {
			took = took * 9 / 10 // the builder had already finished: kill the next one earlier
		}
		now := intact(t, out)
		fresh := strings.HasPrefix(now, date(2+i).Format("20060102-")) // the new build is complete, and was published before its builder ended
		if now != published && !fresh || code == cli.ExitOK && !fresh {
			t.Fatalf("%s is published, previously %s", now, published)
		}
		published = now
		for _, dir := range []string{"exports/builds", "indexes/builds"} {
			for _, name := range entries(t, filepath.Join(out, dir)) {
				if strings.HasPrefix(name, ".tmp-") {
					leftovers++
				}
			}
		}
	}
	t.Logf("%d of %d were killed before they finished; they left %d temporary folders", killed, tries, leftovers)

	succeed(t, build(tries+2)...)
	if now := intact(t, out); !strings.HasPrefix(now, date(tries+2).Format("20060102-")) {
		t.Errorf("%s is published", now)
	}
	b := suite.Must(exports.OpenCurrent(out))(t)
	defer b.Close()
	if n := b.History().Changes(); n != 60+tries {
		t.Errorf("the changelog has %d changes, but %d entities were created", n, 60+tries)
	}
	noLeftovers(t, out)
	builds, indexed := entries(t, store.BuildsDir(out)), entries(t, filepath.Join(out, "indexes", "builds"))
	if len(builds) != 2 || strings.Join(builds, " ") != strings.Join(indexed, " ") {
		t.Errorf("the builds are %v, the indexes %v", builds, indexed)
	}
}

// running is a program that a test has started.
type running struct {
	cmd    *exec.Cmd
	stderr *bufio.Reader
}

func startBuilder(t *testing.T, args ...string) *running {
	t.Helper()
	cmd := program(args...)
	pipe := suite.Must(cmd.StderrPipe())(t)
	suite.Check(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // the test failed while it was running
	return &running{cmd, bufio.NewReader(pipe)}
}

// firstLine waits for a line of the program's messages.
func (b *running) firstLine(t *testing.T) string {
	t.Helper()
	line, err := b.stderr.ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return line
}

// end waits for the program to exit and returns its exit code and remaining messages.
func (b *running) end(t *testing.T) (code int, rest string) {
	t.Helper()
	text := suite.Must(io.ReadAll(b.stderr))(t)
	_ = b.cmd.Wait() // the error only repeats the exit code
	return b.cmd.ProcessState.ExitCode(), string(text)
}
