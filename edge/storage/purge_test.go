package storage_test

import (
	"fmt"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// TestPurge checks that rows of each table are deleted once they are too old, however many there are,
// and not before.
func TestPurge(t *testing.T) {
	suite.InTest(t)
	const day = 24 * time.Hour
	tables := map[string]struct {
		age    time.Duration // at which a row is deleted
		insert string        // takes a time and a number
	}{
		"counters":           {25 * time.Hour, "(ends, lasts, subject, used) VALUES (%d, 1000, 'ip:%d', 1)"},
		"idempotency":        {day, "(created_at, key, account_id, method, path, body_hash, status, location, answer, secret_id) VALUES (%d, '%d', 'acc_a', 'POST', '/', '', 0, '', '', '')"},
		"sessions":           {30 * day, "(seen_at, hash, account_id, created_at) VALUES (%d, '%d', 'acc_a', %[1]d)"},
		"audit_log":          {storage.AuditRetention, "(at, seq, account_id, action, actor, actor_id, actor_name, address, target, detail) VALUES (%d, %d, 'acc_a', 'key.created', 'key', '', '', '', '', '')"},
		"retirement_notices": {396 * day, "(created_at, slug, type, retires, notice) VALUES (%d, '%d', 'tool', '2026-01-01', 7)"},
		"webhook_deliveries": {30 * day, "(created_at, id, webhook_id, kind, event_id, event, status) VALUES (%d, '%d', 'wh_a', 'test', 'evt_a', 'webhook.test', 'succeeded')"},
		"webhook_events":     {30 * day, "(created_at, seq, id, event, payload) VALUES (%d, %[2]d, '%[2]d', 'entity.updated', '{}')"},
	}
	storagetest.EachTarget(t, func(t *testing.T, target string) {
		now := time.Now().Truncate(time.Millisecond)
		s, ctx := storagetest.OpenAt(t, target, func() time.Time { return now }), t.Context()
		exec := func(statement string) {
			t.Helper()
			suite.Check(t, writeOne(ctx, s, statement))
		}
		exec("INSERT INTO accounts (id, name, created_at) VALUES ('acc_a', 'ada', 1)")
		exec(webhookRow("wh_a"))
		for table, c := range tables {
			at := now.Add(-c.age).UnixMilli()
			exec(fmt.Sprintf("INSERT INTO "+table+" "+c.insert, at+1, 1))
			exec(fmt.Sprintf("INSERT INTO "+table+" "+c.insert, at-1, 2))
		}
		exec(fmt.Sprintf("INSERT INTO sessions (seen_at, hash, account_id, created_at) VALUES (%d, 'old', 'acc_a', %d)", now.UnixMilli(), now.Add(-90*day).UnixMilli()-1))
		exec(fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO counters (ends, lasts, subject, used) SELECT %d, 1000, CAST(i AS TEXT), 1 FROM n",
			now.Add(-26*time.Hour).UnixMilli()))
		if list, count, err := s.AuditLog(ctx, "acc_a", 0, 10); err != nil || count != 1 || list[0].Seq != 1 {
			t.Errorf("an old entry is shown: %+v %v", list, err)
		}
		suite.Check(t, s.Purge(ctx))
		for table := range tables {
			suite.Equal(t, suite.Must(s.Number(ctx, "SELECT COUNT(*) FROM "+table))(t), 1, table, "rows, want 1")
		}
	})
}
