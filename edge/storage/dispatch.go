package storage

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"kindex/edge/webhook"
)

var _ webhook.Store = (*State)(nil)

// placeholder returns the placeholder for argument n.
func placeholder(n int) string { return "$" + strconv.Itoa(n) }

func millisDuration(n sql.NullInt64) time.Duration { return time.Duration(n.Int64) * time.Millisecond }

// dueWebhooks selects webhooks that are due at $1 and not leased. Webhooks of suspended
// accounts have to wait.
const dueWebhooks = `SELECT id FROM webhooks WHERE leased_until <= $1
	AND (disabled_at IS NULL AND next_at <= $1 OR id IN (SELECT webhook_id FROM webhook_deliveries WHERE next_at <= $1 AND kind <> 'event'))
	AND account_id NOT IN (SELECT id FROM accounts WHERE suspended_at IS NOT NULL)
	ORDER BY COALESCE(next_at, 0) LIMIT $2`

// Lease implements webhook.Store.
func (s *State) Lease(ctx context.Context, owner string, n int, lasts time.Duration) ([]webhook.Webhook, error) {
	// Usually nothing is due, and unlike the update, this query does not block writers.
	var one string
	err := s.row(ctx, dueWebhooks, s.now().UnixMilli(), 1).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var leased []webhook.Webhook
	err = s.Write(ctx, func(tx *Tx) error {
		// MATERIALIZED makes sure that the subquery picks and locks rows only once.
		rows, err := tx.rows(`WITH due AS MATERIALIZED (`+dueWebhooks+tx.skipLocked()+`)
			UPDATE webhooks SET lease_owner = $3, leased_until = $4 WHERE id IN (SELECT id FROM due) RETURNING `+webhookColumns,
			tx.now(), n, owner, tx.now()+lasts.Milliseconds())
		leased, err = scanRows(rows, err, scanWebhook)
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

// WaitForEvents implements webhook.Store.
func (s *State) WaitForEvents(ctx context.Context, owner, id string, position int64) (more bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		n, err := tx.exec(`UPDATE webhooks SET position = $3, next_at = NULL, leased_until = 0, lease_owner = NULL
			WHERE id = $1 AND lease_owner = $2 AND woken <= $3`, id, owner, position)
		if more = n == 0; err != nil || !more {
			return err
		}
		return leaseKept(tx.exec("UPDATE webhooks SET position = $3 WHERE id = $1 AND lease_owner = $2", id, owner, position))
	})
	return more, err
}

// maxPayload is the total size of payloads, in bytes, at which reading a batch of events stops.
// It limits the memory used, since hundreds of webhooks can be processed concurrently.
const maxPayload = 256 << 10

// EventsAfter implements webhook.Store.
func (s *State) EventsAfter(ctx context.Context, position int64, names []string, n int) (events []webhook.Event, upTo int64, err error) {
	// All events up to this seq are visible, because events get their seq in the order of
	// commits.
	if err := s.row(ctx, "SELECT COALESCE(MAX(seq), 0) FROM webhook_cursor").Scan(&upTo); err != nil {
		return nil, 0, err
	}
	args := []any{position, upTo, n}
	placeholders := make([]string, len(names))
	for i, name := range names {
		args = append(args, name)
		placeholders[i] = placeholder(len(args))
	}
	rows, err := s.rows(ctx, `SELECT seq, id, event, payload FROM webhook_events
		WHERE seq > $1 AND seq <= $2 AND event IN (`+strings.Join(placeholders, ", ")+`) ORDER BY seq LIMIT $3`, args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	size := 0
	for rows.Next() {
		var e webhook.Event
		if err := rows.Scan(&e.Seq, &e.ID, &e.Name, &e.Payload); err != nil {
			return nil, 0, err
		}
		events = append(events, e)
		if size += len(e.Payload); len(events) == n || size > maxPayload {
			upTo = e.Seq
			break
		}
	}
	return events, upTo, rows.Err()
}

// RequestedDeliveries implements webhook.Store.
func (s *State) RequestedDeliveries(ctx context.Context, id string) ([]webhook.Delivery, error) {
	var there string
	err := s.row(ctx, `SELECT w.id FROM webhooks w JOIN accounts a ON a.id = w.account_id
		WHERE w.id = $1 AND a.suspended_at IS NULL`, id).Scan(&there)
	if errors.Is(err, sql.ErrNoRows) {
		err = webhook.ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(ctx, "SELECT "+deliveryColumns+`, COALESCE(d.payload, e.payload)
		FROM webhook_deliveries d LEFT JOIN webhook_events e ON e.seq = d.event_seq
		WHERE d.webhook_id = $1 AND d.next_at IS NOT NULL AND d.kind <> 'event' ORDER BY d.created_at, d.id`, id)
	return scanRows(rows, err, func(scan func(...any) error) (webhook.Delivery, error) {
		var payload sql.NullString
		d, err := scanDelivery(func(into ...any) error { return scan(append(into, &payload)...) })
		if payload.Valid {
			d.Payload = []byte(payload.String)
		}
		return d, err
	})
}

// RecordAttempt implements webhook.Store.
func (s *State) RecordAttempt(ctx context.Context, owner string, lasts time.Duration, o webhook.Outcome) error {
	return s.Write(ctx, func(tx *Tx) error {
		if err := tx.recordWebhook(owner, lasts, o); err != nil {
			return err
		}
		if o.Kind == webhook.ForEvent {
			return tx.recordEvent(o)
		}
		_, err := tx.exec(`UPDATE webhook_deliveries SET status = $2, attempts = attempts + 1, last_attempt_at = $3, next_at = NULL,
			last_status = $4, last_error = $5, duration_ms = $6 WHERE id = $1`,
			o.ID, string(o.Status), toMillis(o.LastAttemptAt), nullStatus(o), nullError(o), o.Took.Milliseconds())
		return err
	})
}

// recordWebhook updates the webhook after an attempt. Failed tests and replays do not affect
// its queue.
func (tx *Tx) recordWebhook(owner string, lasts time.Duration, o webhook.Outcome) error {
	set, args := "last_attempt_at = $3", []any{o.WebhookID, owner, toMillis(o.LastAttemptAt)}
	add := func(column string, value any) {
		args = append(args, value)
		set += ", " + column + " = " + placeholder(len(args))
	}
	succeeded := o.Status == webhook.Succeeded
	if o.Kind == webhook.ForEvent || succeeded {
		add("attempts", o.FailedAttempts)
		add("failing_since", toMillis(o.FailingSince))
		add("next_at", toMillis(o.NextAttempt))
	}
	if o.Kind == webhook.ForEvent && o.Done {
		add("position", o.Seq)
	}
	if succeeded {
		add("last_success_at", toMillis(o.LastAttemptAt))
		set += ", disabled_at = NULL, disabled_reason = NULL"
	}
	if o.DisableReason != "" {
		add("disabled_at", toMillis(o.LastAttemptAt))
		add("disabled_reason", o.DisableReason)
	}
	if o.KeepLease {
		add("leased_until", tx.now()+lasts.Milliseconds())
	} else {
		set += ", leased_until = 0, lease_owner = NULL"
	}
	if err := leaseKept(tx.exec("UPDATE webhooks SET "+set+" WHERE id = $1 AND lease_owner = $2", args...)); err != nil || o.DisableReason == "" {
		return err
	}
	e := AuditEntry{Action: WebhookDisabled, Target: o.WebhookID, Detail: o.DisableReason}
	if err := tx.row("SELECT account_id FROM webhooks WHERE id = $1", o.WebhookID).Scan(&e.AccountID); err != nil {
		return err
	}
	return tx.Audit(e)
}

func (tx *Tx) recordEvent(o webhook.Outcome) error {
	_, err := tx.exec(`INSERT INTO webhook_deliveries (id, webhook_id, kind, event_seq, event_id, event, status, attempts, created_at,
			last_attempt_at, next_at, last_status, last_error, duration_ms)
		VALUES ($1, $2, 'event', $3, $4, $5, $6, 1, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (webhook_id, event_seq) WHERE kind = 'event' DO UPDATE SET attempts = webhook_deliveries.attempts + 1,
			status = excluded.status, last_attempt_at = excluded.last_attempt_at, next_at = excluded.next_at,
			last_status = excluded.last_status, last_error = excluded.last_error, duration_ms = excluded.duration_ms`,
		NewID("dlv_"), o.WebhookID, o.Seq, o.EventID, o.Event, string(o.Status), tx.now(), toMillis(o.LastAttemptAt), toMillis(o.NextAt),
		nullStatus(o), nullError(o), o.Took.Milliseconds())
	return err
}

func nullStatus(o webhook.Outcome) sql.NullInt64 {
	return sql.NullInt64{Int64: int64(o.ResponseStatus), Valid: o.ResponseStatus != 0}
}

func nullError(o webhook.Outcome) sql.NullString {
	return sql.NullString{String: o.Error, Valid: o.Error != ""}
}

// activeWebhooks selects the webhooks for which events are kept until they are delivered.
const activeWebhooks = "FROM webhooks WHERE disabled_at IS NULL AND account_id NOT IN (SELECT id FROM accounts WHERE suspended_at IS NOT NULL)"

// OldestWaiting implements webhook.Store.
func (s *State) OldestWaiting(ctx context.Context) (time.Time, error) {
	var at sql.NullInt64
	err := s.row(ctx, "SELECT created_at FROM webhook_events WHERE seq > (SELECT MIN(position) "+activeWebhooks+") ORDER BY seq LIMIT 1").Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return fromMillis(at), err
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
		`DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries
			WHERE created_at < $1 AND next_at IS NULL AND COALESCE(last_attempt_at, 0) < $1 LIMIT $2)`,
		`DELETE FROM webhook_events WHERE seq IN (SELECT seq FROM webhook_events
			WHERE created_at < $1 AND seq <= COALESCE((SELECT MIN(position) ` + activeWebhooks + `), ` + strconv.FormatInt(math.MaxInt64, 10) + `) LIMIT $2)`,
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
