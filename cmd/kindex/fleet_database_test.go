package main

import (
	"database/sql"
	"net/http"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

// TestFleetDatabase stops PostgreSQL and starts it again, several times, while three edges are
// answering requests, and publishes a build while it is down. Requests without a key must all be
// answered. Requests with a key that the database does not count are answered with 503; of the
// others, exactly as many are admitted as the limit allows. Clients repeat a write that failed
// with the same Idempotency-Key, which causes it once; and no event of any build is lost.
func TestFleetDatabase(t *testing.T) {
	suite.InSoak(t, "the database stops five times; TestFleet kills edges instead")
	server := storagetest.NewServer(t)
	f := newFleet(t, 30, server.Target)
	f.publish()
	for range 3 {
		f.add()
	}
	const stops, limit, total = 5, 3000, 6000
	l := &fleetLoad{f: f, total: total, limit: limit, submissions: 18, pause: 2 * time.Second, pairs: map[[2]string]int{}, statuses: map[int]int{}}
	l.prepare()
	l.repeated = l.author
	done := make(chan struct{})
	var wg, counting sync.WaitGroup
	for i := range 6 {
		wg.Go(func() { l.read(i) })
	}
	for range 4 {
		counting.Go(func() { l.countUntil(done) })
	}
	wg.Go(l.submitRepeatedly)
	last := ""
	for i := range stops {
		await(t, "admitted requests before the next stop", func() bool { return l.status(http.StatusOK) >= limit*(i+1)/(stops+2) })
		server.Stop()
		failed, sent := l.status(http.StatusServiceUnavailable), l.sent.Load()
		last = f.publish()
		for _, e := range f.edges {
			e.await(last) // builds go live without a database
		}
		await(t, "requests while the database is down", func() bool {
			return l.status(http.StatusServiceUnavailable) > failed && l.sent.Load() > sent+total/20
		})
		suite.Check(t, server.Start())
	}
	await(t, "the limit", func() bool { return l.status(http.StatusTooManyRequests) > 100 })
	close(done)
	counting.Wait()
	l.finished.Store(true)
	wg.Wait()
	l.checkPairs(last)
	l.checkCounted(server.Target)
	for _, e := range f.edges {
		if ids := f.submissions(e, l.repeated); len(ids) != l.submissions {
			t.Errorf("%s has %d submissions, want %d", e.host, len(ids), l.submissions)
		}
	}
	l.checkEvents()
	t.Logf("%d requests without a key; of those with a key: %v; %d submissions were repeated", l.sent.Load(), l.statuses, l.again.Load())
}

// countUntil sends requests of the account whose requests are counted.
func (l *fleetLoad) countUntil(done chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
		}
		status, body := l.f.ask(l.f.proxy, http.MethodGet, "/api/categories", l.counted, "")
		l.mu.Lock()
		l.statuses[status]++
		l.mu.Unlock()
		switch status {
		case http.StatusOK:
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			time.Sleep(20 * time.Millisecond)
		default:
			l.f.t.Errorf("a counted request: %d %s", status, body)
			return
		}
	}
}

// status returns how many counted requests had the status.
func (l *fleetLoad) status(status int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.statuses[status]
}

// checkCounted checks that the database has counted each admitted request, and none beyond the
// limit. A request whose count was committed when the server ended its connection was answered with
// 503: it uses up the limit, but is not admitted. There can be one for each request that was in
// progress.
func (l *fleetLoad) checkCounted(target string) {
	t := l.f.t
	t.Helper()
	db := suite.Must(sql.Open("pgx", target))(t)
	defer db.Close()
	var used int
	suite.Check(t, db.QueryRow("SELECT max(used) FROM counters").Scan(&used))
	if admitted := l.statuses[http.StatusOK]; used != l.limit || admitted > used || used-admitted > 4*5 {
		t.Errorf("the database has counted %d requests, and %d were admitted; want %d", used, admitted, l.limit)
	}
}
