package storage

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"kindex/edge/webhook"
)

// webhookColumns are the columns of webhooks w that webhookInto receives. The last one is when the
// first pending event was stored.
const webhookColumns = `w.id, w.account_id, w.url, w.events, w.fields, w.figures = 0, w.secret, w.created_at, w.disabled_at, w.disabled_reason,
	w.failing_since, w.last_attempt_at, w.last_success_at, w.next_at, w.attempts, w.previous_secret, w.previous_until,
	(SELECT d.created_at FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.kind = 'event' ORDER BY d.event_seq LIMIT 1)`

func webhookInto(w *webhook.Webhook) []any {
	return []any{&w.ID, &w.AccountID, &w.URL, jsonInto(&w.Events), jsonInto(&w.Fields), &w.IgnoreFigures, &w.SealedSecret, moment(&w.CreatedAt),
		moment(&w.DisabledAt), orZero(&w.DisabledReason), moment(&w.FailingSince), moment(&w.LastAttemptAt), moment(&w.LastSuccessAt), moment(&w.NextAt),
		&w.FailedAttempts, orZero(&w.PreviousSealed), moment(&w.PreviousUntil), column(func(value any) error {
			var waiting time.Time
			err := moment(&waiting)(value)
			if w.NextAt.IsZero() || waiting.IsZero() {
				w.NextAt = waiting
			}
			return err
		})}
}

// CreateWebhook adds a webhook to its account. The webhook receives events from now on. If
// the account has reached its limit, the error is webhook.ErrTooMany, even with concurrent
// calls.
func (tx *Tx) CreateWebhook(w webhook.Webhook) (webhook.Webhook, error) {
	if _, err := tx.lockAccount(w.AccountID); err != nil {
		return w, err
	}
	if tx.count("webhooks WHERE account_id = $1", w.AccountID) >= webhook.MaxPerAccount {
		return w, webhook.ErrTooMany
	}
	figures := 1
	if w.IgnoreFigures {
		figures = 0
	}
	w.CreatedAt = fromMillis(tx.now())
	tx.do(`INSERT INTO webhooks (id, account_id, url, events, fields, figures, secret, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, w.ID, w.AccountID, w.URL, jsonList(w.Events), jsonList(w.Fields), figures, w.SealedSecret, toMillis(w.CreatedAt))
	host := ""
	if u, err := url.Parse(w.URL); err == nil {
		host = u.Host // the rest may contain a secret
	}
	return w, tx.Audit(AuditEntry{AccountID: w.AccountID, Action: WebhookCreated, Target: w.ID, Detail: host})
}

func jsonList(list []string) string {
	b, _ := json.Marshal(append([]string{}, list...)) // never null
	return string(b)
}

// RotateWebhook gives an account's webhook a new secret. Until the given time, deliveries are
// also signed with the current secret. An older secret is dropped immediately. The error is
// webhook.ErrUnknown or a database error.
func (tx *Tx) RotateWebhook(accountID, id, sealed string, until time.Time) error {
	return tx.change(webhook.ErrUnknown, AuditEntry{AccountID: accountID, Action: WebhookRotated, Target: id},
		"UPDATE webhooks SET previous_secret = secret, previous_until = $3, secret = $4 WHERE id = $1 AND account_id = $2",
		id, accountID, toMillis(until), sealed)
}

// DeleteWebhook deletes an account's webhook with its delivery log. The error is
// webhook.ErrUnknown if there is no such webhook.
func (tx *Tx) DeleteWebhook(accountID, id string) error {
	return tx.change(webhook.ErrUnknown, AuditEntry{AccountID: accountID, Action: WebhookDeleted, Target: id},
		"DELETE FROM webhooks WHERE id = $1 AND account_id = $2", id, accountID)
}

// Webhooks returns an account's webhooks, oldest first.
func (s *State) Webhooks(ctx context.Context, accountID string) ([]webhook.Webhook, error) {
	return list(s.on(ctx), webhookInto, "SELECT "+webhookColumns+" FROM webhooks w WHERE account_id = $1 ORDER BY w.created_at, w.id", accountID)
}

// Webhook returns an account's webhook. If there is none with this id, the error is
// webhook.ErrUnknown.
func (s *State) Webhook(ctx context.Context, accountID, id string) (webhook.Webhook, error) {
	return one(s.on(ctx), webhook.ErrUnknown, webhookInto, "SELECT "+webhookColumns+" FROM webhooks w WHERE id = $1 AND account_id = $2", id, accountID)
}

// deliveryColumns are the columns of webhook_deliveries d and its webhook w that deliveryInto
// receives. Among them is when a pending delivery may be made: events wait with their webhook.
const deliveryColumns = `d.id, d.webhook_id, d.kind, d.event_seq, d.event_id, d.event, d.status, d.attempts, d.created_at, d.last_attempt_at,
	CASE WHEN d.status <> 'pending' OR d.kind = 'event' AND w.disabled_at IS NOT NULL THEN NULL
		WHEN d.kind = 'event' THEN COALESCE(w.next_at, d.created_at) ELSE d.created_at END,
	d.last_status, d.last_error, d.duration_ms`

func deliveryInto(d *webhook.Delivery) []any {
	return []any{&d.ID, &d.WebhookID, &d.Kind, orZero(&d.Seq), &d.EventID, &d.Event, &d.Status, &d.Attempts, moment(&d.CreatedAt),
		moment(&d.LastAttemptAt), moment(&d.NextAt), orZero(&d.ResponseStatus), orZero(&d.Error), lasting(&d.Took)}
}

// DeliveryQuery selects part of a webhook's delivery log, newest first.
type DeliveryQuery struct {
	WebhookID string
	Status    webhook.Status // "" selects all
	Limit     int
	Before    string // the ID of the last delivery on the previous page, or ""
}

// Deliveries returns entries from a webhook's delivery log, and the total number of entries. Those
// created in the same millisecond are in the order of their events. The caller must check who owns
// the webhook.
func (s *State) Deliveries(ctx context.Context, q DeliveryQuery) (page []webhook.Delivery, count int, err error) {
	where, args := "d.webhook_id = $1", arguments{q.WebhookID}
	if q.Status != "" {
		where += " AND d.status = " + args.add(string(q.Status))
	}
	c := s.on(ctx)
	count = c.count("webhook_deliveries d WHERE "+where, args...)
	if q.Before != "" {
		where += " AND (d.created_at, COALESCE(d.event_seq, 0), d.id) < (SELECT created_at, COALESCE(event_seq, 0), id FROM webhook_deliveries WHERE id = " + args.add(q.Before) + ")"
	}
	limit := args.add(q.Limit)
	page, err = list(c, deliveryInto, "SELECT "+deliveryColumns+" FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE "+where+
		" ORDER BY d.created_at DESC, COALESCE(d.event_seq, 0) DESC, d.id DESC LIMIT "+limit, args...)
	return page, count, err
}

const maxRequestedDeliveries = 100

// RequestTest requests a test delivery to an account's webhook. The error is
// webhook.ErrUnknown, webhook.ErrBusy or a database error.
func (tx *Tx) RequestTest(accountID, webhookID string) (webhook.Delivery, error) {
	id := NewID("evt_")
	return tx.requestDelivery(accountID, webhook.Delivery{WebhookID: webhookID, Kind: webhook.ForTest, EventID: id, Event: webhook.TestEvent,
		Payload: webhook.TestPayload(id, fromMillis(tx.now()))})
}

// RequestReplay requests another delivery of an event or a test. The error is
// webhook.ErrUnknown, webhook.ErrBusy or a database error.
func (tx *Tx) RequestReplay(accountID, webhookID, deliveryID string) (webhook.Delivery, error) {
	d, err := one(tx.conn, webhook.ErrUnknown, func(d *webhook.Delivery) []any { return []any{orZero(&d.Seq), &d.EventID, &d.Event, &d.Payload} },
		`SELECT d.event_seq, d.event_id, d.event, d.payload FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
		WHERE d.id = $1 AND w.id = $2 AND w.account_id = $3 AND (d.payload IS NOT NULL OR d.event_seq IN (SELECT seq FROM webhook_events))`,
		deliveryID, webhookID, accountID)
	if err != nil {
		return d, err
	}
	d.WebhookID, d.Kind = webhookID, webhook.ForReplay
	return tx.requestDelivery(accountID, d)
}

func (tx *Tx) requestDelivery(accountID string, d webhook.Delivery) (webhook.Delivery, error) {
	// This locks the webhook's row, so that no pending delivery can be added while they are
	// counted.
	if tx.do("UPDATE webhooks SET account_id = account_id WHERE id = $1 AND account_id = $2", d.WebhookID, accountID) == 0 && tx.failed == nil {
		return d, webhook.ErrUnknown
	}
	if tx.count("webhook_deliveries WHERE webhook_id = $1 AND kind <> 'event' AND status = 'pending'", d.WebhookID) >= maxRequestedDeliveries {
		return d, webhook.ErrBusy
	}
	d.ID, d.Status = NewID("dlv_"), webhook.Pending
	d.CreatedAt = fromMillis(tx.now())
	d.NextAt = d.CreatedAt
	tx.do(`INSERT INTO webhook_deliveries (id, webhook_id, kind, event_seq, event_id, event, payload, status, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, d.ID, d.WebhookID, string(d.Kind), orNull(d.Seq),
		d.EventID, d.Event, orNull(string(d.Payload)), string(d.Status), toMillis(d.CreatedAt))
	return d, tx.failed
}
