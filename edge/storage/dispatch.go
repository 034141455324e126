package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"kindex/edge/webhook"
)

var (
	_ webhook.Store          = (*State)(nil)
	_ webhook.AnnouncerStore = (*State)(nil)
)

const (
	// suspendedAccounts selects the accounts whose webhooks have to wait.
	suspendedAccounts = "(SELECT id FROM accounts WHERE suspended_at IS NOT NULL)"
	pendingEvent      = "(SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.kind = 'event')"
	pendingRequest    = "(SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.kind IN ('replay', 'test'))"

	// dueWebhooks selects webhooks that are due at $1 and not leased.
	dueWebhooks = `SELECT w.id FROM webhooks w WHERE w.leased_until <= $1 AND w.account_id NOT IN ` + suspendedAccounts + `
		AND (w.disabled_at IS NULL AND COALESCE(w.next_at, 0) <= $1 AND EXISTS ` + pendingEvent + ` OR EXISTS ` + pendingRequest + `)
		ORDER BY COALESCE(w.next_at, 0) LIMIT $2`
)

// Lease implements webhook.Store.
func (s *State) Lease(ctx context.Context, owner string, n int, lasts time.Duration) ([]string, error) {
	// Usually nothing is due, and unlike the update, this query does not block writers.
	var one string
	err := s.row(ctx, dueWebhooks, s.now().UnixMilli(), 1).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var leased []string
	err = s.Write(ctx, func(tx *Tx) error {
		// MATERIALIZED makes sure that the subquery picks and locks rows only once.
		rows, err := tx.rows(`WITH due AS MATERIALIZED (`+dueWebhooks+tx.skipLocked("w")+`)
			UPDATE webhooks SET lease_owner = $3, leased_until = $4 WHERE id IN (SELECT id FROM due) RETURNING id`,
			tx.now(), n, owner, tx.now()+lasts.Milliseconds())
		leased, err = all(rows, err, textInto)
		return err
	})
	return leased, err
}

// Renew implements webhook.Store.
func (s *State) Renew(ctx context.Context, owner, id string, lasts time.Duration) error {
	n, err := s.exec(ctx, "UPDATE webhooks SET leased_until = $3 WHERE id = $1 AND lease_owner = $2",
		id, owner, s.now().Add(lasts).UnixMilli())
	return leaseKept(n, err)
}

func leaseKept(rows int64, err error) error {
	if err == nil && rows == 0 {
		return webhook.ErrLeaseLost
	}
	return err
}

// Release implements webhook.Store.
func (s *State) Release(ctx context.Context, owner, id string) error {
	_, err := s.exec(ctx, "UPDATE webhooks SET leased_until = 0, lease_owner = NULL WHERE id = $1 AND lease_owner = $2", id, owner)
	return err
}

// Next implements webhook.Store.
func (s *State) Next(ctx context.Context, owner, id string) (w webhook.Webhook, d webhook.Delivery, err error) {
	d, err = s.firstPending(ctx, "d.kind IN ('replay', 'test') ORDER BY d.created_at, d.id", id)
	if errors.Is(err, sql.ErrNoRows) {
		d, err = s.firstPending(ctx, "d.kind = 'event' AND w.disabled_at IS NULL AND COALESCE(w.next_at, 0) <= $2 ORDER BY d.event_seq", id, s.now().UnixMilli())
	}
	if err == nil { // the webhook is read last, so that a secret that was replaced before the delivery was requested is known
		w, err = one(s.row(ctx, "SELECT "+webhookColumns+" FROM webhooks w WHERE id = $1 AND lease_owner = $2 AND account_id NOT IN "+suspendedAccounts, id, owner),
			sql.ErrNoRows, webhookInto)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.Webhook{}, webhook.Delivery{}, nil
	}
	return w, d, err
}

// firstPending returns the first pending delivery to the webhook $1 that matches a condition, with
// its payload.
func (s *State) firstPending(ctx context.Context, condition string, args ...any) (webhook.Delivery, error) {
	return one(s.row(ctx, "SELECT "+deliveryColumns+`, COALESCE(d.payload, e.payload) FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
		LEFT JOIN webhook_events e ON e.seq = d.event_seq WHERE d.webhook_id = $1 AND d.status = 'pending' AND `+condition+" LIMIT 1", args...),
		sql.ErrNoRows, func(d *webhook.Delivery) []any { return append(deliveryInto(d), &d.Payload) })
}

// RecordAttempt implements webhook.Store.
func (s *State) RecordAttempt(ctx context.Context, owner string, lasts time.Duration, w *webhook.Webhook, d *webhook.Delivery) error {
	return s.Write(ctx, func(tx *Tx) error {
		err := leaseKept(tx.exec(`UPDATE webhooks SET disabled_at = $3, disabled_reason = $4, failing_since = $5, last_attempt_at = $6,
				last_success_at = $7, next_at = $8, attempts = $9, leased_until = $10 WHERE id = $1 AND lease_owner = $2`,
			w.ID, owner, toMillis(w.DisabledAt), nullText(w.DisabledReason), toMillis(w.FailingSince), toMillis(w.LastAttemptAt),
			toMillis(w.LastSuccessAt), toMillis(w.NextAt), w.FailedAttempts, tx.now()+lasts.Milliseconds()))
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE webhook_deliveries SET status = $2, attempts = $3, last_attempt_at = $4, last_status = $5, last_error = $6, duration_ms = $7
			WHERE id = $1`, d.ID, string(d.Status), d.Attempts, toMillis(d.LastAttemptAt),
			sql.NullInt64{Int64: int64(d.ResponseStatus), Valid: d.ResponseStatus != 0}, nullText(d.Error), d.Took.Milliseconds()); err != nil {
			return err
		}
		if w.Active() || !w.DisabledAt.Equal(w.LastAttemptAt) {
			return nil
		}
		return tx.Audit(AuditEntry{AccountID: w.AccountID, Action: WebhookDisabled, Target: w.ID, Detail: w.DisabledReason})
	})
}

// nullText converts a text to its stored form, in which an empty text is null.
func nullText(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// awaited is the condition for deliveries to be kept until they have been made.
const awaited = `d.status = 'pending' AND d.webhook_id IN (SELECT id FROM webhooks WHERE disabled_at IS NULL AND account_id NOT IN ` + suspendedAccounts + ")"

// OldestWaiting implements webhook.Store.
func (s *State) OldestWaiting(ctx context.Context) (time.Time, error) {
	var at time.Time
	err := s.row(ctx, "SELECT MIN(d.created_at) FROM webhook_deliveries d WHERE d.kind = 'event' AND "+awaited).Scan(moment(&at))
	return at, err
}

// expireBatchSize is the maximum number of rows deleted in one transaction. On SQLite, other
// transactions have to wait for it.
const expireBatchSize = 2000

// Expire implements webhook.Store.
func (s *State) Expire(ctx context.Context, before time.Time) error {
	if _, err := s.exec(ctx, "UPDATE webhooks SET previous_secret = NULL, previous_until = NULL WHERE previous_until <= $1", s.now().UnixMilli()); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM webhook_deliveries WHERE id IN (SELECT d.id FROM webhook_deliveries d
			WHERE d.created_at < $1 AND COALESCE(d.last_attempt_at, 0) < $1 AND NOT (` + awaited + `) LIMIT $2)`,
		`DELETE FROM webhook_events WHERE seq IN (SELECT e.seq FROM webhook_events e
			WHERE e.created_at < $1 AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_seq = e.seq) LIMIT $2)`,
	} {
		for {
			n, err := s.exec(ctx, statement, before.UnixMilli(), expireBatchSize)
			if err != nil {
				return err
			}
			if n < expireBatchSize {
				break
			}
		}
	}
	return nil
}

// ReleaseStaleLeases implements webhook.Store. Only one edge uses a SQLite file, so existing
// leases belong to an edge that has died. On PostgreSQL, leases just expire.
func (s *State) ReleaseStaleLeases(ctx context.Context) error {
	if s.exclusiveLock == nil {
		return nil
	}
	_, err := s.exec(ctx, "UPDATE webhooks SET leased_until = 0, lease_owner = NULL WHERE lease_owner IS NOT NULL")
	return err
}
