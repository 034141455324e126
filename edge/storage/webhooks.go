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

// announcedRow is the name of the only row of the table announced.
const announcedRow = "events"

// Announced implements webhook.AnnouncerStore.
func (s *State) Announced(ctx context.Context) (webhook.Announced, error) {
	return one(s.on(ctx), nil, func(a *webhook.Announced) []any {
		return []any{&a.Version, &a.Build, &a.Change, &a.Commit, moment(&a.AsOf), moment(&a.CommitTime), &a.Noticed}
	}, "SELECT version, build, change_id, commit_of, as_of, commit_at, noticed_at IS NOT NULL FROM announced WHERE name = $1", announcedRow)
}

// Announce implements webhook.AnnouncerStore. It uses one transaction, so that a crash can
// neither lose an event nor store it twice. Until it ends, no other can store events, so they
// become visible in the order of their seq.
func (s *State) Announce(ctx context.Context, to webhook.Announced, notices []webhook.Notice, events []webhook.Event) (moved bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		tx.do("INSERT INTO announced (name, version, seq, build, change_id, commit_of) VALUES ($1, 0, 0, '', '', '') ON CONFLICT (name) DO NOTHING", announcedRow)
		last, err := value[int64](tx.conn, `UPDATE announced SET version = version + 1, seq = seq + $3, build = $4, change_id = $5, commit_of = $6, as_of = $7, commit_at = $8,
			noticed_at = COALESCE(noticed_at, $9) WHERE name = $1 AND version = $2 RETURNING seq`,
			announcedRow, to.Version, len(events), to.Build, to.Change, to.Commit, toMillis(to.AsOf), toMillis(to.CommitTime), sql.NullInt64{Int64: tx.now(), Valid: to.Noticed})
		if moved = err == nil; errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		for _, n := range notices {
			tx.do(`INSERT INTO retirement_notices (type, slug, retires, notice, created_at) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT DO NOTHING`, n.Type, n.Slug, n.Retires, n.Days, tx.now())
		}
		return tx.addEvents(last-int64(len(events)), events)
	})
	return moved && err == nil, err
}

// addEvents stores events after the seq last, and a delivery to each webhook that receives them.
// This includes disabled webhooks, because they may be enabled at any time.
func (tx *Tx) addEvents(last int64, events []webhook.Event) error {
	hooks, _ := list(tx.conn, webhookInto, "SELECT "+webhookColumns+" FROM webhooks w ORDER BY id")
	add := tx.inserter("webhook_events", "seq, id, event, payload, created_at")
	for i, e := range events {
		add.add(last+int64(i)+1, e.ID, e.Name, string(e.Payload), tx.now())
	}
	add.flush()
	deliver := tx.inserter("webhook_deliveries", "id, webhook_id, kind, event_seq, event_id, event, status, created_at")
	for i := range events {
		for j := range hooks {
			if hooks[j].Receives(&events[i]) {
				deliver.add(NewID("dlv_"), hooks[j].ID, string(webhook.ForEvent), last+int64(i)+1, events[i].ID, events[i].Name, string(webhook.Pending), tx.now())
			}
		}
	}
	deliver.flush()
	return tx.failed
}

// Notices implements webhook.AnnouncerStore.
func (s *State) Notices(ctx context.Context, after string) (map[webhook.Notice]bool, error) {
	rows, err := list(s.on(ctx), func(n *webhook.Notice) []any { return []any{&n.Type, &n.Slug, &n.Retires, &n.Days} },
		"SELECT type, slug, retires, notice FROM retirement_notices WHERE retires > $1", after)
	sent := make(map[webhook.Notice]bool, len(rows))
	for _, n := range rows {
		sent[n] = true
	}
	return sent, err
}

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
