package storage

import (
	"context"
	"errors"
	"time"

	"kindex/edge/auth"
)

// How long rows are kept.
const (
	// counterRetention is how long counts of past windows are kept. An edge whose clock is up to a
	// day ahead must not delete the counts that others still need.
	counterRetention = 25 * time.Hour
	// deliveryRetention is how long events and deliveries that have been made are kept.
	deliveryRetention = 30 * 24 * time.Hour
	// noticeRetention is how long notices are kept: until a year after the retirement, in case
	// the clock of an edge is set back.
	noticeRetention = (365 + 31) * 24 * time.Hour
)

// expiring lists the tables whose rows expire: their primary key, the condition for a row t to be
// deleted, in which $1 is the time before which it must have been written or have expired, and how
// long ago that is.
var expiring = []struct {
	table, key, condition string
	age                   time.Duration
}{
	{"counters", "ends, lasts, subject", "t.ends < $1", counterRetention},
	{"idempotency", "account_id, method, path, key", "t.created_at <= $1", idempotencyTTL},
	{"sessions", "hash", "t.seen_at <= $1 OR t.created_at <= $1 - 5184000000", auth.SessionIdleTimeout}, // MaxSessionAge is 60 days longer
	{"audit_log", "account_id, seq", "t.at <= $1", AuditRetention},
	{"retirement_notices", "type, slug, retires, notice", "t.created_at < $1", noticeRetention},
	{"webhook_deliveries", "id", "t.created_at < $1 AND COALESCE(t.last_attempt_at, 0) < $1 AND NOT (" + awaited + ")", deliveryRetention},
	{"webhook_events", "seq", "t.created_at < $1 AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_seq = t.seq)", deliveryRetention},
}

// purgeBatchSize is the maximum number of rows that one statement deletes, so that it does not block
// other statements for long.
const purgeBatchSize = 2000

// Purge deletes what has expired, and secrets of webhooks that have been replaced. Several edges can
// do this on the same database.
func (s *State) Purge(ctx context.Context) error {
	var failed []error
	for _, e := range expiring {
		statement := "DELETE FROM " + e.table + " WHERE (" + e.key + ") IN (SELECT " + e.key + " FROM " + e.table + " t WHERE " + e.condition + " ORDER BY " + e.key + " LIMIT $2)"
		for n := int64(purgeBatchSize); n == purgeBatchSize; {
			var err error
			n, err = s.on(ctx).exec(statement, s.now().Add(-e.age).UnixMilli(), purgeBatchSize)
			failed = append(failed, s.wrap("deleting old rows of "+e.table, err))
		}
	}
	_, err := s.on(ctx).exec("UPDATE webhooks SET previous_secret = NULL, previous_until = NULL WHERE previous_until <= $1", s.now().UnixMilli())
	return errors.Join(append(failed, s.wrap("deleting replaced secrets", err))...)
}
