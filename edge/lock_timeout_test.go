package edge

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

// TestLockTimeout has another session lock an account's row in PostgreSQL, as a forgotten psql
// session would. Writes to the row must fail in time and have no effect after the lock is
// released.
func TestLockTimeout(t *testing.T) {
	suite.InTest(t)
	target := storagetest.PostgreSQL(t)
	st, log := storagetest.Open(t, target), &logBuffer{}
	s := serveFew(t, Options{State: st, LimitKey: 100, Log: slog.New(slog.NewTextHandler(log, nil))})
	s.shared.AccountTimeout = hanging
	hasty := serveWith(t, Options{Dir: s.out, State: st, LimitKey: 100, Log: slog.New(slog.NewTextHandler(log, nil))})
	hasty.shared.AccountTimeout = 500 * time.Millisecond
	key, _ := s.keyOf(t, "account")
	db, err := sql.Open("pgx", target)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	held, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback() }()
	if _, err := held.Exec("SELECT id FROM accounts FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	// Failures caused by clients that disconnect must not fill the log.
	ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer leave()
	req, err := http.NewRequestWithContext(ctx, "POST", s.url+"/api/developer/api-keys", strings.NewReader(`{"name":"second"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-api-key", key)
	if _, err := http.DefaultClient.Do(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("unexpected response: %v", err)
	}
	eventually(t, "no request in flight", func() bool { return strings.Contains(s.scrape(t), "kindex_http_requests_in_flight 0") })
	if text := log.String(); strings.Contains(text, "level=ERROR") {
		t.Errorf("log after the client left: %s", text)
	}
	begin := time.Now()
	a := hasty.send(t, "POST", "/api/developer/api-keys", key, `{"name":"second"}`, "Idempotency-Key", "one")
	if took := time.Since(begin); a.status != http.StatusServiceUnavailable || took < hasty.shared.AccountTimeout {
		t.Errorf("after %v: %d %s", took, a.status, a.body)
	}
	if text := log.String(); strings.Count(text, "level=ERROR") != 1 {
		t.Errorf("log after the client waited: %s", text)
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	if a := s.send(t, "POST", "/api/developer/api-keys", key, `{"name":"second"}`, "Idempotency-Key", "one"); a.status != http.StatusCreated {
		t.Errorf("afterwards: %d %s", a.status, a.body)
	}
}
