package edge

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
)

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
	s, err := New(Options{Dir: serve(t, 400).out, State: storagetest.SQLite(t), Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
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
	eventually(t, "somebody waits for an export", s.shared.Limits.ExportGate.Contended)
	close(release)
	cut := 0 // the remaining clients may continue once no request is waiting
	for range gate.Slots {
		if cause := <-ended; cause == http.ErrAbortHandler { //nolint:errorlint // net/http expects a panic with this very value
			cut++
		} else if cause != nil {
			t.Errorf("a slow reader ended with %v", cause)
		}
	}
	if cut == 0 {
		t.Error("no slow reader was cut off")
	}
	if <-done; waiting.Code != http.StatusOK {
		t.Errorf("the waiting request got %d: %s", waiting.Code, waiting.Body)
	}
}
