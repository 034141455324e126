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

	// awaited is the condition for a delivery t to be kept until it has been made.
	awaited = `t.status = 'pending' AND t.webhook_id IN (SELECT id FROM webhooks WHERE disabled_at IS NULL AND account_id NOT IN ` + suspendedAccounts + ")"
)

// Lease implements webhook.Store.
func (s *State) Lease(ctx context.Context, owner string, n int, lasts time.Duration) (leased []string, err error) {
	// Usually nothing is due, and unlike the update, this query does not block writers.
	due, err := list(s.on(ctx), into1[string], dueWebhooks, s.now().UnixMilli(), 1)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	err = s.Write(ctx, func(tx *Tx) error {
		// MATERIALIZED makes sure that the subquery picks and locks rows only once.
		leased, err = list(tx.conn, into1[string], `WITH due AS MATERIALIZED (`+dueWebhooks+tx.skipLocked("w")+`)
			UPDATE webhooks SET lease_owner = $3, leased_until = $4 WHERE id IN (SELECT id FROM due) RETURNING id`,
			tx.now(), n, owner, tx.now()+lasts.Milliseconds())
		return err
	})
	return leased, err
}

// Release implements webhook.Store.
func (s *State) Release(ctx context.Context, owner, id string, wait time.Duration) error {
	_, err := s.on(ctx).exec("UPDATE webhooks SET leased_until = $3, lease_owner = NULL WHERE id = $1 AND lease_owner = $2", id, owner, s.now().Add(wait).UnixMilli())
	return err
}

// Next implements webhook.Store.
func (s *State) Next(ctx context.Context, owner, id string) (w webhook.Webhook, d webhook.Delivery, err error) {
	d, err = s.firstPending(ctx, "d.kind IN ('replay', 'test') ORDER BY d.created_at, d.id", id)
	if errors.Is(err, sql.ErrNoRows) {
		d, err = s.firstPending(ctx, "d.kind = 'event' AND w.disabled_at IS NULL AND COALESCE(w.next_at, 0) <= $2 ORDER BY d.event_seq", id, s.now().UnixMilli())
	}
	if err == nil { // the webhook is read last, so that a secret that was replaced before the delivery was requested is known
		w, err = one(s.on(ctx), sql.ErrNoRows, webhookInto, "SELECT "+webhookColumns+" FROM webhooks w WHERE id = $1 AND lease_owner = $2 AND account_id NOT IN "+suspendedAccounts, id, owner)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.Webhook{}, webhook.Delivery{}, nil
	}
	return w, d, err
}

// firstPending returns the first pending delivery to the webhook $1 that matches a condition, with
// its payload.
func (s *State) firstPending(ctx context.Context, condition string, args ...any) (webhook.Delivery, error) {
	return one(s.on(ctx), sql.ErrNoRows, func(d *webhook.Delivery) []any { return append(deliveryInto(d), &d.Payload) },
		"SELECT "+deliveryColumns+`, COALESCE(d.payload, e.payload) FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
		LEFT JOIN webhook_events e ON e.seq = d.event_seq WHERE d.webhook_id = $1 AND d.status = 'pending' AND `+condition+" LIMIT 1", args...)
}

// RecordAttempt implements webhook.Store.
func (s *State) RecordAttempt(ctx context.Context, owner string, lasts time.Duration, w *webhook.Webhook, d *webhook.Delivery) error {
	return s.Write(ctx, func(tx *Tx) error {
		n := tx.do(`UPDATE webhooks SET disabled_at = $3, disabled_reason = $4, failing_since = $5, last_attempt_at = $6,
				last_success_at = $7, next_at = $8, attempts = $9, leased_until = $10 WHERE id = $1 AND lease_owner = $2`,
			w.ID, owner, toMillis(w.DisabledAt), orNull(w.DisabledReason), toMillis(w.FailingSince), toMillis(w.LastAttemptAt),
			toMillis(w.LastSuccessAt), toMillis(w.NextAt), w.FailedAttempts, tx.now()+lasts.Milliseconds())
		if n == 0 && tx.failed == nil {
			return webhook.ErrLeaseLost
		}
		tx.do(`UPDATE webhook_deliveries SET status = $2, attempts = $3, last_attempt_at = $4, last_status = $5, last_error = $6, duration_ms = $7
			WHERE id = $1`, d.ID, string(d.Status), d.Attempts, toMillis(d.LastAttemptAt), orNull(int64(d.ResponseStatus)), orNull(d.Error), d.Took.Milliseconds())
		if w.Active() || !w.DisabledAt.Equal(w.LastAttemptAt) {
			return nil
		}
		return tx.Audit(AuditEntry{AccountID: w.AccountID, Action: WebhookDisabled, Target: w.ID, Detail: w.DisabledReason})
	})
}

// OldestWaiting implements webhook.Store.
func (s *State) OldestWaiting(ctx context.Context) (time.Time, error) {
	return one(s.on(ctx), nil, func(at *time.Time) []any { return []any{moment(at)} }, "SELECT MIN(t.created_at) FROM webhook_deliveries t WHERE t.kind = 'event' AND "+awaited)
}

// ReleaseStaleLeases implements webhook.Store. Only one edge uses a SQLite file, so existing
// leases belong to an edge that has died. On PostgreSQL, leases just expire.
func (s *State) ReleaseStaleLeases(ctx context.Context) error {
	if s.exclusiveLock == nil {
		return nil
	}
	_, err := s.on(ctx).exec("UPDATE webhooks SET leased_until = 0, lease_owner = NULL WHERE lease_owner IS NOT NULL")
	return err
}
