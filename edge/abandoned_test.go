package edge

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"kindex/builder/safedial"
	"kindex/builder/suite"
)

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
		req, err := http.NewRequestWithContext(ctx, "POST", s.url+"/api/webhooks", strings.NewReader(`{"url":"https://victim.example/","events":["entity.created"]}`))
		if err != nil {
			t.Fatal(err)
		}
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
			eventually(t, "the look-up has ended", func() bool { return names.ended.Load() == int64(looked) })
		case status := <-answered:
			if status != http.StatusTooManyRequests {
				t.Errorf("answered with %d", status)
			}
			leave()
		}
	}
	if looked != 4 {
		t.Errorf("%d names were looked up, limit 4", looked)
	}
}
