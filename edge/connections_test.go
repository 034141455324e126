package edge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
)

// dialFrom opens a connection from an address on loopback.
func dialFrom(t *testing.T, from, to string) net.Conn {
	t.Helper()
	d := net.Dialer{Timeout: hanging, LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c := suite.Must(d.DialContext(t.Context(), "tcp", to))(t)
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
	s := suite.Must(New(Options{Dir: few.out, State: storagetest.SQLite(t)}))(t)
	s.timeouts.header, s.timeouts.read = hanging, hanging
	s.timeouts.connections = &ratelimit.Connections{All: 20, PerAddress: 8, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}}
	public, admin, _ := run(t, s)
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
		suite.Require(t, !time.Now().After(end), "a new connection from the same address is refused")
	}
	closed := 0
	for _, c := range idle {
		if statusOn(c, "/robots.txt") == 0 {
			closed++
		}
	}
	suite.Equal(t, closed, 1, "connections were closed for another one")
	// Many addresses, silent from the start, and a proxy with more than its share.
	for i := range 40 {
		dialFrom(t, fmt.Sprintf("127.0.1.%d", i+1), public)
		dialFrom(t, "127.0.0.9", public)
	}
	for what, c := range map[string]net.Conn{"another address": dialFrom(t, "127.0.0.3", public), "the proxy": dialFrom(t, "127.0.0.9", public)} {
		suite.Equal(t, statusOn(c, "/robots.txt"), http.StatusOK, what)
	}
	for i := range 50 {
		dialFrom(t, fmt.Sprintf("127.0.2.%d", i+1), admin)
	}
	suite.Equal(t, statusOn(dialFrom(t, "127.0.0.1", admin), "/healthz"), http.StatusOK, "the operator's listener")
}

// TestAttackBusyConnections holds connections with requests in progress, of which none may be closed for
// another: a new one from that address is refused, and other addresses are answered.
func TestAttackBusyConnections(t *testing.T) {
	few := serveFew(t, Options{})
	s := suite.Must(New(Options{Dir: few.out, State: storagetest.SQLite(t)}))(t)
	s.timeouts.connections = &ratelimit.Connections{All: 20, PerAddress: 4}
	public, _, _ := run(t, s)
	const body = "name=x&x=yz"
	var wait sync.WaitGroup
	var finish []func()
	statuses := make([]int, 4)
	for i := range statuses {
		c := dialFrom(t, "127.0.0.2", public)
		suite.Must(fmt.Fprintf(c, "POST /submit/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n"))(t)
		r := bufio.NewReader(c)
		if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, "100") { // the request is in progress
			t.Fatal(line, err)
		}
		suite.Must(r.ReadString('\n'))(t)
		finish = append(finish, func() { _, _ = fmt.Fprint(c, body) })
		wait.Go(func() {
			if res, err := http.ReadResponse(r, nil); err == nil {
				_ = res.Body.Close()
				statuses[i] = res.StatusCode
			}
		})
	}
	suite.Equal(t, statusOn(dialFrom(t, "127.0.0.2", public), "/robots.txt"), 0, "one more from that address")
	suite.Equal(t, statusOn(dialFrom(t, "127.0.0.3", public), "/robots.txt"), http.StatusOK, "another address")
	for _, send := range finish {
		send()
	}
	wait.Wait()
	for i, status := range statuses {
		suite.Holds(t, status != 0, "the connection", i, "was closed, although its request was in progress")
	}
}

// stuckReader is a client that does not read the response until it is released.
type stuckReader struct {
	*httptest.ResponseRecorder
	started, release chan struct{}
	once             sync.Once
}

func (r *stuckReader) Write(b []byte) (int, error) {
	r.once.Do(func() { close(r.started) })
	<-r.release
	return r.ResponseRecorder.Write(b)
}

// TestAttackSlowReaders occupies every slot for filtered exports with clients that do not read
// the response. They are tolerated while no other request is waiting, and are cut off as soon as
// one is.
func TestAttackSlowReaders(t *testing.T) {
	suite.InTest(t)
	var ahead atomic.Int64 // how far the server's clock is ahead of the real time
	s := suite.Must(New(Options{Dir: serve(t, 400).out, State: storagetest.SQLite(t), Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }}))(t)
	(&served{Server: s}).patient()
	ask := func(client int) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/api/export/entities?format=jsonl&type=tool", nil)
		r.RemoteAddr = [...]string{"192.0.2.1:1", "192.0.2.2:1", "192.0.2.3:1"}[client]
		return r
	}
	gate := ratelimit.New(nil, 0, time.Now).ExportGate // patient has changed that of s
	release := make(chan struct{})
	ended := make(chan any, gate.Slots)
	for i := range gate.Slots {
		slow := &stuckReader{ResponseRecorder: httptest.NewRecorder(), started: make(chan struct{}), release: release}
		go func() {
			defer func() { ended <- recover() }()
			s.ServeHTTP(slow, ask(i/gate.PerCaller))
		}()
		<-slow.started
	}
	ahead.Store(int64(2 * web.SlowStartGrace))
	waiting := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.ServeHTTP(waiting, ask(gate.Slots/gate.PerCaller).WithContext(context.Background()))
	}()
	suite.Eventually(t, "somebody waits for an export", s.shared.Limits.ExportGate.Contended)
	close(release)
	cut := 0 // the remaining clients may continue once no request is waiting
	for range gate.Slots {
		if cause := <-ended; cause == http.ErrAbortHandler { //nolint:errorlint // net/http expects a panic with this very value
			cut++
		} else if cause != nil {
			t.Errorf("a slow reader ended with %v", cause)
		}
	}
	suite.Holds(t, cut != 0, "no slow reader was cut off")
	<-done
	suite.Equal(t, waiting.Code, http.StatusOK, "the waiting request", waiting.Body)
}

// slowNames is a resolver that sends each requested name to the channel asked and never resolves a
// name.
type slowNames struct {
	asked chan string
	ended atomic.Int64
}

func (n *slowNames) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	n.asked <- host
	<-ctx.Done()
	n.ended.Add(1)
	return nil, &net.DNSError{Err: "timeout", Name: host, IsTimeout: true}
}

// TestAttackAbandonedWrites registers webhooks for host names chosen by the attacker, and
// disconnects as soon as the name is looked up. Each attempt counts towards the limit.
func TestAttackAbandonedWrites(t *testing.T) {
	suite.InTest(t)
	names := &slowNames{asked: make(chan string)}
	s := serveFew(t, Options{LimitKey: 4, Guard: safedial.New(safedial.Options{Resolver: names, Dial: noNetwork})})
	key, _ := s.keyOf(t, "account")
	looked := 0
	for range 10 {
		ctx, leave := context.WithCancel(t.Context())
		req := suite.Must(http.NewRequestWithContext(ctx, "POST", s.url+"/api/webhooks", strings.NewReader(`{"url":"https://victim.example/","events":["entity.created"]}`)))(t)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("x-api-key", key)
		answered := make(chan int, 1)
		go func() {
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				answered <- 0
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			answered <- res.StatusCode
		}()
		select {
		case <-names.asked:
			looked++
			leave()
			<-answered
			suite.Eventually(t, "the look-up has ended", func() bool { return names.ended.Load() == int64(looked) })
		case status := <-answered:
			suite.Equal(t, status, http.StatusTooManyRequests, "answered with")
			leave()
		}
	}
	suite.Equal(t, looked, 4, "names were looked up, limit 4")
}
