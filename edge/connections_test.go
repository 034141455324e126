package edge

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
)

// dialFrom opens a connection from an address on loopback.
func dialFrom(t *testing.T, from, to string) net.Conn {
	t.Helper()
	d := net.Dialer{Timeout: hanging, LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.DialContext(t.Context(), "tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(hanging))
	return c
}

// statusOn sends a request on an open connection, and returns the status, or 0 if the connection was closed.
func statusOn(c net.Conn, path string) int {
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path); err != nil {
		return 0
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// TestAttackIdleConnections opens connections and leaves them idle, from one address and from many. The
// operator's listener and other addresses must still be answered, and so must a new connection from the
// same address, for which the one that has been idle longest is closed.
func TestAttackIdleConnections(t *testing.T) {
	few := serveFew(t, Options{})
	s, err := New(Options{Dir: few.out, State: storagetest.SQLite(t)})
	if err != nil {
		t.Fatal(err)
	}
	s.timeouts.header, s.timeouts.read = hanging, hanging
	s.timeouts.connections = &ratelimit.Connections{All: 20, PerAddress: 8, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}}
	public, admin := runServer(t, s)
	var idle []net.Conn
	for range 8 {
		c := dialFrom(t, "127.0.0.2", public)
		if got := statusOn(c, "/robots.txt"); got != http.StatusOK {
			t.Fatal(got)
		}
		idle = append(idle, c)
	}
	// The ninth takes the place of one that is idle. The server marks a connection as idle just after it
	// has sent the response, so the first attempt may come too early.
	for end := time.Now().Add(hanging); statusOn(dialFrom(t, "127.0.0.2", public), "/robots.txt") != http.StatusOK; {
		if time.Now().After(end) {
			t.Fatal("a new connection from the same address is refused")
		}
	}
	closed := 0
	for _, c := range idle {
		if statusOn(c, "/robots.txt") == 0 {
			closed++
		}
	}
	if closed != 1 {
		t.Errorf("%d connections were closed for another one", closed)
	}
	// Many addresses, silent from the start, and a proxy with more than its share.
	for i := range 40 {
		dialFrom(t, fmt.Sprintf("127.0.1.%d", i+1), public)
		dialFrom(t, "127.0.0.9", public)
	}
	for what, c := range map[string]net.Conn{"another address": dialFrom(t, "127.0.0.3", public), "the proxy": dialFrom(t, "127.0.0.9", public)} {
		if got := statusOn(c, "/robots.txt"); got != http.StatusOK {
			t.Errorf("%s: %d", what, got)
		}
	}
	for i := range 50 {
		dialFrom(t, fmt.Sprintf("127.0.2.%d", i+1), admin)
	}
	if got := statusOn(dialFrom(t, "127.0.0.1", admin), "/healthz"); got != http.StatusOK {
		t.Errorf("the operator's listener: %d", got)
	}
}

// TestAttackBusyConnections holds connections with requests in progress, of which none may be closed for
// another: a new one from that address is refused, and other addresses are answered.
func TestAttackBusyConnections(t *testing.T) {
	few := serveFew(t, Options{})
	s, err := New(Options{Dir: few.out, State: storagetest.SQLite(t)})
	if err != nil {
		t.Fatal(err)
	}
	s.timeouts.connections = &ratelimit.Connections{All: 20, PerAddress: 4}
	public, _ := runServer(t, s)
	const body = "name=x&x=yz"
	var wait sync.WaitGroup
	var finish []func()
	statuses := make([]int, 4)
	for i := range statuses {
		c := dialFrom(t, "127.0.0.2", public)
		if _, err := fmt.Fprintf(c, "POST /submit/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(c)
		if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, "100") { // the request is in progress
			t.Fatal(line, err)
		}
		if _, err := r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		finish = append(finish, func() { _, _ = fmt.Fprint(c, body) })
		wait.Go(func() {
			if res, err := http.ReadResponse(r, nil); err == nil {
				_ = res.Body.Close()
				statuses[i] = res.StatusCode
			}
		})
	}
	if got := statusOn(dialFrom(t, "127.0.0.2", public), "/robots.txt"); got != 0 {
		t.Errorf("one more from that address: %d", got)
	}
	if got := statusOn(dialFrom(t, "127.0.0.3", public), "/robots.txt"); got != http.StatusOK {
		t.Errorf("another address: %d", got)
	}
	for _, send := range finish {
		send()
	}
	wait.Wait()
	for i, status := range statuses {
		if status == 0 {
			t.Errorf("the connection %d was closed, although its request was in progress", i)
		}
	}
}

// runServer runs a server until the test ends, and returns its addresses.
func runServer(t *testing.T, s *Server) (public, admin string) {
	t.Helper()
	ready, ended := make(chan [2]string, 1), make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ended <- s.Run(ctx, Listeners{Addr: "127.0.0.1:0", Admin: "127.0.0.1:0", Drain: hanging, Ready: func(public, admin string) { ready <- [2]string{public, admin} }})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case err := <-ended:
		ended <- err
		t.Fatal(err)
		return "", ""
	case at := <-ready:
		return at[0], at[1]
	}
}
