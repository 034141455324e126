package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestAttackIdleConnections opens thousands of connections that send nothing, half a request, or
// one request and then nothing. Other clients must still be served, and connections that
// have not sent a whole request must be closed soon.
func TestAttackIdleConnections(t *testing.T) {
	suite.InTest(t)
	connections := suite.Pick(3_000, 10_000)
	var files syscall.Rlimit
	suite.Check(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files))
	if files.Max < uint64(connections)+500 {
		suite.NotRun(t, fmt.Sprintf("a process may open %d files here, but this test needs %d", files.Max, connections+500))
	}
	dir := t.TempDir()
	writeContent(t, filepath.Join(dir, "content"), 3)
	succeed(t, "build", "--content", filepath.Join(dir, "content"), "--out", dir)
	cmd := program("serve", "--dir", dir, "--addr", "127.0.0.1:0", "--admin", "", "--limit-anonymous", "0")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	suite.Check(t, err)
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	}()
	line := suite.Must(bufio.NewReader(out).ReadString('\n'))(t)
	base := strings.TrimSpace(strings.TrimPrefix(line, "serving "))
	before := residentMiB(t, cmd.Process.Pid)
	open := openIdle(t, strings.TrimPrefix(base, "http://"), connections)
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	// The response time depends on the machine. The timeout only catches a server that
	// makes other clients wait for the idle connections, which it keeps open for two
	// minutes.
	client := &http.Client{Timeout: letIdle}
	for range 20 {
		res, err := client.Get(base + "/api/categories")
		if err != nil {
			t.Fatalf("with %d idle connections: %v", connections, err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		if res.Body.Close(); res.StatusCode != http.StatusOK {
			t.Fatalf("with %d idle connections: %d", connections, res.StatusCode)
		}
	}
	grown := residentMiB(t, cmd.Process.Pid) - before
	t.Logf("%d idle connections cost %d MiB", connections, grown)
	if grown > 512 && !suite.Race { // the race detector needs several times more memory
		t.Errorf("%d idle connections cost %d MiB", connections, grown)
	}
	// Connections that sent nothing or half a request are closed; those that sent a whole
	// request may stay open for another one.
	deadline := time.Now().Add(letIdle)
	for i, c := range open {
		if i%3 == 2 {
			continue
		}
		suite.Check(t, c.SetReadDeadline(deadline))
		if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Fatalf("connection %d is still open", i)
		}
	}
}

// letIdle is less than the server's idle timeout of two minutes, and well above what a slow
// machine needs.
const letIdle = 90 * time.Second

// openIdle opens connections. A third of them send nothing, a third half a request, and a
// third a whole request.
func openIdle(t *testing.T, address string, n int) []net.Conn {
	t.Helper()
	open := make([]net.Conn, n)
	var group sync.WaitGroup
	next := make(chan int)
	for range 50 {
		group.Go(func() {
			for i := range next {
				c, err := net.DialTimeout("tcp", address, hanging)
				if err != nil {
					t.Errorf("connection %d: %v", i, err)
					continue
				}
				open[i] = c
				said := []string{"", "GET /api/categories HTTP/1.1\r\nHost: x\r\nX-Slow: ", "GET /api/openapi HTTP/1.1\r\nHost: x\r\n\r\n"}[i%3]
				if _, err := io.WriteString(c, said); err != nil {
					t.Errorf("connection %d: %v", i, err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return open
}

// residentMiB returns the resident memory of a process.
func residentMiB(t *testing.T, pid int) int {
	t.Helper()
	status := suite.Must(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))(t)
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	n := suite.Must(strconv.Atoi(strings.Fields(rest)[0]))(t)
	return n >> 10
}
