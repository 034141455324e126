package storage

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"kindex/edge/webhook"
)

// webhookColumns are the columns of webhooks w that scanWebhook reads. The last one is when the
// first pending event was stored.
const webhookColumns = `w.id, w.account_id, w.url, w.events, w.fields, w.figures, w.secret, w.created_at, w.disabled_at, w.disabled_reason,
	w.failing_since, w.last_attempt_at, w.last_success_at, w.next_at, w.attempts, w.previous_secret, w.previous_until,
	(SELECT d.created_at FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.kind = 'event' ORDER BY d.event_seq LIMIT 1)`

func scanWebhook(scan func(...any) error) (webhook.Webhook, error) {
	var w webhook.Webhook
	var events, fields string
	var figures int
	var reason, previous sql.NullString
	var created, disabled, failing, attempt, success, next, until, waiting sql.NullInt64
	err := scan(&w.ID, &w.AccountID, &w.URL, &events, &fields, &figures, &w.SealedSecret, &created, &disabled, &reason,
		&failing, &attempt, &success, &next, &w.FailedAttempts, &previous, &until, &waiting)
	if err != nil {
		return w, err
	}
	if !next.Valid || !waiting.Valid {
		next = waiting
	}
	w.CreatedAt, w.DisabledAt, w.FailingSince = fromMillis(created), fromMillis(disabled), fromMillis(failing)
	w.LastAttemptAt, w.LastSuccessAt, w.NextAt = fromMillis(attempt), fromMillis(success), fromMillis(next)
	w.DisabledReason, w.PreviousSealed, w.PreviousUntil = reason.String, previous.String, fromMillis(until)
	w.IgnoreFigures = figures == 0
	return w, errors.Join(json.Unmarshal([]byte(events), &w.Events), json.Unmarshal([]byte(fields), &w.Fields))
}

// CreateWebhook adds a webhook to its account. The webhook receives events from now on. If
// the account has reached its limit, the error is webhook.ErrTooMany, even with concurrent
// calls.
func (tx *Tx) CreateWebhook(w webhook.Webhook) (webhook.Webhook, error) {
	if _, err := tx.lockAccount(w.AccountID); err != nil {
		return w, err
	}
	var count int
	if err := tx.row("SELECT COUNT(*) FROM webhooks WHERE account_id = $1", w.AccountID).Scan(&count); err != nil {
		return w, err
	}
	if count >= webhook.MaxPerAccount {
		return w, webhook.ErrTooMany
	}
	figures := 1
	if w.IgnoreFigures {
		figures = 0
	}
	if w.Fields == nil {
		w.Fields = []string{}
	}
	w.CreatedAt = fromMillis(sql.NullInt64{Int64: tx.now(), Valid: true})
	_, err := tx.exec(`INSERT INTO webhooks (id, account_id, url, events, fields, figures, secret, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, w.ID, w.AccountID, w.URL, jsonList(w.Events), jsonList(w.Fields), figures, w.SealedSecret, toMillis(w.CreatedAt))
	if err != nil {
		return w, err
	}
	return w, tx.Audit(AuditEntry{AccountID: w.AccountID, Action: WebhookCreated, Target: w.ID, Detail: hostOf(w.URL)})
}

// jsonList converts a list to its stored form.
func jsonList(list []string) string {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // lists of strings can always be encoded
	}
	return string(b)
}

// hostOf returns the host in a webhook's address. The rest of the address may contain a
// secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// RotateWebhook gives an account's webhook a new secret. Until the given time, deliveries are
// also signed with the current secret. An older secret is dropped immediately. The error is
// webhook.ErrUnknown or a database error.
func (tx *Tx) RotateWebhook(accountID, id, sealed string, until time.Time) error {
	n, err := tx.exec("UPDATE webhooks SET previous_secret = secret, previous_until = $3, secret = $4 WHERE id = $1 AND account_id = $2",
		id, accountID, toMillis(until), sealed)
	switch {
	case err != nil:
		return err
	case n == 0:
		return webhook.ErrUnknown
	}
	return tx.Audit(AuditEntry{AccountID: accountID, Action: WebhookRotated, Target: id})
}

// DeleteWebhook deletes an account's webhook with its delivery log. The error is
// webhook.ErrUnknown if there is no such webhook.
func (tx *Tx) DeleteWebhook(accountID, id string) error {
	n, err := tx.exec("DELETE FROM webhooks WHERE id = $1 AND account_id = $2", id, accountID)
	switch {
	case err != nil:
		return err
	case n == 0:
		return webhook.ErrUnknown
	}
	return tx.Audit(AuditEntry{AccountID: accountID, Action: WebhookDeleted, Target: id})
}

// Webhooks returns an account's webhooks, oldest first.
func (s *State) Webhooks(ctx context.Context, accountID string) ([]webhook.Webhook, error) {
	rows, err := s.rows(ctx, "SELECT "+webhookColumns+" FROM webhooks w WHERE account_id = $1 ORDER BY w.created_at, w.id", accountID)
	return scanRows(rows, err, scanWebhook)
}

// Webhook returns an account's webhook. If there is none with this id, the error is
// webhook.ErrUnknown.
func (s *State) Webhook(ctx context.Context, accountID, id string) (webhook.Webhook, error) {
	w, err := scanWebhook(s.row(ctx, "SELECT "+webhookColumns+" FROM webhooks w WHERE id = $1 AND account_id = $2", id, accountID).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = webhook.ErrUnknown
	}
	return w, err
}

// deliveryColumns are the columns of webhook_deliveries d and its webhook w that scanDelivery
// reads. Among them is when a pending delivery may be made: events wait with their webhook.
const deliveryColumns = `d.id, d.webhook_id, d.kind, d.event_seq, d.event_id, d.event, d.status, d.attempts, d.created_at, d.last_attempt_at,
	CASE WHEN d.status <> 'pending' OR d.kind = 'event' AND w.disabled_at IS NOT NULL THEN NULL
		WHEN d.kind = 'event' THEN COALESCE(w.next_at, d.created_at) ELSE d.created_at END,
	d.last_status, d.last_error, d.duration_ms`

func scanDelivery(scan func(...any) error) (webhook.Delivery, error) {
	var d webhook.Delivery
	var seq, created, attempt, next, status, took sql.NullInt64
	var failure sql.NullString
	err := scan(&d.ID, &d.WebhookID, &d.Kind, &seq, &d.EventID, &d.Event, &d.Status, &d.Attempts, &created,
		&attempt, &next, &status, &failure, &took)
	d.Seq, d.CreatedAt, d.LastAttemptAt, d.NextAt = seq.Int64, fromMillis(created), fromMillis(attempt), fromMillis(next)
	d.ResponseStatus, d.Error, d.Took = int(status.Int64), failure.String, time.Duration(took.Int64)*time.Millisecond
	return d, err
}

// DeliveryQuery selects part of a webhook's delivery log, newest first.
type DeliveryQuery struct {
	WebhookID string
	Status    webhook.Status // "" selects all
	Limit     int
	Before    *DeliveryPosition // selects older deliveries; nil starts at the newest
}

// DeliveryPosition is the position of a delivery in the log: deliveries created in the same
// millisecond are in the order of their events.
type DeliveryPosition struct {
	CreatedMs, Seq int64
	ID             string
}

// Deliveries returns entries from a webhook's delivery log, and the total number of entries.
// The caller must check who owns the webhook.
func (s *State) Deliveries(ctx context.Context, q DeliveryQuery) (list []webhook.Delivery, count int, err error) {
	where, args := "d.webhook_id = $1", []any{q.WebhookID}
	if q.Status != "" {
		where, args = where+" AND d.status = $2", append(args, string(q.Status))
	}
	if err := s.row(ctx, "SELECT COUNT(*) FROM webhook_deliveries d WHERE "+where, args...).Scan(&count); err != nil {
		return nil, 0, err
	}
	if b := q.Before; b != nil {
		where += " AND (d.created_at, COALESCE(d.event_seq, 0), d.id) < (" + placeholder(len(args)+1) + ", " + placeholder(len(args)+2) + ", " + placeholder(len(args)+3) + ")"
		args = append(args, b.CreatedMs, b.Seq, b.ID)
	}
	rows, err := s.rows(ctx, "SELECT "+deliveryColumns+" FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE "+where+
		" ORDER BY d.created_at DESC, COALESCE(d.event_seq, 0) DESC, d.id DESC LIMIT "+placeholder(len(args)+1), append(args, q.Limit)...)
	list, err = scanRows(rows, err, scanDelivery)
	return list, count, err
}

// maxRequestedDeliveries is the maximum number of pending tests and replays for a webhook.
const maxRequestedDeliveries = 100

// RequestTest requests a test delivery to an account's webhook. The error is
// webhook.ErrUnknown, webhook.ErrBusy or a database error.
func (tx *Tx) RequestTest(accountID, webhookID string) (webhook.Delivery, error) {
	id := NewID("evt_")
	at := fromMillis(sql.NullInt64{Int64: tx.now(), Valid: true})
	return tx.requestDelivery(accountID, webhook.Delivery{WebhookID: webhookID, Kind: webhook.ForTest, EventID: id, Event: webhook.TestEvent,
		Payload: webhook.TestPayload(id, at)})
}

// RequestReplay requests another delivery of an event or a test. The error is
// webhook.ErrUnknown, webhook.ErrBusy or a database error.
func (tx *Tx) RequestReplay(accountID, webhookID, deliveryID string) (webhook.Delivery, error) {
	d := webhook.Delivery{WebhookID: webhookID, Kind: webhook.ForReplay}
	var seq sql.NullInt64
	var payload sql.NullString
	err := tx.row(`SELECT d.event_seq, d.event_id, d.event, d.payload FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
		WHERE d.id = $1 AND w.id = $2 AND w.account_id = $3 AND (d.payload IS NOT NULL OR d.event_seq IN (SELECT seq FROM webhook_events))`,
		deliveryID, webhookID, accountID).Scan(&seq, &d.EventID, &d.Event, &payload)
	if errors.Is(err, sql.ErrNoRows) {
		err = webhook.ErrUnknown
	}
	if err != nil {
		return d, err
	}
	if d.Seq = seq.Int64; payload.Valid {
		d.Payload = []byte(payload.String)
	}
	return tx.requestDelivery(accountID, d)
}

func (tx *Tx) requestDelivery(accountID string, d webhook.Delivery) (webhook.Delivery, error) {
	// This locks the webhook's row, so that no pending delivery can be added while they are
	// counted.
	n, err := tx.exec("UPDATE webhooks SET account_id = account_id WHERE id = $1 AND account_id = $2", d.WebhookID, accountID)
	if err != nil {
		return d, err
	}
	if n == 0 {
		return d, webhook.ErrUnknown
	}
	var waiting int
	err = tx.row("SELECT COUNT(*) FROM webhook_deliveries WHERE webhook_id = $1 AND kind <> 'event' AND status = 'pending'", d.WebhookID).Scan(&waiting)
	if err != nil {
		return d, err
	}
	if waiting >= maxRequestedDeliveries {
		return d, webhook.ErrBusy
	}
	d.ID, d.Status = NewID("dlv_"), webhook.Pending
	d.CreatedAt = fromMillis(sql.NullInt64{Int64: tx.now(), Valid: true})
	d.NextAt = d.CreatedAt
	_, err = tx.exec(`INSERT INTO webhook_deliveries (id, webhook_id, kind, event_seq, event_id, event, payload, status, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, d.ID, d.WebhookID, string(d.Kind), sql.NullInt64{Int64: d.Seq, Valid: d.Seq != 0},
		d.EventID, d.Event, sql.NullString{String: string(d.Payload), Valid: d.Payload != nil}, string(d.Status), toMillis(d.CreatedAt))
	return d, err
}
